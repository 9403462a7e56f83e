#include "mulberry/base/tree/pair_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mulberry/base/tree/tree_nodes.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::base {
namespace {

constexpr double k_same = 1e-12;           // of the node's weight: sums closer than this are equal
constexpr double k_same_ratio = 1e-10;     // relative: ratios closer than this are equal
constexpr double k_most_table = 1 << 20;   // entries
constexpr Index k_parallel_work = 50'000;  // rows x columns from which threads share a node

double times_log(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

}  // namespace

PairRows::PairRows(std::span<const Id> classes, std::span<const double> weights) {
  rows.reserve(classes.size());
  double sum = 0;
  bool whole = true;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double w = weights.empty() ? 1.0 : weights[i];
    rows.push_back({w, classes[i] == 1 ? w : 0.0});
    sum += w;
    whole = whole && w == std::floor(w);
  }
  if (!whole || !(sum <= k_most_table)) return;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(sum); ++k) {
    table.push_back(times_log(static_cast<double>(k)));
  }
}

struct PairSearch::Offer {
  double gain = 0, left = 0;
  Id bin = -1;
};

// Sums of whole weights: both numbers in one, so that a row is one addition.
struct PairSearch::Whole {
  std::uint64_t both = 0;

  static Whole of(const PairSums& s) {
    return {static_cast<std::uint64_t>(s.all) << 32 | static_cast<std::uint64_t>(s.yes)};
  }
  std::uint32_t all() const { return static_cast<std::uint32_t>(both >> 32); }
  std::uint32_t yes() const { return static_cast<std::uint32_t>(both); }
  std::uint32_t no() const { return all() - yes(); }
  void add(Whole other) { both += other.both; }
  void subtract(Whole other) { both -= other.both; }
  static double f(const std::vector<double>& table, std::uint32_t x) { return table[x]; }
};

struct PairSearch::Real {
  PairSums sums = {};

  static Real of(const PairSums& s) { return {s}; }
  double all() const { return sums.all; }
  double yes() const { return sums.yes; }
  double no() const { return sums.all - sums.yes; }
  void add(const Real& other) {
    sums.all += other.sums.all;
    sums.yes += other.sums.yes;
  }
  void subtract(const Real& other) {
    sums.all -= other.sums.all;
    sums.yes -= other.sums.yes;
  }
  static double f(const std::vector<double>&, double x) { return times_log(x); }
};

// Used again by every node. Entries of sparse columns are summed by bin; `touched` lists these
// bins.
struct PairSearch::Room {
  std::vector<Whole> whole_rows, whole_sums;
  std::vector<Real> real_rows, real_sums;
  std::vector<Id> touched;  // increasing

  template <class Sums>
  std::vector<Sums>& rows() {
    if constexpr (std::is_same_v<Sums, Whole>) {
      return whole_rows;
    } else {
      return real_rows;
    }
  }
  template <class Sums>
  std::vector<Sums>& sums() {
    if constexpr (std::is_same_v<Sums, Whole>) {
      return whole_sums;
    } else {
      return real_sums;
    }
  }
};

// Bins of a column join the left side, from the lowest.
template <class Sums>
class PairSearch::Walk {
 public:
  Walk(const PairSearch& search, Sums total)
      : table_(search.y_.table),
        min_leaf_(search.min_leaf_),
        total_(total),
        slack_(k_same * static_cast<double>(total.all())),
        whole_(split_score(Sums{}, total)),
        least_(whole_) {}

  void add(Id bin, const Sums& sums) {
    if (!(sums.all() > 0)) return;
    if (bin_ >= 0) consider(bin, sums);
    left_.add(sums);
    last_ = sums;
    bin_ = bin;
  }
  Offer best() const {
    Offer out = best_;
    if (out.bin >= 0) out.gain = (whole_ - least_) / static_cast<double>(total_.all());
    return out;
  }

 private:
  double f(auto x) const { return Sums::f(table_, x); }
  // The weight of the node x the entropy after the cut.
  double split_score(const Sums& left, const Sums& right) const {
    return f(left.all()) - f(left.yes()) - f(left.no()) + f(right.all()) - f(right.yes()) -
           f(right.no());
  }
  // The cut between the bins so far and this one.
  void consider(Id bin, const Sums& next) {
    Sums right = total_;
    right.subtract(left_);
    if (left_.all() < min_leaf_ || right.all() < min_leaf_) return;
    // Between bins of the same single class a neighbouring cut is better, if it is allowed.
    const bool same = (last_.yes() == 0 && next.yes() == 0) || (last_.no() == 0 && next.no() == 0);
    if (same && left_.all() - last_.all() >= min_leaf_ && right.all() - next.all() >= min_leaf_) {
      return;
    }
    const double score = split_score(left_, right);
    if (!(score < least_ - slack_)) return;
    least_ = score;
    best_ = {.left = static_cast<double>(left_.all()), .bin = bin_ + (bin - bin_ - 1) / 2};
  }

  const std::vector<double>& table_;
  double min_leaf_;
  Sums total_, left_ = {}, last_ = {};
  double slack_, whole_, least_;
  Id bin_ = -1;
  Offer best_ = {};
};

PairSearch::PairSearch(const BinnedFeatures& x, const PairRows& y, double min_leaf,
                       const Context& ctx)
    : x_(x), y_(y), min_leaf_(min_leaf), ctx_(ctx), room_(std::make_unique<Room>()) {}

PairSearch::~PairSearch() = default;

template <class Sums>
void PairSearch::search_columns(std::span<const Id> rows, std::vector<Offer>& offers) {
  auto& own = room_->rows<Sums>();
  auto& sums = room_->sums<Sums>();
  auto& touched = room_->touched;
  own.clear();
  for (const Id i : rows) own.push_back(Sums::of(y_.rows[at(i)]));
  const Sums total = Sums::of(total_);
  if (!x_.blocks().empty()) sums.resize(at(x_.slots()));
  for (const Id bin : touched) sums[at(bin)] = {};
  touched.clear();
  for (const auto& block : x_.blocks()) {
    const auto begin = static_cast<std::ptrdiff_t>(touched.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const Id bin : block.row(rows[r])) {
        if (sums[at(bin)].all() == 0) touched.push_back(bin);  // maybe again: of weight 0
        sums[at(bin)].add(own[r]);
      }
    }
    std::sort(touched.begin() + begin, touched.end());
  }
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());

  const auto search_dense = [&](const BinnedColumn& column, Sums* bins) {
    const std::uint8_t* const codes = x_.codes(column);
    std::uint64_t used[4] = {};
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::uint8_t code = codes[rows[r]];
      used[code >> 6] |= std::uint64_t{1} << (code & 63);
      bins[code].add(own[r]);
    }
    Walk<Sums> walk(*this, total);
    for (Id word = 0; word < 4; ++word) {
      for (std::uint64_t bits = used[word]; bits != 0; bits &= bits - 1) {
        const Id bin = 64 * word + static_cast<Id>(std::countr_zero(bits));
        walk.add(bin, bins[bin]);
        bins[bin] = {};
      }
    }
    return walk.best();
  };
  const auto search_sparse = [&](const BinnedColumn& column) -> Offer {
    const auto begin = std::lower_bound(touched.begin(), touched.end(), column.first);
    const auto end = std::lower_bound(begin, touched.end(), column.first + column.slots());
    if (begin == end) return {};
    Sums rest = total;  // rows with the value 0
    for (auto bin = begin; bin != end; ++bin) rest.subtract(sums[at(*bin)]);
    bool placed = !(static_cast<double>(rest.all()) > k_same * total_.all);
    Walk<Sums> walk(*this, total);
    for (auto entry = begin; entry != end; ++entry) {
      const Id bin = *entry - static_cast<Id>(column.first);
      if (!placed && bin > column.zero_bin) {
        walk.add(column.zero_bin, rest);
        placed = true;
      }
      walk.add(bin, sums[at(*entry)]);
    }
    if (!placed) walk.add(column.zero_bin, rest);
    return walk.best();
  };
  const std::vector<Id>& columns = x_.usable();
  const Index grain = std::max<Index>(1, k_parallel_work / std::max<Index>(1, count_of(rows)));
  parallel_chunks(ctx_, count_of(columns), grain, [&](Index begin, Index end) {
    Sums bins[256] = {};
    for (Index k = begin; k < end; ++k) {
      const BinnedColumn& column = x_[columns[at(k)]];
      offers[at(k)] = column.dense >= 0 ? search_dense(column, bins) : search_sparse(column);
    }
  });
}

TreeSplit PairSearch::best(const GrownTree& tree, std::size_t node) {
  const auto rows = tree.rows_of(tree.nodes[node]);
  total_ = {};
  for (const Id i : rows) {
    total_.all += y_.rows[at(i)].all;
    total_.yes += y_.rows[at(i)].yes;
  }
  if (total_.all < 2 * min_leaf_ || total_.yes == 0 || total_.yes == total_.all) return {};
  std::vector<Offer> offers(x_.usable().size());
  if (y_.table.empty()) {
    search_columns<Real>(rows, offers);
  } else {
    search_columns<Whole>(rows, offers);
  }
  return choose(offers);
}

TreeSplit PairSearch::choose(const std::vector<Offer>& offers) const {
  double sum = 0;
  int useful = 0;
  for (const Offer& offer : offers) {
    if (offer.gain <= k_least_gain) continue;
    sum += offer.gain;
    ++useful;
  }
  TreeSplit out;
  double best_ratio = 0;
  for (std::size_t k = 0; k < offers.size(); ++k) {
    const Offer& offer = offers[k];
    if (offer.gain <= k_least_gain || offer.gain < sum / useful - k_least_gain) continue;
    const double parts =
        times_log(total_.all) - times_log(offer.left) - times_log(total_.all - offer.left);
    const double ratio = offer.gain * total_.all / parts;
    if (out.column >= 0 && !(ratio > best_ratio * (1 + k_same_ratio))) continue;
    best_ratio = ratio;
    out = {.column = x_.usable()[k], .bin = offer.bin, .gain = offer.gain};
  }
  return out;
}

}  // namespace mulberry::base

#include "mulberry/base/forest/label_search.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/parallel.hpp"

namespace mulberry::base {
namespace {

constexpr double k_rounding = 1e-10;       // gains that differ by less are equal
constexpr Index k_parallel_work = 15'000;  // rows x columns of one piece of work
constexpr std::size_t k_few = 32;          // rows that are sorted without counting
constexpr std::size_t k_most_words = 4;    // of 64 bits, that hold the packed labels of a row

// A row of the node and its bin.
struct Placed {
  Id bin;
  Id row;  // its place in the node
};

}  // namespace

LabelRows::LabelRows(const Labels& y) : labels(y.count()) {
  start.reserve(at(y.rows()) + 1);
  index.reserve(at(y.positives()));
  start.push_back(0);
  for (Index i = 0; i < y.rows(); ++i) {
    const auto row = y.row(i);
    index.insert(index.end(), row.begin(), row.end());
    start.push_back(static_cast<std::uint32_t>(index.size()));
  }
  if (!y.has_missing()) return;
  missing_start.push_back(0);
  for (Index i = 0; i < y.rows(); ++i) {
    const auto row = y.missing_row(i);
    missing_index.insert(missing_index.end(), row.begin(), row.end());
    missing_start.push_back(static_cast<std::uint32_t>(missing_index.size()));
  }
}

LabelRows::LabelRows(Index rows, std::span<const Id> positives) : labels(1) {
  start.assign(at(rows) + 1, 0);
  for (const Id i : positives) start[at(i) + 1] = 1;
  for (std::size_t i = 0; i < at(rows); ++i) start[i + 1] += start[i];
  index.assign(positives.size(), 0);
}

LabelRows::LabelRows(std::span<const Id> classes_of_rows, Id classes)
    : labels(classes), index(classes_of_rows.begin(), classes_of_rows.end()) {
  start.resize(index.size() + 1);
  for (std::size_t i = 0; i <= index.size(); ++i) start[i] = static_cast<std::uint32_t>(i);
}

// What all columns share: the rows of the node with the labels that differ between them, numbered
// from 0.
struct LabelSearch::Node {
  std::vector<Id> row;
  std::vector<double> weight;
  std::vector<std::uint32_t> start;
  std::vector<Id> label;
  std::vector<double> c;            // of each label
  std::vector<double> squares;      // of each row: sum of c over its labels
  std::vector<double> products;     // of each row: sum of c T over its labels
  double all = 0, sum_squares = 0;  // W_T, and sum c T^2
  double score = 0;                 // sum c T^2 / W_T

  // With missing cells: T and the observed weight of each label, and the missing labels of rows.
  bool has_missing = false;
  std::vector<double> total, observed;
  std::vector<std::uint32_t> missing_start;
  std::vector<Id> missing_label;

  std::vector<double> totals;      // T of every label of the data; 0 between nodes
  std::vector<double> unobserved;  // as totals, of missing cells
  std::vector<Id> local;           // the number of a label in this node, or -1
  std::vector<Id> place;           // of a column among the sparse lists, or -1
  std::vector<std::vector<Placed>> lists;

  // For random cuts, if weights are whole and labels few: the weight of each row and of its labels
  // in fields of 16 bits, `words` per row, so that a side is added up without a branch.
  std::size_t words = 0;  // 0: not packed
  std::vector<std::uint64_t> packed;

  void pack() {
    const std::size_t fields = c.size() + 1;
    words = 0;
    if (has_missing || fields > 4 * k_most_words || !(all < 65536)) return;
    for (const double w : weight) {
      if (w != static_cast<double>(static_cast<std::uint32_t>(w))) return;
    }
    words = fields <= 4 ? 1 : fields <= 8 ? 2 : 4;
    packed.assign(row.size() * words, 0);
    for (std::size_t r = 0; r < row.size(); ++r) {
      const auto w = static_cast<std::uint64_t>(weight[r]);
      packed[r * words] = w;
      for (std::uint32_t k = start[r]; k < start[r + 1]; ++k) {
        const auto field = at(label[k]) + 1;
        packed[r * words + field / 4] += w << (16 * (field % 4));
      }
    }
  }

  // Of the columns that are tried.
  std::vector<double> draws;
  std::vector<TreeSplit> found;
  std::vector<char> splits;
  std::vector<Id> present;
};

// Per thread.
struct LabelSearch::Scratch {
  std::vector<double> sums;     // c S of each label; 0 between walks
  std::vector<double> unknown;  // the weight of missing cells of each label; 0 between walks
  std::vector<Placed> placed, sorted;
  std::vector<Placed> missing;
  std::vector<std::uint8_t> codes;  // of the rows of the node
  std::vector<Id> words;            // the bins of a column of words, in the order of their labels
  std::vector<double> direction;    // in which they are ordered, by label
};

LabelSearch::LabelSearch(const BinnedFeatures& x, const LabelRows& y,
                         std::span<const double> weights, std::vector<Id> columns,
                         const LabelSearchOptions& options, std::uint64_t tree, const Context& ctx)
    : x_(x),
      y_(y),
      weights_(weights),
      sampler_(std::move(columns)),
      options_(options),
      tree_(tree),
      ctx_(ctx),
      node_(std::make_unique<Node>()) {
  node_->totals.assign(at(y.labels), 0.0);
  node_->local.assign(at(y.labels), -1);
  node_->place.assign(at(x.cols()), -1);
}

LabelSearch::~LabelSearch() = default;

void LabelSearch::gather(std::span<const Id> rows) {
  Node& n = *node_;
  n.row.assign(rows.begin(), rows.end());
  n.weight.resize(rows.size());
  n.all = 0;
  std::vector<Id>& present = n.present;
  present.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double w = n.weight[r] = weights_[at(rows[r])];
    n.all += w;
    for (const Id l : y_.row(rows[r])) {
      if (n.totals[at(l)] == 0) present.push_back(l);
      n.totals[at(l)] += w;
    }
  }
  n.has_missing = y_.has_missing();
  if (n.has_missing) {
    n.unobserved.resize(n.totals.size(), 0.0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const Id l : y_.missing(rows[r])) n.unobserved[at(l)] += n.weight[r];
    }
  }
  n.c.clear();
  n.total.clear();
  n.observed.clear();
  n.sum_squares = n.score = 0;
  for (const Id l : present) {
    const double total = n.totals[at(l)];
    const double observed = n.has_missing ? n.all - n.unobserved[at(l)] : n.all;
    n.totals[at(l)] = 0;
    if (total >= observed * (1 - k_rounding)) continue;  // all rows have it
    n.local[at(l)] = static_cast<Id>(n.c.size());
    n.c.push_back(y_.weight.empty() ? 1.0 : y_.weight[at(l)]);
    n.total.push_back(total);
    n.observed.push_back(observed);
    n.sum_squares += n.c.back() * total * total;
    n.score += n.c.back() * total * total / observed;
  }
  if (n.has_missing) {
    n.missing_start.assign(1, 0);
    n.missing_label.clear();
    for (const Id row : rows) {
      for (const Id l : y_.missing(row)) {
        n.unobserved[at(l)] = 0;
        if (n.local[at(l)] >= 0) n.missing_label.push_back(n.local[at(l)]);
      }
      n.missing_start.push_back(static_cast<std::uint32_t>(n.missing_label.size()));
    }
  }
  n.start.assign(1, 0);
  n.label.clear();
  n.squares.resize(rows.size());
  n.products.resize(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double squares = 0, products = 0;
    for (const Id l : y_.row(rows[r])) {
      const Id k = n.local[at(l)];
      if (k < 0) continue;
      n.label.push_back(k);
      squares += n.c[at(k)];
      products += n.c[at(k)] * n.total[at(k)];
    }
    n.squares[r] = squares;
    n.products[r] = products;
    n.start.push_back(static_cast<std::uint32_t>(n.label.size()));
  }
  for (const Id l : present) n.local[at(l)] = -1;
  if (options_.random_cuts) n.pack();
}

TreeSplit LabelSearch::best(std::span<const Id> rows, std::uint64_t place) {
  gather(rows);
  TreeSplit best;
  if (node_->c.empty()) return best;  // the rows have the same labels
  if (node_->all < 2 * options_.min_leaf) return best;
  best.gain = -1;
  Random random = ctx_.rng("tree columns", tree_, place);
  const Index all = count_of(sampler_.all());
  const Index count = options_.columns == 0 ? all : std::min(all, options_.columns);
  if (count == all) {
    try_columns(sampler_.all(), random, best);
  } else {
    Random cuts = ctx_.rng("tree cuts", tree_, place);
    sampler_.draw(count, random,
                  [&](std::span<const Id> columns) { return try_columns(columns, cuts, best); });
  }
  return best;
}

// Whether some column of these can be split.
bool LabelSearch::try_columns(std::span<const Id> columns, Random& random, TreeSplit& best) {
  list_sparse(columns);
  std::vector<double>& draws = node_->draws;
  draws.assign(columns.size(), 0.0);
  if (options_.random_cuts) {
    for (double& draw : draws) draw = random.uniform();
  }
  std::vector<TreeSplit>& found = node_->found;
  std::vector<char>& splits = node_->splits;
  found.assign(columns.size(), {});
  splits.assign(columns.size(), 0);
  const auto search = [&](Index k, Scratch& scratch) {
    bool can = false;
    found[at(k)] = search_column(columns[at(k)], draws[at(k)], scratch, can);
    splits[at(k)] = can ? 1 : 0;
  };
  const Index grain = std::max<Index>(1, k_parallel_work / count_of(node_->row));
  parallel_chunks(ctx_, count_of(columns), grain, [&](Index begin, Index end) {
    const Spares<Scratch>::Loan scratch(scratch_);
    for (Index k = begin; k < end; ++k) search(k, *scratch);
  });
  bool any = false;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    any = any || splits[k] != 0;
    const TreeSplit& one = found[k];
    if (one.column < 0) continue;
    const double margin = k_rounding * node_->score;
    if (best.column < 0 || one.gain > best.gain + margin) best = one;
  }
  for (const Id j : columns) node_->place[at(j)] = -1;
  return any;
}

// The entries of the sparse columns among `columns`, by place.
void LabelSearch::list_sparse(std::span<const Id> columns) {
  Node& n = *node_;
  if (x_.blocks().empty()) return;
  std::vector<char> wanted(x_.blocks().size(), 0);
  std::size_t count = 0;
  for (const Id j : columns) {
    if (x_[j].dense >= 0) continue;
    n.place[at(j)] = static_cast<Id>(count++);
    wanted[at(x_[j].block)] = 1;
  }
  if (count == 0) return;
  if (n.lists.size() < count) n.lists.resize(count);
  for (std::size_t k = 0; k < count; ++k) n.lists[k].clear();
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    if (wanted[b] == 0) continue;
    for (std::size_t r = 0; r < n.row.size(); ++r) {
      for (const Id bin : x_.blocks()[b].row(n.row[r])) {
        const Id j = x_.column_of(bin);
        const Id k = n.place[at(j)];
        if (k < 0) continue;
        n.lists[at(k)].push_back({bin - static_cast<Id>(x_[j].first), static_cast<Id>(r)});
      }
    }
  }
}

// Rows join one side, which begins empty; the rest of the node is the other side.
struct LabelSearch::Walk {
  const Node& n;
  std::vector<double>& sums;
  std::vector<double>& unknown;
  double weight = 0, squares = 0, products = 0;  // W_S, A and B of the side

  void add(Id row) {
    const auto r = at(row);
    const double w = n.weight[r];
    double sum = 0;
    for (std::uint32_t k = n.start[r]; k < n.start[r + 1]; ++k) {
      const auto l = at(n.label[k]);
      sum += sums[l];
      sums[l] += n.c[l] * w;
    }
    squares += w * (2 * sum + w * n.squares[r]);
    products += w * n.products[r];
    weight += w;
    if (!n.has_missing) return;
    for (std::uint32_t k = n.missing_start[r]; k < n.missing_start[r + 1]; ++k) {
      unknown[at(n.missing_label[k])] += w;
    }
  }
  void forget(Id row) {
    const auto r = at(row);
    for (std::uint32_t k = n.start[r]; k < n.start[r + 1]; ++k) sums[at(n.label[k])] = 0;
    if (!n.has_missing) return;
    for (std::uint32_t k = n.missing_start[r]; k < n.missing_start[r + 1]; ++k) {
      unknown[at(n.missing_label[k])] = 0;
    }
  }
  double gain() const {
    if (n.has_missing) return gain_of_observed();
    const double rest = n.sum_squares - 2 * products + squares;
    return squares / weight + rest / (n.all - weight) - n.score;
  }
  // Label by label, because their observed weights differ.
  double gain_of_observed() const {
    const double nothing = k_rounding * n.all;
    double out = -n.score;
    for (std::size_t l = 0; l < n.c.size(); ++l) {
      const double here = weight - unknown[l], there = n.observed[l] - here;
      const double sum = sums[l] / n.c[l], rest = n.total[l] - sum;
      if (here > nothing) out += n.c[l] * sum * sum / here;
      if (there > nothing) out += n.c[l] * rest * rest / there;
    }
    return out;
  }
};

namespace {

// The packed sums of the rows whose code is at most `cut`.
template <std::size_t words>
void add_packed(const std::uint64_t* packed, const std::uint8_t* codes, std::size_t count,
                std::uint8_t cut, std::uint64_t* out) {
  std::uint64_t sums[words] = {};
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint64_t mask = codes[r] <= cut ? ~std::uint64_t{0} : 0;
    for (std::size_t k = 0; k < words; ++k) sums[k] += packed[r * words + k] & mask;
  }
  std::copy_n(sums, words, out);
}

}  // namespace

// A random cut of a dense column, where every label is known: the sums of one side, label by label,
// tell what it gains.
TreeSplit LabelSearch::try_random_cut(Id column, double draw, Scratch& s, bool& splits) const {
  const Node& n = *node_;
  const std::uint8_t* const codes = x_.codes(x_[column]);
  const std::size_t count = n.row.size();
  s.codes.resize(count);
  std::uint8_t low = 255, high = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint8_t code = codes[n.row[r]];
    s.codes[r] = code;
    low = std::min(low, code);
    high = std::max(high, code);
  }
  TreeSplit out{.gain = -1};
  if (low == high) return out;  // one value
  splits = true;
  const auto cut = static_cast<std::uint8_t>(low + static_cast<int>(draw * (high - low)));
  double left = 0, squares = 0, products = 0;
  const auto take = [&](std::size_t l, double sum) {
    squares += n.c[l] * sum * sum;
    products += n.c[l] * sum * n.total[l];
  };
  if (n.words > 0) {
    std::uint64_t sums[k_most_words] = {};
    const auto add = n.words == 1 ? add_packed<1> : n.words == 2 ? add_packed<2> : add_packed<4>;
    add(n.packed.data(), s.codes.data(), count, cut, sums);
    const auto field = [&](std::size_t k) {
      return static_cast<double>(sums[k / 4] >> (16 * (k % 4)) & 0xffff);
    };
    left = field(0);
    for (std::size_t l = 0; l < n.c.size(); ++l) take(l, field(l + 1));
  } else {
    if (s.sums.size() < n.c.size()) s.sums.resize(n.c.size(), 0.0);
    for (std::size_t r = 0; r < count; ++r) {
      if (s.codes[r] > cut) continue;
      left += n.weight[r];
      for (std::uint32_t k = n.start[r]; k < n.start[r + 1]; ++k) {
        s.sums[at(n.label[k])] += n.weight[r];
      }
    }
    for (std::size_t l = 0; l < n.c.size(); ++l) {
      take(l, s.sums[l]);
      s.sums[l] = 0;
    }
  }
  const double right = n.all - left;
  if (left < options_.min_leaf || right < options_.min_leaf) return out;
  const double rest = n.sum_squares - 2 * products + squares;
  return {.column = column,
          .bin = cut,
          .missing_left = left >= right,
          .gain = squares / left + rest / right - n.score};
}

// Gives the rows of a column of words the place of their word in place of its bin. Of one label,
// words stand by their share of it, in which some cut is the best of all sets of words; of several,
// along the direction in which their shares differ most, found by some steps of the power method.
void LabelSearch::order_words(Scratch& s) const {
  const Node& n = *node_;
  double weight[256] = {}, key[256] = {};
  for (const Placed& p : s.placed) weight[p.bin] += n.weight[at(p.row)];
  double all = 0;
  for (const double w : weight) all += w;
  s.direction.resize(n.c.size());
  for (std::size_t l = 0; l < n.c.size(); ++l) {  // no words are at right angles to it
    s.direction[l] = n.c[l] * (1 + 0.3 * static_cast<double>(l % 3));
  }
  const auto labels_of = [&](const Placed& p, const auto& visit) {
    for (std::uint32_t k = n.start[at(p.row)]; k < n.start[at(p.row) + 1]; ++k)
      visit(at(n.label[k]));
  };
  const int rounds = n.c.size() == 1 ? 1 : 6;
  for (int round = 0; round < rounds; ++round) {
    std::fill(std::begin(key), std::end(key), 0.0);
    double mean = 0;
    for (const Placed& p : s.placed) {
      double sum = 0;
      labels_of(p, [&](std::size_t l) { sum += s.direction[l]; });
      key[p.bin] += n.weight[at(p.row)] * sum;
      mean += n.weight[at(p.row)] * sum / all;
    }
    for (int b = 0; b < 256; ++b) key[b] = weight[b] > 0 ? key[b] / weight[b] - mean : 0.0;
    if (round + 1 == rounds) break;
    std::fill(s.direction.begin(), s.direction.end(), 0.0);
    double longest = 0;
    for (const Placed& p : s.placed) {
      const double step = n.weight[at(p.row)] * key[p.bin];
      labels_of(p, [&](std::size_t l) { s.direction[l] += step * n.c[l]; });
    }
    for (const double d : s.direction) longest = std::max(longest, std::abs(d));
    if (longest == 0) break;
    for (double& d : s.direction) d /= longest;
  }
  s.words.clear();
  for (Id b = 0; b < 256; ++b) {
    if (weight[b] > 0) s.words.push_back(b);
  }
  std::stable_sort(s.words.begin(), s.words.end(), [&](Id a, Id b) { return key[a] < key[b]; });
  Id place[256] = {};
  for (std::size_t k = 0; k < s.words.size(); ++k) place[s.words[k]] = static_cast<Id>(k);
  for (Placed& p : s.placed) p.bin = place[p.bin];
}

// `split` has a cut of the words as they are ordered.
void LabelSearch::list_words(const Scratch& s, TreeSplit& split) const {
  if (split.column < 0) return;
  double left = 0, right = 0;
  for (const Placed& p : s.placed) {
    (p.bin <= split.bin ? left : right) += node_->weight[at(p.row)];
  }
  split.list_words(s.words, left >= right, x_[split.column].rest());
}

TreeSplit LabelSearch::search_column(Id column, double draw, Scratch& s, bool& splits) const {
  const Node& n = *node_;
  const BinnedColumn& bins = x_[column];
  if (options_.random_cuts && bins.dense >= 0 && !bins.has_words() && !bins.has_missing &&
      !n.has_missing) {
    return try_random_cut(column, draw, s, splits);
  }
  if (s.sums.size() < n.c.size()) s.sums.resize(n.c.size(), 0.0);
  if (n.has_missing && s.unknown.size() < n.c.size()) s.unknown.resize(n.c.size(), 0.0);
  s.missing.clear();
  // The rows whose bins are known, by bin: all of them, or those outside the bin of 0.
  bool zeros = false;
  Id low = bins.slots(), high = -1;  // bins of the node
  const auto note = [&](Id bin) {
    low = std::min(low, bin);
    high = std::max(high, bin);
  };
  const Id missing_bin = bins.has_missing ? bins.bins() : -1;
  s.placed.clear();
  if (bins.dense >= 0) {
    const std::uint8_t* codes = x_.codes(bins);
    for (std::size_t r = 0; r < n.row.size(); ++r) {
      const Id bin = codes[n.row[r]];
      auto& to = bin == missing_bin ? s.missing : s.placed;
      to.push_back({bin, static_cast<Id>(r)});
      if (bin != missing_bin) note(bin);
    }
  } else {
    const auto& list = n.lists[at(n.place[at(column)])];
    for (const Placed& p : list) {
      (p.bin == missing_bin ? s.missing : s.placed).push_back(p);
      if (p.bin != missing_bin) note(p.bin);
    }
    zeros = list.size() < n.row.size();
    if (zeros) note(bins.zero_bin);
  }
  if (bins.has_words()) {
    order_words(s);
    low = 0;
    high = static_cast<Id>(s.words.size()) - 1;
  }
  TreeSplit best{.gain = -1};
  if (low > high) return best;                        // all missing
  if (low == high && s.missing.empty()) return best;  // one value
  splits = true;

  Walk walk{n, s.sums, s.unknown};
  const double margin = k_rounding * n.score;
  double slack = margin;
  // `walk` has one side of the split after bin `bin`.
  const auto offer = [&](Id bin, bool is_left, bool missing_left) {
    const double other = n.all - walk.weight;
    if (walk.weight < options_.min_leaf || other < options_.min_leaf) return;
    const double gain = walk.gain();
    if (best.column >= 0 && !(gain > best.gain + slack)) return;
    if (s.missing.empty()) missing_left = is_left == (walk.weight >= other);
    best = {.column = column, .bin = bin, .missing_left = missing_left, .gain = gain};
  };
  const auto reset = [&](bool missing_first) {
    walk.weight = walk.squares = walk.products = 0;
    if (missing_first) {
      for (const Placed& p : s.missing) walk.add(p.row);
    }
  };
  const auto forget = [&] {
    for (const Placed& p : s.placed) walk.forget(p.row);
    for (const Placed& p : s.missing) walk.forget(p.row);
  };

  if (options_.random_cuts) {
    const auto cut = low + static_cast<Id>(draw * static_cast<double>(high - low));
    for (const bool missing_left : {false, true}) {
      if (missing_left && s.missing.empty()) break;
      const bool zero_left = bins.zero_bin <= cut;
      // Visits the side without the zeros.
      const bool visits_left = !(zeros && zero_left);
      reset(missing_left == visits_left);
      for (const Placed& p : s.placed) {
        if ((p.bin <= cut) == visits_left) walk.add(p.row);
      }
      offer(cut, visits_left, missing_left);
      forget();
    }
    if (bins.has_words()) list_words(s, best);
    return best;
  }

  if (s.placed.size() <= k_few) {
    s.sorted = s.placed;
    std::sort(s.sorted.begin(), s.sorted.end(), [](const Placed& a, const Placed& b) {
      return a.bin != b.bin ? a.bin < b.bin : a.row < b.row;
    });
  } else {
    std::uint32_t count[257] = {};
    for (const Placed& p : s.placed) ++count[p.bin + 1];
    for (int b = 0; b < 256; ++b) count[b + 1] += count[b];
    s.sorted.resize(s.placed.size());
    for (const Placed& p : s.placed) s.sorted[count[p.bin]++] = p;
  }
  const auto between = [](Id below, Id above) { return below + (above - below - 1) / 2; };
  const std::size_t m = s.sorted.size();
  for (const bool missing_left : {false, true}) {
    if (missing_left && s.missing.empty()) break;
    // From the lowest bin up to the bin of 0, or to the end if no row is there.
    reset(missing_left);
    std::size_t k = 0;
    while (k < m && !(zeros && s.sorted[k].bin > bins.zero_bin)) {
      const Id bin = s.sorted[k].bin;
      while (k < m && s.sorted[k].bin == bin) walk.add(s.sorted[k++].row);
      Id next = k < m ? s.sorted[k].bin : bins.bins();
      if (zeros && next > bins.zero_bin) next = bins.zero_bin;
      const bool is_last = k == m && !zeros;
      if (!is_last) offer(between(bin, next), true, missing_left);
      if (is_last && !missing_left && !s.missing.empty()) offer(bins.bins() - 1, true, false);
    }
    forget();
    if (!zeros) continue;
    // From the highest bin down to the bin of 0; of equal gains the last one has the lowest cut.
    const TreeSplit below = best;
    best = {.gain = -1};
    slack = -margin;
    reset(!missing_left);
    k = m;
    if (!missing_left && !s.missing.empty()) offer(bins.bins() - 1, false, false);
    while (k > 0 && s.sorted[k - 1].bin > bins.zero_bin) {
      const Id bin = s.sorted[k - 1].bin;
      while (k > 0 && s.sorted[k - 1].bin == bin) walk.add(s.sorted[--k].row);
      const Id next =
          k > 0 && s.sorted[k - 1].bin > bins.zero_bin ? s.sorted[k - 1].bin : bins.zero_bin;
      offer(between(next, bin), false, missing_left);
    }
    forget();
    slack = margin;
    if (below.column >= 0 && !(best.gain > below.gain + margin)) best = below;
  }
  if (bins.has_words()) list_words(s, best);
  return best;
}

}  // namespace mulberry::base

#include "mulberry/resample/stratify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::resample {
namespace {

// The units to deal out (rows or groups of rows) and, for every target (a label, a pair of labels,
// the missing cells of a label), the units of the rows that have it. A group with two rows of a
// label occurs twice.
struct Strata {
  std::vector<double> weight = {};  // rows of each unit
  std::vector<Id> unit_of = {};     // unit of each row
  std::vector<Index> start = {0};   // one target after the other
  std::vector<Id> unit = {};

  Index targets() const { return count_of(start) - 1; }
  void close_target() {
    if (count_of(unit) > start.back()) {
      start.push_back(count_of(unit));
    }
  }
};

// Rows become units in random order, groups in order of decreasing size, because large ones need
// room. Units are dealt out in this order: the order of the file must not matter.
void add_units(Strata& strata, Index rows, std::span<const Id> groups, Random& random) {
  strata.unit_of.resize(at(rows));
  if (groups.empty()) {
    strata.weight.assign(at(rows), 1.0);
    std::iota(strata.unit_of.begin(), strata.unit_of.end(), 0);
    random.shuffle(std::span(strata.unit_of));
    return;
  }
  MULBERRY_ASSERT(count_of(groups) == rows);
  std::vector<Id> ids(groups.begin(), groups.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const auto number = [&](Id group) {
    return at(std::lower_bound(ids.begin(), ids.end(), group) - ids.begin());
  };
  std::vector<Index> size(ids.size(), 0);
  for (const Id group : groups) ++size[number(group)];
  std::vector<std::uint32_t> luck(ids.size());
  for (std::uint32_t& draw : luck) draw = random.bits();
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(-size[a], luck[a], a) < std::tuple(-size[b], luck[b], b);
  });
  std::vector<Id> unit(ids.size());
  for (std::size_t u = 0; u < order.size(); ++u) {
    unit[order[u]] = static_cast<Id>(u);
    strata.weight.push_back(static_cast<double>(size[order[u]]));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) strata.unit_of[i] = unit[number(groups[i])];
}

void add_label_targets(Strata& strata, const Labels& y) {
  const auto add = [&](std::span<const Id> rows) {
    for (const Id i : rows) strata.unit.push_back(strata.unit_of[at(i)]);
    strata.close_target();
  };
  for (Index l = 0; l < y.count(); ++l) add(y.column(l));
  for (Index l = 0; y.has_missing() && l < y.count(); ++l) add(y.missing_column(l));
}

// The pairs (a, b > a) of one label a at a time: counted, then filled in, without a table of all
// pairs.
void add_pair_targets(Strata& strata, const Labels& y, const Context& ctx) {
  std::vector<Index> next(at(y.count()), 0);  // by b: first the count, then where to write
  std::vector<Id> partners;
  for (Index a = 0; a < y.count(); ++a) {
    ctx.check();
    partners.clear();
    const auto for_pairs = [&](const auto& visit) {
      for (const Id i : y.column(a)) {
        const auto row = y.row(i);
        for (std::size_t k = row.size(); k > 0 && row[k - 1] > a; --k) visit(i, row[k - 1]);
      }
    };
    for_pairs([&](Id, Id b) {
      if (next[at(b)]++ == 0) partners.push_back(b);
    });
    std::sort(partners.begin(), partners.end());
    Index end = strata.start.back();
    for (const Id b : partners) {
      const Index begin = end;
      end += next[at(b)];
      next[at(b)] = begin;
      strata.start.push_back(end);
    }
    strata.unit.resize(at(end));
    for_pairs([&](Id i, Id b) { strata.unit[at(next[at(b)]++)] = strata.unit_of[at(i)]; });
    for (const Id b : partners) next[at(b)] = 0;
  }
}

void order_units_of_targets(Strata& strata) {
  for (std::size_t t = 0; t + 1 < strata.start.size(); ++t) {
    std::sort(strata.unit.begin() + strata.start[t], strata.unit.begin() + strata.start[t + 1]);
  }
}

// Targets by the number of rows they have left: one list per number; the lowest list that is not
// empty holds the rarest. Everything is O(1), except the upward search after a target is done.
class RarestFirst {
 public:
  explicit RarestFirst(const std::vector<Index>& left)
      : next_(left.size()), previous_(left.size()) {
    for (const Index count : left) head_.resize(std::max(head_.size(), at(count) + 1), k_none);
    for (std::size_t t = 0; t < left.size(); ++t) insert(static_cast<Id>(t), left[t]);
  }

  // -1 when all are done.
  Id rarest() {
    while (low_ < head_.size() && head_[low_] == k_none) ++low_;
    return low_ < head_.size() ? head_[low_] : k_none;
  }

  // Target t loses one of its `left` rows; with none left it is removed.
  void take_one(Id t, Index left) {
    const Id before = previous_[at(t)], after = next_[at(t)];
    (before == k_none ? head_[at(left)] : next_[at(before)]) = after;
    if (after != k_none) previous_[at(after)] = before;
    if (left > 1) insert(t, left - 1);
  }

 private:
  static constexpr Id k_none = -1;

  void insert(Id t, Index left) {
    const Id first = std::exchange(head_[at(left)], t);
    next_[at(t)] = first;
    previous_[at(t)] = k_none;
    if (first != k_none) previous_[at(first)] = t;
    low_ = std::min(low_, at(left));
  }

  std::vector<Id> head_;  // by rows left
  std::vector<Id> next_, previous_;
  std::size_t low_ = 0;
};

class Dealer {
 public:
  Dealer(const Strata& strata, std::span<const double> shares, Random& random)
      : strata_(strata),
        parts_(count_of(shares)),
        random_(random),
        part_(strata.weight.size(), Id{-1}),
        wanted_rows_(shares.begin(), shares.end()),
        appetite_(shares.size()) {
    const double rows = std::accumulate(strata.weight.begin(), strata.weight.end(), 0.0);
    for (double& wanted : wanted_rows_) wanted *= rows;
    row_worth_ = 1.0 / std::max(1.0, rows);
    for (Index t = 0; t < strata.targets(); ++t) {
      left_.push_back(strata.start[at(t) + 1] - strata.start[at(t)]);
      worth_.push_back(1.0 / static_cast<double>(left_.back()));
      for (const double share : shares) {
        wanted_.push_back(share * static_cast<double>(left_.back()));
      }
    }
    list_targets_of_units();
  }

  std::vector<Id> deal(const Context& ctx) {
    RarestFirst queue(left_);
    for (Id t = queue.rarest(); t >= 0; t = queue.rarest()) {
      ctx.check();
      for (Index k = strata_.start[at(t)]; k < strata_.start[at(t) + 1]; ++k) {
        const Id unit = strata_.unit[at(k)];
        if (part_[at(unit)] >= 0) continue;
        give(unit, best_part(unit, t));
        for (const Id other : targets_of(unit)) queue.take_one(other, left_[at(other)]--);
      }
    }
    for (std::size_t u = 0; u < part_.size(); ++u) {  // units without any target
      if (part_[u] < 0) give(static_cast<Id>(u), best_part(static_cast<Id>(u), -1));
    }
    fill_empty_parts();
    return part_;
  }

 private:
  void list_targets_of_units() {
    unit_start_.assign(strata_.weight.size() + 1, 0);
    for (const Id u : strata_.unit) ++unit_start_[at(u) + 1];
    std::partial_sum(unit_start_.begin(), unit_start_.end(), unit_start_.begin());
    std::vector<Index> next(unit_start_.begin(), unit_start_.end() - 1);
    unit_target_.resize(strata_.unit.size());
    for (Index t = 0; t < strata_.targets(); ++t) {
      for (Index k = strata_.start[at(t)]; k < strata_.start[at(t) + 1]; ++k) {
        unit_target_[at(next[at(strata_.unit[at(k)])]++)] = static_cast<Id>(t);
      }
    }
  }

  std::span<const Id> targets_of(Id unit) const {
    const Index begin = unit_start_[at(unit)];
    return {unit_target_.data() + begin, at(unit_start_[at(unit) + 1] - begin)};
  }

  // How much each part needs the unit for all its targets and rows, each in proportion to its size:
  // a label of ten rows counts ten times as much as one of a hundred.
  void find_appetite(Id unit) {
    const double weight = strata_.weight[at(unit)] * row_worth_;
    for (std::size_t p = 0; p < appetite_.size(); ++p) appetite_[p] = weight * wanted_rows_[p];
    for (const Id t : targets_of(unit)) {
      const double worth = worth_[at(t)];
      const double* wanted = wanted_.data() + t * parts_;
      for (std::size_t p = 0; p < appetite_.size(); ++p) appetite_[p] += worth * wanted[p];
    }
  }

  // Keeps the parts of best_ with the highest value.
  void keep_best(std::span<const double> value) {
    std::size_t kept = 0;
    for (const Index p : best_) {
      if (kept > 0 && value[at(p)] < value[at(best_[0])]) continue;
      if (kept > 0 && value[at(p)] > value[at(best_[0])]) kept = 0;
      best_[kept++] = p;
    }
    best_.resize(kept);
  }

  // The part for a unit that is dealt out for target t (-1: for none). A row goes where t is needed
  // most; ties, which are frequent, are broken by appetite, then by the smallest part, then at
  // random. No single label of a group matters most, so its first criterion is appetite.
  Index best_part(Id unit, Index t) {
    best_.resize(at(parts_));
    std::iota(best_.begin(), best_.end(), Index{0});
    if (t >= 0 && strata_.weight[at(unit)] == 1.0) {
      keep_best({wanted_.data() + t * parts_, at(parts_)});
    }
    if (t >= 0 && best_.size() > 1) {
      find_appetite(unit);
      keep_best(appetite_);
    }
    if (best_.size() > 1) keep_best(wanted_rows_);
    if (best_.size() == 1) return best_[0];
    return best_[at(random_.below(count_of(best_)))];
  }

  void give(Id unit, Index part) {
    part_[at(unit)] = static_cast<Id>(part);
    wanted_rows_[at(part)] -= strata_.weight[at(unit)];
    for (const Id t : targets_of(unit)) wanted_[at(t * parts_ + part)] -= 1.0;
  }

  // Labels take precedence above, so a part can be left empty if there are few rows.
  void fill_empty_parts() {
    std::vector<Index> count(at(parts_), 0);
    for (const Id p : part_) ++count[at(p)];
    for (Index empty = 0; empty < parts_; ++empty) {
      if (count[at(empty)] > 0) continue;
      const auto largest = std::max_element(count.begin(), count.end());
      if (*largest < 2) return;
      const auto donor = static_cast<Id>(largest - count.begin());
      // From the end: the smallest group.
      *std::find(part_.rbegin(), part_.rend(), donor) = static_cast<Id>(empty);
      --*largest;
      ++count[at(empty)];
    }
  }

  const Strata& strata_;
  Index parts_;
  Random& random_;
  std::vector<Id> part_;  // of each unit, -1 while it has none
  std::vector<double> wanted_rows_;
  std::vector<double> wanted_;  // targets x parts
  std::vector<double> appetite_;
  double row_worth_ = 0;
  std::vector<double> worth_;  // of each target: 1 / its rows
  std::vector<Index> left_;    // units of each target that have no part yet
  std::vector<Index> unit_start_;
  std::vector<Id> unit_target_;
  std::vector<Index> best_;
};

}  // namespace

std::vector<Id> stratify(const Labels& y, std::span<const double> shares,
                         const StratifyOptions& options, Random random, const Context& ctx) {
  Strata strata;
  add_units(strata, y.rows(), options.groups, random);
  if (options.labels) add_label_targets(strata, y);
  if (options.labels && options.pairs) add_pair_targets(strata, y, ctx);
  order_units_of_targets(strata);
  const std::vector<Id> part_of_unit = Dealer(strata, shares, random).deal(ctx);
  std::vector<Id> part;
  part.reserve(strata.unit_of.size());
  for (const Id unit : strata.unit_of) part.push_back(part_of_unit[at(unit)]);
  return part;
}

}  // namespace mulberry::resample

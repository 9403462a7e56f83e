// Pruned sets: a label powerset that forgets rare label sets and keeps their frequent parts.
//
//   h = base(X', class of Y'),   score_l(x) = sum over sets S with l in S of P(S | x)
//
// where (X', Y') has every row whose set S occurs more than `keep` times as it is, and every other
// row up to `subsets` times, with the largest of the frequent sets that S contains (the more
// frequent ones first, then in lexicographic order). A row without such a part is left out; the
// empty set is never a part. If nothing remains, nothing is pruned. Read, "A pruned problem
// transformation method for multi-label classification", NZCSRS 2008. Cost: one fit of the base
// learner with one class per frequent set, and O(rare sets * frequent sets * labels per row).
#include <algorithm>
#include <map>

#include "mulberry/core/index.hpp"
#include "mulberry/learners/powersets/powerset.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

using Set = std::vector<Id>;

struct Params {
  Spec base = "logistic";
  DuelParams classes = {};
  Index keep = 3;
  Index subsets = 2;

  static Fields fields() {
    return Fields{learner_field("base", &Params::base, "classifier of many classes"),
                  group(&Params::classes),
                  field("keep", &Params::keep, "label sets in at most this many rows are pruned",
                        between(0, 1000000).search(0, 5)),
                  field("subsets", &Params::subsets,
                        "number of frequent parts that replace a pruned label set",
                        between(0, 1000).search(0, 4))};
  }
  Tags tags() const { return tags_of_joint(base); }
  MemoryNeed memory(const Extent& e) const {
    const double frequent = e.sets_above(static_cast<double>(keep)), all = e.sets_above(0);
    const double size = e.rows > 0 ? 4 * e.positives / e.rows : 0;
    MemoryNeed out = powerset_need(base, classes.duels, e, std::max(1.0, frequent));
    // The rows again, with the sets that they are trained with.
    out.fit += e.pieces() + e.features() + e.truth() + e.rows * (28 + size) + all * (160 + size);
    out.predict += e.asked_pieces();
    return out;
  }
};

// The frequent sets with which the rows of a label set are trained: the set itself, or parts of it.
class Pruning {
 public:
  Pruning(const Compact& data, const Params& params)
      : keep_(static_cast<double>(params.keep)), subsets_(params.subsets) {
    const Labels& y = data.y();
    std::map<Set, double> counts;
    for (Index i = 0; i < y.rows(); ++i) {
      counts[Set(y.row(i).begin(), y.row(i).end())] += data.weight(i);
    }
    for (const auto& [set, count] : counts) {
      if (count > keep_) frequent_.push_back({set, count});
    }
    std::stable_sort(frequent_.begin(), frequent_.end(), [](const auto& a, const auto& b) {
      return a.set.size() != b.set.size() ? a.set.size() > b.set.size() : a.count > b.count;
    });
    for (const auto& [set, count] : counts) {
      parts_[set] = count > keep_ ? std::vector<Set>{set} : parts_of(set);
    }
  }
  const std::vector<Set>& parts(const Set& set) const { return parts_.at(set); }

 private:
  struct Counted {
    Set set;
    double count;  // of rows, by weight
  };
  std::vector<Set> parts_of(const Set& set) const {
    std::vector<Set> out;
    for (const Counted& other : frequent_) {
      if (count_of(out) == subsets_ || other.set.empty()) break;
      if (std::includes(set.begin(), set.end(), other.set.begin(), other.set.end())) {
        out.push_back(other.set);
      }
    }
    return out;
  }

  double keep_;
  Index subsets_;
  std::vector<Counted> frequent_ = {};  // large ones first, then frequent ones
  std::map<Set, std::vector<Set>> parts_ = {};
};

PowersetModel fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.base));
  const Pruning pruning(data, params);
  std::vector<Id> rows;
  std::vector<Set> sets;
  std::vector<double> weights;
  for (Index i = 0; i < data.y().rows(); ++i) {
    for (const Set& part : pruning.parts({data.y().row(i).begin(), data.y().row(i).end()})) {
      rows.push_back(static_cast<Id>(i));
      sets.push_back(part);
      if (!data.weights().empty()) weights.push_back(data.weight(i));
    }
  }
  if (rows.empty())
    return {Powerset(params.base, params.classes.duels, data.x(), data.y(), data.weights(), ctx)};
  return {Powerset(params.base, params.classes.duels, take_rows(data.x(), rows),
                   Labels(data.y().count(), sets), weights, ctx)};
}

}  // namespace

Learner make_ps() {
  return define_learner<Params, PowersetModel>(
      {.id = "ps",
       .summary = "label powerset that replaces rare label sets by their frequent parts",
       .reference = "Read, A pruned problem transformation method for multi-label "
                    "classification, 2008",
       .tags = Params().tags(),
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

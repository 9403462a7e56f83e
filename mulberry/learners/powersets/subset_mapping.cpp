// Subset mapping: the decisions of any learner, moved to the nearest label set seen in training.
//
//   decided(x) = argmin over training sets S of |S xor h(x)|
//
// Ties go to the set of more rows (by weight), then to the first in lexicographic order; the scores
// come from the base. Schapire and Singer, "Improved boosting algorithms using confidence-rated
// predictions", Machine Learning 37, 1999, decode in this way. Rows with missing cells do not count
// as sets; if no row is complete, the base decides. Cost: the base, and O(L / 64) per row and
// distinct set.
#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/powersets/powerset.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "br_logistic";

  static Fields fields() {
    return Fields{learner_field("base", &Params::base, "learner whose decisions are moved",
                                ParamType::learner)};
  }
  Tags tags() const { return tags_within(CompleteSpec::inner(base)); }
  MemoryNeed memory(const Extent& e) const {
    const MemoryNeed inner = memory_need(CompleteSpec::inner(base), e);
    const double size = e.rows > 0 ? 4 * e.positives / e.rows : 0, sets = e.sets_above(0);
    const double model = inner.model + sets * (24 + size);
    return {.fit = std::max(inner.fit, model + e.pieces() + sets * (110 + 2 * size)),
            .model = model,
            .predict = std::max(inner.predict, e.scores() + e.asked * (24 + size) +
                                                   3 * e.decisions() + sets * (24 + e.labels / 8))};
  }
};

using Bits = std::vector<std::uint64_t>;

Bits bits_of(std::span<const Id> set, Index labels) {
  Bits out(at((labels + 63) / 64), 0);
  for (const Id l : set) out[at(l / 64)] |= std::uint64_t{1} << (l % 64);
  return out;
}

struct SubsetMapping {
  FittedLearner base = {};
  Index labels = 0;
  std::vector<std::vector<Id>> sets = {};  // sets with more rows first

  Prediction predict(const View& view, const Context& ctx) const {
    Prediction out = base.predict(view, ctx);
    if (sets.empty()) return out;
    const Labels said = decide(out, view.sets);
    std::vector<Bits> known;
    for (const auto& set : sets) known.push_back(bits_of(set, labels));
    std::vector<std::vector<Id>> decided(at(said.rows()));
    parallel_for(ctx, said.rows(), [&](Index i) {
      const Bits one = bits_of(said.row(i), labels);
      std::size_t best = 0;
      int least = std::numeric_limits<int>::max();
      for (std::size_t s = 0; s < known.size() && least > 0; ++s) {
        int apart = 0;
        for (std::size_t w = 0; w < one.size(); ++w) apart += std::popcount(one[w] ^ known[s][w]);
        if (apart < least) {
          least = apart;
          best = s;
        }
      }
      decided[at(i)] = sets[best];
    });
    out.decided = Labels(labels, decided);
    return out;
  }
  Summary summary() const { return base.summary(); }
  std::vector<Result> results() const { return base.results(); }
  template <class V>
  void visit(V& v) {
    v("base", base);
    v("labels", labels, exactly(v.outputs()));
    v("sets", sets, below(v.outputs()));
    for (const auto& set : sets) {
      v.require(is_increasing(set), "sets", "is not a list of labels");
    }
  }
};

SubsetMapping fit(const View& view, const Params& params, const Context& ctx) {
  SubsetMapping out{.base = FittedLearner(CompleteSpec::inner(params.base), view, ctx),
                    .labels = view.labels()};
  const Compact data(view, Rows::listed);
  std::map<std::vector<Id>, double> counts;
  for (Index i = 0; i < data.y().rows(); ++i) {
    if (!data.y().missing_row(i).empty()) continue;
    counts[{data.y().row(i).begin(), data.y().row(i).end()}] += data.weight(i);
  }
  std::vector<std::pair<std::vector<Id>, double>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (auto& [set, count] : order) out.sets.push_back(std::move(set));
  return out;
}

}  // namespace

Learner make_subset_mapping() {
  return define_learner<Params, SubsetMapping>(
      {.id = "subset_mapping",
       .summary = "any learner, with its decisions moved to the nearest label set seen in training",
       .reference = "Schapire and Singer, Improved boosting algorithms using confidence-rated "
                    "predictions, 1999",
       .tags = {.missing_labels = true, .labels_apart = true, .weights = true}},
      fit);
}

}  // namespace mulberry::learners

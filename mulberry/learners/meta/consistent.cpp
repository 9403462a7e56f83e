// Consistent: any learner, its decisions moved to the best set of labels that obeys the declared
// rules.
//
//   decided(x) = argmax over sets S that obey the rules of sum over S of (score_l(x) - cut_l)
//
// The rules come with the data: a hierarchy, implications, exclusions (data/label_rules.hpp). How
// the best set is found, and when that is exact, is in model/consistent/consistent_sets.hpp: dynamic
// programming for trees of labels, minimum cuts for any implications, branch and bound with
// exclusions. The scores of the base stay. Bi and Kwok, "Multi-label classification on tree-
// and DAG-structured hierarchies", ICML 2011, choose sets in this way, with a given number of
// labels; ours is free. Cost: the base, and O(L) per row whose decisions break a rule of a tree.
#include "mulberry/core/mention.hpp"
#include "mulberry/model/consistent/consistent_decisions.hpp"
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
  Tags tags() const {
    Tags out = tags_within(CompleteSpec::inner(base));
    out.label_rules = true;
    return out;
  }
  static std::vector<std::string> notes(const View& view) {
    if (view.rules != nullptr) return {};
    return {"the data has no rules between labels, so that the base decides alone (" +
            mention("implies", "dog:animal") + ", " + mention("exclusive", "day,night") + " and " +
            mention("label_paths", "/") + " declare some)"};
  }
  MemoryNeed memory(const Extent& e) const {
    const MemoryNeed inner = memory_need(CompleteSpec::inner(base), e);
    const double decided = e.rules ? 3 * e.decisions() + 24 * e.asked : 0;
    return {.fit = inner.fit, .model = inner.model, .predict = inner.predict + decided};
  }
};

struct Consistent {
  FittedLearner base;

  Prediction predict(const View& view, const Context& ctx) const {
    Prediction out = base.predict(view, ctx);
    if (view.rules == nullptr) return out;
    out.decided = decide_consistently(out, view.sets, *view.rules, ctx);
    out.cuts.clear();
    return out;
  }
  Summary summary() const { return base.summary(); }
  std::vector<Result> results() const { return base.results(); }
  template <class V>
  void visit(V& v) {
    v("base", base);
  }
};

Consistent fit(const View& view, const Params& params, const Context& ctx) {
  return {FittedLearner(CompleteSpec::inner(params.base), view, ctx)};
}

}  // namespace

Learner make_consistent() {
  return define_learner<Params, Consistent>(
      {.id = "consistent",
       .summary = "any learner, with its decisions moved to the best set that obeys the rules "
                  "between labels",
       .reference = "Bi and Kwok, Multi-label classification on tree- and DAG-structured "
                    "hierarchies, 2011",
       .tags = {.missing_labels = true,
                .labels_apart = true,
                .probabilities = true,
                .weights = true,
                .label_rules = true}},
      fit);
}

}  // namespace mulberry::learners

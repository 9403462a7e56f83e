// Label powerset: one classifier whose classes are the label sets that occur in training.
//
//   h = base(X, class of Y),   score_l(x) = sum over sets S with l in S of P(S | x)
//
// It never predicts a set that did not occur. Tsoumakas and Katakis, "Multi-label classification:
// an overview", IJDWM 3(3), 2007; the scores follow Read, "A pruned problem transformation method
// for multi-label classification", 2008. Cost: one fit of the base learner with one class per
// distinct set, up to min(n, 2^L).
#include "mulberry/learners/powersets/powerset.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "logistic";
  DuelParams classes = {};

  static Fields fields() {
    return Fields{learner_field("base", &Params::base, "classifier of many classes"),
                  group(&Params::classes)};
  }
  Tags tags() const { return tags_of_joint(base); }
  MemoryNeed memory(const Extent& e) const {
    MemoryNeed out = powerset_need(base, classes.duels, e, e.sets_above(0));
    out.fit += e.pieces();
    out.predict += e.asked_pieces();
    return out;
  }
};

PowersetModel fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.base));
  return {Powerset(params.base, params.classes.duels, data.x(), data.y(), data.weights(), ctx)};
}

}  // namespace

Learner make_lp() {
  return define_learner<Params, PowersetModel>(
      {.id = "lp",
       .summary = "one classifier whose classes are the label sets that occur",
       .reference = "Tsoumakas and Katakis, Multi-label classification: an overview, 2007",
       .tags = Params().tags(),
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

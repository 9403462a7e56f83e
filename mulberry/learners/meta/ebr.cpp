// Ensemble of binary relevance: `br` on samples of the rows, and the share of members that say yes.
//
//   score_l(x) = 1/M sum_m [br_m says yes to l at x],   br_m trained on a bootstrap
//
// The ensemble of Read et al. 2009 (called EBM there) with which chains are compared: bagging that
// makes no use of the other labels. answer=scores averages the members' scores instead. Cost: M
// times br.
#include "mulberry/learners/meta/bag.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "logistic";
  Index members = 10;
  BagParams bag;

  static Fields fields() {
    return Fields{learner_field("base", &Params::base, "classifier of one label"),
                  member_count("members", &Params::members, "number of models that vote"),
                  group(&Params::bag)};
  }
  Spec member() const {
    Spec out("br");
    out.set("base", base);
    return out;
  }
  Tags tags() const { return bag.tags(tags_within(member())); }
  MemoryNeed memory(const Extent& e) const { return bag_need(member(), members, bag, e); }
};

Bag fit(const View& view, const Params& params, const Context& ctx) {
  return {params.member(), params.members, view, params.bag, ctx};
}

}  // namespace

Learner make_ebr() {
  return define_learner<Params, Bag>(
      {.id = "ebr",
       .summary = "votes of binary relevance on samples of the rows",
       .reference = "Read et al., Classifier chains for multi-label classification, 2009",
       .tags = {.missing_labels = true, .weights = true},
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

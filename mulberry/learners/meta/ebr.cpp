// Ensemble of binary relevance: `br` on samples of the rows. Decisions are by votes, scores are
// means of those of the members:
//
//   yes to l at x  if  1/M sum_m [br_m says yes to l at x] > 0.5,   score_l(x) = 1/M sum_m br_m,l(x)
//
// with br_m trained on a bootstrap. answer=votes is the print: the share of votes is the score, too.
//
// The ensemble of Read et al. 2009 (called EBM there) with which chains are compared: bagging that
// makes no use of the other labels. answer=scores decides by the mean scores. Cost: M times br.
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
  CompleteSpec member() const {
    Spec out("br");
    out.set("base", base);
    return CompleteSpec(out);
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
       .revision = 3},
      fit);
}

}  // namespace mulberry::learners

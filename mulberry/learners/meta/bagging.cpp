// Bagging: any learner on samples of the rows, each member with a different seed, and their common
// answer.
//
//   votes_l(x) = 1/M sum_m [h_m says yes to l at x],   mean_l(x) = 1/M sum_m score_m,l(x)
//
// Decisions are by votes and scores are the means (answer=mixed), held at the cut where the votes
// are on its other side; or one of the two does both.
//
// Breiman, "Bagging predictors", Machine Learning 24, 1996. The ensembles of the field are
// instances: eps = bagging(base=ps(keep=2, subsets=3), sample=subset) is the ensemble of pruned
// sets (Read, Pfahringer and Holmes 2008); epcc = bagging(base=pcc(order=random), sample=all,
// answer=scores) has the marginals of the mean of the joint distributions of chains in random
// orders (Dembczynski, Cheng and Huellermeier 2010). Cost: M times the base.
#include "mulberry/learners/meta/bag.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "br_logistic";
  Index members = 10;
  BagParams bag;

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "learner of each member", ParamType::learner),
        member_count("members", &Params::members, "number of models that vote"),
        group(&Params::bag)};
  }
  Tags tags() const { return bag.tags(tags_within(CompleteSpec::inner(base))); }
  MemoryNeed memory(const Extent& e) const {
    return bag_need(CompleteSpec::inner(base), members, bag, e);
  }
};

Bag fit(const View& view, const Params& params, const Context& ctx) {
  return {CompleteSpec::inner(params.base), params.members, view, params.bag, ctx};
}

}  // namespace

Learner make_bagging() {
  return define_learner<Params, Bag>({.id = "bagging",
                                      .summary = "votes of any learner on samples of the rows",
                                      .reference = "Breiman, Bagging predictors, 1996",
                                      .tags = {.missing_labels = true, .weights = true},
                                      .revision = 3},
                                     fit);
}

}  // namespace mulberry::learners

// Ensemble of classifier chains: `cc` with random orders on samples of the rows. Decisions are by
// votes, scores are means of those of the chains:
//
//   yes to l at x  if  1/M sum_m [cc_m says yes to l at x] > 0.5,   score_l(x) = 1/M sum_m cc_m,l(x)
//
// with cc_m trained on a bootstrap in a random order. answer=votes is the print: the share of votes
// is the score, too, and most labels of a row share one of M + 1 values.
//
// Read, Pfahringer, Holmes and Frank, "Classifier chains for multi-label classification", ECML PKDD
// 2009. The cut is 0.5; the cut of the paper, which matches the number of labels per row, is
//       threshold(base=ecc, cut=cardinality). answer=scores decides by the mean scores.
// Cost: M times cc, over linear base learners on the 63 % of the rows that a bootstrap draws, each
// with the number of times that it was drawn as its weight.
#include "mulberry/learners/meta/bag.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "logistic";
  Index chains = 10;
  BagParams bag;

  static Fields fields() {
    return Fields{learner_field("base", &Params::base, "classifier of one label"),
                  member_count("chains", &Params::chains, "number of chains that vote"),
                  group(&Params::bag)};
  }
  CompleteSpec member() const {
    Spec out("cc");
    out.set("base", base);
    out.set("order", std::string("random"));
    return CompleteSpec(out);
  }
  Tags tags() const { return bag.tags(tags_within(member())); }
  MemoryNeed memory(const Extent& e) const { return bag_need(member(), chains, bag, e, repeats()); }
  // Sums of losses, as those of linear links are, do not tell repeated rows from heavier ones.
  Repeats repeats() const {
    const BaseLearner& learner = find_base(base.id);
    const bool sums = learner.fit_links != nullptr && learner.tags.weights;
    return sums ? Repeats::weights : Repeats::rows;
  }
};

Bag fit(const View& view, const Params& params, const Context& ctx) {
  return {params.member(), params.chains, view, params.bag, ctx, params.repeats()};
}

}  // namespace

Learner make_ecc() {
  return define_learner<Params, Bag>(
      {.id = "ecc",
       .summary = "votes of classifier chains with random orders on samples of the rows",
       .reference = "Read et al., Classifier chains for multi-label classification, 2009",
       .tags = {.missing_labels = true, .weights = true},
       .revision = 4},
      fit);
}

}  // namespace mulberry::learners

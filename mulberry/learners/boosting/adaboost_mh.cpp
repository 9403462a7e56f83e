// AdaBoost.MH with real-valued stumps: one stump per round answers for all labels.
//
//   D(i,l) = 1 / (n L) at first;  W_+, W_- = weight of yes and no of label l in a branch
//   a round takes the split with the least  Z = 2 sum over branches and labels of sqrt(W_+ W_-)
//   and scores label l in a branch  c = 1/2 ln((W_+ + e) / (W_- + e)),  e = 1 / (n L)
//   D(i,l) *= exp(-y c), scaled to sum 1
//
// The Hamming loss on the training rows is at most the product of sum D exp(-y c) over rounds.
// Schapire and Singer, "BoosTexter: A boosting-based system for text categorization", Machine
// Learning 39, 2000. Ours: numeric cuts, weights, missing cells (weight 0). Cost of a round:
// O(non-zeros x L), with two square roots per cut and label, and far less where features are words
// that a row has or lacks (joint_rounds.hpp).
#include "mulberry/learners/boosting/joint_rounds.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params : BoostParams<500> {
  MemoryNeed memory(const Extent& e) const {
    return stumps_need(e, static_cast<double>(rounds), bins, 3, JointRounds::bytes(e));
  }
};
using AdaBoostMh = BoostedStumps<BoundedLoss::hamming>;

AdaBoostMh fit(const View& view, const Params& params, const Context& ctx, const AdaBoostMh* init) {
  const Compact data(view, Rows::blocks);
  AdaBoostMh out = start_boosting("adaboost_mh", init, data);
  const StumpColumns columns(data.x(), params.bins, ctx.quiet());
  JointRounds weights(columns, data, out.stumps.scores(data.x(), ctx.quiet()), ctx.quiet());
  const auto add_rule = [&]() -> std::optional<double> {
    const JointSplit split = weights.best_split(ctx.quiet());
    // No stump gains anything any more.
    if (out.stumps.count() > 0 && 2 * split.value >= 1 - 1e-10) return {};
    const Sums answers[] = {weights.answers(split.left), weights.answers(split.right),
                            weights.answers(split.missing)};
    const double z = weights.update(split, answers, ctx.quiet());
    if (z == 0) return {};
    out.stumps.add(split, answers[0], answers[1], answers[2]);
    return z;
  };
  add_rules(out, params.rounds, add_rule, ctx);
  return out;
}

}  // namespace

Learner make_adaboost_mh() {
  return define_learner<Params, AdaBoostMh>(
      {.id = "adaboost_mh",
       .summary = "boosted stumps that answer for all labels at once, for Hamming loss",
       .reference = "Schapire and Singer, BoosTexter, 2000",
       .tags = k_boosting_tags,
       .revision = 3},
      fit);
}

}  // namespace mulberry::learners

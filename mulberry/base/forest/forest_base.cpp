// The random forest as a base learner: trees of one target, as in forest_model.hpp.
//
//   score(x) = mean over trees of the share of class 1 among the training rows in x's leaf
//
// Breiman, "Random forests", Machine Learning 45, 2001; with sample=all and cuts=random, Geurts,
// Ernst and Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006. With more than two
// classes a leaf has a share for each. All labels of a multi-label learner share the bins of the
// features and the draws: each label has the trees that it would have alone. Rows outside the
// samples of trees give honest scores (out_of_bag.hpp). Cost: `trees` trees per label
// (forest_model.hpp).
#include "mulberry/base/forest/out_of_bag.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {
namespace {

Forest fit(const ColumnProblem& problem, const ForestParams& params, const Context& ctx) {
  ForestTarget target;
  std::vector<Id> positives;
  for (Id i = 0; i < problem.x.rows(); ++i) {
    target.rows.push_back(i);
    if (problem.y[at(i)] == 1) positives.push_back(i);
  }
  if (problem.classes == 2) {
    target.labels = LabelRows(problem.x.rows(), positives);
  } else {
    target.labels = LabelRows(problem.y, problem.classes);
  }
  return Forest(problem.x, std::span(&target, 1), problem.weights, params, ctx);
}

// One forest per label, and what rows out of bag say about them if a learner wants that.
struct LabelForests {
  Forest forest = {};
  OutOfBagScores out_of_bag = {};

  Matrix scores(const Features& x, const Context& ctx) const { return forest.scores(x, ctx); }
  std::vector<Result> results() const { return out_of_bag.results(); }
  const Matrix* held_out() const { return out_of_bag.held_out(); }
  template <class V>
  void visit(V& v) {
    forest.visit(v);
    out_of_bag.visit(v);
  }
};

LabelForests fit_labels(const Features& x, const Labels& y, std::span<const double> weights,
                        const ForestParams& params, bool held_out, const Context& ctx) {
  std::vector<ForestTarget> targets;
  for (Index l = 0; l < y.count(); ++l) targets.push_back(one_label(y, l));
  if (!held_out || params.sample != ForestSample::bootstrap) {
    return {.forest = Forest(x, targets, weights, params, ctx)};
  }
  ForestBags bags(params.trees * y.count(), x.rows());
  LabelForests out{.forest = Forest(x, targets, weights, params, ctx, &bags)};
  out.out_of_bag = OutOfBagScores(out.forest, x, y, bags, ctx.quiet());
  return out;
}

}  // namespace

BaseLearner make_forest() {
  BaseLearner out = with_joint_labels<ForestParams, LabelForests>(
      define_base<ForestParams, Forest>(
          {.id = "forest",
           .summary = "random trees whose answers are averaged",
           .reference = "Breiman, Random forests, 2001",
           .scale = Scale::probability,
           .tags = {.missing_features = true, .probabilities = true, .weights = true},
           .listed_rows = true,
           .revision = 6},
          fit),
      LabelsLearnt::apart,
      [](const Features& x, const Labels& y, std::span<const double> weights,
         const ForestParams& params,
         const Context& ctx) { return fit_labels(x, y, weights, params, false, ctx); });
  out.fit_labels_held_out = [](const Features& x, const Labels& y, std::span<const double> weights,
                               const Spec& spec,
                               const Context& ctx) -> std::unique_ptr<LabelsModel> {
    return std::make_unique<model::detail::LabelsModelOf<LabelForests>>(
        fit_labels(x, y, weights, read_params<ForestParams>(spec), true, ctx));
  };
  return out;
}

}  // namespace mulberry::base

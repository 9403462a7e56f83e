// The random forest as a base learner: trees of one target, as in forest_model.hpp.
//
//   score(x) = mean over trees of the share of class 1 among the training rows in x's leaf
//
// Breiman, "Random forests", Machine Learning 45, 2001; with sample=all and cuts=random, Geurts,
// Ernst and Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006. With more than two
// classes a leaf has a share for each. All labels of a multi-label learner share the bins of the
// features and the draws: each label has the trees that it would have alone. Cost: `trees` trees
// per label (forest_model.hpp).
#include "mulberry/base/forest_model.hpp"
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

Forest fit_labels(const Features& x, const Labels& y, std::span<const double> weights,
                  const ForestParams& params, const Context& ctx) {
  std::vector<ForestTarget> targets;
  for (Index l = 0; l < y.count(); ++l) targets.push_back(one_label(y, l));
  return Forest(x, targets, weights, params, ctx);
}

}  // namespace

BaseLearner make_forest() {
  return with_joint_labels<ForestParams, Forest>(
      define_base<ForestParams, Forest>(
          {.id = "forest",
           .summary = "random trees whose answers are averaged",
           .reference = "Breiman, Random forests, 2001",
           .scale = Scale::probability,
           .tags = {.missing_features = true, .probabilities = true, .weights = true},
           .listed_rows = true,
           .revision = 4},
          fit),
      LabelsLearnt::apart, fit_labels);
}

}  // namespace mulberry::base

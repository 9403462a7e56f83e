// Gradient boosting as a base learner: trees that lower the logistic loss of one target
// (boost_model.hpp).
//
//   score(x) = 1 / (1 + exp(-margin(x)))
//
// With more than two classes every class is a label with a value in each leaf. All labels of a
// multi-label learner share the bins of the features, and each has the trees that it would have
// alone. Friedman, "Greedy function approximation", Annals of Statistics 29, 2001. Cost: `rounds`
// trees per label.
#include "mulberry/base/boost/boost_model.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {
namespace {

Boost fit(const ColumnProblem& problem, const BoostTreeParams& params, const Context& ctx) {
  const Index labels = problem.classes == 2 ? 1 : problem.classes;
  std::vector<std::vector<Id>> positives(at(problem.x.rows()));
  for (std::size_t i = 0; i < positives.size(); ++i) {
    if (problem.classes != 2) {
      positives[i].push_back(problem.y[i]);
    } else if (problem.y[i] == 1) {
      positives[i].push_back(0);
    }
  }
  const BoostOptions options{.leaves = labels == 1 ? BoostLeaves::each : BoostLeaves::vector,
                             .anytime = false};
  const Labels y(labels, positives);
  return Boost::train({.x = problem.x, .y = y, .weights = problem.weights}, params, options,
                      nullptr, ctx);
}

Boost fit_labels(const Features& x, const Labels& y, std::span<const double> weights,
                 const BoostTreeParams& params, const Context& ctx) {
  return Boost::train({.x = x, .y = y, .weights = weights}, params,
                      {.leaves = BoostLeaves::each, .anytime = false}, nullptr, ctx);
}

// As a model of a base learner.
struct Boosted : Boost {
  Boosted() = default;
  Boosted(Boost boost) : Boost(std::move(boost)) {}  // NOLINT
  Summary summary() const {
    return {.interrupted = interrupted(), .objective = objective(), .rounds = rounds()};
  }
};

}  // namespace

BaseLearner make_boost() {
  return with_joint_labels<BoostTreeParams, Boosted>(
      define_base<BoostTreeParams, Boosted>(
          {.id = "boost",
           .summary = "trees added one after another, for the logistic loss",
           .reference = "Friedman, Greedy function approximation, 2001",
           .scale = Scale::probability,
           .tags = {.missing_features = true, .probabilities = true, .weights = true},
           .listed_rows = true,
           .revision = 3},
          fit),
      LabelsLearnt::apart, fit_labels);
}

}  // namespace mulberry::base

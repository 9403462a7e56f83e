// The prior: predicts the share of each class among the training rows and ignores the features.
//
//   p_c = sum_i w_i [y_i = c] / sum_i w_i
//
// The yardstick that a learner must beat. Cost: O(n).
#include "mulberry/core/index.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {
namespace {

struct Params {
  static Fields fields() { return Fields{}; }
  MemoryNeed memory(const Extent& e) const {
    const double outputs = e.classes > 2 ? e.classes : 1;
    return {.fit = 8 * e.classes, .model = 8 * e.classes, .predict = 8 * e.asked * outputs};
  }
};

struct Prior {
  std::vector<double> shares;  // one per class

  Matrix scores(const Features& x, const Context&) const {
    const bool binary = shares.size() == 2;
    Matrix out(x.rows(), binary ? 1 : count_of(shares));
    for (Index i = 0; i < x.rows(); ++i) {
      const auto row = out.row(i);
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = shares[binary ? 1 : c];
    }
    return out;
  }
  template <class V>
  void visit(V& v) {
    v("shares", shares, real(0, 1).length(classes_behind(v.outputs())));
  }
};

Prior fit(const ColumnProblem& problem, const Params&, const Context&) {
  Prior out;
  out.shares.assign(at(problem.classes), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < problem.y.size(); ++i) {
    const double w = problem.weights.empty() ? 1.0 : problem.weights[i];
    out.shares[at(problem.y[i])] += w;
    total += w;
  }
  for (double& share : out.shares) share /= total;
  return out;
}

}  // namespace

BaseLearner make_prior() {
  return define_base<Params, Prior>(
      {.id = "prior",
       .summary = "share of each class, ignoring the features",
       .reference = "",
       .scale = Scale::probability,
       .tags = {.missing_features = true, .probabilities = true, .weights = true, .baseline = true},
       .listed_rows = true},
      fit);
}

}  // namespace mulberry::base

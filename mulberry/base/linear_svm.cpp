// Linear support vector machine.
//
//   minimise  1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.x_i + b))^q,   q = 1 (hinge) or 2 (squared)
//
// Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for large-scale
// linear SVM", ICML 2008; what it has not solved in some passes (large C, features of very
// different scales) by Newton steps as in Keerthi and DeCoste, "A modified finite Newton method for
// fast solution of large scale linear SVMs", JMLR 6, 2005. Stops at a proven relative gap. More
// than two classes: one against the rest. Cost: passes over X times labels; see
// math/linear/dual_descent.hpp, factored_newton.hpp and newton.hpp.
#include "mulberry/base/linear_model.hpp"

namespace mulberry::base {
namespace {

enum class Hinge { hinge, squared };

struct Params {
  LinearParams linear;
  Hinge loss = Hinge::hinge;
  double tolerance = 1e-3;

  static Fields fields() {
    return Fields{
        group(&Params::linear),
        choice("loss", &Params::loss, "cost of an error: its size, or the square of its size",
               {"hinge", "squared"}),
        field("tolerance", &Params::tolerance,
              "stop once the objective is proven to be within this share of its optimum",
              between(1e-12, 0.5))};
  }
  LinearOptions options() const {
    return {.loss = loss == Hinge::hinge ? Loss::hinge : Loss::squared_hinge,
            .bias = linear.bias,
            .tolerance = tolerance};
  }
  MemoryNeed memory(const Extent& e) const {
    return linear_need(e, options(), e.classes > 2 ? e.classes : 1);
  }
  MemoryNeed memory_of_labels(const Extent& e) const { return linear_need(e, options(), e.labels); }
};

LinearModel fit(const ColumnProblem& problem, const Params& params, const Context& ctx) {
  return fit_linear_classes(problem, params.linear, params.options(), ctx);
}

LinearModel fit_labels(const Features& x, const Labels& y, std::span<const double> weights,
                       const Params& params, const Context& ctx) {
  return fit_linear_labels(x, y, weights, params.linear, params.options(), ctx);
}

std::vector<LinearModel> fit_links(const Features& x, std::span<const Index> columns,
                                   const Labels& y, std::span<const double> weights,
                                   const Params& params, const Context& ctx) {
  return fit_linear_links(x, columns, y, weights, params.linear, params.options(), ctx);
}

}  // namespace

BaseLearner make_linear_svm() {
  return with_links<Params, LinearModel>(
      with_joint_labels<Params, LinearModel>(
          define_base<Params, LinearModel>(
              {.id = "linear_svm",
               .summary = "linear support vector machine",
               .reference = "Hsieh et al., A dual coordinate descent method for large-scale linear "
                            "SVM, 2008",
               .scale = Scale::margin,
               .tags = {.weights = true, .row_sums = true},
               .listed_rows = true,
               .revision = 4},
              fit),
          LabelsLearnt::apart, fit_labels),
      fit_links);
}

}  // namespace mulberry::base

// Logistic regression.
//
//   minimise  1/2 |w|^2 + C sum_i log(1 + exp(-y_i (w.x_i + b)))
//
// by Newton's method with conjugate gradients, several labels from each pass over X
// (math/linear/newton.hpp); for more than two classes the multinomial form (multinomial.hpp). Stops
// at a given norm of the gradient. Scores are probabilities. Cost: passes over X times labels / 8.
#include "mulberry/base/linear_model.hpp"
#include "mulberry/base/logistic/multinomial.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::base {
namespace {

struct Params {
  LinearParams linear;
  double tolerance = 1e-4;

  static Fields fields() {
    return Fields{group(&Params::linear),
                  field("tolerance", &Params::tolerance,
                        "stop once the norm of the gradient is at most this", between(1e-12, 1e3))};
  }
  LinearOptions options() const {
    return {.loss = Loss::logistic, .bias = linear.bias, .tolerance = tolerance};
  }
  MemoryNeed memory(const Extent& e) const {
    if (e.classes <= 2) return linear_need(e, options(), 1);
    // Of multinomial.cpp: scores of a line search, or directions of conjugate gradients.
    const double scores = 8 * e.rows * e.classes, weights = 8 * e.classes * (e.columns + 1);
    const double turned = e.sparse ? e.features() + weights : 0;
    return {
        .fit = 12 * e.rows + std::max(5 * scores + 4 * weights, 3 * scores + 9 * weights) + turned,
        .model = weights,
        .predict = 8 * e.asked * e.classes + (e.sparse ? weights : 0)};
  }
  MemoryNeed memory_of_labels(const Extent& e) const { return linear_need(e, options(), e.labels); }
};

// Classes without rows are left out of the problem and have probability 0.
LinearModel fit_multinomial(const ColumnProblem& problem, const Params& params,
                            const Context& ctx) {
  std::vector<Id> place(at(problem.classes), -1), present, y;
  for (const Id c : problem.y) place[at(c)] = 0;
  for (std::size_t c = 0; c < place.size(); ++c) {
    if (place[c] < 0) continue;
    place[c] = static_cast<Id>(present.size());
    present.push_back(static_cast<Id>(c));
  }
  for (const Id c : problem.y) y.push_back(place[at(c)]);
  const auto count = static_cast<Id>(present.size());
  const auto solved =
      solve_multinomial(problem.x, y, count, row_costs(y, count, problem.weights, params.linear),
                        params.options(), ctx);
  Matrix w(problem.classes, problem.x.cols());
  LinearModel out{
      .w = {}, .b = {}, .link = Link::softmax, .certificate = Matrix(problem.classes, 5)};
  out.b.assign(place.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < present.size(); ++k) {
    const auto from = solved.w.row(static_cast<Index>(k));
    std::copy(from.begin(), from.end(), w.row(present[k]).begin());
    out.b[at(present[k])] = solved.b[k];
  }
  out.w = std::move(w);
  for (Index c = 0; c < problem.classes; ++c) {
    // One problem for all classes: its objective counts once.
    write_certificate(c == 0 ? solved.certificate : Certificate{.gap = 0, .converged = true},
                      out.certificate.row(c));
  }
  return out;
}

LinearModel fit(const ColumnProblem& problem, const Params& params, const Context& ctx) {
  if (problem.classes > 2) return fit_multinomial(problem, params, ctx);
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

BaseLearner make_logistic() {
  return with_links<Params, LinearModel>(
      with_joint_labels<Params, LinearModel>(
          define_base<Params, LinearModel>(
              {.id = "logistic",
               .summary = "logistic regression, multinomial for more than two classes",
               .reference =
                   "Lin, Weng, Keerthi, Trust region Newton method for large-scale logistic "
                   "regression, JMLR 9, 2008",
               .scale = Scale::probability,
               .tags = {.probabilities = true, .weights = true, .row_sums = true},
               .listed_rows = true},
              fit),
          LabelsLearnt::apart, fit_labels),
      fit_links);
}

}  // namespace mulberry::base

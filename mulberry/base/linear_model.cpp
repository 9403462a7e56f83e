#include "mulberry/base/linear_model.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/linear/factored_newton.hpp"

namespace mulberry::base {

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

void softmax(std::span<double> row) {
  const double top = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& v : row) sum += v = std::exp(v - top);
  for (double& v : row) v /= sum;
}

Link link_of(Loss loss) { return loss == Loss::logistic ? Link::sigmoid : Link::identity; }

// The bias whose score is `positive` for any features: probability 0 or 1, or margin -1 or 1.
double constant_bias(bool positive, Link link) {
  if (link == Link::identity) return constant_score(positive, Scale::margin);
  return positive ? k_infinity : -k_infinity;
}

LinearModel empty_model(Index rows, Link link) {
  LinearModel out{.w = {}, .b = {}, .link = link, .certificate = Matrix(rows, 5)};
  out.b.resize(at(rows));
  for (Index k = 0; k < rows; ++k) {
    write_certificate({.gap = 0, .converged = true}, out.certificate.row(k));
  }
  return out;
}

// The labels that have both classes; a label with one gets its constant: set_constant(l, bias).
template <class SetConstant>
std::vector<Index> labels_to_solve(const Labels& y, Index rows, Link link,
                                   const SetConstant& set_constant) {
  std::vector<Index> out;
  for (Index l = 0; l < y.count(); ++l) {
    const std::size_t positives = y.column(l).size();
    const std::size_t observed = at(rows) - y.missing_column(l).size();
    if (positives > 0 && positives < observed) {
      out.push_back(l);
    } else {
      set_constant(l, constant_bias(positives > 0, link));
    }
  }
  return out;
}

// The class of every row for label l: 0, 1, or -1 where the cell is missing.
std::vector<Id> classes_of_label(const Labels& y, Index l, Index rows) {
  std::vector<Id> classes(at(rows), 0);
  for (const Id i : y.column(l)) classes[at(i)] = 1;
  for (const Id i : y.missing_column(l)) classes[at(i)] = -1;
  return classes;
}

// classes_of(k) gives the class (0, 1, or -1: left out) of every row in problem k.
template <class ClassesOf>
std::vector<LinearResult> solve_problems(const std::vector<Index>& problems, const Features& x,
                                         std::span<const Index> columns,
                                         std::span<const double> weights,
                                         const LinearParams& params, const LinearOptions& options,
                                         const Context& ctx, const ClassesOf& classes_of) {
  const auto fill = [&](Index k, std::span<std::int8_t> y, std::span<double> cost) {
    const std::vector<Id> classes = classes_of(problems[at(k)]);
    const std::vector<double> costs = row_costs(classes, 2, weights, params);
    std::copy(costs.begin(), costs.end(), cost.begin());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = classes[i] == 1 ? 1 : -1;
  };
  return solve_linear({.x = x, .count = count_of(problems), .fill = fill, .columns = columns},
                      options, ctx);
}

template <class ClassesOf>
void solve_into(LinearModel& model, const std::vector<Index>& problems, const Features& x,
                std::span<const double> weights, const LinearParams& params,
                const LinearOptions& options, const Context& ctx, const ClassesOf& classes_of) {
  const auto solved = solve_problems(problems, x, {}, weights, params, options, ctx, classes_of);
  Matrix w(model.certificate.rows(), x.cols());
  for (std::size_t k = 0; k < solved.size(); ++k) {
    const Index row = problems[k];
    std::copy(solved[k].w.begin(), solved[k].w.end(), w.row(row).begin());
    model.b[at(row)] = solved[k].b;
    write_certificate(solved[k].certificate, model.certificate.row(row));
  }
  model.w = std::move(w);
}

}  // namespace

// The panels of newton.cpp, and the states of dual_descent.cpp or then of factored_newton.cpp, with
// the costs that are filled in.
MemoryNeed linear_need(const Extent& e, const LinearOptions& options, double outputs) {
  const double weights = 8 * outputs * e.columns;
  const bool dual = options.loss == Loss::hinge ||
                    (options.loss == Loss::squared_hinge && options.bias != Bias::free);
  double work = 8 * e.rows + e.at_once(outputs) * (46 * e.rows + 8 * e.columns);
  const bool factored = options.loss != Loss::logistic && math::can_factor(e.rows, e.columns);
  if (factored) {
    work = std::max(work, math::shared_product_bytes(e.rows, e.columns) +
                              e.at_once(outputs) * math::factored_newton_bytes(e.rows, e.columns));
  }
  if (!dual) {
    const double each = std::floor(outputs / e.threads);
    const double lanes = each > 4 ? 8 : each > 1 ? 4 : 1;
    const double panels = e.at_once(std::ceil(outputs / lanes));
    work = std::max(factored ? work : 0.0,
                    panels * (8 * lanes * (6 * (e.columns + 1) + 7 * e.rows) + 21 * e.rows));
  }
  const double turned = e.sparse ? weights : 0;  // weights by feature
  return {.fit = weights + std::max(work, weights),
          .model = weights + 48 * outputs,
          .predict = 8 * e.asked * outputs + turned};
}

void write_certificate(const Certificate& from, std::span<double> to) {
  const double values[] = {from.objective, from.gap, from.gradient_norm,
                           static_cast<double>(from.iterations), from.converged ? 1.0 : 0.0};
  std::copy(std::begin(values), std::end(values), to.begin());
}

std::vector<double> row_costs(std::span<const Id> classes, Id class_count,
                              std::span<const double> weights, const LinearParams& params) {
  std::vector<double> cost(classes.size());
  std::vector<double> totals(at(class_count));
  double total = 0;
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (classes[i] < 0) continue;
    cost[i] = weights.empty() ? 1.0 : weights[i];
    totals[at(classes[i])] += cost[i];
    total += cost[i];
  }
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (classes[i] < 0) continue;
    cost[i] *= params.C;
    const double mine = totals[at(classes[i])];
    if (params.class_weight == ClassWeight::balanced && mine > 0) {
      cost[i] *= total / (static_cast<double>(class_count) * mine);
    }
  }
  return cost;
}

Matrix LinearModel::scores(const Features& x, const Context& ctx) const {
  Matrix out = linear_scores(x, w, b, ctx);
  if (link == Link::sigmoid) {
    std::span<double> cells{out.data(), at(out.size())};
    for (double& v : cells) v = logistic_share(v);
  } else if (link == Link::softmax) {
    for (Index i = 0; i < out.rows(); ++i) softmax(out.row(i));
  }
  return out;
}

std::optional<LinearForm> LinearModel::linear_form() const {
  if (b.size() != 1 || link == Link::softmax) return {};
  return LinearForm{.w = w.row(0), .b = b[0], .logistic = link == Link::sigmoid};
}

Summary LinearModel::summary() const {
  Summary out;
  out.objective = out.gap = 0;
  for (Index k = 0; k < certificate.rows(); ++k) {
    const double objective = certificate(k, 0);
    out.objective += objective;
    out.gap = std::max(out.gap, certificate(k, 1) / std::max(objective, 1e-300));
    out.rounds = std::max(out.rounds, static_cast<Index>(certificate(k, 3)));
    out.converged = out.converged && certificate(k, 4) != 0;
  }
  if (!std::isfinite(out.gap)) out.gap = std::numeric_limits<double>::quiet_NaN();
  return out;
}

std::vector<Result> LinearModel::results() const {
  return {{.id = "certificate",
           .sentence = "how close the solution of each label is to its optimum",
           .rows = Axis::labels,
           .columns = Axis::named,
           .column_names = {"objective", "gap", "gradient_norm", "iterations", "converged"},
           .values = certificate}};
}

LinearModel fit_linear_labels(const Features& x, const Labels& y, std::span<const double> weights,
                              const LinearParams& params, const LinearOptions& options,
                              const Context& ctx) {
  LinearModel out = empty_model(y.count(), link_of(options.loss));
  const std::vector<Index> problems =
      labels_to_solve(y, x.rows(), out.link, [&](Index l, double bias) { out.b[at(l)] = bias; });
  solve_into(out, problems, x, weights, params, options, ctx,
             [&](Index l) { return classes_of_label(y, l, x.rows()); });
  return out;
}

std::vector<LinearModel> fit_linear_links(const Features& x, std::span<const Index> columns,
                                          const Labels& y, std::span<const double> weights,
                                          const LinearParams& params, const LinearOptions& options,
                                          const Context& ctx) {
  std::vector<LinearModel> out(at(y.count()));
  for (LinearModel& model : out) model = empty_model(1, link_of(options.loss));
  const std::vector<Index> problems =
      labels_to_solve(y, x.rows(), link_of(options.loss), [&](Index l, double bias) {
        out[at(l)].b[0] = bias;
        out[at(l)].w = Matrix(1, columns[at(l)]);
      });
  std::vector<Index> widths;
  for (const Index l : problems) widths.push_back(columns[at(l)]);
  std::vector<LinearResult> solved =
      solve_problems(problems, x, widths, weights, params, options, ctx,
                     [&](Index l) { return classes_of_label(y, l, x.rows()); });
  for (std::size_t k = 0; k < solved.size(); ++k) {
    LinearModel& model = out[at(problems[k])];
    model.w = Matrix(1, widths[k], std::move(solved[k].w));
    model.b[0] = solved[k].b;
    write_certificate(solved[k].certificate, model.certificate.row(0));
  }
  return out;
}

LinearModel fit_linear_classes(const ColumnProblem& problem, const LinearParams& params,
                               const LinearOptions& options, const Context& ctx) {
  std::vector<Index> counts(at(problem.classes));
  for (const Id c : problem.y) ++counts[at(c)];
  const auto present = std::count_if(counts.begin(), counts.end(), [](Index c) { return c > 0; });
  const bool binary = problem.classes == 2;
  LinearModel out = empty_model(binary ? 1 : problem.classes, link_of(options.loss));
  std::vector<Index> problems;
  for (Index k = 0; k < out.certificate.rows(); ++k) {
    const bool occurs = counts[at(binary ? 1 : k)] > 0;
    if (occurs && present > 1) {
      problems.push_back(k);
    } else if (binary || occurs) {
      out.b[at(k)] = constant_bias(occurs, out.link);
    } else {
      out.b[at(k)] = -1e30;
    }
  }
  solve_into(out, problems, problem.x, problem.weights, params, options, ctx, [&](Index k) {
    std::vector<Id> classes(problem.y.begin(), problem.y.end());
    if (binary) return classes;
    for (Id& c : classes) c = c == static_cast<Id>(k) ? 1 : 0;
    return classes;
  });
  return out;
}

}  // namespace mulberry::base

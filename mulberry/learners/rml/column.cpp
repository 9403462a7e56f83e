#include "mulberry/learners/rml/column.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/learners/rml/bundle.hpp"
#include "mulberry/learners/rml/ramp.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/linear/linear.hpp"

namespace mulberry::learners::rml {

namespace {

// If coordinate descent has not ended after this many, the bundle suits the problem better.
constexpr int k_svm_passes = 300;
// Of the start of the tighter bound only the signs of the scores are used.
constexpr double k_start_tolerance = 1e-1;
constexpr double k_step_tolerance = 1e-2;  // a step that gains less is the last

bool holds(std::span<const Id> sorted, Id row) {
  return std::binary_search(sorted.begin(), sorted.end(), row);
}

// With w = V theta the Hamming problem is 1/2 |w|^2 + C sum of hinges, times 1 / (C V).
Scorer train_svm(const Features& x, const Cells& cells, const Settings& settings, double cost,
                 const Context& ctx) {
  std::vector<std::int8_t> sign(at(x.rows()), -1);
  std::vector<double> costs(sign.size(), 0.0);
  for (std::size_t k = 0; k < cells.rows.size(); ++k) {
    const auto row = at(cells.rows[k]);
    sign[row] = cells.truth[k] != 0 ? 1 : -1;
    costs[row] += cost;
  }
  LinearResult found = solve_linear(x, sign, costs,
                                    {.loss = Loss::hinge,
                                     .bias = settings.bias ? Bias::regularised : Bias::none,
                                     .tolerance = settings.tolerance,
                                     .max_iterations = k_svm_passes},
                                    ctx);
  const auto rows = static_cast<double>(cells.size());
  const double scale = 1 / (cost * rows);
  Scorer out;
  out.w = std::move(found.w);
  for (double& w : out.w) w /= rows;
  out.b = found.b / rows;
  out.objective = found.certificate.objective * scale;
  out.lower = (found.certificate.objective - found.certificate.gap) * scale;
  out.iterations = found.certificate.iterations;
  out.converged = found.certificate.converged;
  return out;
}

BundleOptions bundle_options(const Settings& settings) {
  return {.tolerance = settings.tolerance, .max_iterations = settings.max_iterations};
}

// A problem of the bundle: its space, and how a scorer of the space is written.
struct Problem {
  Problem(const Inputs& inputs, const std::vector<Id>& which, Index label,
          const Settings& settings) {
    const double bias = settings.bias ? 1 : 0;
    if (inputs.kernel != nullptr) {
      space = kernel_space(*inputs.kernel, which, bias, {inputs.scores, label});
    } else {
      const bool stacked = settings.score_columns >= 0;
      rows.emplace(*inputs.x, which, bias, stacked ? settings.score_columns + label : -1);
      space = linear_space(*rows);
    }
  }
  Problem(const Problem&) = delete;  // the space refers to the rows
  Problem& operator=(const Problem&) = delete;

  std::optional<LinearRows> rows = {};  // without a kernel
  std::unique_ptr<ScoreSpace> space = {};
};

void write_scorer(const Problem& problem, const Inputs& inputs, const Cells& cells, Index label,
                  bool bias, std::span<const double> found, Scorer& out) {
  if (inputs.kernel == nullptr) {
    out.w = weights_of(*problem.rows, *problem.space, found);
    if (!bias) return;
    out.b = out.w.back();
    out.w.pop_back();
    return;
  }
  out.w.assign(at(inputs.weights()), 0.0);
  for (std::size_t v = 0; v < found.size(); ++v) {
    double& w = out.w[at(cells.rows[v])];
    w = w == 0 ? found[v] : w + found[v];  // a row may stand there again
    if (bias) out.b += found[v];
  }
  if (inputs.scores != nullptr) {
    out.score_weights = ExtraColumns{inputs.scores, label}.weights(cells.rows, found);
  }
}

Scorer bundle_scorer(const Problem& problem, const Inputs& inputs, const Cells& cells, Index label,
                     Bundle& bundle, double cost, bool bias, const Context& ctx) {
  const auto found = bundle.solve(static_cast<double>(cells.size()) / cost, ctx);
  Scorer out;
  write_scorer(problem, inputs, cells, label, bias, bundle.scorer(), out);
  out.objective = found.objective;
  out.lower = found.lower;
  out.iterations = found.iterations;
  out.converged = found.converged;
  return out;
}

Scorer ramp_scorer(const Problem& problem, const Inputs& inputs, const Cells& cells, Index label,
                   Bundle& bundle, double cost, const Settings& settings, const Context& ctx) {
  Settings rough = settings;
  rough.tolerance = std::max(settings.tolerance, k_start_tolerance);
  const Scorer machine = balanced_scorer(inputs, cells, label, rough, cost, ctx);
  std::vector<char> start;
  for (const double s : column_scores(inputs, cells.rows, machine)) start.push_back(s > 0 ? 1 : 0);
  RampPath path = descend_ramp(bundle, std::move(start), static_cast<double>(cells.size()) / cost,
                               {.tolerance = std::max(settings.tolerance, k_step_tolerance),
                                .select_ties = settings.select_ties},
                               ctx);
  Scorer out;
  write_scorer(problem, inputs, cells, label, settings.bias, path.scorer, out);
  out.objective = path.objective.back();
  out.lower = path.lower;
  out.iterations = path.iterations;
  out.converged = path.converged;
  out.steps = std::move(path.objective);
  return out;
}

}  // namespace

Index Cells::positives() const { return std::count(truth.begin(), truth.end(), char{1}); }

Cells observed_cells(const Labels& y, Index label, std::span<const Id> rows) {
  const auto ones = y.column(label), missing = y.missing_column(label);
  Cells out;
  out.rows.reserve(rows.size());
  out.truth.reserve(rows.size());
  for (const Id row : rows) {
    if (!missing.empty() && holds(missing, row)) continue;
    out.rows.push_back(row);
    out.truth.push_back(holds(ones, row) ? 1 : 0);
  }
  return out;
}

bool Scorer::degenerate() const {
  return b == 0 && std::all_of(w.begin(), w.end(), [](double v) { return v == 0; });
}

void train_column(const Inputs& inputs, const Cells& cells, Index label, const Settings& settings,
                  std::span<const double> costs, const Context& ctx,
                  const std::function<void(std::size_t k, Scorer scorer)>& visit) {
  MULBERRY_ASSERT(cells.size() > 0);
  const bool by_svm = !settings.ramp && settings.loss.measure() == SetMeasure::hamming &&
                      inputs.kernel == nullptr && inputs.x->is_sparse() &&
                      settings.score_columns < 0;
  const Problem problem(inputs, cells.rows, label, settings);
  std::optional<Bundle> bundle;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    Scorer out;
    if (by_svm) out = train_svm(*inputs.x, cells, settings, costs[k], ctx);
    if (!by_svm || !out.converged) {
      if (!bundle) {
        bundle.emplace(*problem.space, MeasureOracle(settings.loss, cells.truth),
                       bundle_options(settings));
      }
      out =
          settings.ramp
              ? ramp_scorer(problem, inputs, cells, label, *bundle, costs[k], settings, ctx)
              : bundle_scorer(problem, inputs, cells, label, *bundle, costs[k], settings.bias, ctx);
    }
    visit(k, std::move(out));
  }
}

// The Hamming problem with copies of the rare cells: with a cost C for each of them, this is the
// machine whose costs are inverse to the sizes of the classes, rounded.
Scorer balanced_scorer(const Inputs& inputs, const Cells& cells, Index label,
                       const Settings& settings, double cost, const Context& ctx) {
  const Index positives = cells.positives(), negatives = cells.size() - positives;
  const char rare = positives < negatives ? 1 : 0;
  const Index few = std::min(positives, negatives), many = std::max(positives, negatives);
  const Index copies = few > 0 ? many / few - 1 : 0;  // of each rare cell
  Cells repeated = cells;
  for (std::size_t k = 0; k < cells.rows.size(); ++k) {
    if (cells.truth[k] != rare) continue;
    repeated.rows.insert(repeated.rows.end(), at(copies), cells.rows[k]);
    repeated.truth.insert(repeated.truth.end(), at(copies), rare);
  }
  Settings hamming = settings;
  hamming.loss = SetLoss(SetMeasure::hamming);
  hamming.ramp = false;
  Scorer out;
  train_column(inputs, repeated, label, hamming, {&cost, 1}, ctx,
               [&](std::size_t, Scorer found) { out = std::move(found); });
  return out;
}

std::size_t planes_bytes(const Features& x, const Settings& settings, Index more) {
  std::vector<Id> rows(at(x.rows()));
  std::iota(rows.begin(), rows.end(), Id{0});
  const Problem problem(x, rows, 0, settings);
  const Index size = problem.space->size() + (problem.space->by_rows() ? 0 : more);
  return Bundle::bytes(x.rows(), size, bundle_options(settings));
}

std::vector<double> column_scores(const Inputs& inputs, std::span<const Id> rows,
                                  const Scorer& scorer) {
  std::vector<double> out(rows.size());
  if (inputs.kernel != nullptr) {
    inputs.kernel->times(rows, scorer.w, out);
    for (std::size_t k = 0; inputs.scores != nullptr && k < out.size(); ++k) {
      out[k] += blas::dot(inputs.scores->row(rows[k]), scorer.score_weights);
    }
  } else {
    LinearRows(*inputs.x, {rows.begin(), rows.end()}, 0).dot_rows(scorer.w, out);
  }
  for (double& s : out) s += scorer.b;
  return out;
}

Counts& Counts::operator+=(const Counts& other) {
  rows += other.rows;
  positives += other.positives;
  p += other.p;
  q += other.q;
  return *this;
}

Counts count_cells(const Cells& cells, std::span<const double> scores, const Settings& settings) {
  Counts out;
  out.rows = cells.size();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const bool selected = settings.selects(scores[k]);
    if (cells.truth[k] != 0) {
      ++out.positives;
      out.p += selected ? 1 : 0;
    } else {
      out.q += selected ? 1 : 0;
    }
  }
  return out;
}

}  // namespace mulberry::learners::rml

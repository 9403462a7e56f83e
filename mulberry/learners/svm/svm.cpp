// One-vs-all support vector machines with a kernel: C-SVC for every label.
//
//   min over f, b   1/2 |f|^2 + C sum_i w_i max(0, 1 - y_i (f(x_i) + b)),   y_i = +1 or -1
//
// Cortes and Vapnik, "Support-vector networks", Machine Learning 20, 1995; solved as in LIBSVM
// (Fan, Chen and Lin 2005), see smo.hpp, but on one matrix of kernel values for all labels.
// Scores are margins or, with probabilities=platt, Platt's sigmoid of them, learnt from margins of
// rows that were held out. C=auto tries several costs in cross-validation, each starting from the
// previous solution; gamma=auto several widths of the kernel in the same folds, each with all costs
// and one matrix of kernel values. A row whose label is missing is left out of that label's
// problem. A label of one class is answered with that class.
//
// Cost: kernel values of all pairs of rows once, then thousands of passes over the rows for each
// label, times folds (x 5 costs, x 5 widths) with platt (auto). Memory: the values in single
// precision within `memory`, and beyond it the most recently used rows.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/common/training_notes.hpp"
#include "mulberry/learners/svm/smo.hpp"
#include "mulberry/math/kernels/width_choice.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/kernel_form.hpp"
#include "mulberry/model/search_measure.hpp"
#include "mulberry/resample/calibration.hpp"
#include "mulberry/resample/observed.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners {
namespace {

enum class Probabilities { none, platt };

struct Params {
  std::optional<double> C = 1.0;
  std::string measure = "micro_auc";
  Probabilities probabilities = Probabilities::none;
  Index folds = 5;
  double tolerance = 1e-3;
  std::string gamma = "width";
  KernelParams kernel = {.kernel = KernelKind::rbf};

  static Fields fields() {
    return Fields{
        field("C", &Params::C, "cost of errors; auto: by cross-validation",
              positive().search(1e-2, 1e3)),
        field("measure", &Params::measure, "measure for auto: any measure of scores or decisions"),
        choice("probabilities", &Params::probabilities,
               "scores are margins, or probabilities by Platt's method", {"none", "platt"}, false),
        field("folds", &Params::folds, "folds of the cross-validation, for auto and platt",
              between(2, 100)),
        field("tolerance", &Params::tolerance,
              "stop once no pair of rows violates the optimum by more", between(1e-9, 0.5)),
        field("gamma", &Params::gamma, k_gamma_help),
        group(&Params::kernel)};
  }
  bool searches() const { return !C || gamma == "auto"; }
  Tags tags() const {
    return {.kernel = true,
            .missing_labels = true,
            .labels_apart = !searches() && probabilities == Probabilities::none,
            .probabilities = probabilities == Probabilities::platt,
            .weights = true,
            .distances = has_distance(kernel.kernel)};
  }
  std::vector<std::string> notes(const View& view) const {
    std::vector<std::string> out;
    // Learners whose time and memory grow with the rows, not with their square.
    add_kernel_note(
        view.size(), kernel, KernelStorage::f32,
        "for so many rows use br_svm or br_logistic, which are linear, or a kernel over "
        "a sample of the rows, 'ridge(landmarks=500)'",
        out);
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const double values = kernel_need(e.rows, kernel, true);
    // Without room for all values, rows of them are kept up to the limit.
    const double held = values > 0 ? values : std::min(4 * e.rows * e.rows, kernel.memory * 1e9);
    const double tried = searches() ? 5 : probabilities == Probabilities::platt ? 1 : 0;
    const double model = form_need(e);
    return {.fit = e.pieces() + held + 8 * e.rows + (1 + tried) * e.cells() +
                   std::max(model, e.at_once(e.labels) * 90 * e.rows),
            .model = model,
            .predict = e.asked_pieces() + form_predict_need(e)};
  }
};

// The columns of a certificate.
enum : Index {
  k_cost,
  k_primal,
  k_dual,
  k_gap,
  k_violation,
  k_support,
  k_steps,
  k_converged,
  k_columns
};

// The values of C and of the kernel's scale that were tried, and which are best.
struct Search {
  std::vector<double> costs = {}, value = {}, gammas = {};
  std::string measure = {};

  template <class V>
  void visit(V& v) {
    v("costs", costs, any_real());
    v("value", value, any_real().length(count_of(costs)));
    v("measure", measure);
    v.added("gammas", gammas, any_real());
    v.require(gammas.empty() || gammas.size() == costs.size(), "gammas", "needs one per cost");
  }
};

struct Svm {
  KernelForm form = {};  // the support vectors of all labels
  std::vector<double> bias = {};
  Matrix certificate = {};  // labels x k_columns
  std::optional<Search> search = {};
  std::optional<Calibration> platt = {};

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    Matrix margins = form.scores(data.x(), bias, ctx);
    if (!platt) return {.scores = std::move(margins), .scale = Scale::margin};
    return {.scores = platt->apply(margins, ctx), .scale = Scale::probability};
  }
  Summary summary() const;
  std::vector<Result> results() const;

  template <class V>
  void visit(V& v) {
    v("form", form);
    v("bias", bias, finite().length(v.outputs()));
    v("certificate", certificate, any_real().rows(v.outputs()).cols(k_columns));
    v("search", search);
    v("platt", platt);
    v.require(!platt || platt->method == CalibrationMethod::platt, "platt",
              "needs one sigmoid per label");
  }
};

// The problems of all labels on one kernel.
class Problems {
 public:
  Problems(const GramRows& gram, const Compact& data, double tolerance)
      : gram_(gram), data_(data), options_{.tolerance = tolerance} {}

  Index rows() const { return gram_.rows(); }
  const Labels& labels() const { return data_.y(); }

  // visit(k, result) for each of `costs`, in increasing order, each starting from the previous
  // solution. The rows of `without` are left out.
  template <class Visit>
  void solve(Index label, std::span<const double> costs, std::span<const Id> without,
             std::span<const double> start, double tolerance, const Context& ctx,
             const Visit& visit) const {
    const auto n = at(rows());
    std::vector<std::int8_t> y(n, -1);
    std::vector<double> weight(n), cost(n), from(start.begin(), start.end());
    for_observed(data_.y(), label, [&](Index i, bool positive) {
      y[at(i)] = positive ? 1 : -1;
      weight[at(i)] = data_.weight(i);
    });
    for (const Id i : without) weight[at(i)] = 0;
    SmoOptions options = options_;
    options.tolerance = std::max(options.tolerance, tolerance);
    for (std::size_t k = 0; k < costs.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) cost[i] = costs[k] * weight[i];
      SmoResult found = solve_smo(gram_, {.y = y, .cost = cost, .start = from}, options, ctx);
      visit(k, found);
      if (k + 1 == costs.size()) break;
      from = std::move(found.c);
      for (double& c : from) c *= costs[k + 1] / costs[k];
    }
  }

 private:
  const GramRows& gram_;
  const Compact& data_;
  SmoOptions options_;
};

// Margins of every row at each of the costs, by machines that have not seen it: one matrix (rows x
// labels) per cost. The machines start from `start` (labels x rows), unless that is empty. Held-out
// rows cost nothing: the solver keeps their scores along with the others.
std::vector<Matrix> held_out(const Problems& problems, std::span<const double> costs, Index folds,
                             MatrixView start, const Context& ctx) {
  // The noise of held-out scores is larger than the effect of this violation.
  constexpr double k_loose = 1e-2;
  const Labels& y = problems.labels();
  const Index labels = y.count();
  // Different from the folds of a caller with the same seed, which it uses to measure.
  const auto splits =
      k_folds(y, {.folds = std::min(folds, problems.rows())}, ctx.with_seed(ctx.seed() + 1));
  std::vector<Matrix> out;
  std::vector<double*> cells;
  for (std::size_t k = 0; k < costs.size(); ++k) out.emplace_back(problems.rows(), labels);
  for (Matrix& m : out) cells.push_back(m.data());
  const Index tasks = labels * count_of(splits);
  std::atomic<Index> done = 0;
  parallel_for(ctx, tasks, [&](Index task) {
    const Index label = task % labels;
    const Fold& fold = splits[at(task / labels)];
    const auto from = start.size() > 0 ? start.row(label) : std::span<const double>();
    problems.solve(label, costs, fold.test, from, k_loose, ctx.quiet(),
                   [&](std::size_t k, const SmoResult& found) {
                     for (const Id i : fold.test) {
                       cells[k][i * labels + label] = found.score[at(i)];
                     }
                   });
    ctx.step(static_cast<double>(++done) / static_cast<double>(tasks));
  });
  return out;
}

// Trains all labels; returns coefficients (labels x rows).
Matrix train(const Problems& problems, const Kernel& kernel, double C, Svm& out,
             const Context& ctx) {
  const Labels& y = problems.labels();
  const Index labels = y.count(), n = problems.rows();
  out.bias.resize(at(labels));
  out.certificate = Matrix(labels, k_columns);
  Matrix alpha(labels, n);
  double* const coefficients = alpha.data();
  double* const facts = out.certificate.data();
  std::atomic<Index> done = 0;
  parallel_for(ctx, labels, [&](Index l) {
    problems.solve(l, {&C, 1}, {}, {}, 0, ctx.quiet(), [&](std::size_t, SmoResult& found) {
      const bool unknown = static_cast<Index>(y.missing_column(l).size()) == n;
      out.bias[at(l)] = unknown ? -1 : found.bias;
      std::copy(found.c.begin(), found.c.end(), coefficients + l * n);
      const double gap =
          found.primal > 0 ? std::max(0.0, (found.primal - found.objective) / found.primal) : 0;
      const auto support =
          std::count_if(found.c.begin(), found.c.end(), [](double c) { return c != 0; });
      const double row[] = {
          C,
          found.primal,
          found.objective,
          maybe_indefinite(kernel) ? std::numeric_limits<double>::quiet_NaN() : gap,
          found.violation,
          static_cast<double>(support),
          static_cast<double>(found.steps),
          found.converged ? 1.0 : 0.0};
      std::copy(std::begin(row), std::end(row), facts + l * k_columns);
    });
    ctx.step(static_cast<double>(++done) / static_cast<double>(labels));
  });
  return alpha;
}

// Platt's sigmoids; for labels of one class they answer that class with certainty.
Calibration learn_platt(MatrixView margins, const Compact& data, const Context& ctx) {
  const Labels& y = data.y();
  Calibration out = learn_calibration(margins, y, CalibrationMethod::platt, ctx, data.weights());
  for (Index l = 0; l < y.count(); ++l) {
    const auto positives = static_cast<Index>(y.column(l).size());
    const Index known = y.rows() - static_cast<Index>(y.missing_column(l).size());
    if (positives > 0 && positives < known) continue;
    constexpr double k_certain = std::numeric_limits<double>::infinity();
    out.a[at(l)] = 0;
    out.b[at(l)] = positives > 0 ? -k_certain : k_certain;
  }
  return out;
}

// What a search found: the kernel, the cost, and the margins of held-out rows there.
struct Choice {
  Kernel kernel = {};
  double C = 1;
  Matrix margins = {};
};

Choice search(const View& view, const Compact& data, const KernelRows& rows, const Params& params,
              std::span<const Kernel> kernels, Search& tried, const Context& ctx) {
  const std::vector<double> costs =
      params.C ? std::vector<double>{*params.C} : std::vector<double>{1e-2, 1e-1, 1, 1e1, 1e2};
  const std::size_t limit = params.kernel.memory_bytes();
  const bool higher = measure_info(params.measure).higher_is_better;
  Choice out;
  tried.measure = params.measure;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const double share = 1 / static_cast<double>(kernels.size());
    const Context part =
        ctx.part(share * static_cast<double>(k), share * static_cast<double>(k + 1));
    const KernelMatrix values(kernels[k], rows.x, single_precision_within(rows.x.rows(), limit),
                              part.part(0, 0.05));
    const GramRows gram(values, limit);
    const Problems problems(gram, data, params.tolerance);
    std::vector<Matrix> margins = held_out(problems, costs, params.folds, {}, part.part(0.05, 1));
    for (std::size_t c = 0; c < costs.size(); ++c) {
      tried.costs.push_back(costs[c]);
      tried.gammas.push_back(kernels[k].gamma);
      tried.value.push_back(measured(params.measure, data.y(), margins[c], view.sets, ctx));
      if (best_of(tried.value, higher) + 1 < tried.value.size()) continue;
      out = {kernels[k], costs[c], std::move(margins[c])};
    }
  }
  if (kernels.size() == 1) tried.gammas.clear();
  return out;
}

Svm fit(const View& view, const Params& params, const Context& ctx) {
  require_search_measure("svm", params.measure, "micro_auc");
  const Compact data(view);
  const KernelRows rows = kernel_rows(view, data, params.kernel.kernel);
  const Index n = rows.x.rows();
  const std::size_t limit = params.kernel.memory_bytes();
  const std::vector<Kernel> kernels = kernels_to_try(params.gamma, params.kernel, rows.x, ctx);
  const bool platt = params.probabilities == Probabilities::platt;

  Svm out;
  Choice chosen{.kernel = kernels[kernels.size() / 2], .C = params.C.value_or(1.0)};
  if (params.searches() && n > 1) {
    chosen = search(view, data, rows, params, kernels, out.search.emplace(), ctx.part(0, 0.85));
  }
  const bool later = platt && chosen.margins.size() == 0;  // held-out margins are still to come
  const Context rest = ctx.part(out.search ? 0.85 : 0, 1);
  const KernelMatrix values(chosen.kernel, rows.x, single_precision_within(n, limit),
                            rest.part(0, 0.05));
  const GramRows gram(values, limit);
  const Problems problems(gram, data, params.tolerance);
  const Matrix alpha =
      train(problems, chosen.kernel, chosen.C, out, rest.part(0.05, later ? 0.3 : 1));
  if (later) {
    chosen.margins = n > 1 ? std::move(held_out(problems, {&chosen.C, 1}, params.folds, alpha,
                                                rest.part(0.3, 1))[0])
                           : Matrix(n, data.y().count());
  }
  if (platt) out.platt = learn_platt(chosen.margins, data, ctx);
  out.form = kernel_form(chosen.kernel, rows, alpha);
  return out;
}

Summary Svm::summary() const {
  Summary out;
  out.objective = out.gap = 0;
  for (Index l = 0; l < certificate.rows(); ++l) {
    const auto row = certificate.row(l);
    out.objective += row[k_primal] / static_cast<double>(certificate.rows());
    out.gap = std::isnan(row[k_gap]) ? row[k_gap] : std::max(out.gap, row[k_gap]);
    out.converged = out.converged && row[k_converged] != 0;
    out.rounds += static_cast<Index>(row[k_steps]);
  }
  return out;
}

std::vector<Result> Svm::results() const {
  std::vector<Result> out;
  out.push_back(
      {.id = "certificate",
       .sentence = "the problem of each label: the objective reached, the bound from its dual and "
                   "the largest violation; support_vectors: rows with a coefficient",
       .rows = Axis::labels,
       .column_names = {"C", "objective", "lower_bound", "gap", "violation", "support_vectors",
                        "steps", "converged"},
       .values = certificate});
  out.push_back(form.result());
  if (search) {
    Result tried{.id = "cost_search",
                 .sentence = "the measure at each C and kernel that was tried, cross-validated",
                 .rows = Axis::named,
                 .column_names = {search->measure},
                 .values = Matrix(static_cast<Index>(search->costs.size()), 1)};
    for (std::size_t k = 0; k < search->costs.size(); ++k) {
      tried.row_names.push_back(
          "C=" + shortest(search->costs[k]) +
          (search->gammas.empty() ? "" : " gamma=" + shortest(search->gammas[k])));
      tried.values(static_cast<Index>(k), 0) = search->value[k];
    }
    out.push_back(std::move(tried));
  }
  return out;
}

}  // namespace

Learner make_svm() {
  return define_learner<Params, Svm>(
      {.id = "svm",
       .summary = "support vector machine with a kernel for each label",
       .reference = "Cortes and Vapnik, Support-vector networks, 1995; Fan, Chen and Lin, Working "
                    "set selection using second order information for training support vector "
                    "machines, 2005",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

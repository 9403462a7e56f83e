// RML, reverse multi-label learning: for every label, predict the set of rows that carry it.
//
//   minimise, for each label,  (lambda/2) |theta|^2 + max_z [ loss(z, y) + <z - y, X theta> ]
//
// where z runs over all 0/1 columns and loss is one minus F_beta, precision or recall, or the
// Hamming loss: the bound follows the macro measure that will be reported.
//
// Petterson and Caetano, "Reverse Multi-Label Learning", NIPS 2010 (equations 5 and 6). Differences
// from the paper: the most violated column is found in O(V log V) and may be empty; the problem is
// split into its labels, exactly; C = V / lambda is free of the number of rows V (`lam` is the
// paper's constant: lambda of a label is labels x lam); a constant feature is added; a score of 0
// counts as yes if that helps the measure. Additions of ours: C per label, fallbacks for labels
// that the bound leaves without a scorer, a tighter bound (`bound=ramp`, which has max_a <a, X
// theta> in place of <y, X theta>; ramp.hpp), a cut by held-out scores (cut.hpp),
// `features=labels`, and kernels (a plane is then expressed by its rows, and X theta is K alpha).
//
// Cost: tens to hundreds of products of X (or K) with a vector for each label, times 6 costs x
// folds if C is chosen. Memory: X, K within `memory`, and for each thread the planes of one label
// (see bundle.hpp).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/rml/bundle.hpp"
#include "mulberry/learners/rml/costs.hpp"
#include "mulberry/learners/rml/cut.hpp"
#include "mulberry/learners/rml/score_features.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/kernel_form.hpp"
#include "mulberry/resample/out_of_fold.hpp"

namespace mulberry::learners {
namespace {

enum class Bound { convex, ramp };
enum class Measure { f1, fbeta, precision, recall, hamming };
enum class Constant { regularised, none };
enum class Tie { automatic, none, all };
enum class Fallback { none, hamming, balanced };
enum class Columns { plain, labels };
enum class CutAt { zero, held_out };

struct Params {
  Measure measure = Measure::f1;
  double beta = 1;
  Bound bound = Bound::convex;
  std::optional<double> C = {};
  std::optional<double> lam = {};
  bool per_label_C = false;
  Index folds = 5;
  double tolerance = 1e-3;
  Index max_iterations = 5000;
  Constant bias = Constant::regularised;
  Tie tie = Tie::automatic;
  Fallback fallback = Fallback::none;
  CutAt cut = CutAt::zero;
  Columns features = Columns::plain;
  KernelParams kernel = {};

  static Fields fields() {
    return Fields{
        choice("measure", &Params::measure, "macro measure to train for",
               {"f1", "fbeta", "precision", "recall", "hamming"}, false),
        field("beta", &Params::beta, "weight of recall in fbeta; 0 is precision", at_least(0)),
        choice("bound", &Params::bound,
               "of the loss: convex as published, or ramp, which is tighter and not convex",
               {"convex", "ramp"}, false),
        field("C", &Params::C,
              "cost of the loss relative to the weights; auto: by cross-validation",
              positive().search(1e-2, 1e3)),
        field("lam", &Params::lam, "the paper's constant, in place of C; auto: use C", positive()),
        field("per_label_C", &Params::per_label_C, "choose C separately for each label"),
        field("folds", &Params::folds, "folds of the cross-validation", between(2, 100)),
        field("tolerance", &Params::tolerance,
              "stop once a label is proven to be within this share of its optimum",
              between(1e-9, 0.5)),
        field("max_iterations", &Params::max_iterations, "largest number of iterations per label",
              between(1, 1e6)),
        choice("bias", &Params::bias, "constant term: penalised like a weight, or none",
               {"regularised", "none"}, false),
        choice("tie", &Params::tie, "whether a score of 0 is a yes; auto: for f1, fbeta and recall",
               {"auto", "none", "all"}, false),
        choice("fallback", &Params::fallback,
               "for labels whose best scorer is 0: none, the hamming scorer with a tuned cut, or a "
               "balanced support vector machine",
               {"none", "hamming", "balanced"}, false),
        choice("cut", &Params::cut,
               "where scores are cut: at 0, or where the measure of held-out rows is best, cuts of "
               "rare "
               "labels drawn to the others",
               {"zero", "held_out"}, false),
        choice("features", &Params::features,
               "labels: add the scores of the other labels as features", {"plain", "labels"},
               false),
        group(&Params::kernel)};
  }
  bool has_kernel() const { return kernel.kernel != KernelKind::linear; }
  Tags tags() const {
    // What is chosen by cross-validation depends on all labels.
    const bool chooses = (!C && !lam) || fallback != Fallback::none || cut != CutAt::zero;
    return {.kernel = has_kernel(),
            .missing_labels = true,
            .labels_apart = !chooses && features == Columns::plain,
            .distances = has_distance(kernel.kernel)};
  }
  std::vector<std::string> notes(const View& view) const;

  SetLoss loss() const {
    switch (measure) {
      case Measure::f1:
        return SetLoss(SetMeasure::fbeta, 1);
      case Measure::fbeta:
        return SetLoss(SetMeasure::fbeta, beta);
      case Measure::precision:
        return SetLoss(SetMeasure::precision);
      case Measure::recall:
        return SetLoss(SetMeasure::recall);
      case Measure::hamming:
        break;
    }
    return SetLoss(SetMeasure::hamming);
  }
  rml::Settings settings() const {
    rml::Settings out;
    out.loss = loss();
    out.select_ties = tie == Tie::automatic ? out.loss.selects_ties() : tie == Tie::all;
    out.bias = bias == Constant::regularised;
    out.ramp = bound == Bound::ramp;
    out.tolerance = tolerance;
    out.max_iterations = static_cast<int>(max_iterations);
    return out;
  }
  MemoryNeed memory(const Extent& e) const;
};

// The columns of a certificate.
enum : Index {
  k_cost,
  k_objective,
  k_lower,
  k_gap,
  k_iterations,
  k_converged,
  k_degenerate,
  k_columns
};

// One scorer per label, with its certificate.
struct Stage {
  Matrix w;  // labels x features; without columns if the scorers use a kernel
  std::vector<double> b;
  Matrix certificate;                          // labels x k_columns
  std::optional<rml::CostSearch> search = {};  // if C was chosen
  Matrix score_weights = {};      // labels x labels, in addition to a kernel; the model keeps them
  std::vector<double> cuts = {};  // of held-out scores, already taken off b; none: all 0
  // With the tighter bound: the objective of each label after each step, NaN beyond the last.
  Matrix steps = {};

  template <class V>
  void visit(V& v) {
    v("w", w, finite().rows(v.outputs()));
    v("b", b, finite().length(v.outputs()));
    v("certificate", certificate, any_real().rows(v.outputs()).cols(k_columns));
    v("search", search);
    v.added("cuts", cuts, finite());
    if (v.stores("steps", steps.rows() > 0)) {
      v("steps", steps, any_real().rows(v.outputs()));
    }
  }
};

struct Rml {
  Stage scorer;
  bool select_ties = true;
  // With features=labels: the first scorers, and the factors of their scores.
  std::optional<Stage> first = {};
  std::vector<double> score_scale = {};
  // With a kernel: of the scorers or, with features=labels, of the first scorers followed by these,
  // which also have weights for the first scores.
  KernelForm kernel = {};
  Matrix score_weights = {};  // labels x labels

  bool has_kernel() const { return scorer.w.cols() == 0; }
  Prediction predict(const View& view, const Context& ctx) const;
  Summary summary() const;
  std::vector<Result> results() const;
  template <class V>
  void visit(V& v) {
    v("scorer", scorer);
    v("select_ties", select_ties);
    v("first", first);
    const Index labels = v.outputs();
    v("score_scale", score_scale, finite().length(first ? labels : 0));
    if (has_kernel()) v("kernel", kernel, ModelShape{v.features(), (first ? 2 : 1) * labels});
    if (has_kernel() && first) {
      v("score_weights", score_weights, finite().rows(labels).cols(labels));
    }
    const Index width = has_kernel() ? 0 : v.features();
    v.require(!first || first->w.cols() == width, "first", "does not have the columns of the data");
    v.require(has_kernel() || scorer.w.cols() == width + (first ? labels : 0), "scorer",
              "does not have the columns of the data");
  }
};

std::vector<Id> all_rows(Index n) {
  std::vector<Id> out(at(n));
  std::iota(out.begin(), out.end(), Id{0});
  return out;
}

// One row per path; see Stage::steps.
Matrix steps_of(const std::vector<std::vector<double>>& paths) {
  std::size_t most = 1;
  for (const auto& path : paths) most = std::max(most, path.size());
  Matrix out(count_of(paths), static_cast<Index>(most), std::numeric_limits<double>::quiet_NaN());
  for (Index l = 0; l < out.rows(); ++l) {
    std::copy(paths[at(l)].begin(), paths[at(l)].end(), out.row(l).begin());
  }
  return out;
}

// Trains every label on the known cells of `rows` at its cost.
Stage train(const rml::Inputs& inputs, const Labels& y, std::span<const Id> rows,
            const std::vector<double>& costs, const rml::Settings& settings, Fallback fallback,
            const Context& ctx) {
  const Index labels = y.count();
  Stage out{.w = Matrix(labels, inputs.weights()),
            .b = std::vector<double>(at(labels)),
            .certificate = Matrix(labels, k_columns)};
  if (inputs.scores != nullptr) out.score_weights = Matrix(labels, labels);
  Matrix& w = out.w;
  Matrix& certificate = out.certificate;
  w.data();  // both own their memory before threads write to it
  certificate.data();
  out.score_weights.data();
  std::vector<std::vector<double>> paths(settings.ramp ? at(labels) : 0);
  std::atomic<Index> done = 0;
  parallel_for(ctx, labels, [&](Index l) {
    const auto k = at(l);
    const rml::Cells cells = rml::observed_cells(y, l, rows);
    rml::Scorer found;
    const Index positives = cells.positives();
    if (positives == 0 || positives == cells.size()) {
      // With one class, or nothing known, the label is always or never predicted, as in every
      // learner.
      found.w.assign(at(inputs.weights()), 0.0);
      found.b = positives == 0 ? -1 : 1;
      found.converged = true;
    } else {
      rml::train_column(inputs, cells, l, settings, {&costs[k], 1}, ctx.quiet(),
                        [&](std::size_t, rml::Scorer scorer) { found = std::move(scorer); });
    }
    if (settings.ramp) paths[k] = found.steps;
    const bool zero = found.degenerate();
    if (!found.steps.empty()) found.lower = std::numeric_limits<double>::quiet_NaN();
    const double gap =
        found.objective > 0 ? (found.objective - found.lower) / found.objective : 0.0;
    const double row[] = {costs[k],
                          found.objective,
                          found.lower,
                          gap,
                          static_cast<double>(found.iterations),
                          found.converged ? 1.0 : 0.0,
                          zero && found.converged ? 1.0 : 0.0};
    std::copy(std::begin(row), std::end(row), certificate.row(l).begin());
    if (zero && fallback == Fallback::hamming && cells.positives() > 0) {
      found = rml::hamming_scorer(inputs, cells, l, settings, costs[k], ctx.quiet());
    }
    if (zero && fallback == Fallback::balanced && cells.positives() > 0) {
      found = rml::balanced_scorer(inputs, cells, l, settings, costs[k], ctx.quiet());
    }
    std::copy(found.w.begin(), found.w.end(), w.row(l).begin());
    if (!found.score_weights.empty()) {
      std::copy(found.score_weights.begin(), found.score_weights.end(),
                out.score_weights.row(l).begin());
    }
    out.b[k] = found.b;
    ctx.step(static_cast<double>(++done) / static_cast<double>(labels));
  });
  if (settings.ramp) out.steps = steps_of(paths);
  return out;
}

Stage fit_stage(const rml::Inputs& inputs, const Labels& y, const Params& params,
                const rml::Settings& settings, const Context& ctx) {
  const auto labels = at(y.count());
  std::vector<double> costs(labels, params.C.value_or(1.0));
  std::optional<rml::CostSearch> search;
  if (params.lam) {
    for (std::size_t l = 0; l < labels; ++l) {
      const auto known =
          inputs.rows() - static_cast<Index>(y.missing_column(static_cast<Index>(l)).size());
      costs[l] = static_cast<double>(std::max<Index>(known, 1)) /
                 (static_cast<double>(labels) * *params.lam);
    }
  } else if (!params.C && inputs.rows() > 1) {
    search = rml::search_costs(inputs, y, settings, std::min(params.folds, inputs.rows()),
                               params.cut == CutAt::held_out, ctx.part(0, 0.9));
    costs =
        params.per_label_C ? search->best_by_label() : std::vector<double>(labels, search->best());
  }
  Stage out = train(inputs, y, all_rows(inputs.rows()), costs, settings, params.fallback,
                    ctx.part(search ? 0.9 : 0, 1));
  out.search = std::move(search);
  return out;
}

// The scores of every row by scorers that have not seen it, each label at its cost.
Matrix held_out_scores(const rml::Inputs& inputs, const Labels& y, const Stage& trained,
                       const Params& params, const rml::Settings& settings, const Context& ctx) {
  std::vector<double> costs;
  for (Index l = 0; l < y.count(); ++l) costs.push_back(trained.certificate(l, k_cost));
  const auto folds = k_folds(y, {.folds = std::min(params.folds, inputs.rows())}, ctx);
  return out_of_fold(
      folds, inputs.rows(), y.count(), ctx, [&](const Fold& fold, Index, const Context& inner) {
        const Stage stage = train(inputs, y, fold.train, costs, settings, params.fallback, inner);
        Matrix part(count_of(fold.test), y.count());
        for (Index l = 0; l < y.count(); ++l) {
          const auto w = stage.w.row(l);
          rml::Scorer scorer{.w = {w.begin(), w.end()}, .b = stage.b[at(l)]};
          if (stage.score_weights.rows() > 0) {
            const auto more = stage.score_weights.row(l);
            scorer.score_weights.assign(more.begin(), more.end());
          }
          const auto column = rml::column_scores(inputs, fold.test, scorer);
          for (Index i = 0; i < part.rows(); ++i) part(i, l) = column[at(i)];
        }
        return part;
      });
}

// Moves the cuts of all labels by changing their constants.
void move_cuts(const rml::Inputs& inputs, const Labels& y, const Params& params,
               const rml::Settings& settings, Stage& stage, const Context& ctx) {
  stage.cuts.assign(at(y.count()), 0.0);
  if (inputs.rows() < 2) return;
  const Matrix scores = held_out_scores(inputs, y, stage, params, settings, ctx);
  stage.cuts = rml::held_out_cuts(scores, y, settings, ctx);
  for (std::size_t l = 0; l < stage.cuts.size(); ++l) stage.b[l] -= stage.cuts[l];
}

Stage fit_last(const rml::Inputs& inputs, const Labels& y, const Params& params,
               const rml::Settings& settings, const Context& ctx) {
  const double end = params.cut == CutAt::zero ? 1 : 0.8;
  Stage out = fit_stage(inputs, y, params, settings, ctx.part(0, end));
  if (params.cut == CutAt::held_out) {
    move_cuts(inputs, y, params, settings, out, ctx.part(end, 1));
  }
  return out;
}

// With features=labels: the first scorers, and the out-of-fold scores of every row, with each
// column scaled. Scores of rows that a scorer was trained on would look too good.
Matrix fit_first(const rml::Inputs& inputs, const Labels& y, const Params& params,
                 const rml::Settings& settings, Rml& out, const Context& ctx) {
  if (inputs.rows() < 2) {
    throw Error(Code::data, "rml: expected two rows or more for features=labels, found one",
                "Use features=plain");
  }
  out.first = fit_stage(inputs, y, params, settings, ctx.part(0, 0.8));
  Matrix scores = held_out_scores(inputs, y, *out.first, params, settings, ctx.part(0.8, 1));
  out.score_scale = rml::unit_scale(scores);
  rml::scale_columns(scores, out.score_scale);
  return scores;
}

Rml fit_kernel(const View& view, const Params& params, const rml::Settings& settings,
               const Context& ctx) {
  const Compact data(view);
  const Labels& y = data.y();
  const KernelRows rows = kernel_rows(view, data, params.kernel.kernel);
  const Kernel kernel = choose_kernel(params.kernel, rows.x, ctx);
  const KernelMatrix values(
      kernel, rows.x, KernelMatrix::fitting(rows.x.rows(), params.kernel.memory_bytes()), ctx);
  Rml out;
  out.select_ties = settings.select_ties;
  if (params.features == Columns::plain) {
    out.scorer = fit_last(rml::Inputs(values), y, params, settings, ctx);
    out.kernel = kernel_form(kernel, rows, out.scorer.w);
  } else {
    const Matrix scores =
        fit_first(rml::Inputs(values), y, params, settings, out, ctx.part(0, 0.5));
    out.scorer = fit_last(rml::Inputs(values, &scores), y, params, settings, ctx.part(0.5, 1));
    Matrix both(2 * y.count(), values.rows());
    for (Index l = 0; l < y.count(); ++l) {
      const auto one = out.first->w.row(l), two = out.scorer.w.row(l);
      std::copy(one.begin(), one.end(), both.row(l).begin());
      std::copy(two.begin(), two.end(), both.row(y.count() + l).begin());
    }
    out.kernel = kernel_form(kernel, rows, both);
    out.score_weights = std::move(out.scorer.score_weights);
    out.first->w = Matrix(y.count(), 0);
  }
  out.scorer.w = Matrix(y.count(), 0);
  return out;
}

Rml fit(const View& view, const Params& params, const Context& ctx) {
  if (params.C && params.lam) {
    throw Error(Code::parameter, "rml: expected C or lam, found both", "Leave out one of them");
  }
  if (params.measure != Measure::fbeta && params.beta != 1) {
    throw Error(Code::parameter,
                "rml: expected beta with measure=fbeta only, found beta=" + shortest(params.beta),
                "Set measure=fbeta");
  }
  const bool searches = !params.C && !params.lam;
  if (params.per_label_C && !searches) {
    throw Error(Code::parameter, "rml: expected per_label_C with C=auto, found a C or lam",
                "Leave out C and lam");
  }
  if (params.cut == CutAt::held_out &&
      (params.measure == Measure::precision || params.measure == Measure::recall)) {
    throw Error(
        Code::parameter,
        "rml: expected cut=held_out with f1, fbeta or hamming, found it with a measure that "
        "one row or all rows make best",
        "Use measure=fbeta with a small or a large beta");
  }
  rml::Settings settings = params.settings();
  if (params.has_kernel()) return fit_kernel(view, params, settings, ctx);
  const Compact data(view, Rows::blocks);
  const Features& x = data.x();
  const Labels& y = data.y();
  choose_kernel(params.kernel, x, ctx);  // refuses parameters of other kernels
  if (x.cols() == 0 && !settings.bias) {
    throw Error(Code::data, "rml: expected at least one feature, found none",
                "Use bias=regularised");
  }
  Rml out;
  out.select_ties = settings.select_ties;
  if (params.features == Columns::plain) {
    out.scorer = fit_last(x, y, params, settings, ctx);
    return out;
  }
  const Matrix scores = fit_first(x, y, params, settings, out, ctx.part(0, 0.5));
  settings.score_columns = x.cols();
  out.scorer = fit_last(append_columns(x, scores), y, params, settings, ctx.part(0.5, 1));
  return out;
}

Prediction Rml::predict(const View& view, const Context& ctx) const {
  const Compact data(view);
  Matrix scores;
  if (has_kernel()) {
    std::vector<double> b = first ? first->b : std::vector<double>();
    b.insert(b.end(), scorer.b.begin(), scorer.b.end());
    scores = kernel.scores(data.x(), b, ctx);
    if (first) scores = rml::add_first_scores(std::move(scores), score_scale, score_weights);
  } else if (first) {
    Matrix one = linear_scores(data.x(), first->w, first->b, ctx);
    rml::scale_columns(one, score_scale);
    scores = linear_scores(append_columns(data.x(), one), scorer.w, scorer.b, ctx);
  } else {
    scores = linear_scores(data.x(), scorer.w, scorer.b, ctx);
  }
  if (select_ties) {  // the smallest number that the cut of a margin takes
    double* values = scores.data();
    for (Index k = 0; k < scores.size(); ++k) {
      if (values[k] == 0) values[k] = std::numeric_limits<double>::min();
    }
  }
  return {.scores = std::move(scores), .scale = Scale::margin};
}

Summary Rml::summary() const {
  Summary out;
  out.objective = out.gap = 0;
  Index without = 0;  // labels
  for (Index l = 0; l < scorer.certificate.rows(); ++l) {
    const auto row = scorer.certificate.row(l);
    out.objective += row[k_objective] / static_cast<double>(scorer.certificate.rows());
    out.gap = std::max(out.gap, row[k_gap]);
    out.converged = out.converged && row[k_converged] != 0;
    out.rounds += static_cast<Index>(row[k_iterations]);
    if (row[k_degenerate] != 0 && scorer.b[at(l)] == 0) ++without;
  }
  if (scorer.steps.rows() > 0) out.gap = std::numeric_limits<double>::quiet_NaN();
  if (without > 0) {
    out.remarks.push_back(
        "for " + std::to_string(without) + " of " + std::to_string(scorer.certificate.rows()) +
        " labels no scorer is better than 0 by more than the tolerance, so that they are "
        "answered " +
        (select_ties ? "yes" : "no") +
        " for every row: tie changes the answer, fallback=balanced and cut=held_out look for "
        "a better one");
  }
  return out;
}

void add_results(const Stage& stage, const std::string& prefix, std::vector<Result>& out) {
  out.push_back({.id = prefix + "certificate",
                 .sentence = "the problem of each label: the objective reached, and its lower "
                             "bound; degenerate: no scorer is better than 0 by more than the "
                             "tolerance",
                 .rows = Axis::labels,
                 .column_names = {"C", "objective", "lower_bound", "gap", "iterations", "converged",
                                  "degenerate"},
                 .values = stage.certificate});
  if (stage.steps.rows() > 0) {
    std::vector<std::string> columns;
    for (Index k = 0; k < stage.steps.cols(); ++k) {
      columns.push_back("step_" + std::to_string(k + 1));
    }
    out.push_back({.id = prefix + "steps",
                   .sentence = "the objective of each label after each convex step of bound=ramp",
                   .rows = Axis::labels,
                   .column_names = std::move(columns),
                   .values = stage.steps});
  }
  if (!stage.search) return;
  const rml::CostSearch& search = *stage.search;
  std::vector<std::string> names;
  Matrix mean(count_of(search.costs), 1);
  for (std::size_t c = 0; c < search.costs.size(); ++c) {
    names.push_back("C=" + shortest(search.costs[c]));
    mean(static_cast<Index>(c), 0) = search.mean[c];
  }
  out.push_back({.id = prefix + "cost_search",
                 .sentence = "the measure at each C that was tried, cross-validated",
                 .rows = Axis::named,
                 .row_names = names,
                 .column_names = {"mean"},
                 .values = mean});
  out.push_back({.id = prefix + "cost_search_labels",
                 .sentence = "the measure at each C for each label; nan: a label without positives",
                 .rows = Axis::named,
                 .columns = Axis::labels,
                 .row_names = names,
                 .values = search.value});
}

std::vector<Result> Rml::results() const {
  std::vector<Result> out;
  add_results(scorer, "", out);
  if (has_kernel()) out.push_back(kernel.result());
  if (first) add_results(*first, "first_", out);
  return out;
}

MemoryNeed Params::memory(const Extent& e) const {
  const bool stacked = features == Columns::labels;
  const double width = e.columns + (stacked ? e.labels : 0);
  // Coefficients of features or of rows, whichever are fewer (score_space.cpp).
  const auto bundle = [&](double rows) {
    const double size = has_kernel() || rows < width ? rows : width + 1;
    const double capacity =
        static_cast<double>(Bundle::capacity(static_cast<Index>(std::min(size, 1e15)), {}));
    return 8 * (capacity * size + capacity * capacity + 4 * size + 8 * rows);
  };
  // A balanced machine is one more problem, in which the rare rows are repeated.
  const bool balanced = bound == Bound::ramp || fallback == Fallback::balanced;
  const double machine = balanced ? bundle(2 * e.rows) + 60 * e.rows : 0;
  const double plain = bundle(e.rows) + 30 * e.rows;
  const double task =
      (bound == Bound::ramp ? plain + machine : std::max(plain, machine)) + 8 * width;
  const double scorers = 8 * e.labels * (has_kernel() ? e.rows : width);
  const double model = has_kernel() ? form_need(e) : scorers;
  // The held-out scores of each C, and a part of one of them while its cuts are learnt.
  const double tried = cut == CutAt::held_out ? (!C && !lam ? 7 : 2) * e.cells() : 0;
  const double inputs = has_kernel() ? kernel_need(e.rows, kernel)
                                     : (stacked ? e.with_columns(e.labels).features() : 0);
  return {.fit = e.pieces() + inputs + (stacked ? 2 * e.cells() + scorers : 0) + scorers + tried +
                 std::max(e.at_once(e.labels) * task, model),
          .model = model,
          .predict = e.asked_pieces() + e.scores() +
                     (stacked ? e.scores() + e.with_columns(e.labels).asked_features() : 0) +
                     (e.sparse && !has_kernel() ? scorers : 0)};
}

// Memory, where it is worth a word: the planes grow while it runs.
std::vector<std::string> Params::notes(const View& view) const {
  const Index rows = view.size();
  std::size_t planes = 0, values = 0;
  if (has_kernel()) {
    planes = Bundle::bytes(rows, rows, {});
    values = KernelMatrix::bytes(rows, KernelMatrix::fitting(rows, kernel.memory_bytes()));
  } else {
    const Index more = features == Columns::labels ? view.labels() : 0;
    planes = rml::planes_bytes(*view.x, settings(), more);
  }
  if (planes + values < k_much_memory) return {};
  std::string out = "training takes up to " + size_text(planes) + " of memory per thread";
  if (values > 0) out += ", and " + size_text(values) + " for kernel values";
  return {out + (planes >= k_much_memory ? " (fewer threads take less)" : "")};
}

}  // namespace

Learner make_rml() {
  return define_learner<Params, Rml>(
      {.id = "rml",
       .summary = "linear or kernel scorers trained for the macro measure that you report",
       .reference = "Petterson and Caetano, Reverse Multi-Label Learning, 2010",
       .tags = {.missing_labels = true},
       .revision = 5},
      fit);
}

}  // namespace mulberry::learners

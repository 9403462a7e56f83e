// MLL-LE: multi-label learning with label enhancement. Learns how strongly each label applies to
// each training row, the numerical labels U, together with a regressor P that predicts them:
//
//   min  sum_i L(|u_i - p_i|) + alpha |P|^2 + beta |U - Y|^2 + gamma |Q U|^2 + delta |U|^2
//
// U stays near the labels Y (-1, +1), varies as the features do (Q, see math/enhancement), stays
// small, and can be predicted. P is multi-output support vector regression in a kernel (residuals
// up to eps cost nothing in L, alpha |P|^2 is its penalty), kernel ridge regression (eps = 0), or
// the mean of the nearest neighbours. A label is predicted if its numerical label is above 0.
//
// Shao, Geng and Xu, "Multi-Label Learning with Label Enhancement", 2017. Differences: the
// problem is jointly convex, so the default mode solves it directly (math/enhancement); irwls
// is the paper's alternation and ends at the same optimum. The weights of a row sum to 1 over its
// neighbours (the paper's constraint has the other index). Their programme, equation 7, gets a
// small ridge (`lle_ridge`, 0 for the equation as printed), because with more neighbours than
// features its solution is not unique; the objective changes in the fifth digit. Additions of ours:
// missing cells are left out of the closeness term, landmarks, the choice of weights by
// cross-validation, kernel ridge and neighbours as regressors, Laplacian eigenmaps in place of
// local weights.
//
// Cost: n^2 d for kernel and neighbours, n^3/3 once, and 30 to 100 products of n^2 L; with p
// landmarks n p^2 and n p L in place of the last two. Memory: n^2 doubles, or n p.
#include <algorithm>
#include <cmath>
#include <optional>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/mll_le/search.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

using mll_le::Manifold;
using mll_le::Mode;
using mll_le::Regressor;
using mll_le::Settings;

constexpr double k_nothing = 1e-3;  // variation of scores, as a share of the largest number
// Numerical labels, which are 1 and -1 where only the labels count, that are no larger; and their
// variation over the rows, as a share of the largest.
constexpr double k_small = 1e-2, k_alike = 0.05;

enum class Select { average_precision, ranking_loss, coverage };

struct Params {
  Mode mode = Mode::joint;
  Regressor regressor = Regressor::msvr;
  Manifold manifold = Manifold::lle;
  std::optional<double> alpha = Settings().alpha;
  std::optional<double> beta = Settings().beta;
  std::optional<double> gamma = Settings().gamma;
  std::optional<double> delta = Settings().delta;
  std::optional<double> eps = Settings().eps;
  Index k = 10;
  double lle_ridge = mll_le::Shape().lle_ridge;
  Select select = Select::average_precision;
  Index folds = 3;
  Index passes = 2;
  std::optional<Index> landmarks = {};
  std::optional<double> tolerance = {};
  Index max_iterations = 2000;
  KernelParams kernel = mll_le::Shape().kernel;

  static Fields fields() {
    return Fields{
        choice("mode", &Params::mode,
               "joint: solve for everything at once; irwls: alternate, as the paper does",
               {"joint", "irwls"}, false),
        choice("regressor", &Params::regressor, "regressor of the numerical labels",
               {"msvr", "kernel_ridge", "knn"}, false),
        choice("manifold", &Params::manifold,
               "how numerical labels follow the features: lle (as a row is rebuilt from its "
               "neighbours), laplacian (as each neighbour), none",
               {"lle", "laplacian", "none"}, false),
        field("alpha", &Params::alpha, "penalty of the regressor; auto: by cross-validation",
              positive().search(1e-3, 1e3)),
        field("beta", &Params::beta, "weight of closeness to the labels; auto: as alpha",
              at_least(0).search(1e-3, 1e3)),
        field("gamma", &Params::gamma, "weight of following the features; auto: as alpha",
              at_least(0).search(1e-3, 1e3)),
        field("delta", &Params::delta, "penalty of numerical labels; auto: as alpha",
              at_least(0).search(1e-3, 1e3)),
        field("eps", &Params::eps, "residual of a row that costs nothing in msvr; auto: as alpha",
              at_least(0).search(0.01, 1)),
        field("k", &Params::k, "number of neighbours", between(1, 1e6)),
        field("lle_ridge", &Params::lle_ridge,
              "added to the programme that rebuilds a row from its neighbours, as a share of their "
              "mean squared distance; 0: as printed in the paper",
              between(0, 1e6)),
        choice("select", &Params::select, "measure for choosing auto weights",
               {"average_precision", "ranking_loss", "coverage"}, false),
        field("folds", &Params::folds, "folds of that cross-validation", between(2, 100)),
        field("passes", &Params::passes, "number of passes of that choice over the weights",
              between(1, 100)),
        field("landmarks", &Params::landmarks,
              "number of random rows that represent all in the kernel; 0: all rows; auto: all up "
              "to 10000 rows (fewer with hundreds of labels), then 1000",
              between(0, 1e6)),
        field("tolerance", &Params::tolerance,
              "joint: stop once no residual moves by more; irwls: relative decrease to stop at; "
              "auto: 1e-6, or 1e-3 if rows x labels are above 5 million",
              between(1e-14, 0.1)),
        field("max_iterations", &Params::max_iterations,
              "largest number of iterations, or of rounds of irwls", between(1, 1e6)),
        group(&Params::kernel)};
  }
  bool has_kernel() const { return regressor != Regressor::knn; }
  Tags tags() const { return {.kernel = has_kernel(), .missing_labels = true, .distances = true}; }
  mll_le::Shape shape() const {
    return {.mode = mode,
            .regressor = regressor,
            .manifold = manifold,
            .k = k,
            .lle_ridge = lle_ridge,
            .landmarks = landmarks,
            .kernel = kernel,
            .max_iterations = max_iterations};
  }
  Settings settings() const {
    const Settings fallback;
    return {alpha.value_or(fallback.alpha), beta.value_or(fallback.beta),
            gamma.value_or(fallback.gamma), delta.value_or(fallback.delta),
            eps.value_or(fallback.eps)};
  }
  std::array<bool, 5> open() const { return {!alpha, !beta, !gamma, !delta, !eps}; }
  bool searches() const { return !alpha || !beta || !gamma || !delta || !eps; }
  std::string measure() const {
    switch (select) {
      case Select::average_precision:
        return "average_precision";
      case Select::ranking_loss:
        return "ranking_loss";
      case Select::coverage:
        break;
    }
    return "coverage";
  }
  MemoryNeed memory(const Extent& e) const {
    const double fitted = mll_le::problem_need(shape(), e);
    const double parts = static_cast<double>(folds);
    double tried = 0;
    if (searches()) {
      const Extent part = e.of_picked(e.rows * (1 - 1 / parts));
      const double cross = 8 * part.rows * (e.rows - part.rows);
      // A search over eps keeps further factors next to the kernel.
      const double factors = eps ? 0 : 2 * 8 * part.rows * part.rows;
      tried = parts * (mll_le::problem_need(shape(), part) + factors + cross) + 2 * e.cells();
    }
    const double model = form_need(e) + e.cells();
    return {.fit = e.pieces() + std::max(fitted, tried) + e.cells(),
            .model = model,
            .predict = e.asked_pieces() + form_predict_need(e)};
  }
};

// Parameters that do not fit together.
void require_sense(const Params& params) {
  const Params plain;
  const auto fail = [](const std::string& expected, const std::string& found) {
    throw Error(Code::parameter, "mll_le: expected " + expected + ", found " + found,
                "Leave out one of the two");
  };
  if (params.beta == 0.0 && params.delta == 0.0) fail("beta or delta above 0", "both 0");
  if (params.regressor != Regressor::msvr && params.eps != plain.eps) {
    fail("eps with regressor=msvr only", "it with another regressor");
  }
  if (params.manifold == Manifold::none && params.gamma != plain.gamma) {
    fail("gamma with a manifold", "it with manifold=none");
  }
  if (params.manifold != Manifold::lle && params.lle_ridge != plain.lle_ridge) {
    fail("lle_ridge with manifold=lle only", "it with another manifold");
  }
  if (!params.has_kernel() && (params.alpha != plain.alpha || params.landmarks)) {
    fail("alpha and landmarks with a kernel", "one of them with regressor=knn");
  }
  if (!params.has_kernel() && params.mode == Mode::irwls) {
    fail("mode=irwls with a kernel", "it with regressor=knn");
  }
  if (params.mode == Mode::irwls && params.landmarks.value_or(0) > 0) {
    fail("landmarks with mode=joint only", "them with mode=irwls");
  }
  if (!params.searches() && (params.select != plain.select || params.folds != plain.folds ||
                             params.passes != plain.passes)) {
    fail("select, folds and passes with a weight that is auto", "weights that are all given");
  }
}

// The columns of a certificate.
enum : Index { k_objective, k_gradient, k_gap, k_iterations, k_products, k_converged, k_columns };

struct MllLe {
  mll_le::Predictor predictor;
  Matrix u;            // numerical labels of the training rows
  Matrix certificate;  // 1 x k_columns
  Settings settings;
  std::optional<mll_le::Search> search;
  std::string measure;  // of the search

  Prediction predict(const View& view, const Context& ctx) const {
    return {.scores = predictor.scores(Compact(view).x(), u, ctx), .scale = Scale::margin};
  }
  Summary summary() const {
    return {.converged = certificate(0, k_converged) != 0,
            .objective = certificate(0, k_objective),
            .gap = certificate(0, k_gap),
            .rounds = static_cast<Index>(certificate(0, k_iterations)),
            .remarks = remarks()};
  }
  std::vector<std::string> remarks() const;
  std::string why_constant(double largest) const;
  std::vector<Result> results() const;
  template <class V>
  void visit(V& v) {
    v("predictor", predictor);
    v("u", u, finite().cols(v.outputs()));
    v("certificate", certificate, any_real().rows(1).cols(k_columns));
    v("settings", settings);
    v("search", search);
    v("measure", measure);
    v.require(predictor.form.has_value() != predictor.rows.has_value(), "predictor",
              "needs a kernel or neighbours");
    v.require(!predictor.form || count_of(predictor.b) == v.outputs(), "predictor",
              "does not have the labels of the numerical labels");
    v.require(!predictor.rows || (predictor.rows->x.rows() == u.rows() && predictor.k >= 1 &&
                                  predictor.k <= u.rows()),
              "predictor", "does not have the rows of the numerical labels");
  }
};

Matrix row_of(std::initializer_list<double> values) {
  return {1, count_of(values), std::vector<double>(values)};
}

std::vector<Result> MllLe::results() const {
  std::vector<Result> out;
  const std::vector<std::string> weights = {"alpha", "beta", "gamma", "delta", "eps"};
  out.push_back({.id = "settings",
                 .sentence = "the weights that the model was fitted with",
                 .rows = Axis::named,
                 .row_names = {"value"},
                 .column_names = weights,
                 .values = row_of({settings.alpha, settings.beta, settings.gamma, settings.delta,
                                   settings.eps})});
  out.push_back(
      {.id = "certificate",
       .sentence = "the objective reached, its gradient as a share of the gradient at 0, a bound "
                   "of its relative distance to the optimum, and the work",
       .rows = Axis::named,
       .row_names = {"fit"},
       .column_names = {"objective", "gradient", "gap", "iterations", "products", "converged"},
       .values = certificate});
  if (predictor.form) {
    out.push_back({.id = "kernel",
                   .sentence = "the kernel: its scale and the stored training rows",
                   .rows = Axis::named,
                   .row_names = {std::string(name_of(predictor.form->kernel.kind))},
                   .column_names = {"gamma", "rows"},
                   .values = row_of({predictor.form->kernel.gamma,
                                     static_cast<double>(predictor.form->alpha.cols())})});
  }
  if (search) {
    const auto tried = static_cast<Index>(search->value.size());
    Matrix values(tried, 7);
    for (Index r = 0; r < tried; ++r) {
      const auto k = at(r);
      const Settings s = search->settings(k);
      const double row[] = {
          s.alpha, s.beta, s.gamma, s.delta, s.eps, search->value[k], r == search->best ? 1. : 0.};
      std::copy(std::begin(row), std::end(row), values.row(r).begin());
    }
    std::vector<std::string> columns = weights;
    columns.insert(columns.end(), {measure, "chosen"});
    out.push_back({.id = "search",
                   .sentence = "the weights that were tried, with the measure on held-out rows",
                   .column_names = std::move(columns),
                   .values = std::move(values)});
  }
  out.push_back(
      {.id = "numerical_labels",
       .sentence = "how strongly each label applies to each training row: it applies above 0, and "
                   "the higher the value, the better it fits the row and its neighbours",
       .columns = Axis::labels,
       .values = u});
  return out;
}

// Settings that leave nothing to predict are legal, and easy to reach by way of a grid.
std::vector<std::string> MllLe::remarks() const {
  double largest = 0;
  for (const double v : u.values()) largest = std::max(largest, std::abs(v));
  if (largest == 0) {
    return {
        "all numerical labels are 0, because nothing keeps them near the labels: set beta "
        "above 0"};
  }
  if (!predictor.form) return {};
  for (Index l = 0; l < predictor.form->alpha.rows(); ++l) {
    double sum = 0;  // no score differs from the constant by more, if no kernel value is above 1
    for (const double v : predictor.form->alpha.row(l)) sum += std::abs(v);
    if (sum > k_nothing * largest) return {};
  }
  return {"the model answers the same for every row: " + why_constant(largest)};
}

// The weight that outweighs the others, by what it has done to the numerical labels.
std::string MllLe::why_constant(double largest) const {
  if (largest <= k_small) {
    return "its numerical labels are nearly 0, because delta=" + shortest(settings.delta) +
           " outweighs beta=" + shortest(settings.beta) + "; set a larger beta or a smaller delta";
  }
  double variation = 0, residual = 0;  // of rows from the constant: of one label, and of all
  std::vector<double> mean(at(u.cols()), 0.0);
  for (Index i = 0; i < u.rows(); ++i) {
    blas::axpy(1 / static_cast<double>(u.rows()), u.row(i), mean);
  }
  for (Index i = 0; i < u.rows(); ++i) {
    double square = 0;
    for (Index l = 0; l < u.cols(); ++l) {
      variation = std::max(variation, std::abs(u(i, l) - mean[at(l)]));
      square += std::pow(u(i, l) - predictor.b[at(l)], 2);
    }
    residual = std::max(residual, std::sqrt(square));
  }
  if (variation <= k_alike * largest) {
    return "its numerical labels are nearly the same for every row, because gamma=" +
           shortest(settings.gamma) + " outweighs beta=" + shortest(settings.beta) +
           "; set a smaller gamma";
  }
  if (residual <= settings.eps) {
    return "all residuals of a constant are within eps=" + shortest(settings.eps) +
           " and cost nothing; set a smaller eps";
  }
  return "the penalty alpha=" + shortest(settings.alpha) +
         " of the regressor outweighs its residuals; set a smaller alpha";
}

MllLe fit(const View& view, const Params& params, const Context& ctx) {
  require_sense(params);
  MllLe out;
  out.settings = params.settings();
  const mll_le::Shape shape = params.shape();
  double begin = 0;
  if (params.searches() && view.size() > 1) {
    begin = 0.9;
    out.measure = params.measure();
    out.search = mll_le::search_settings(view, shape, out.settings,
                                         {.open = params.open(),
                                          .measure = out.measure,
                                          .folds = params.folds,
                                          .passes = params.passes},
                                         ctx.part(0, begin));
    out.settings = out.search->settings(at(out.search->best));
  }
  mll_le::Problem problem(view, shape, ctx);
  const Enhancement found = problem.fit(
      out.settings, params.tolerance.value_or(mll_le::usual_tolerance(view.size(), view.labels())),
      nullptr, true, ctx.part(begin, 1));
  out.predictor = problem.predictor(found, ctx);
  out.certificate = row_of({found.objective, found.certificate.gradient, found.certificate.gap,
                            static_cast<double>(found.iterations),
                            static_cast<double>(found.products), found.converged ? 1.0 : 0.0});
  out.u = found.u;
  return out;
}

}  // namespace

Learner make_mll_le() {
  return define_learner<Params, MllLe>(
      {.id = "mll_le",
       .summary = "learns how strongly each label applies, and predicts that with a kernel",
       .reference = "Shao, Geng and Xu, Multi-Label Learning with Label Enhancement, 2017",
       .tags = Params().tags(),
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

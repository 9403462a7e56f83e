// Multi-output support vector regression on -1 and +1, in a kernel.
//
//   minimise over B, b   sum_i L(|y_i - p_i|) + alpha tr(B'K B),   p = K B + 1 b,
//   L(r) = max(0, r - eps)^2
//
// One tube of radius eps around each row's targets, for all labels (or classes) together: the
// residual of a row costs nothing if its length is below eps. eps = 0 is kernel ridge regression.
//
// Perez-Cruz et al., "Multi-dimensional function approximation and regression estimation", 2002;
// Tuia et al., "Multioutput support vector regression for remote sensing biophysical parameter
// estimation", 2011. The default solver is ours, see math/enhancement; mode=irwls is theirs. A
// missing cell is left out of the residual of its row. Cost: n^2 d + n^3/3 + some ten products of
// n^2 outputs; memory: n^2 doubles.
#include <algorithm>

#include "mulberry/core/index.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/enhancement/enhancement_irwls.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/stored_features.hpp"

namespace mulberry::base {
namespace {

enum class Mode { direct, irwls };

struct Params {
  double alpha = 0.1;
  double eps = 0.1;
  Mode mode = Mode::direct;
  double tolerance = 1e-6;
  Index max_iterations = 2000;
  KernelParams kernel = {.kernel = KernelKind::rbf, .width = "mean_root"};

  static Fields fields() {
    return Fields{
        field("alpha", &Params::alpha, "penalty of the regression", positive().search(1e-3, 1e3)),
        field("eps", &Params::eps, "length of a row's residual that costs nothing",
              at_least(0).search(0.01, 1)),
        choice("mode", &Params::mode,
               "direct: one factorisation; irwls: reweighted least squares, as the papers do",
               {"direct", "irwls"}, false),
        field("tolerance", &Params::tolerance,
              "direct: stop once no residual moves by more; irwls: relative decrease to stop at",
              between(1e-14, 0.1)),
        field("max_iterations", &Params::max_iterations,
              "largest number of iterations, or of rounds of irwls", between(1, 1e6)),
        group(&Params::kernel)};
  }
  MemoryNeed memory(const Extent& e) const {
    const double outputs = e.classes > 2 ? e.classes : 1;
    return need(e, outputs);
  }
  MemoryNeed memory_of_labels(const Extent& e) const { return need(e, e.labels); }
  // The kernel, its factor, and matrices of numbers per row and output.
  MemoryNeed need(const Extent& e, double outputs) const {
    const double targets = 8 * e.rows * outputs;
    return {.fit = 16 * e.rows * e.rows + 9 * targets,
            .model = targets,
            .predict = 8 * e.asked * outputs};
  }
};

struct Msvr {
  Kernel kernel = {};
  StoredFeatures rows = {};
  FixedMatrix alpha = {};      // outputs x rows
  std::vector<double> b = {};  // of the outputs
  Matrix certificate = {};     // 1 x 5

  Matrix scores(const Features& x, const Context& ctx) const {
    return kernel_scores(kernel, x, rows.x, alpha, b, ctx);
  }
  Summary summary() const {
    return {.converged = certificate(0, 4) != 0,
            .objective = certificate(0, 0),
            .gap = certificate(0, 2),
            .rounds = static_cast<Index>(certificate(0, 3))};
  }
  std::vector<Result> results() const {
    return {{.id = "certificate",
             .sentence = "the objective reached, its gradient as a share of the gradient at 0, a "
                         "bound of its relative distance to the optimum, and the work",
             .rows = Axis::named,
             .row_names = {"fit"},
             .column_names = {"objective", "gradient", "gap", "iterations", "converged"},
             .values = certificate}};
  }
  template <class V>
  void visit(V& v) {
    v("kernel", kernel);
    v("rows", rows);
    v("alpha", alpha, finite().rows(v.outputs()).cols(rows.x.rows()));
    v("b", b, finite().length(v.outputs()));
    v("certificate", certificate, any_real().rows(1).cols(5));
    v.require(kernel.kind != KernelKind::precomputed, "kernel", "is not one of points");
    v.require(rows.x.cols() == v.features(), "rows", "does not have the features of the model");
  }
};

Msvr fit_targets(const Features& x, MatrixView y, const Matrix* known, const Params& params,
                 const Context& ctx) {
  if (params.kernel.kernel == KernelKind::precomputed) {
    throw Error(Code::unsupported, "msvr: expected a kernel of features, found precomputed",
                "Use mll_le(kernel=precomputed)");
  }
  require_memory("msvr's kernel of all rows", KernelMatrix::bytes(x.rows(), KernelStorage::f64),
                 params.kernel.memory_bytes(), "Give more memory, or use mll_le with landmarks");
  Msvr out{.kernel = choose_kernel(params.kernel, x, ctx), .rows = {x}};
  const FixedMatrix values = KernelMatrix(out.kernel, x, KernelStorage::f64, ctx).take_doubles();
  EnhancementTerms terms{.y = y, .known = known};
  terms.gamma = terms.delta = 0;
  terms.eps = params.eps;
  terms.hard = true;
  Enhancement found;
  if (params.mode == Mode::irwls) {
    found =
        enhance_irwls(values, params.alpha, terms,
                      {.tolerance = params.tolerance, .max_rounds = params.max_iterations}, ctx);
  } else {
    KernelRidge ridge = KernelRidge::of_kernel(values, params.alpha, ctx);
    found = enhance(ridge, terms,
                    {.tolerance = params.tolerance, .max_iterations = params.max_iterations}, ctx);
  }
  out.alpha = transpose(found.coefficients);
  out.b = found.b;
  out.certificate = Matrix(
      1, 5,
      std::vector<double>{found.objective, found.certificate.gradient, found.certificate.gap,
                          static_cast<double>(found.iterations), found.converged ? 1.0 : 0.0});
  return out;
}

// Two classes are one output; more classes have one output each.
Msvr fit(const ColumnProblem& problem, const Params& params, const Context& ctx) {
  Matrix y(problem.x.rows(), problem.classes == 2 ? 1 : problem.classes, -1.0);
  for (Index i = 0; i < y.rows(); ++i) {
    const Id own = problem.y[at(i)];
    if (problem.classes != 2) {
      y(i, own) = 1;
    } else if (own == 1) {
      y(i, 0) = 1;
    }
  }
  return fit_targets(problem.x, y, nullptr, params, ctx);
}

Msvr fit_labels(const Features& x, const Labels& y, std::span<const double>, const Params& params,
                const Context& ctx) {
  const LabelSigns signs(y);
  return fit_targets(x, signs.y, signs.known_or_null(), params, ctx);
}

}  // namespace

BaseLearner make_msvr() {
  return with_joint_labels<Params, Msvr>(
      define_base<Params, Msvr>({.id = "msvr",
                                 .summary = "support vector regression of all outputs together",
                                 .reference = "Perez-Cruz et al., Multi-dimensional function "
                                              "approximation and regression estimation, 2002",
                                 .scale = Scale::margin,
                                 .tags = {.kernel = true, .distances = true}},
                                fit),
      LabelsLearnt::together, fit_labels);
}

}  // namespace mulberry::base

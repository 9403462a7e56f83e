#include "mulberry/learners/mll_le/problem.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/enhancement/enhancement_irwls.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/math/kernels/nystrom.hpp"

namespace mulberry::learners::mll_le {

namespace {

constexpr Index k_most_rows = 10000;  // largest number of rows for a kernel of all pairs by default
constexpr Index k_default_landmarks = 1000;
// Beyond this many squares of rows times labels, the products with such a kernel take minutes.
constexpr double k_most_products = 1e10;
constexpr double k_many_cells = 5e6;  // rows x labels that are learnt with less precision

std::size_t kernel_bytes(Index rows) { return KernelMatrix::bytes(rows, KernelStorage::f64); }

Matrix mean_of_neighbours(const Neighbours& near, MatrixView u, Index rows, const Context& ctx) {
  Matrix out(rows, u.cols());
  double* const cells = out.data();
  parallel_chunks(ctx, rows, 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double* const to = cells + i * u.cols();
      for (const Id j : near.row(i)) {
        for (Index l = 0; l < u.cols(); ++l) to[l] += u(j, l) / static_cast<double>(near.k);
      }
    }
  });
  return out;
}

}  // namespace

Index landmarks_for(const Shape& shape, Index rows, Index labels) {
  if (shape.landmarks) return std::min(*shape.landmarks, rows);
  const auto n = static_cast<double>(rows), cells = n * static_cast<double>(labels);
  const bool fits = rows <= k_most_rows && n * cells <= k_most_products &&
                    kernel_bytes(rows) <= shape.kernel.memory_bytes();
  const bool points = shape.kernel.kernel != KernelKind::precomputed;
  return fits || !points || shape.mode == Mode::irwls ? 0 : k_default_landmarks;
}

double usual_tolerance(Index rows, Index labels) {
  return static_cast<double>(rows) * static_cast<double>(labels) > k_many_cells ? 1e-3 : 1e-6;
}

Matrix Predictor::scores(const Features& x, MatrixView u, const Context& ctx) const {
  if (form) return form->scores(x, b, ctx);
  return mean_of_neighbours(nearest_neighbours(rows->x, x, k, ctx), u, x.rows(), ctx);
}

double problem_need(const Shape& shape, const Extent& e) {
  const auto k = static_cast<double>(shape.k);
  const double near = e.rows * 12 * 2 * (k + 1) + (e.sparse ? 0 : 4 * e.rows * e.columns);
  const double solution = 12 * e.cells();
  if (shape.regressor == Regressor::knn) return near + solution;
  const auto units = static_cast<double>(
      landmarks_for(shape, static_cast<Index>(e.rows), static_cast<Index>(e.labels)));
  if (units > 0) return near + solution + 8 * units * (e.rows + 3 * units + e.columns);
  const double pairs = 8 * e.rows * e.rows;
  // The kernel and its factor; with few rows per label also the whole system and its factor, which
  // takes the place of too many products (math/enhancement/enhancement.cpp).
  const bool factored = e.rows < 2 * e.labels;
  return near + solution + (factored ? 4 : 2) * pairs;
}

Problem::Problem(const View& view, const Shape& shape, const Context& ctx)
    : data_(view), shape_(shape), signs_(data_.y()) {
  rows_ =
      by_neighbours() ? KernelRows{.x = data_.x()} : kernel_rows(view, data_, shape.kernel.kernel);
  const Features& x = rows_.x;
  if (by_neighbours() || shape.manifold != Manifold::none) {
    const Neighbours near = nearest_others(x, shape.k, ctx);
    if (by_neighbours()) {
      neighbours_ = Smoothness::reconstruction(equal_weights(near, x.rows()));
    }
    if (shape.manifold == Manifold::lle) {
      manifold_ = Smoothness::reconstruction(reconstruction_weights(x, near, shape.lle_ridge, ctx));
    } else if (shape.manifold == Manifold::laplacian) {
      manifold_ = Smoothness::laplacian(near, x.rows());
    }
  }
  if (by_neighbours()) return;
  kernel_ = choose_kernel(shape.kernel, x, ctx);
  const Index landmarks = landmarks_for(shape, x.rows(), signs_.y.cols());
  if (landmarks > 0) {
    landmarks_ = choose_landmarks(kernel_, x, landmarks, ctx);
    root_ = nystrom_root(kernel_, landmarks_, ctx);
    phi_ = std::make_shared<const Matrix>(nystrom_features(kernel_, landmarks_, root_, x, ctx));
    return;
  }
  require_memory("mll_le's kernel of all rows", kernel_bytes(x.rows()), shape.kernel.memory_bytes(),
                 "Set landmarks to a number of rows that represent all, or give more memory");
  values_ = KernelMatrix(kernel_, x, KernelStorage::f64, ctx).take_doubles();
}

Enhancement Problem::fit(const Settings& settings, double tolerance, const Matrix* start, bool last,
                         const Context& ctx) {
  EnhancementTerms terms{.y = signs_.y, .known = signs_.known_or_null()};
  terms.manifold = manifold_.empty() ? nullptr : &manifold_;
  terms.beta = settings.beta;
  terms.gamma = manifold_.empty() ? 0.0 : settings.gamma;
  terms.delta = settings.delta;
  terms.eps = shape_.regressor == Regressor::msvr ? settings.eps : 0.0;
  EnhancementOptions options{.tolerance = tolerance, .max_iterations = shape_.max_iterations};
  options.start = start;
  if (by_neighbours()) return enhance(neighbours_, terms, options, ctx);
  if (shape_.mode == Mode::irwls) {
    return enhance_irwls(
        values_, settings.alpha, terms,
        {.tolerance = tolerance, .max_rounds = shape_.max_iterations, .start = start}, ctx);
  }
  if (!ridge_ || ridge_->alpha() != settings.alpha) {
    ridge_.reset();
    ridge_ = phi_ ? KernelRidge::of_features(phi_, settings.alpha, ctx)
                  : KernelRidge::of_kernel(values_, settings.alpha, ctx);
    if (last) values_ = Matrix();
  }
  return enhance(*ridge_, terms, options, ctx);
}

Matrix Problem::weights(const Enhancement& found, const Context& ctx) const {
  if (by_neighbours()) return found.u;
  return phi_ ? ridge_->weights(found.targets, ctx) : found.coefficients;
}

Predictor Problem::predictor(const Enhancement& found, const Context& ctx) const {
  Predictor out;
  if (by_neighbours()) {
    out.rows = StoredFeatures{rows_.x};
    out.k = std::min(shape_.k, rows_.x.rows());
    return out;
  }
  out.b = found.b;
  if (!phi_) {
    out.form = kernel_form(kernel_, rows_, transpose(found.coefficients));
    return out;
  }
  const Matrix w = weights(found, ctx);
  Matrix alpha(w.cols(), w.rows());
  blas::gemm(1, blas::block(w), blas::Op::transposed, blas::block(root_), blas::Op::plain, 0,
             blas::block(alpha));
  out.form = kernel_form(kernel_, {.x = landmarks_}, alpha);
  return out;
}

Problem::Others::Others(const Problem& problem, const View& view, const Context& ctx)
    : problem_(problem) {
  const Compact data(view);
  const Features& x = data.x();
  if (problem.by_neighbours()) {
    const Neighbours near = nearest_neighbours(
        problem.rows_.x, x, std::min(problem.shape_.k, problem.rows_.x.rows()), ctx);
    Csr shares = equal_weights(near, x.rows());
    shares.cols = problem.rows_.x.rows();
    values_ = Features(std::move(shares));
  } else if (problem.phi_) {
    values_ =
        Features(nystrom_features(problem.kernel_, problem.landmarks_, problem.root_, x, ctx));
  } else if (problem.kernel_.kind == KernelKind::precomputed) {
    values_ = take_columns(x, problem.rows_.columns);
  } else {
    const KernelBlocks blocks(problem.kernel_, x, problem.rows_.x);
    Matrix cross(blocks.rows(), blocks.cols());
    const blas::Block<double> all = blas::block(cross);
    parallel_chunks(ctx, cross.rows(), 128, [&](Index begin, Index end) {
      blocks.fill(begin, 0, all.row_range(begin, end));
    });
    values_ = Features(std::move(cross));
  }
}

Matrix Problem::Others::scores(const Enhancement& found, const Context& ctx) const {
  return linear_scores(values_, transpose(problem_.weights(found, ctx)), found.b, ctx);
}

}  // namespace mulberry::learners::mll_le

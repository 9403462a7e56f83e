#include "mulberry/math/enhancement/enhancement_irwls.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/column_cg.hpp"

namespace mulberry::math {

namespace {

constexpr double k_shorter = 0.1;     // factor of the line search
constexpr double k_shortest = 1e-12;  // smaller steps count as none

Matrix kernel_product(MatrixView kernel, MatrixView b, const Context& ctx) {
  Matrix out(kernel.rows(), b.cols());
  const blas::Block<double> to = blas::block(out);
  parallel_chunks(ctx, kernel.rows(), 256, [&](Index begin, Index end) {
    blas::gemm(1, blas::block(kernel).row_range(begin, end), blas::Op::plain, blas::block(b),
               blas::Op::plain, 0, to.row_range(begin, end));
  });
  return out;
}

// a_i = (r_i - eps) / r_i outside the tube, 0 within: the weights of the quadratic model.
std::vector<double> tube_weights(MatrixView residual, double eps) {
  std::vector<double> out(at(residual.rows()), 0.0);
  for (Index i = 0; i < residual.rows(); ++i) {
    const double r = blas::norm2(residual.row(i));
    if (r > eps) out[at(i)] = (r - eps) / r;
  }
  return out;
}

class Alternating {
 public:
  Alternating(MatrixView kernel, double alpha, const EnhancementTerms& terms,
              const IrwlsOptions& options, const Context& ctx)
      : kernel_(kernel),
        alpha_(alpha),
        terms_(terms),
        options_(options),
        ctx_(ctx),
        rows_(terms.y.rows()),
        labels_(terms.y.cols()),
        weight_(terms.weights()),
        diagonal_(terms.manifold != nullptr ? terms.manifold->diagonal(rows_)
                                            : std::vector<double>(at(rows_))),
        u_(options.start != nullptr ? *options.start : Matrix(rows_, labels_)),
        coefficients_(rows_, labels_),
        image_(rows_, labels_),
        b_(at(labels_), 0.0) {
    MULBERRY_ASSERT(kernel.rows() == rows_ && kernel.cols() == rows_ && alpha > 0);
    if (!terms.hard) return;
    fill_free_cells();
  }

  Enhancement run() {
    Enhancement out;
    double last = total();
    out.converged = false;
    while (out.iterations < options_.max_rounds && !out.converged) {
      ++out.iterations;
      fit_regression(out);
      fit_labels(out);
      const double now = total();
      ctx_.step(static_cast<double>(out.iterations) / static_cast<double>(options_.max_rounds),
                now);
      // From U = 0 the first regression is also 0, and only the second uses the labels.
      out.converged = out.iterations > 1 && last - now <= options_.tolerance * std::abs(last);
      last = now;
    }
    finish(out);
    return out;
  }

 private:
  Matrix residual() const {  // U - K B - 1 b
    Matrix out = difference(u_, image_);
    double* const cells = out.data();
    for (Index i = 0; i < rows_; ++i) {
      for (Index l = 0; l < labels_; ++l) cells[i * labels_ + l] -= b_[at(l)];
    }
    return out;
  }
  double regression_terms(MatrixView xi, MatrixView coefficients, MatrixView image) const {
    return tube_loss(xi, terms_.eps) + alpha_ * blas::dot(coefficients.values(), image.values());
  }
  double total() const {
    return regression_terms(residual(), coefficients_, image_) + label_terms(terms_, u_, ctx_);
  }

  // The best residual of an unknown cell is 0: the cell takes the predicted value.
  void fill_free_cells() {
    double* const cells = u_.data();
    for (Index i = 0; i < rows_; ++i) {
      for (Index l = 0; l < labels_; ++l) {
        const double known = terms_.known_cell(i, l);
        const double predicted = image_(i, l) + b_[at(l)];
        cells[i * labels_ + l] = known * terms_.y(i, l) + (1 - known) * predicted;
      }
    }
  }

  // The minimiser of the weighted quadratic: B (0 outside the support) and b.
  Matrix reweighted(const std::vector<double>& a, std::vector<double>& b, Enhancement& out) const {
    std::vector<Id> support;
    for (Index i = 0; i < rows_; ++i) {
      if (a[at(i)] > 0) support.push_back(static_cast<Id>(i));
    }
    Matrix found(rows_, labels_);
    if (support.empty()) return found;  // only the penalty acts, and b stays
    const auto size = count_of(support);
    const auto row = [&](Index s) { return Index{support[at(s)]}; };
    const auto root = [&](Index s) { return std::sqrt(a[at(row(s))]); };
    Matrix system(size, size), solved(size, labels_ + 1);
    double* const cells = system.data();
    double* const sides = solved.data();
    parallel_chunks(ctx_, size, 128, [&](Index begin, Index end) {
      for (Index s = begin; s < end; ++s) {
        const double own = root(s);
        for (Index t = 0; t <= s; ++t) {
          cells[s * size + t] = own * root(t) * kernel_(row(s), row(t));
        }
        double* const side = sides + s * (labels_ + 1);
        for (Index l = 0; l < labels_; ++l) side[l] = own * u_(row(s), l);
        side[labels_] = own;
      }
    });
    const auto factor = DenseFactor::of(system, alpha_, ctx_);
    ++out.products;
    if (!factor) {
      throw Error(Code::parameter, "expected a positive definite kernel, found one that is not",
                  "Choose a larger alpha, or another kernel");
    }
    factor->solve(solved, ctx_);
    std::fill(b.begin(), b.end(), 0.0);
    double ones = 0;
    for (Index s = 0; s < size; ++s) {
      const auto from = solved.row(s);
      ones += root(s) * from.back();
      for (std::size_t l = 0; l < b.size(); ++l) b[l] += root(s) * from[l];
    }
    for (double& v : b) v /= ones;
    double* const to = found.data();
    for (Index s = 0; s < size; ++s) {
      const auto from = solved.row(s);
      for (std::size_t l = 0; l < b.size(); ++l) {
        to[row(s) * labels_ + static_cast<Index>(l)] = root(s) * (from[l] - from.back() * b[l]);
      }
    }
    return found;
  }

  void fit_regression(Enhancement& out) {
    const double rest = label_terms(terms_, u_, ctx_);
    Matrix xi = residual();
    double now = regression_terms(xi, coefficients_, image_);
    for (Index step = 0; step < options_.max_steps; ++step) {
      ctx_.check();
      std::vector<double> b = b_;
      const Matrix found = reweighted(tube_weights(xi, terms_.eps), b, out);
      const Matrix found_image = kernel_product(kernel_, found, ctx_);
      const Matrix move = difference(found, coefficients_);
      const Matrix image_move = difference(found_image, image_);
      double length = 1, next = now;
      Matrix next_xi;
      for (; length >= k_shortest; length *= k_shorter) {
        next_xi = xi;
        add_to(next_xi, -length, image_move);
        double* const cells = next_xi.data();
        for (Index c = 0; c < next_xi.size(); ++c) {
          const auto l = at(c % labels_);
          cells[c] -= length * (b[l] - b_[l]);
        }
        Matrix tried = coefficients_, tried_image = image_;
        add_to(tried, length, move);
        add_to(tried_image, length, image_move);
        next = regression_terms(next_xi, tried, tried_image);
        if (next <= now) break;
      }
      if (length < k_shortest) break;
      add_to(coefficients_, length, move);
      add_to(image_, length, image_move);
      for (std::size_t l = 0; l < b.size(); ++l) b_[l] += length * (b[l] - b_[l]);
      xi = std::move(next_xi);
      const bool done = now - next <= options_.tolerance * std::abs(now);
      now = next;
      out.history.push_back(now + rest);
      if (done) break;
    }
  }

  void fit_labels(Enhancement& out) {
    if (terms_.hard) {
      fill_free_cells();
      out.history.push_back(total());
      return;
    }
    const double penalty = alpha_ * blas::dot(coefficients_.values(), image_.values());
    Matrix xi = residual();
    double now = tube_loss(xi, terms_.eps) + label_terms(terms_, u_, ctx_);
    for (Index step = 0; step < options_.max_steps; ++step) {
      ctx_.check();
      const std::vector<double> a = tube_weights(xi, terms_.eps);
      Matrix move = newton_move(a, xi);
      double length = 1, next = now;
      Matrix next_xi, next_u;
      for (; length >= k_shortest; length *= k_shorter) {
        next_xi = xi;
        next_u = u_;
        add_to(next_xi, length, move);
        add_to(next_u, length, move);
        next = tube_loss(next_xi, terms_.eps) + label_terms(terms_, next_u, ctx_);
        if (next <= now) break;
      }
      if (length < k_shortest) break;
      u_ = std::move(next_u);
      xi = std::move(next_xi);
      const bool done = now - next <= options_.tolerance * std::abs(now);
      now = next;
      out.history.push_back(now + penalty);
      if (done) break;
    }
  }

  // From U to the minimiser of the weighted quadratic, (D_a + weights + gamma Q'Q) move = -gradient
  // / 2, by conjugate gradients: Q'Q is sparse, its factor is not.
  Matrix newton_move(const std::vector<double>& a, MatrixView xi) const {
    ColumnSystem system;
    const auto own = [&](Index i, Index c) { return a[at(i)] + weight_.data()[c]; };
    const auto each = [&](Matrix& m, const auto& change) {
      double* const cells = m.data();
      for (Index i = 0; i < rows_; ++i) {
        for (Index c = i * labels_; c < (i + 1) * labels_; ++c) change(cells[c], i, c);
      }
    };
    system.product = [&](MatrixView p) {
      Matrix out(p);
      each(out, [&](double& v, Index i, Index c) { v *= own(i, c); });
      if (terms_.manifold != nullptr) terms_.manifold->add_product(terms_.gamma, p, out, ctx_);
      return out;
    };
    system.precondition = [&](Matrix& r) {
      each(r, [&](double& v, Index i, Index c) {
        const double d = own(i, c) + terms_.gamma * diagonal_[at(i)];
        if (d > 0) v /= d;
      });
    };
    Matrix r = label_pull(terms_, u_, ctx_), move(rows_, labels_);
    each(r, [&](double& v, Index i, Index c) { v -= a[at(i)] * xi.data()[c]; });
    solve_columns(system, 1e-3 * options_.tolerance * length(r), 5000, move, r, ctx_);
    return move;
  }

  void finish(Enhancement& out) {
    const Matrix xi = residual();
    Matrix scaled = coefficients_;
    double* const cells = scaled.data();
    for (Index c = 0; c < scaled.size(); ++c) cells[c] *= alpha_;
    double trace = 0;
    for (Index i = 0; i < rows_; ++i) trace += kernel_(i, i);
    const EnhancementPoint at = {u_, xi, scaled, b_};
    out.objective = objective(terms_, at, ctx_);
    out.certificate = certificate(terms_, at, alpha_, trace, out.objective, ctx_);
    out.targets = difference(u_, difference(xi, scaled));
    out.u = std::move(u_);
    out.coefficients = std::move(coefficients_);
    out.b = std::move(b_);
  }

  MatrixView kernel_;
  const double alpha_;
  const EnhancementTerms& terms_;
  const IrwlsOptions& options_;
  const Context& ctx_;
  const Index rows_, labels_;
  const Matrix weight_;
  const std::vector<double> diagonal_;  // of Q'Q
  Matrix u_, coefficients_, image_;     // image: K B
  std::vector<double> b_;
};

}  // namespace

Enhancement enhance_irwls(MatrixView kernel, double alpha, const EnhancementTerms& terms,
                          const IrwlsOptions& options, const Context& ctx) {
  return Alternating(kernel, alpha, terms, options, ctx).run();
}

}  // namespace mulberry::math

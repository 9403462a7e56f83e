#include "mulberry/base/logistic/multinomial.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/linear/newton.hpp"

namespace mulberry::base {

namespace {

constexpr Index k_rows = 256;  // a chunk of parallel work

// Weights, gradients and directions: one row per class, with the bias in the last column.
using Weights = Matrix;

double dot(MatrixView a, MatrixView b) {
  double sum = 0;
  const double *const p = a.data(), *const q = b.data();
  for (Index k = 0; k < a.size(); ++k) sum += p[k] * q[k];
  return sum;
}

void add(Matrix& to, double scale, MatrixView from) {
  double* const p = to.data();
  const double* const q = from.data();
  for (Index k = 0; k < to.size(); ++k) p[k] += scale * q[k];
}

class Problem {
 public:
  Problem(const Features& x, std::span<const Id> y, Id classes, std::span<const double> cost,
          Bias bias, const Context& ctx)
      : x_(x),
        y_(y),
        classes_(classes),
        cost_(cost),
        bias_(bias),
        squares_(column_squares(x)),
        ctx_(ctx.quiet()) {}

  // X w' + b
  Matrix scores(const Weights& w) const {
    Matrix head(classes_, x_.cols());
    std::vector<double> b(at(classes_));
    for (Index c = 0; c < classes_; ++c) {
      const auto row = w.row(c);
      std::copy_n(row.begin(), x_.cols(), head.row(c).begin());
      b[at(c)] = bias_ == Bias::none ? 0.0 : row.back();
    }
    return linear_scores(x_, head, b, ctx_);
  }

  // Turns scores into class probabilities; returns the cost of the rows.
  double to_probabilities(Matrix& scores) const {
    double* const cells = scores.data();
    return parallel_reduce(
        ctx_, x_.rows(), k_rows, 0.0,
        [&](Index begin, Index end) {
          double sum = 0;
          for (Index i = begin; i < end; ++i) {
            const std::span<double> row{cells + i * classes_, at(classes_)};
            const auto k = at(i);
            const double top = *std::max_element(row.begin(), row.end());
            const double own = row[at(y_[k])] - top;
            double total = 0;
            for (double& v : row) total += v = std::exp(v - top);
            for (double& v : row) v /= total;
            sum += cost_[k] * (std::log(total) - own);
          }
          return sum;
        },
        [](double& total, double part) { total += part; });
  }

  double penalty(const Weights& w) const {
    double sum = 0;
    for (Index c = 0; c < classes_; ++c) {
      const auto row = w.row(c);
      for (Index j = 0; j < x_.cols(); ++j) {
        sum += row[at(j)] * row[at(j)];
      }
      if (bias_ == Bias::regularised) sum += row.back() * row.back();
    }
    return 0.5 * sum;
  }

  // penalty' at w plus X' r, with one column of r per class.
  Weights collect(const Weights& w, MatrixView r) const {
    const Matrix product = transposed_product(x_, r, ctx_);  // features x classes
    Weights out(classes_, x_.cols() + 1);
    for (Index c = 0; c < classes_; ++c) {
      const auto row = out.row(c);
      const auto from = w.row(c);
      for (Index j = 0; j < x_.cols(); ++j) {
        row[at(j)] = from[at(j)] + product(j, c);
      }
      if (bias_ == Bias::none) continue;
      double sum = bias_ == Bias::regularised ? from.back() : 0.0;
      for (Index i = 0; i < r.rows(); ++i) sum += r(i, c);
      row.back() = sum;
    }
    return out;
  }

  Weights gradient(const Weights& w, MatrixView p) const {
    Matrix r(p);
    for (Index i = 0; i < r.rows(); ++i) {
      const auto k = at(i);
      const auto row = r.row(i);
      row[at(y_[k])] -= 1;
      for (double& v : row) v *= cost_[k];
    }
    return collect(w, r);
  }

  // The Hessian at probabilities p times v: row i of the middle factor is
  // cost_i (diag(p_i) - p_i p_i').
  Weights curvature(const Weights& v, MatrixView p) const {
    Matrix s = scores(v);
    double* const cells = s.data();
    parallel_chunks(ctx_, x_.rows(), k_rows, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const std::span<double> row{cells + i * classes_, at(classes_)};
        const auto shares = p.row(i);
        double mean = 0;
        for (std::size_t c = 0; c < row.size(); ++c) mean += shares[c] * row[c];
        const double cost = cost_[at(i)];
        for (std::size_t c = 0; c < row.size(); ++c) row[c] = cost * shares[c] * (row[c] - mean);
      }
    });
    return collect(v, s);
  }

  // r divided by the diagonal of the Hessian with its row factors averaged: columns of very
  // different sizes then take no more steps than equal ones.
  Weights preconditioned(const Weights& r, MatrixView p) const {
    std::vector<double> mean(at(classes_), 0.0);
    for (Index i = 0; i < p.rows(); ++i) {
      const auto shares = p.row(i);
      const double cost = cost_[at(i)] / static_cast<double>(p.rows());
      for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += cost * shares[c] * (1 - shares[c]);
    }
    Weights out(r.rows(), r.cols());
    for (Index c = 0; c < classes_; ++c) {
      const auto from = r.row(c);
      const auto to = out.row(c);
      for (std::size_t j = 0; j < to.size(); ++j) {
        const bool free = j + 1 == to.size() && bias_ == Bias::free;
        const double scale = (free ? 0.0 : 1.0) + mean[at(c)] * squares_[j];
        to[j] = scale > 0 ? from[j] / scale : from[j];
      }
    }
    return out;
  }

 private:
  const Features& x_;
  std::span<const Id> y_;
  Index classes_;
  std::span<const double> cost_;
  Bias bias_;
  std::vector<double> squares_;
  Context ctx_;
};

// The largest number of conjugate gradient steps per unknown: one would be enough without rounding,
// but large and similar columns need more.
constexpr Index k_inner_factor = 20;

// An approximate solution s of H s = -g, by conjugate gradients to |H s + g| <= target.
Weights newton_step(const Problem& problem, const Weights& g, MatrixView p, double target,
                    const Context& ctx) {
  Weights s(g.rows(), g.cols()), r(g.rows(), g.cols());
  add(r, -1.0, g);
  Weights z = problem.preconditioned(r, p), direction = z;
  double rz = dot(r, z);
  for (Index k = 0; k < k_inner_factor * g.size() && std::sqrt(dot(r, r)) > target; ++k) {
    ctx.check();
    const Weights image = problem.curvature(direction, p);
    const double bend = dot(direction, image);
    if (bend <= 0) break;  // a free bias: adding one constant to all classes changes nothing
    const double alpha = rz / bend;
    add(s, alpha, direction);
    add(r, -alpha, image);
    z = problem.preconditioned(r, p);
    const double now = dot(r, z);
    double* const to = direction.data();
    const double* const from = z.data();
    for (Index e = 0; e < r.size(); ++e) to[e] = from[e] + (now / rz) * to[e];
    rz = now;
  }
  return s;
}

}  // namespace

MultinomialResult solve_multinomial(const Features& x, std::span<const Id> y, Id classes,
                                    std::span<const double> cost, const LinearOptions& options,
                                    const Context& ctx) {
  MULBERRY_ASSERT(count_of(y) == x.rows() && cost.size() == y.size());
  const Problem problem(x, y, classes, cost, options.bias, ctx);
  Weights w(classes, x.cols() + 1);
  Matrix z = problem.scores(w), p = z;
  Certificate found;
  found.objective = problem.to_probabilities(p);
  double first_norm = 0;
  for (;; ++found.iterations) {
    const Weights g = problem.gradient(w, p);
    found.gradient_norm = std::sqrt(dot(g, g));
    if (found.iterations == 0) first_norm = found.gradient_norm;
    found.converged = found.converged || found.gradient_norm <= options.tolerance;
    if (found.converged || found.iterations >= options.max_iterations) break;
    ctx.step(std::clamp(std::log(found.gradient_norm / first_norm) /
                            std::log(std::min(0.5, options.tolerance / first_norm)),
                        0.0, 1.0),
             found.objective);
    const double forcing = std::min(0.1, std::sqrt(found.gradient_norm / first_norm));
    const Weights s = newton_step(
        problem, g, p, std::max(forcing * found.gradient_norm, 0.3 * options.tolerance), ctx);
    const Matrix zs = problem.scores(s);
    const double descent = dot(g, s);
    // A gain below the rounding error cannot be measured.
    const bool at_limit = -descent <= 1e-13 * found.objective;
    for (double step = 1;; step /= 2) {
      Weights next = w;
      add(next, step, s);
      Matrix next_z = z;
      add(next_z, step, zs);
      Matrix next_p = next_z;
      const double objective = problem.penalty(next) + problem.to_probabilities(next_p);
      if (!at_limit && objective > found.objective + 0.01 * step * descent && step > 1e-10)
        continue;
      w = std::move(next);
      z = std::move(next_z);
      p = std::move(next_p);
      found.objective = objective;
      found.converged = at_limit || step <= 1e-10;
      break;
    }
  }
  if (options.bias != Bias::free) found.gap = 0.5 * found.gradient_norm * found.gradient_norm;

  MultinomialResult out{.w = Matrix(classes, x.cols()), .certificate = found};
  for (Index c = 0; c < classes; ++c) {
    std::copy_n(w.row(c).begin(), x.cols(), out.w.row(c).begin());
    out.b.push_back(w(c, x.cols()));
  }
  return out;
}

}  // namespace mulberry::base

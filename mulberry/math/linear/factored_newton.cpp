#include "mulberry/math/linear/factored_newton.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/linear/feature_products.hpp"
#include "mulberry/math/linear/newton_system.hpp"

namespace mulberry::math {

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr int k_most_steps = 500, k_usual_steps = 2;
constexpr double k_smallest_width = 1e-14;

// Whether products of all pairs of rows are computed up front: not if columns are so few that
// they would not be asked for.
bool shares_products(double rows, double cols) {
  return rows <= k_largest_system && rows <= 4 * cols;
}

// A row's loss at slack 1 - y z, without cost.
struct SlackLoss {
  double value, force, curve;  // force: the negative slope
};

class Solver {
 public:
  Solver(const Features& x, const Matrix& products, const LinearOptions& options,
         const Context& ctx)
      : x_(x),
        products_(products),
        options_(options),
        ctx_(ctx),
        n_(at(x.rows())),
        d_(at(x.cols())),
        y_(n_),
        cost_(n_),
        w_(d_),
        s_(d_),
        g_(d_),
        z_(n_),
        zs_(n_),
        force_(n_) {}

  std::span<std::int8_t> y() { return y_; }
  std::span<double> cost() { return cost_; }

  LinearResult solve(const LinearResult* start) {
    begin(start);
    Certificate certificate;
    double best_dual = -k_infinity;
    for (;;) {
      ctx_.check();
      collect_gradient();
      const Bounds found = bounds();
      best_dual = std::max(best_dual, found.dual);
      const double allowed = options_.tolerance * found.primal;
      certificate.objective = found.primal;
      certificate.gap = std::max(0.0, found.primal - best_dual);
      certificate.converged = certificate.gap <= allowed;
      if (hinge()) {
        best_bias_ = found.b;
      } else {
        certificate.gradient_norm = gradient_norm();
      }
      if (certificate.converged || certificate.iterations >= limit()) break;
      // What remains comes from the width.
      const double other = found.primal - found.dual - found.rounding;
      if (width_ > least_width() && other <= 0.25 * found.rounding) {
        narrow(std::clamp(0.5 * allowed / found.rounding, 0.1, 0.5));
        continue;
      }
      ++certificate.iterations;
      if (!find_step()) break;
      if (!hinge() && width_ == 1) {
        best_dual = std::max(best_dual, dual_after_step());
        certificate.gap = std::max(0.0, found.primal - best_dual);
        certificate.converged = certificate.gap <= allowed;
      }
      if (certificate.converged || !take_step()) break;
    }
    return {w_, hinge() ? best_bias_ : b_, certificate};
  }

 private:
  struct Bounds {
    double primal = 0, dual = 0;
    double rounding = 0;  // how much of their distance the width causes
    double b = 0;
  };

  bool hinge() const { return options_.loss == Loss::hinge; }
  bool free_bias() const { return options_.bias == Bias::free; }
  double bias_penalty() const { return options_.bias == Bias::regularised ? 1.0 : 0.0; }
  int limit() const { return std::min(options_.max_iterations, k_most_steps); }

  SlackLoss loss_at(double slack) const {
    if (slack <= 0) return {0, 0, 0};
    if (!hinge()) return {slack * slack / width_, 2 * slack / width_, 2 / width_};
    if (slack > width_) return {slack - width_ / 2, 1, 0};
    return {slack * slack / (2 * width_), slack / width_, 1 / width_};
  }

  double objective() const {
    double sum = 0.5 * (square(w_) + bias_penalty() * b_ * b_);
    for (std::size_t i = 0; i < n_; ++i) {
      if (cost_[i] > 0) sum += cost_[i] * loss_at(1 - y_[i] * z_[i]).value;
    }
    return sum;
  }

  static double square(std::span<const double> v) { return blas::dot(v, v); }
  double gradient_norm() const { return std::sqrt(square(g_) + gb_ * gb_); }

  // out += sign X' (y force)
  void add_rows(std::span<const double> force, double sign, std::span<double> out) const {
    std::vector<double> signed_force(n_);
    for (std::size_t i = 0; i < n_; ++i) signed_force[i] = y_[i] * force[i];
    add_transposed(x_, signed_force, sign, out);
  }

  void begin(const LinearResult* start) {
    double size = 0, rows = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (cost_[i] == 0) continue;
      size += cost_[i] * x_.row_norm2(static_cast<Index>(i));
      ++rows;
    }
    // So wide that the first system is easy.
    width_ = std::max(1.0, 0.1 * size / std::max(1.0, rows));
    if (start == nullptr) return;
    const double at_zero = objective();
    w_ = start->w;
    b_ = start->b;
    multiply(x_, w_, b_, z_);
    if (objective() < at_zero) {
      // The width that costs about as much as the start is from its optimum.
      while (width_ > std::max(least_width(), options_.tolerance)) {
        collect_gradient();
        if (bounds().rounding <= start->certificate.gap) break;
        narrow(0.3);
      }
      return;
    }
    b_ = 0;
    std::fill(w_.begin(), w_.end(), 0.0);
    std::fill(z_.begin(), z_.end(), 0.0);
  }

  double least_width() const { return hinge() ? k_smallest_width : 1.0; }
  void narrow(double factor) { width_ = std::max(least_width(), factor * width_); }

  // Of the rounded objective; the rows on a parabola are collected as well.
  void collect_gradient() {
    on_parabola_.rows.clear();
    on_parabola_.curves.clear();
    gb_ = bias_penalty() * b_;
    for (std::size_t i = 0; i < n_; ++i) {
      force_[i] = 0;
      if (cost_[i] == 0) continue;
      const SlackLoss loss = loss_at(1 - y_[i] * z_[i]);
      force_[i] = cost_[i] * loss.force;
      gb_ -= y_[i] * force_[i];
      if (loss.curve == 0) continue;
      on_parabola_.rows.push_back(static_cast<Index>(i));
      on_parabola_.curves.push_back(cost_[i] * loss.curve);
    }
    if (options_.bias == Bias::none) gb_ = 0;
    g_ = w_;
    add_rows(force_, -1, g_);
  }

  Bounds bounds() {
    Bounds out;
    double loss = 0, shift = 0;
    out.b = b_;
    if (hinge() && free_bias()) {
      out.b = best_bias();
      shift = out.b - b_;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (cost_[i] == 0) continue;
      const double slack = 1 - y_[i] * z_[i], true_slack = std::max(0.0, slack - y_[i] * shift);
      loss += cost_[i] * (hinge() ? true_slack : true_slack * true_slack);
      if (hinge()) {
        out.rounding += cost_[i] * std::max(0.0, slack) - force_[i] * slack;
      } else if (slack > 0) {
        const double left = 2 * cost_[i] * slack - force_[i];
        out.rounding += left * left / (4 * cost_[i]);
      }
    }
    out.primal = 0.5 * (square(w_) + bias_penalty() * out.b * out.b) + loss;
    dual_force_ = force_;
    out.dual = dual_value(dual_force_);
    return out;
  }

  // Of the dual point with these forces: their sum (less squares for the squared hinge) less 1/2 of
  // the square of its weights X' y force. If the bias is free they are balanced first.
  double dual_value(std::vector<double>& forces) {
    double side[2] = {0, 0}, sum = 0;
    for (std::size_t i = 0; i < n_; ++i) side[y_[i] > 0] += forces[i];
    if (free_bias()) {
      const double least = std::min(side[0], side[1]);
      for (std::size_t i = 0; i < n_; ++i) {
        if (forces[i] > 0) forces[i] *= least / side[y_[i] > 0];
      }
      side[0] = side[1] = least;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      sum += forces[i];
      if (!hinge() && cost_[i] > 0) sum -= forces[i] * forces[i] / (4 * cost_[i]);
    }
    s_.assign(d_, 0.0);
    add_rows(forces, 1, s_);
    const double b = bias_penalty() * (side[1] - side[0]);
    return sum - 0.5 * (square(s_) + b * b);
  }

  // Of the squared hinge, with the forces after a full step on which no row left its parabola.
  // They solve a linear system, where slopes at the present scores carry the rounding errors of
  // scores times C.
  double dual_after_step() {
    dual_force_ = force_;
    const auto& [rows, curves] = on_parabola_;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t i = at(rows[k]);
      dual_force_[i] = std::max(0.0, force_[i] - curves[k] * y_[i] * zs_[i]);
    }
    const std::vector<double> step = s_;
    const double out = dual_value(dual_force_);
    s_ = step;
    return out;
  }

  // The bias that minimises the hinges for the present weights: the slope of their sum rises by
  // cost_i where row i has its corner, from minus the cost of all positive rows.
  double best_bias() const {
    std::vector<std::pair<double, double>> corners;
    double slope = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (cost_[i] == 0) continue;
      corners.emplace_back(y_[i] - (z_[i] - b_), cost_[i]);
      if (y_[i] > 0) slope -= cost_[i];
    }
    std::sort(corners.begin(), corners.end());
    for (const auto& [corner, cost] : corners) {
      slope += cost;
      if (slope >= 0) return corner;
    }
    return corners.empty() ? 0.0 : corners.back().first;
  }

  // A free bias without a row on a parabola has no curvature: a little keeps systems solvable.
  double bias_curvature() const {
    if (!free_bias()) return bias_penalty();
    double sum = 0;
    for (const double c : cost_) sum += c;
    return std::max(1e-10 * sum, 1e-300);
  }

  // The step s, sb with Hessian times step = - gradient.
  bool find_step() {
    if (on_parabola_.rows.empty() && free_bias() && gb_ != 0) {
      // Nothing says how far to go: the bias alone moves until its slope is 0, which is on a
      // parabola.
      std::fill(s_.begin(), s_.end(), 0.0);
      sb_ = -std::copysign(width_, gb_);
    } else {
      const bool bias = options_.bias != Bias::none;
      auto step = math::solve({x_, products_, on_parabola_, g_, bias, gb_, bias_curvature()});
      if (!step) return false;
      s_ = std::move(step->w);
      sb_ = step->b;
    }
    multiply(x_, s_, sb_, zs_);
    return true;
  }

  // The slope of the rounded objective along the step.
  double slope_at(double t, double ws, double ss) const {
    double sum = ws + t * ss;
    for (std::size_t i = 0; i < n_; ++i) {
      if (cost_[i] == 0) continue;
      sum -= cost_[i] * y_[i] * zs_[i] * loss_at(1 - y_[i] * (z_[i] + t * zs_[i])).force;
    }
    return sum;
  }

  // To the minimum along the step, or all of it if that is near enough. False if rounding errors
  // hide the way down.
  bool take_step() {
    const double ws = blas::dot(w_, s_) + bias_penalty() * b_ * sb_;
    const double ss = square(s_) + bias_penalty() * sb_ * sb_;
    const double first = slope_at(0, ws, ss);
    if (!(first < 0)) return false;
    // Near enough before the minimum; a little behind it the objective may be higher than here.
    const auto near = [&](double slope) { return slope >= 0.2 * first && slope <= -1e-6 * first; };
    double low = 0, high = 1, at_low = first, at_high = slope_at(1, ws, ss);
    while (at_high < 0.2 * first && high < 1e12) {
      low = high;
      at_low = at_high;
      high *= 4;
      at_high = slope_at(high, ws, ss);
    }
    double t = high, at_t = at_high;
    for (int tries = 0; tries < 60 && !near(at_t); ++tries) {
      t = low - at_low * (high - low) / (at_high - at_low);
      // Slopes are concave or convex in turn: every second time the middle.
      if (tries % 2 == 1) t = 0.5 * (low + high);
      at_t = slope_at(t, ws, ss);
      (at_t < 0 ? low : high) = t;
      (at_t < 0 ? at_low : at_high) = at_t;
    }
    if (!near(at_t)) t = low;
    if (!std::isfinite(t) || t == 0) return false;
    for (std::size_t j = 0; j < d_; ++j) w_[j] += t * s_[j];
    b_ += t * sb_;
    for (std::size_t i = 0; i < n_; ++i) z_[i] += t * zs_[i];
    return true;
  }

  const Features& x_;
  const Matrix& products_;  // of all rows, or empty
  const LinearOptions& options_;
  const Context& ctx_;
  std::size_t n_, d_;
  std::vector<std::int8_t> y_;
  std::vector<double> cost_;
  std::vector<double> w_, s_, g_;  // weights, step, gradient
  double b_ = 0, sb_ = 0, gb_ = 0, best_bias_ = 0;
  std::vector<double> z_, zs_;                   // X w + b, X s + sb
  std::vector<double> force_, dual_force_ = {};  // minus the slope of each row's loss, by y z
  double width_ = 1;                             // the curvature of the losses is divided by it
  CurvedRows on_parabola_ = {};                  // by their cost times curvature
};

}  // namespace

bool can_factor(double rows, double cols) { return std::min(rows, cols) < k_largest_system; }

bool can_factor(const Features& x) {
  return can_factor(static_cast<double>(x.rows()), static_cast<double>(x.cols()));
}

double factored_newton_bytes(double rows, double cols) {
  return newton_system_bytes(rows, cols) + 8 * (4 * cols + 6 * rows) + 9 * rows;
}

double shared_product_bytes(double rows, double cols) {
  return shares_products(rows, cols) ? 8 * rows * rows : 0;
}

double factored_newton_cost(const Features& x) {
  const auto n = static_cast<double>(x.rows()), d = static_cast<double>(x.cols());
  const double values = static_cast<double>(x.stored()) / std::max(1.0, n);
  const double rows = n / 2, side = std::min(rows, d);  // on parabolas, usually
  const double products = d < rows ? rows * values * values : 0;
  constexpr double k_dense_speed = 0.1;  // time of an operation in a product of matrices
  return k_usual_steps * (k_dense_speed * (side * side * side / 3 + products)) +
         30 * static_cast<double>(x.stored());
}

std::vector<LinearResult> solve_by_factored_newton(const LinearProblems& given,
                                                   std::span<const LinearResult> starts,
                                                   const LinearOptions& options,
                                                   const Context& ctx) {
  MULBERRY_ASSERT(options.loss != Loss::logistic && can_factor(given.x));
  MULBERRY_ASSERT(starts.empty() || count_of(starts) == given.count);
  std::vector<LinearResult> results(at(given.count));
  if (given.count == 0) return results;
  const Features& x = given.x;
  const Matrix products =
      shared_product_bytes(static_cast<double>(x.rows()), static_cast<double>(x.cols())) > 0
          ? products_of_rows(x, ctx)
          : Matrix();
  std::atomic<Index> done = 0;
  parallel_for(ctx, given.count, [&](Index k) {
    Solver solver(x, products, options, ctx);
    given.fill(k, solver.y(), solver.cost());
    results[at(k)] = solver.solve(starts.empty() ? nullptr : &starts[at(k)]);
    ctx.step(static_cast<double>(done.fetch_add(1) + 1) / static_cast<double>(given.count));
  });
  return results;
}

}  // namespace mulberry::math

#include "mulberry/math/linear/dual_descent.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

struct State {
  const Features& x;
  std::span<const double> norms;  // |x_i|^2
  std::vector<std::int8_t> y = {};
  std::vector<double> cost = {};
  std::vector<double> upper = {};     // bound of alpha_i: cost_i, or none for the squared hinge
  std::vector<double> diagonal = {};  // added to |x_i|^2 by the loss: 1 / (2 cost_i) if squared
  std::vector<double> alpha = {};
  std::vector<double> w = {};
  double b = 0;          // centre + bias_step * sum_i alpha_i y_i
  double bias_step = 0;  // 1 over the penalty of the bias; 0 without bias
  std::vector<Id> order = {};
  std::size_t active = 0;  // order[0 .. active) are active
  // Largest and smallest projected gradient, of the last pass and of this one.
  double old_high = k_infinity, old_low = -k_infinity, high = 0, low = 0;
};

// sum += the products of four values of a row with four weights.
MULBERRY_INLINE void add_four(const double* row, const double* w, Vector4& sum) {
  sum += *reinterpret_cast<const Vector4*>(row) * *reinterpret_cast<const Vector4*>(w);
}
MULBERRY_INLINE void add_four(const float* row, const double* w, Vector4& sum) {
  const Vector4 wide = {static_cast<double>(row[0]), static_cast<double>(row[1]),
                        static_cast<double>(row[2]), static_cast<double>(row[3])};
  sum += wide * *reinterpret_cast<const Vector4*>(w);
}

template <class T>
MULBERRY_INLINE double dense_times(const T* row, Index d, const double* w) {
  Vector4 sums[2] = {};
  Index j = 0;
  for (; j + 8 <= d; j += 8) {
    add_four(row + j, w + j, sums[0]);
    add_four(row + j + 4, w + j + 4, sums[1]);
  }
  sums[0] += sums[1];
  double sum = (sums[0][0] + sums[0][1]) + (sums[0][2] + sums[0][3]);
  for (; j < d; ++j) sum += static_cast<double>(row[j]) * w[j];
  return sum;
}

MULBERRY_INLINE double row_times(const Features& x, Index i, const double* w) {
  if (x.is_sparse()) {
    double even = 0, odd = 0;
    x.visit_row(
        i, [&](const auto* index, const auto* value, Index count) __attribute__((always_inline)) {
          const auto product = [&](Index k) __attribute__((always_inline)) {
            return static_cast<double>(value[k]) * w[index[k]];
          };
          Index k = 0;
          for (; k + 1 < count; k += 2) {
            even += product(k);
            odd += product(k + 1);
          }
          if (k < count) even += product(k);
        });
    return even + odd;
  }
  if (const float* const floats = x.float_row(i)) return dense_times(floats, x.cols(), w);
  return dense_times(x.dense_row(i).data(), x.cols(), w);
}

MULBERRY_INLINE void add_row(const Features& x, Index i, double a, double* w) {
  if (x.is_sparse()) {
    x.visit_row(
        i, [&](const auto* index, const auto* value, Index count) __attribute__((always_inline)) {
          for (Index k = 0; k < count; ++k) w[index[k]] += a * static_cast<double>(value[k]);
        });
    return;
  }
  const auto add = [&](const auto* row) {
    for (Index j = 0; j < x.cols(); ++j) w[j] += a * static_cast<double>(row[j]);
  };
  if (const float* const floats = x.float_row(i)) return add(floats);
  add(x.dense_row(i).data());
}

// One pass over the active rows in their order.
MULBERRY_INLINE void pass_body(State& a) {
  a.high = -k_infinity;
  a.low = k_infinity;
  double* const w = a.w.data();
  std::size_t k = 0;
  while (k < a.active) {
    const Index i = a.order[k];
    const auto row = at(i);
    const double y = a.y[row], upper = a.upper[row], before = a.alpha[row];
    const double gradient = y * (row_times(a.x, i, w) + a.b) - 1 + a.diagonal[row] * before;
    double projected = gradient;
    if (before == 0) {
      if (gradient > a.old_high) {  // inactive for now: swapped behind the active rows
        std::swap(a.order[k], a.order[--a.active]);
        continue;
      }
      projected = std::min(gradient, 0.0);
    } else if (before == upper) {
      if (gradient < a.old_low) {
        std::swap(a.order[k], a.order[--a.active]);
        continue;
      }
      projected = std::max(gradient, 0.0);
    }
    ++k;
    a.high = std::max(a.high, projected);
    a.low = std::min(a.low, projected);
    const double bend = a.norms[row] + a.bias_step + a.diagonal[row];
    if (projected == 0) continue;
    const double ideal = bend > 0 ? before - gradient / bend : -k_infinity * gradient;
    const double after = std::clamp(ideal, 0.0, upper);
    const double change = y * (after - before);
    if (change == 0) continue;
    a.alpha[row] = after;
    add_row(a.x, i, change, w);
    a.b += change * a.bias_step;
  }
}
MULBERRY_DISPATCH(pass, pass_body)

struct Bounds {
  double primal = 0, dual = 0, b = 0;
};

double half_square(std::span<const double> w) {
  double sum = 0;
  for (const double v : w) sum += v * v;
  return 0.5 * sum;
}

double total_loss(const State& a, std::span<const double> scores, double b) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double slack = std::max(0.0, 1 - a.y[i] * (scores[i] + b));
    sum += a.cost[i] * (a.diagonal[i] > 0 ? slack * slack : slack);
  }
  return sum;
}

// The b that minimises sum_i cost_i max(0, 1 - y_i (score_i + b)): the slope of this sum rises by
// cost_i at b = y_i - score_i, from minus the cost of all positive rows.
double best_bias(const State& a, std::span<const double> scores) {
  std::vector<std::pair<double, double>> corners;
  double slope = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (a.cost[i] == 0) continue;
    corners.emplace_back(a.y[i] - scores[i], a.cost[i]);
    if (a.y[i] > 0) slope -= a.cost[i];
  }
  std::sort(corners.begin(), corners.end());
  for (const auto& [corner, cost] : corners) {
    slope += cost;
    if (slope >= 0) return corner;
  }
  return corners.empty() ? 0.0 : corners.back().first;
}

Bounds bounds_with_free_bias(const State& a, std::span<const double> scores) {
  Bounds out;
  out.b = best_bias(a, scores);
  out.primal = half_square(a.w) + total_loss(a, scores, out.b);
  double side[2] = {0, 0};
  for (std::size_t i = 0; i < a.alpha.size(); ++i) side[a.y[i] > 0] += a.alpha[i];
  const double least = std::min(side[0], side[1]);
  std::vector<double> w(a.w.size());
  for (std::size_t i = 0; i < a.alpha.size(); ++i) {
    if (a.alpha[i] == 0) continue;
    const double alpha = a.alpha[i] * (least / side[a.y[i] > 0]);
    out.dual += alpha;
    a.x.add_row(static_cast<Index>(i), alpha * a.y[i], w);
  }
  out.dual -= half_square(w);
  return out;
}

Bounds bounds(const State& a, Bias bias) {
  std::vector<double> scores(a.y.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = a.x.row_dot(static_cast<Index>(i), a.w);
  }
  if (bias == Bias::free) return bounds_with_free_bias(a, scores);
  const double penalty = half_square(a.w) + (bias == Bias::none ? 0.0 : 0.5 * a.b * a.b);
  double sum = 0;
  for (std::size_t i = 0; i < a.alpha.size(); ++i) {
    sum += a.alpha[i] - 0.5 * a.diagonal[i] * a.alpha[i] * a.alpha[i];
  }
  return {penalty + total_loss(a, scores, a.b), sum - penalty, a.b};
}

void wake_all(State& a) {
  a.active = a.order.size();
  a.old_high = k_infinity;
  a.old_low = -k_infinity;
}

LinearResult solve(const LinearProblems& problems, Index problem, std::span<const double> norms,
                   const LinearOptions& options, const Context& ctx) {
  const auto n = at(problems.x.rows());
  State a{.x = problems.x, .norms = norms};
  a.y.resize(n);
  a.cost.resize(n);
  a.alpha.resize(n);
  a.w.resize(at(problems.x.cols()));
  a.bias_step = options.bias == Bias::none ? 0 : 1;
  problems.fill(problem, a.y, a.cost);
  const bool squared = options.loss == Loss::squared_hinge;
  a.upper.assign(n, k_infinity);
  a.diagonal.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (a.cost[i] == 0) continue;
    a.order.push_back(static_cast<Id>(i));
    if (squared) {
      a.diagonal[i] = 0.5 / a.cost[i];
    } else {
      a.upper[i] = a.cost[i];
    }
  }
  wake_all(a);

  Random random = ctx.rng("dual descent", static_cast<std::uint64_t>(problem));
  Certificate certificate;
  double target = 0.1;  // spread of projected gradients at which to compute the gap
  Bounds found;
  double best_dual = -k_infinity;
  const double rows = std::max(1.0, static_cast<double>(a.order.size()));
  double passes = 0;  // one over some of the rows counts as a part of one
  while (passes < options.max_iterations) {
    ctx.check();
    random.shuffle(std::span(a.order).first(a.active));
    passes += std::max(1.0, static_cast<double>(a.active)) / rows;
    pass(a);
    const bool calm = a.active == 0 || a.high - a.low <= target;
    if (!calm) {
      // A bound that is never exceeded must not make rows inactive.
      a.old_high = a.high > 0 ? a.high : k_infinity;
      a.old_low = a.low < 0 ? a.low : -k_infinity;
      continue;
    }
    if (a.active < a.order.size()) {
      wake_all(a);
      continue;
    }
    found = bounds(a, options.bias);
    best_dual = std::max(best_dual, found.dual);
    if (found.primal - best_dual <= options.tolerance * found.primal) {
      certificate.converged = true;
      break;
    }
    if (options.bias == Bias::free) {
      // The multiplier step: the centre of the penalty moves to the current bias.
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += a.alpha[i] * a.y[i];
      a.b += a.bias_step * sum;
    }
    target *= 0.5;
    wake_all(a);
  }
  if (!certificate.converged) {
    found = bounds(a, options.bias);
    best_dual = std::max(best_dual, found.dual);
    certificate.converged = found.primal - best_dual <= options.tolerance * found.primal;
  }
  certificate.iterations = static_cast<int>(std::ceil(passes));
  certificate.objective = found.primal;
  certificate.gap = std::max(0.0, found.primal - best_dual);
  return {std::move(a.w), options.bias == Bias::none ? 0.0 : found.b, certificate};
}

}  // namespace

std::vector<LinearResult> solve_by_dual_descent(const LinearProblems& given,
                                                const LinearOptions& options, const Context& ctx) {
  // Rows are read in random order, which wants each in one piece: of doubles or of floats.
  const bool scattered = given.x.strided() != nullptr && given.x.float_row(0) == nullptr;
  const Features gathered = scattered ? in_one_piece(given.x) : Features();
  const LinearProblems problems{
      .x = scattered ? gathered : given.x, .count = given.count, .fill = given.fill};
  MULBERRY_ASSERT(options.loss == Loss::hinge ||
                  (options.loss == Loss::squared_hinge && options.bias != Bias::free));
  std::vector<double> norms(at(problems.x.rows()));
  for (std::size_t i = 0; i < norms.size(); ++i) {
    norms[i] = problems.x.row_norm2(static_cast<Index>(i));
  }
  std::vector<LinearResult> results(at(problems.count));
  std::atomic<Index> done = 0;
  parallel_for(ctx, problems.count, [&](Index k) {
    results[at(k)] = solve(problems, k, norms, options, ctx);
    ctx.step(static_cast<double>(done.fetch_add(1) + 1) / static_cast<double>(problems.count));
  });
  return results;
}

}  // namespace mulberry::math

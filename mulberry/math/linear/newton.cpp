#include "mulberry/math/linear/newton.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/math/dense/aligned.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {

namespace {

// Arrays of B numbers per feature (the bias comes last) or per row: lane l of item j is at j * B +
// l. A lane sees the first limit[l] columns. In those behind them its weights, step and direction
// are 0, which adds nothing to a product with X; what a product with X' says of them is dropped.
template <int B>
struct Panel {
  Panel(const Features& features, Bias bias)
      : x(features),
        rows(features.rows()),
        cols(features.cols()),
        width(cols),
        seen_by_all(cols),
        bias_on(bias == Bias::none ? 0.0 : 1.0),
        bias_penalty(bias == Bias::regularised ? 1.0 : 0.0) {
    for (auto* v : {&w, &s, &p, &r, &t, &inverse}) v->assign(size(cols + 1), 0.0);
    for (auto* v : {&z, &zs, &u, &slope, &curve, &y, &cost}) v->assign(size(rows), 0.0);
    // Where the rows are, found once: short rows are read faster than looked up.
    for (Index i = 0; i < rows; ++i) {
      if (x.is_foreign()) break;
      if (x.is_sparse()) {
        sparse_rows.push_back(x.sparse_row(i));
      } else {
        dense_rows.push_back(x.dense_row(i).data());
      }
    }
  }
  static std::size_t size(Index items) { return at(items * B); }
  static std::array<Index, B> filled(Index value) {
    std::array<Index, B> out;
    out.fill(value);
    return out;
  }
  const double* dense_row(Index i, RowWindow& window) const {
    return dense_rows.empty() ? window.row(i) : dense_rows.data()[i];
  }
  // f(columns, values, count) for what a sparse row has in the first `width` columns.
  template <class F>
  MULBERRY_INLINE void visit(Index i, const F& f) const {
    if (sparse_rows.empty()) {
      return x.visit_row(
          i, [&](const auto* index, const auto* value, Index count) __attribute__((always_inline)) {
            f(index, value, ends.empty() ? count : ends.data()[i]);
          });
    }
    const SparseRow& row = sparse_rows.data()[i];
    f(row.index.data(), row.value.data(), ends.empty() ? count_of(row.index) : ends.data()[i]);
  }
  // The columns of a lane from now on. Passes leave out those that no lane sees.
  void limit_lane(std::size_t l, Index columns) {
    limit[l] = columns;
    seen_by_all = cols;
    for (const Index each : limit) seen_by_all = std::min(seen_by_all, each < 0 ? cols : each);
    const Index widest = *std::max_element(limit.begin(), limit.end());
    if (widest == width) return;
    width = widest;
    if (!x.is_sparse()) return;
    ends.resize(at(rows));
    for (Index i = 0; i < rows; ++i) {
      x.visit_row(i, [&](const auto* index, const auto*, Index count) {
        Index& end = ends[at(i)];
        while (end < count && static_cast<Index>(index[end]) < width) ++end;
        while (end > 0 && static_cast<Index>(index[end - 1]) >= width) --end;
      });
    }
  }

  const Features& x;
  Index rows, cols;
  Index width, seen_by_all;                        // the largest and the smallest limit
  std::array<Index, B> limit = filled(Index{-1});  // -1 for a lane without a problem
  std::vector<Index> ends = {};  // of sparse rows at the width; empty if it has always been cols
  std::vector<const double*> dense_rows = {};  // empty if they have to be converted
  std::vector<SparseRow> sparse_rows = {};     // likewise
  double bias_on, bias_penalty;
  AlignedVector<double> w, s, p, r, t;  // weights, step, direction, residual, product with X'
  AlignedVector<double> inverse;        // of the preconditioner
  AlignedVector<double> z, zs, u;       // X w, X s without the last step along p, X p
  AlignedVector<double> slope, curve;   // cost * loss', cost * loss'' (by z)
  AlignedVector<double> y, cost;
  std::array<double, B> gradient = {};  // 1 for lanes that collect their gradient
  std::array<double, B> search = {};    // 1 for lanes in conjugate gradients
  std::array<double, B> step = {};      // the last one, which zs has yet to take along u
  std::array<double, B> rz = {};        // residual . preconditioned residual
  std::array<double, B> rr = {};        // |residual|^2
  std::array<double, B> descent = {};   // gradient . step, without reading the gradient again
};

// B lanes as a few machine vectors of at most N doubles.
template <int B, int N>
struct Unit {
  static constexpr int width = N < B ? N : B;
  typedef typename Wide<width>::Values Type;  // using would drop the alignment
  static constexpr int count = B / width;
};
template <int N>
struct Unit<1, N> {
  typedef double Type;
  static constexpr int count = 1;
};

// For any number of rows and lanes, in one pass over X:
//   zs += step u,   u = X p,   bend = sum_i curve_i u_i^2,   t = X' (curve u + gradient slope)
// One sum per row in the order of its features, and per feature in the order of the rows.
template <int N, int B>
MULBERRY_INLINE void multiply_both(Panel<B>& a, typename Unit<B, N>::Type* bend) {
  using V = typename Unit<B, N>::Type;
  constexpr int units = Unit<B, N>::count;
  const auto of = [](auto& numbers) { return reinterpret_cast<V*>(numbers.data()); };
  const V* const p = of(a.p);
  V *const t = of(a.t), *const u = of(a.u), *const zs = of(a.zs);
  const V *const curve = of(a.curve), *const slope = of(a.slope);
  const V *const step = of(a.step), *const gradient = of(a.gradient);
  const V* const bias = p + a.cols * units;
  std::fill_n(a.t.data(), a.width * B, 0.0);
  V weights[units] = {};
  // Takes the products of row i with p, and turns them into what the row adds to t.
  const auto weigh = [&](Index i, V* sum) __attribute__((always_inline)) {
    for (int k = 0; k < units; ++k) {
      const Index e = i * units + k;
      zs[e] += step[k] * u[e];
      u[e] = sum[k];
      const V curved = curve[e] * sum[k];
      bend[k] += curved * sum[k];
      sum[k] = curved + gradient[k] * slope[e];
      weights[k] += sum[k];
    }
  };
  if (a.x.is_sparse()) {
    for (Index i = 0; i < a.rows; ++i) {
      V sum[units];
      for (int k = 0; k < units; ++k) sum[k] = bias[k] * a.bias_on;
      a.visit(
          i, [&](const auto* index, const auto* value, Index count) __attribute__((always_inline)) {
            for (Index e = 0; e < count; ++e) {
              const V* const from = p + static_cast<Index>(index[e]) * units;
              for (int k = 0; k < units; ++k) sum[k] += from[k] * static_cast<double>(value[e]);
            }
            weigh(i, sum);
            for (Index e = 0; e < count; ++e) {
              V* const to = t + static_cast<Index>(index[e]) * units;
              for (int k = 0; k < units; ++k) to[k] += sum[k] * static_cast<double>(value[e]);
            }
          });
    }
  } else {
    RowWindow window(a.x);
    constexpr Index tile = 4;  // rows at a time: independent sums hide the latency of an addition
    for (Index i0 = 0; i0 < a.rows; i0 += tile) {
      const Index count = std::min(tile, a.rows - i0);
      const double* row[tile];
      for (Index i = 0; i < tile; ++i) row[i] = a.dense_row(i0 + std::min(i, count - 1), window);
      V sum[tile][units];
      for (Index i = 0; i < tile; ++i) {
        for (int k = 0; k < units; ++k) sum[i][k] = bias[k] * a.bias_on;
      }
      for (Index j = 0; j < a.width; ++j) {
        const V* const from = p + j * units;
        for (Index i = 0; i < tile; ++i) {
          for (int k = 0; k < units; ++k) sum[i][k] += from[k] * row[i][j];
        }
      }
      for (Index i = 0; i < tile; ++i) {
        if (i < count) {
          weigh(i0 + i, sum[i]);
        } else {
          for (int k = 0; k < units; ++k) sum[i][k] = V{};  // rows past the end have weight 0
        }
      }
      for (Index j = 0; j < a.width; ++j) {
        V* const to = t + j * units;
        for (int k = 0; k < units; ++k) {
          V total = to[k];
          for (Index i = 0; i < tile; ++i) total += sum[i][k] * row[i][j];
          to[k] = total;
        }
      }
    }
  }
  for (int k = 0; k < units; ++k) t[a.cols * units + k] = weights[k] * a.bias_on;
}

// One step of conjugate gradients in the searching lanes; in the others t becomes the gradient.
template <int N, int B>
MULBERRY_INLINE void tick_body(Panel<B>& a) {
  using V = typename Unit<B, N>::Type;
  constexpr int units = Unit<B, N>::count;
  const auto unit = [](auto& numbers) { return reinterpret_cast<V*>(numbers.data()); };
  const Index col_units = a.width * units, bias = a.cols * units;
  V bend[units] = {};  // p . H p
  multiply_both<N>(a, bend);

  V *const p = unit(a.p), *const r = unit(a.r), *const s = unit(a.s), *const t = unit(a.t);
  V *const w = unit(a.w), *const inverse = unit(a.inverse);
  V *const gradient = unit(a.gradient), *const search = unit(a.search);
  for (Index j = 0; j < col_units; j += units) {
    for (int k = 0; k < units; ++k) bend[k] += p[j + k] * p[j + k];
  }
  for (int k = 0; k < units; ++k) {
    const V b = p[bias + k];
    bend[k] += b * b * a.bias_penalty;
  }
  for (std::size_t l = 0; l < B; ++l) {
    const double bends = reinterpret_cast<const double*>(bend)[l];
    a.step[l] = a.search[l] != 0 && bends > 0 ? a.rz[l] / bends : 0.0;
    a.descent[l] -= a.step[l] * a.rz[l];
  }
  const V* const step = unit(a.step);

  V rz[units] = {}, rr[units] = {};
  const auto advance = [&](Index j, double penalty) __attribute__((always_inline)) {
    for (int k = 0; k < units; ++k) {
      t[j + k] += (p[j + k] + gradient[k] * w[j + k]) * penalty;
      s[j + k] += step[k] * p[j + k];
      const V residual = r[j + k] - step[k] * t[j + k];
      r[j + k] = residual;
      rr[k] += residual * residual;
      rz[k] += residual * residual * inverse[j + k];
    }
  };
  const Index seen_by_all = std::min(a.seen_by_all, a.width);
  for (Index j = 0; j < seen_by_all; ++j) advance(j * units, 1.0);
  for (Index j = seen_by_all; j < a.width; ++j) {
    for (std::size_t l = 0; l < B; ++l) {
      if (j >= a.limit[l]) reinterpret_cast<double*>(t + j * units)[l] = 0;
    }
    advance(j * units, 1.0);
  }
  advance(bias, a.bias_penalty);
  std::array<double, B> beta;
  for (std::size_t l = 0; l < B; ++l) {
    const double now = reinterpret_cast<const double*>(rz)[l];
    beta[l] = a.search[l] != 0 && a.rz[l] > 0 ? now / a.rz[l] : 0.0;
    a.rz[l] = now;
    a.rr[l] = reinterpret_cast<const double*>(rr)[l];
  }
  V keep[units];
  for (int k = 0; k < units; ++k) keep[k] = unit(beta)[k];
  const auto turn = [&](Index j) __attribute__((always_inline)) {
    for (int k = 0; k < units; ++k) {
      p[j + k] = search[k] * inverse[j + k] * r[j + k] + keep[k] * p[j + k];
    }
  };
  for (Index j = 0; j < col_units; j += units) turn(j);
  turn(bias);
}
MULBERRY_DISPATCH_WIDE(tick, tick_body)

// zs takes the last step, in all lanes.
template <int N, int B>
MULBERRY_INLINE void settle_body(Panel<B>& a) {
  using V = typename Unit<B, N>::Type;
  constexpr int units = Unit<B, N>::count;
  V* const zs = reinterpret_cast<V*>(a.zs.data());
  const V* const u = reinterpret_cast<const V*>(a.u.data());
  const V* const step = reinterpret_cast<const V*>(a.step.data());
  for (Index i = 0; i < a.rows * units; i += units) {
    for (int k = 0; k < units; ++k) zs[i + k] += step[k] * u[i + k];
  }
  a.step.fill(0);
}
MULBERRY_DISPATCH_WIDE(settle, settle_body)

// Loss, slope and curvature of one row at t = y z, without cost.
struct RowLoss {
  double value, slope, curve;
};

RowLoss squared_hinge_at(double t) {
  const double slack = 1 - t;
  return slack > 0 ? RowLoss{slack * slack, -2 * slack, 2.0} : RowLoss{0, 0, 0};
}

// The hinge with its corner replaced by a parabola over [1 - width, 1]: at most width / 2 below it.
RowLoss rounded_hinge_at(double t, double width) {
  const double slack = 1 - t;
  if (slack <= 0) return {0, 0, 0};
  if (slack >= width) return {slack - width / 2, -1, 0};
  return {slack * slack / (2 * width), -slack / width, 1 / width};
}

// Sums the losses of rows. Logarithms are expensive: rows with equal cost share one, of a product
// that cannot overflow.
class LogisticSum {
 public:
  RowLoss at(double t, double cost) {
    if (cost != cost_ || product_ > 1e300) flush(cost);
    const double e = std::exp(-std::abs(t)), rest = 1 / (1 + e);
    product_ *= 1 + e;
    return {t < 0 ? -t : 0.0, t < 0 ? -rest : -e * rest, e * rest * rest};
  }
  double logs() {
    flush(0);
    return sum_;
  }

 private:
  void flush(double cost) {
    sum_ += cost_ * std::log(product_);
    product_ = 1;
    cost_ = cost;
  }
  double cost_ = 0, product_ = 1, sum_ = 0;
};

// Problems not yet begun and problems done, over all panels.
struct Queue {
  std::atomic<Index> next = 0, done = 0;
};

// One group of lanes that serves problems until none is left.
template <int B>
class Solver {
 public:
  Solver(const LinearProblems& problems, const LinearOptions& options,
         std::span<const double> squares, Queue& queue, std::span<LinearResult> results,
         const Context& ctx)
      : problems_(problems),
        options_(options),
        squares_(squares),
        queue_(queue),
        results_(results),
        ctx_(ctx),
        a_(problems.x, options.bias),
        y_(at(a_.rows)),
        cost_(at(a_.rows)) {}

  void run() {
    for (std::size_t l = 0; l < B; ++l) start(l);
    while (busy_ > 0) {
      ctx_.check();
      tick(a_);
      for (std::size_t l = 0; l < B; ++l) advance(l);
    }
  }

 private:
  struct Lane {
    Index problem = -1;
    double objective = 0;
    double gradient_norm = 0, first_norm = 0;
    bool stalled = false;     // rounding errors hide what steps still gain
    double inner_target = 0;  // |residual| that ends conjugate gradients
    int inner = 0;
    int steps = 0;
    bool at_limit = false;  // the last step was below the rounding error
    double width = 1;       // of the rounded corner of the hinge
    double hinge = 0, best_dual = -std::numeric_limits<double>::infinity();
  };

  bool hinge() const { return options_.loss == Loss::hinge; }

  double& item(std::span<double> numbers, Index j, std::size_t l) { return numbers[at(j) * B + l]; }

  // f(j) for the columns that lane l sees, and for the bias.
  template <class F>
  void for_columns(std::size_t l, const F& f) const {
    for (Index j = 0; j < a_.limit[l]; ++j) f(j);
    f(a_.cols);
  }

  void start(std::size_t l) {
    const Index problem = queue_.next.fetch_add(1);
    Lane& lane = lanes_[l];
    lane = {};
    a_.gradient[l] = a_.search[l] = a_.rz[l] = a_.step[l] = 0;
    for_columns(l, [&](Index j) {
      for (auto* v : {&a_.w, &a_.s, &a_.p, &a_.r, &a_.inverse}) item(*v, j, l) = 0;
    });
    if (problem >= problems_.count) {
      a_.limit[l] = -1;
      return;
    }
    a_.limit_lane(l, problems_.columns_of(problem));
    ++busy_;
    lane.problem = problem;
    problems_.fill(problem, y_, cost_);
    for (Index i = 0; i < a_.rows; ++i) {
      item(a_.y, i, l) = y_[at(i)];
      item(a_.cost, i, l) = cost_[at(i)];
      item(a_.z, i, l) = item(a_.zs, i, l) = 0;
    }
    lane.objective = losses(l, 0.0);
    a_.gradient[l] = 1;
  }

  // The sum of losses at z + step zs; leaves slopes and curvatures there.
  double losses(std::size_t l, double step) {
    double sum = 0;
    LogisticSum logistic;
    const bool is_logistic = options_.loss == Loss::logistic, is_hinge = hinge();
    for (Index i = 0; i < a_.rows; ++i) {
      const double c = item(a_.cost, i, l), y = item(a_.y, i, l);
      if (c == 0) {
        item(a_.slope, i, l) = item(a_.curve, i, l) = 0;
        continue;
      }
      const double t = y * (item(a_.z, i, l) + step * item(a_.zs, i, l));
      const RowLoss loss = is_logistic ? logistic.at(t, c)
                           : is_hinge  ? rounded_hinge_at(t, lanes_[l].width)
                                       : squared_hinge_at(t);
      sum += c * loss.value;
      item(a_.slope, i, l) = c * y * loss.slope;
      item(a_.curve, i, l) = c * loss.curve;
    }
    return sum + logistic.logs();
  }

  void advance(std::size_t l) {
    Lane& lane = lanes_[l];
    if (lane.problem < 0) return;
    if (a_.gradient[l] != 0) {
      take_gradient(l);
      return;
    }
    ++lane.inner;
    if (std::sqrt(a_.rr[l]) <= lane.inner_target || a_.rz[l] == 0 ||
        lane.inner >= a_.limit[l] + 10) {
      if (a_.step[l] != 0) settle(a_);
      take_step(l);
    }
  }

  // The gradient is in t: stop, or start conjugate gradients for the next step.
  void take_gradient(std::size_t l) {
    Lane& lane = lanes_[l];
    double norm2 = 0, weight = 0;
    for_columns(l, [&](Index j) { norm2 += item(a_.t, j, l) * item(a_.t, j, l); });
    for (Index i = 0; i < a_.rows; ++i) weight += item(a_.curve, i, l);
    // The objective is exact to its rounding errors long before the gradient is, on which the proof
    // of a gap depends: steps go on while they make it much smaller.
    lane.stalled = lane.at_limit && !(std::sqrt(norm2) < 0.5 * lane.gradient_norm);
    lane.gradient_norm = std::sqrt(norm2);
    if (lane.steps == 0) lane.first_norm = lane.gradient_norm;
    double target = options_.loss == Loss::logistic
                        ? options_.tolerance
                        : std::sqrt(2 * options_.tolerance * lane.objective);
    if (hinge()) {
      if (!narrow_or_finish(l, norm2)) return;
      target = 0.5 * std::sqrt(2 * options_.tolerance * lane.hinge);
    } else if (lane.gradient_norm <= target || lane.stalled ||
               lane.steps >= options_.max_iterations) {
      // A squared hinge that is not proven to be near its optimum must not say so.
      const bool enough = lane.stalled && options_.loss == Loss::logistic;
      finish(l, lane.gradient_norm <= target || enough);
      return;
    }
    const double mean = a_.rows > 0 ? weight / static_cast<double>(a_.rows) : 0.0;
    a_.gradient[l] = 0;
    a_.search[l] = 1;
    a_.rz[l] = a_.descent[l] = 0;
    for_columns(l, [&](Index j) {
      const bool bias = j == a_.cols;
      const double penalty = bias ? a_.bias_penalty : 1.0;
      const double scale = penalty + mean * squares_[at(j)];
      const double inverse = scale > 0 ? 1 / scale : 1.0;
      const double residual = -item(a_.t, j, l);
      item(a_.inverse, j, l) = inverse;
      item(a_.r, j, l) = residual;
      item(a_.p, j, l) = inverse * residual;
      item(a_.s, j, l) = 0;
      a_.rz[l] += residual * residual * inverse;
    });
    for (Index i = 0; i < a_.rows; ++i) item(a_.zs, i, l) = 0;
    lane.inner = 0;
    // Tight enough for fast convergence, no tighter than the final tolerance needs.
    const double forcing = std::min(0.1, std::sqrt(lane.gradient_norm / lane.first_norm));
    lane.inner_target = std::max(forcing * lane.gradient_norm, 0.3 * target);
  }

  // The hinge: the slopes of the rounded one are a dual point of it, whose distance to the
  // objective is what rounding costs plus 1/2 |gradient|^2. False if the gradient must be collected
  // again, because the corner became sharper, or if the problem is done.
  bool narrow_or_finish(std::size_t l, double norm2) {
    constexpr double k_sharper = 0.2, k_sharpest = 1e-12;
    Lane& lane = lanes_[l];
    double ww = 0, own = 0;  // |w|^2, and that of the weights of the dual point
    for_columns(l, [&](Index j) {
      const double penalty = j == a_.cols ? a_.bias_penalty : 1.0;
      const double w = penalty * item(a_.w, j, l), dual = w - item(a_.t, j, l);
      ww += w * w;
      own += dual * dual;
    });
    double loss = 0, sum = 0;
    for (Index i = 0; i < a_.rows; ++i) {
      const double y = item(a_.y, i, l);
      loss += item(a_.cost, i, l) * std::max(0.0, 1 - y * item(a_.z, i, l));
      sum -= y * item(a_.slope, i, l);
    }
    lane.hinge = 0.5 * ww + loss;
    const double dual = sum - 0.5 * own;
    lane.best_dual = std::max(lane.best_dual, dual);
    const bool converged = lane.hinge - lane.best_dual <= options_.tolerance * lane.hinge;
    const double rounding = lane.hinge - dual - 0.5 * norm2;
    const bool sharper = lane.width > k_sharpest && (0.5 * norm2 <= 0.2 * rounding || lane.stalled);
    if (converged || lane.steps >= options_.max_iterations || (lane.stalled && !sharper)) {
      finish(l, converged);
      return false;
    }
    if (!sharper) return true;
    lane.width *= k_sharper;
    lane.at_limit = false;
    lane.objective = 0.5 * ww + losses(l, 0.0);
    return false;
  }

  // The Newton step is in s, its scores in zs: backtrack until the objective falls enough.
  void take_step(std::size_t l) {
    Lane& lane = lanes_[l];
    double ws = 0, ss = 0, ww = 0;
    for_columns(l, [&](Index j) {
      const double penalty = j == a_.cols ? a_.bias_penalty : 1.0;
      const double w = item(a_.w, j, l), s = item(a_.s, j, l);
      ww += penalty * w * w;
      ws += penalty * w * s;
      ss += penalty * s * s;
    });
    double step = 1, objective = 0;
    lane.at_limit = -a_.descent[l] <= 1e-13 * lane.objective;
    for (;; step /= 2) {
      objective = 0.5 * (ww + 2 * step * ws + step * step * ss) + losses(l, step);
      if (lane.at_limit || objective <= lane.objective + 0.01 * step * a_.descent[l]) break;
      if (step < 1e-10) {
        lane.at_limit = true;
        step = 0;
        objective = 0.5 * ww + losses(l, 0.0);
        break;
      }
    }
    lane.objective = objective;
    ++lane.steps;
    for_columns(l, [&](Index j) {
      item(a_.w, j, l) += step * item(a_.s, j, l);
      item(a_.p, j, l) = item(a_.r, j, l) = 0;
    });
    for (Index i = 0; i < a_.rows; ++i) item(a_.z, i, l) += step * item(a_.zs, i, l);
    a_.search[l] = 0;
    a_.gradient[l] = 1;
  }

  void finish(std::size_t l, bool converged) {
    const Lane& lane = lanes_[l];
    LinearResult& out = results_[at(lane.problem)];
    out.w.resize(at(a_.limit[l]));
    for (Index j = 0; j < a_.limit[l]; ++j) out.w[at(j)] = item(a_.w, j, l);
    out.b = item(a_.w, a_.cols, l);
    out.certificate.objective = hinge() ? lane.hinge : lane.objective;
    out.certificate.gradient_norm = lane.gradient_norm;
    // The objective is at least as curved as 1/2 |.|^2 if everything is penalised.
    if (hinge()) {
      out.certificate.gap = std::max(0.0, lane.hinge - lane.best_dual);
    } else if (options_.bias != Bias::free) {
      out.certificate.gap = 0.5 * lane.gradient_norm * lane.gradient_norm;
    }
    out.certificate.iterations = lane.steps;
    out.certificate.converged = converged;
    --busy_;
    const auto done = static_cast<double>(queue_.done.fetch_add(1) + 1);
    ctx_.step(done / static_cast<double>(problems_.count));
    start(l);
  }

  const LinearProblems& problems_;
  const LinearOptions& options_;
  std::span<const double> squares_;
  Queue& queue_;
  std::span<LinearResult> results_;
  const Context& ctx_;
  Panel<B> a_;
  std::vector<std::int8_t> y_;
  std::vector<double> cost_;
  std::array<Lane, B> lanes_ = {};
  int busy_ = 0;
};

template <int B>
void solve_in_panels(const LinearProblems& problems, const LinearOptions& options,
                     std::span<LinearResult> results, const Context& ctx) {
  const std::vector<double> squares = column_squares(problems.x);
  Queue queue;
  const Index panels = std::min<Index>(ctx.threads(), chunk_count(problems.count, B));
  parallel_for(ctx, panels,
               [&](Index) { Solver<B>(problems, options, squares, queue, results, ctx).run(); });
}

}  // namespace

std::vector<double> column_squares(const Features& x) {
  std::vector<double> out(at(x.cols()) + 1);
  RowWindow window(x);
  for (Index i = 0; i < x.rows(); ++i) {
    if (x.is_sparse()) {
      x.visit_row(i, [&](const auto* index, const auto* value, Index count) {
        for (Index k = 0; k < count; ++k) {
          const auto v = static_cast<double>(value[k]);
          out[at(index[k])] += v * v;
        }
      });
    } else {
      const auto row = window.values(i);
      for (std::size_t j = 0; j < row.size(); ++j) out[j] += row[j] * row[j];
    }
  }
  out.back() = static_cast<double>(x.rows());
  return out;
}

std::vector<LinearResult> solve_by_newton(const LinearProblems& problems,
                                          const LinearOptions& options, const Context& ctx) {
  MULBERRY_ASSERT(options.loss != Loss::hinge || options.bias != Bias::free);
  std::vector<LinearResult> results(at(problems.count));
  // Enough lanes to share passes, few enough to keep every thread busy.
  const Index each = problems.count / std::max(1, ctx.threads());
  if (each > 4) {
    solve_in_panels<8>(problems, options, results, ctx);
  } else if (each > 1) {
    solve_in_panels<4>(problems, options, results, ctx);
  } else {
    solve_in_panels<1>(problems, options, results, ctx);
  }
  return results;
}

}  // namespace mulberry::math

#include "mulberry/learners/mlr/pair_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::learners {

namespace {

constexpr double k_still = 1e-10;  // a gamma that moves by less has converged

struct GroupStep {
  const PairProblem& row;
  double floor;  // C self eta
  PairCoefficients& out;
  std::vector<double>& halves;  // (1 - s_k) / 2 of the assigned labels
  std::vector<double>& sums;    // of their coefficients, four parts each
};

// Four columns at a time, whose sums over the few assigned labels stay in registers.
MULBERRY_INLINE void group_step_body(GroupStep& task) {
  const std::size_t a = task.row.assigned.size(), b = task.row.unassigned.size();
  const double* const halves = task.halves.data();
  double* const sums = task.sums.data();
  const double C = task.row.C;
  const Vector4 nothing = {}, floor = nothing + task.floor;
  const auto run = [&](const double* scores, double* columns) __attribute__((always_inline)) {
    const Vector4 up = *reinterpret_cast<const Vector4*>(scores) * 0.5;
    Vector4 squares = {}, column = {};
    for (std::size_t k = 0; k < a; ++k) {
      const Vector4 e = up + halves[k], h = e > nothing ? e : nothing;
      squares += h * h;
      column += h;
    }
    Vector4 length = squares;
    take_square_roots(length);
    const Vector4 most = length > floor ? length : floor;
    const Vector4 factor = length > nothing ? C / most : nothing;
    *reinterpret_cast<Vector4*>(columns) = column * factor;
    for (std::size_t k = 0; k < a; ++k) {
      const Vector4 e = up + halves[k], h = e > nothing ? e : nothing;
      *reinterpret_cast<Vector4*>(sums + 4 * k) += h * factor;
    }
  };
  const double* const up = task.row.unassigned.data();
  double* const columns = task.out.unassigned.data();
  std::size_t l = 0;
  for (; l + 4 <= b; l += 4) run(up + l, columns + l);
  if (l < b) {
    double scores[4], rest[4];
    std::fill(scores, scores + 4, -std::numeric_limits<double>::infinity());
    std::copy(up + l, up + b, scores);
    run(scores, rest);
    std::copy(rest, rest + (b - l), columns + l);
  }
  for (std::size_t k = 0; k < a; ++k) {
    const double* const four = sums + 4 * k;
    task.out.assigned[k] = (four[0] + four[1]) + (four[2] + four[3]);
  }
}
MULBERRY_DISPATCH(group_step, group_step_body)

// sum_k min(most, max(0, values_k + shift)), and how many terms are within their bounds.
struct ClippedSum {
  const std::vector<double>& values;  // a multiple of four, filled up with minus infinity
  double shift, most;
  double sum = 0, inside = 0;
};

MULBERRY_INLINE void clipped_sum_body(ClippedSum& task) {
  const Vector4 nothing = {}, one = nothing + 1.0, most = nothing + task.most;
  Vector4 sums = {}, inside = {};
  for (std::size_t k = 0; k < task.values.size(); k += 4) {
    const Vector4 v = *reinterpret_cast<const Vector4*>(task.values.data() + k) + task.shift;
    const Vector4 above = v > nothing ? v : nothing;
    sums += above < most ? above : most;
    const Vector4 counted = above < most ? one : nothing;
    inside += v > nothing ? counted : nothing;
  }
  task.sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  task.inside = (inside[0] + inside[1]) + (inside[2] + inside[3]);
}
MULBERRY_DISPATCH(clipped_sum, clipped_sum_body)

void resize(const PairProblem& row, PairCoefficients& out) {
  out.assigned.resize(row.assigned.size());
  out.unassigned.resize(row.unassigned.size());
}

// The sums of gamma's rows and columns.
void add_up(std::span<const double> gamma, std::span<double> rows, std::span<double> columns) {
  const std::size_t b = columns.size();
  std::fill(columns.begin(), columns.end(), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double sum = 0;
    for (std::size_t l = 0; l < b; ++l) {
      sum += gamma[k * b + l];
      columns[l] += gamma[k * b + l];
    }
    rows[k] = sum;
  }
}

// The row's dual objective over C and its ascent.
class ExactBlock {
 public:
  ExactBlock(PairLoss loss, const PairProblem& row)
      : loss_(loss),
        row_(row),
        a_(row.assigned.size()),
        b_(row.unassigned.size()),
        curvature_(row.C * row.self),
        rows_(a_),
        columns_(b_) {}

  double value(std::span<const double> gamma) {
    add_up(gamma, rows_, columns_);
    double out = 0;
    for (std::size_t k = 0; k < a_; ++k) {
      out += (1 - row_.assigned[k]) * rows_[k] - 0.5 * curvature_ * rows_[k] * rows_[k];
    }
    for (std::size_t l = 0; l < b_; ++l) {
      out += row_.unassigned[l] * columns_[l] - 0.5 * curvature_ * columns_[l] * columns_[l];
    }
    return out;
  }

  // One projected gradient step from `at`, with the length that can never overshoot.
  void step(std::span<const double> at, std::span<double> to) {
    add_up(at, rows_, columns_);
    const double length = 1 / (curvature_ * static_cast<double>(a_ + b_));
    for (std::size_t k = 0; k < a_; ++k) {
      const double own = 1 - row_.assigned[k] - curvature_ * rows_[k];
      for (std::size_t l = 0; l < b_; ++l) {
        const double gradient = own + row_.unassigned[l] - curvature_ * columns_[l];
        to[k * b_ + l] = at[k * b_ + l] + length * gradient;
      }
    }
    project_pairs(loss_, a_, b_, to);
  }

  // Without curvature the best gamma is the one that points along h.
  void linear(std::span<double> gamma) const {
    for (std::size_t l = 0; l < b_; ++l) {
      double squares = 0;
      for (std::size_t k = 0; k < a_; ++k) {
        const double h = std::max(0.0, 1 - row_.assigned[k] + row_.unassigned[l]);
        gamma[k * b_ + l] = loss_ == PairLoss::group ? h : (h > 0 ? 1 : 0);
        squares += h * h;
      }
      if (loss_ == PairLoss::sum || squares == 0) continue;
      for (std::size_t k = 0; k < a_; ++k) gamma[k * b_ + l] /= std::sqrt(squares);
    }
  }

 private:
  PairLoss loss_;
  const PairProblem& row_;
  std::size_t a_, b_;
  double curvature_;
  std::vector<double> rows_, columns_;
};

void ascend(ExactBlock& block, Index steps, std::span<double> gamma) {
  const std::vector<double> begin(gamma.begin(), gamma.end());
  std::vector<double> ahead = begin, next(begin.size());
  double momentum = 1;
  for (Index s = 0; s < steps; ++s) {
    block.step(ahead, next);
    double against = 0, moved = 0;
    for (std::size_t j = 0; j < next.size(); ++j) {
      against += (ahead[j] - next[j]) * (next[j] - gamma[j]);
      moved = std::max(moved, std::abs(next[j] - gamma[j]));
    }
    if (against > 0) momentum = 1;
    const double grown = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double push = against > 0 ? 0 : (momentum - 1) / grown;
    for (std::size_t j = 0; j < next.size(); ++j) {
      ahead[j] = next[j] + push * (next[j] - gamma[j]);
      gamma[j] = next[j];
    }
    momentum = grown;
    if (moved <= k_still) break;
  }
  // Momentum may overshoot when it is clipped; a plain step never does.
  if (steps > 1 && block.value(gamma) < block.value(begin)) block.step(begin, gamma);
}

}  // namespace

double pair_loss(PairLoss loss, const PairProblem& row) {
  double out = 0;
  for (const double up : row.unassigned) {
    double sum = 0;
    for (const double down : row.assigned) {
      const double h = std::max(0.0, 1 - down + up);
      sum += loss == PairLoss::group ? h * h : h;
    }
    out += loss == PairLoss::group ? std::sqrt(sum) : sum;
  }
  return out;
}

void approximate_group_step(const PairProblem& row, double eta, PairCoefficients& out) {
  resize(row, out);
  std::vector<double> halves(row.assigned.size()), sums(4 * halves.size());
  for (std::size_t k = 0; k < halves.size(); ++k) halves[k] = 0.5 * (1 - row.assigned[k]);
  GroupStep task{row, row.C * row.self * eta, out, halves, sums};
  group_step(task);
}

// With t_k = (1/2 - y_k s_k) / self, the coefficients are t_k - y_k mu clipped to their bounds, for
// the mu that makes both sums equal.
void relaxed_sum_step(const PairProblem& row, PairCoefficients& out) {
  resize(row, out);
  const std::size_t a = row.assigned.size(), b = row.unassigned.size();
  const double most_up = row.C * static_cast<double>(b), most_down = row.C * static_cast<double>(a);
  if (!(row.self > 0)) {
    std::fill(out.assigned.begin(), out.assigned.end(), most_up);
    std::fill(out.unassigned.begin(), out.unassigned.end(), most_down);
    return;
  }
  const auto targets = [&](std::span<const double> scores, double sign) {
    std::vector<double> t((scores.size() + 3) / 4 * 4, -std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < scores.size(); ++k) t[k] = (0.5 - sign * scores[k]) / row.self;
    return t;
  };
  const std::vector<double> up = targets(row.assigned, 1), down = targets(row.unassigned, -1);
  // At the lower end every assigned label is at its bound and the others are at 0; at the upper end
  // it is the other way round.
  double low = 0, high = 0;
  for (std::size_t k = 0; k < a; ++k) {
    low = std::min(low, up[k] - most_up);
    high = std::max(high, up[k]);
  }
  for (std::size_t l = 0; l < b; ++l) {
    low = std::min(low, -down[l]);
    high = std::max(high, most_down - down[l]);
  }
  // Newton's method ends on the linear piece that holds the root; bisection keeps it from cycling.
  double mu = 0.5 * (low + high);
  for (int round = 0; round < 200; ++round) {
    ClippedSum yes{up, -mu, most_up}, no{down, mu, most_down};
    clipped_sum(yes);
    clipped_sum(no);
    const double value = yes.sum - no.sum, slope = yes.inside + no.inside;
    if (value == 0) break;
    (value > 0 ? low : high) = mu;
    double next = slope > 0 ? mu + value / slope : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == mu || next <= low || next >= high) break;
    mu = next;
  }
  for (std::size_t k = 0; k < a; ++k) out.assigned[k] = std::clamp(up[k] - mu, 0.0, most_up);
  for (std::size_t l = 0; l < b; ++l) out.unassigned[l] = std::clamp(down[l] + mu, 0.0, most_down);
}

// Clipping at 0 and then shortening columns (group) or entries (sum) to 1 is exact: both sets are
// cones cut off by balls or boxes around their tips.
void project_pairs(PairLoss loss, std::size_t a, std::size_t b, std::span<double> gamma) {
  const double most = loss == PairLoss::sum ? 1 : std::numeric_limits<double>::infinity();
  for (double& g : gamma) g = std::clamp(g, 0.0, most);
  if (loss == PairLoss::sum) return;
  for (std::size_t l = 0; l < b; ++l) {
    double squares = 0;
    for (std::size_t k = 0; k < a; ++k) squares += gamma[k * b + l] * gamma[k * b + l];
    if (squares <= 1) continue;
    const double shrink = 1 / std::sqrt(squares);
    for (std::size_t k = 0; k < a; ++k) gamma[k * b + l] *= shrink;
  }
}

void add_up_pairs(std::size_t a, std::size_t b, std::span<const double> gamma, double C,
                  PairCoefficients& out) {
  out.assigned.resize(a);
  out.unassigned.resize(b);
  add_up(gamma, out.assigned, out.unassigned);
  for (double& v : out.assigned) v *= C;
  for (double& v : out.unassigned) v *= C;
}

void exact_step(PairLoss loss, const PairProblem& row, Index steps, std::span<double> gamma,
                PairCoefficients& out) {
  MULBERRY_ASSERT(gamma.size() == row.assigned.size() * row.unassigned.size());
  ExactBlock block(loss, row);
  if (row.self > 0) {
    ascend(block, steps, gamma);
  } else {
    block.linear(gamma);
  }
  add_up_pairs(row.assigned.size(), row.unassigned.size(), gamma, row.C, out);
}

}  // namespace mulberry::learners

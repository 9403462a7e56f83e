#include "mulberry/math/pair_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/math/vectors.hpp"

namespace mulberry {

namespace {

constexpr double k_still = 1e-10;  // a gamma that moves by less has arrived

struct GroupStep {
  const PairProblem& row;
  double floor;  // C self eta
  PairCoefficients& out;
  std::vector<double>& factor;
};

// Columns side by side: the loops over l are the long ones.
MULBERRY_INLINE void group_step_body(GroupStep& task) {
  constexpr std::size_t k_lanes = 4;
  const std::size_t a = task.row.assigned.size(), b = task.row.unassigned.size();
  const double* const up = task.row.unassigned.data();
  double* const column = task.out.unassigned.data();
  double* const factor = task.factor.data();
  for (std::size_t l = 0; l < b; ++l) column[l] = factor[l] = 0;
  for (std::size_t k = 0; k < a; ++k) {
    const double offset = 1 - task.row.assigned[k];
    for (std::size_t l = 0; l < b; ++l) {
      const double e = 0.5 * (offset + up[l]), h = e > 0 ? e : 0;
      factor[l] += h * h;
      column[l] += h;
    }
  }
  const double C = task.row.C;
  for (std::size_t l = 0; l < b; ++l) {
    const double length = std::sqrt(factor[l]);
    factor[l] = length > 0 ? C / std::max(task.floor, length) : 0;
    column[l] *= factor[l];
  }
  for (std::size_t k = 0; k < a; ++k) {
    const double offset = 1 - task.row.assigned[k];
    double sums[k_lanes] = {};
    std::size_t l = 0;
    for (; l + k_lanes <= b; l += k_lanes) {
      for (std::size_t j = 0; j < k_lanes; ++j) {
        const double e = 0.5 * (offset + up[l + j]), h = e > 0 ? e : 0;
        sums[j] += h * factor[l + j];
      }
    }
    for (std::size_t j = 0; l < b; ++l, ++j) {
      const double e = 0.5 * (offset + up[l]), h = e > 0 ? e : 0;
      sums[j] += h * factor[l];
    }
    task.out.assigned[k] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}
MULBERRY_DISPATCH(group_step, group_step_body)

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
  // Momentum may overshoot when it is cut off; a plain step never does.
  if (steps > 1 && block.value(gamma) < block.value(begin)) block.step(begin, gamma);
}

// sum_k y_k alpha_k of the relaxed problem and its slope, at the multiplier lambda.
struct Balance {
  double value = 0, slope = 0;
};

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
  std::vector<double> factor(row.unassigned.size());
  GroupStep task{row, row.C * row.self * eta, out, factor};
  group_step(task);
}

void relaxed_sum_step(const PairProblem& row, PairCoefficients& out) {
  resize(row, out);
  const double a = static_cast<double>(row.assigned.size());
  const double b = static_cast<double>(row.unassigned.size());
  const double most_up = row.C * b, most_down = row.C * a;
  if (!(row.self > 0)) {
    std::fill(out.assigned.begin(), out.assigned.end(), most_up);
    std::fill(out.unassigned.begin(), out.unassigned.end(), most_down);
    return;
  }
  const auto balance = [&](double lambda) {
    Balance at;
    for (std::size_t k = 0; k < row.assigned.size(); ++k) {
      const double v = (0.5 - row.assigned[k] - lambda) / row.self;
      out.assigned[k] = std::clamp(v, 0.0, most_up);
      at.value += out.assigned[k];
      at.slope -= v > 0 && v < most_up ? 1 / row.self : 0;
    }
    for (std::size_t l = 0; l < row.unassigned.size(); ++l) {
      const double v = (0.5 + row.unassigned[l] + lambda) / row.self;
      out.unassigned[l] = std::clamp(v, 0.0, most_down);
      at.value -= out.unassigned[l];
      at.slope -= v > 0 && v < most_down ? 1 / row.self : 0;
    }
    return at;
  };
  // At the lower end every assigned label is at its bound, at the upper end every other label is.
  double low = 0, high = 0;
  for (const double s : row.assigned) low = std::min(low, 0.5 - s - row.self * most_up);
  for (const double s : row.unassigned) low = std::min(low, -0.5 - s);
  for (const double s : row.assigned) high = std::max(high, 0.5 - s);
  for (const double s : row.unassigned) high = std::max(high, row.self * most_down - 0.5 - s);
  // Newton's method ends on the linear piece that holds the root; bisection keeps it from cycling.
  double lambda = 0.5 * (low + high);
  for (int round = 0; round < 200; ++round) {
    const Balance at = balance(lambda);
    if (at.value == 0) break;
    (at.value > 0 ? low : high) = lambda;
    double next = at.slope < 0 ? lambda - at.value / at.slope : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == lambda || next <= low || next >= high) break;
    lambda = next;
  }
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

}  // namespace mulberry

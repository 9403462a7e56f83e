#include "mulberry/compare/rank_tests.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/compare/tied_ranks.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/statistics/distributions.hpp"

namespace mulberry::compare {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Matrix rank_rows(MatrixView gains) {
  Matrix out(gains.rows(), gains.cols());
  for (Index i = 0; i < gains.rows(); ++i) {
    std::vector<double> losses(gains.row(i).begin(), gains.row(i).end());
    for (double& v : losses) v = -v;
    std::ranges::copy(tied_ranks(losses).ranks, out.row(i).begin());
  }
  return out;
}

std::vector<double> mean_ranks(MatrixView ranks) {
  std::vector<double> out(at(ranks.cols()), 0.0);
  for (Index i = 0; i < ranks.rows(); ++i) {
    for (Index j = 0; j < ranks.cols(); ++j) out[at(j)] += ranks(i, j);
  }
  for (double& v : out) v /= static_cast<double>(ranks.rows());
  return out;
}

FriedmanTest friedman(MatrixView gains) {
  const auto n = static_cast<double>(gains.rows()), k = static_cast<double>(gains.cols());
  if (n < 2 || k < 2) return {k_nan, k_nan, k_nan, k_nan, k_nan, k_nan};
  double ties = 0;
  std::vector<double> sums(at(gains.cols()), 0.0);
  for (Index i = 0; i < gains.rows(); ++i) {
    const TiedRanks row = tied_ranks(gains.row(i));  // the direction does not matter
    ties += row.ties;
    for (Index j = 0; j < gains.cols(); ++j) sums[at(j)] += row.ranks[at(j)];
  }
  const double correction = 1 - ties / (k * (k * k - 1) * n);
  FriedmanTest out{.freedom = k - 1, .freedom_below = (k - 1) * (n - 1)};
  if (correction <= 0) {
    out.chi_square = out.f = k_nan;
    out.chi_square_p = out.f_p = 1;
    return out;
  }
  double squares = 0;  // around the mean, so that nothing cancels
  for (const double sum : sums) squares += std::pow(sum - n * (k + 1) / 2, 2);
  out.chi_square = 12 * squares / (k * n * (k + 1)) / correction;
  out.chi_square_p = chi_square_tail(out.chi_square, out.freedom);
  const double rest = n * (k - 1) - out.chi_square;  // 0 if all sets agree about all learners
  out.f = rest > 1e-12 * n * k ? (n - 1) * out.chi_square / rest
                               : std::numeric_limits<double>::infinity();
  out.f_p = f_tail(out.f, out.freedom, out.freedom_below);
  return out;
}

// The largest of the values is at z, and the others lie within q below it:
//     P(range <= q) = count * integral of phi(z) (Phi(z) - Phi(z - q))^(count - 1) dz.
// The tail is integrated, not 1 minus this, so that small ones keep their digits. The integrand is
// analytic and vanishes at both ends, where the trapezoidal rule converges faster than any power.
double range_tail(double q, Index count) {
  MULBERRY_ASSERT(count >= 2 && !std::isnan(q));
  if (q <= 0) return 1;
  if (std::isinf(q)) return 0;
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  constexpr double k_step = 1.0 / 32, k_end = 12;
  const auto others = static_cast<double>(count - 1);
  double sum = 0;
  for (double z = -k_end; z <= k_end; z += k_step) {
    const double whole = below(z), outside = std::min(below(z - q) / whole, 1.0);
    // Phi^others (1 - (1 - outside)^others)
    sum += std::exp(-z * z / 2) * std::pow(whole, others) *
           (outside < 1 ? -std::expm1(others * std::log1p(-outside)) : 1.0);
  }
  const double root = std::sqrt(2 * std::acos(-1.0));
  return std::min(1.0, static_cast<double>(count) * k_step * sum / root);
}

double range_quantile(double tail, Index count) {
  MULBERRY_ASSERT(tail > 0 && tail < 1);
  double low = 0, high = 1;
  while (range_tail(high, count) > tail) high *= 2;
  for (int step = 0; step < 100 && high - low > 1e-15 * high; ++step) {
    const double middle = (low + high) / 2;
    (range_tail(middle, count) > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

namespace {

// Deviation of a difference of two mean ranks, divided by the square root of 2.
double rank_unit(Index learners, Index sets) {
  const auto k = static_cast<double>(learners);
  return std::sqrt(k * (k + 1) / (12 * static_cast<double>(sets)));
}

}  // namespace

double critical_difference(Index learners, Index sets, double alpha) {
  return range_quantile(alpha, learners) * rank_unit(learners, sets);
}

Matrix nemenyi(MatrixView gains) {
  const Index k = gains.cols();
  const std::vector<double> ranks = mean_ranks(rank_rows(gains));
  Matrix out(k, k, 1.0);
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < a; ++b) {
      const double q = std::abs(ranks[at(a)] - ranks[at(b)]) / rank_unit(k, gains.rows());
      out(a, b) = out(b, a) = range_tail(q, k);
    }
  }
  return out;
}

}  // namespace mulberry::compare

#include "mulberry/math/statistics/summaries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"

namespace mulberry::math {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// The continued fraction of the incomplete beta function, by the modified Lentz method.
double beta_fraction(double x, double a, double b) {
  constexpr double k_tiny = 1e-300;
  constexpr int k_most_terms = 10000;
  const auto away_from_zero = [](double v) { return std::abs(v) < k_tiny ? k_tiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m <= k_most_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < 1e-16) break;
  }
  return value;
}

// lgamma is not safe to call from several threads in every C library; this is (Stirling's series
// after shifting the argument up).
double log_gamma(double x) {
  double shift = 0;
  for (; x < 12; x += 1) shift += std::log(x);
  const double z = 1 / (x * x);
  const double series =
      (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / x;
  constexpr double k_half_log_two_pi = 0.91893853320467274178;
  return (x - 0.5) * std::log(x) - x + k_half_log_two_pi + series - shift;
}

// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double x, double a, double b) {
  MULBERRY_ASSERT(a > 0 && b > 0 && x >= 0 && x <= 1);
  if (x == 0 || x == 1) return x;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  // The fraction converges fast only on one side of the mean.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

// The upper tail P(T > t) for t >= 0, accurate even if it is small.
double upper_tail(double t, double freedom) {
  return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

}  // namespace

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return k_nan;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double sorted_quantile(std::span<const double> sorted, double p) {
  if (sorted.empty()) return k_nan;
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(place));
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - std::floor(place)) * (sorted[high] - sorted[low]);
}

double student_t_quantile(double p, double freedom) {
  MULBERRY_ASSERT(p > 0 && p < 1 && freedom > 0);
  if (p == 0.5) return 0;
  const double tail = std::min(p, 1 - p);
  double low = 0, high = 1;
  while (upper_tail(high, freedom) > tail) {
    low = high;
    high *= 2;
  }
  for (int step = 0; step < 200 && high - low > 1e-15 * high; ++step) {
    const double middle = (low + high) / 2;
    (upper_tail(middle, freedom) > tail ? low : high) = middle;
  }
  return p < 0.5 ? -(low + high) / 2 : (low + high) / 2;
}

}  // namespace mulberry::math

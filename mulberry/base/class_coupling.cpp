#include "mulberry/base/class_coupling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mulberry::base {

void couple_classes(std::span<const double> wins, std::span<double> shares) {
  constexpr double k_least = 1e-7;  // of a share in a duel: nothing is certain
  const std::size_t count = shares.size();
  std::vector<double> q(count * count, 0.0), product(count, 0.0);
  std::size_t pair = 0;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const double win = std::clamp(wins[pair++], k_least, 1 - k_least), loss = 1 - win;
      q[a * count + b] = q[b * count + a] = -win * loss;
      q[a * count + a] += loss * loss;
      q[b * count + b] += win * win;
    }
  }
  std::fill(shares.begin(), shares.end(), 1 / static_cast<double>(count));
  const std::size_t most = std::max<std::size_t>(100, count);
  for (std::size_t iteration = 0; iteration < most; ++iteration) {
    double value = 0, error = 0;  // p' Q p, and how far Q p is from it in each class
    for (std::size_t a = 0; a < count; ++a) {
      product[a] = 0;
      for (std::size_t b = 0; b < count; ++b) product[a] += q[a * count + b] * shares[b];
      value += shares[a] * product[a];
    }
    for (const double v : product) error = std::max(error, std::abs(v - value));
    if (error < 1e-6 / static_cast<double>(count)) break;
    for (std::size_t a = 0; a < count; ++a) {
      const double step = (value - product[a]) / q[a * count + a], all = 1 + step;
      shares[a] += step;
      value = (value + step * (step * q[a * count + a] + 2 * product[a])) / (all * all);
      for (std::size_t b = 0; b < count; ++b) {
        product[b] = (product[b] + step * q[a * count + b]) / all;
        shares[b] /= all;
      }
    }
  }
  double sum = 0;
  for (double& p : shares) sum += p = std::max(p, 0.0);
  for (double& p : shares) p /= sum;
}

}  // namespace mulberry::base

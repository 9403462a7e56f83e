#include "mulberry/learners/sets/set_boosting.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/resample/row_draws.hpp"

namespace mulberry::learners {
namespace {

constexpr double k_rounding = 1e-12;  // an error rate this close to chance counts as chance

}  // namespace

std::vector<double> draw_counts(std::span<const double> weights, Random random) {
  const std::vector<double> sums = running_sums(weights);
  std::vector<double> counts(weights.size(), 0.0);
  for (std::size_t draw = 0; draw < weights.size(); ++draw)
    counts[draw_by_weight(sums, random)] += 1;
  return counts;
}

double wrong_share(std::span<const double> mass, std::span<const std::uint8_t> wrong) {
  double total = 0, bad = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    total += mass[i];
    if (wrong[i] != 0) bad += mass[i];
  }
  return bad / total;
}

bool worse_than_chance(double error, Id classes) {
  return error > (classes - 1.0) / classes + k_rounding;
}

double vote_weight(double error, Id classes, double rows) {
  const double margin = 1 / (2 * rows);
  const double e = std::clamp(error, margin, 1 - margin);
  const double vote = (std::log((1 - e) / e) + std::log(classes - 1.0)) / classes;
  return vote > k_rounding ? vote : 0.0;
}

void reweigh(std::vector<double>& weights, double vote, std::span<const std::uint8_t> wrong,
             double factor, std::span<const int> others_wrong) {
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (wrong[i] != 0) weights[i] *= std::exp(vote);
    weights[i] *= std::pow(factor, others_wrong[i]);
    total += weights[i];
  }
  for (double& w : weights) w /= total;
}

}  // namespace mulberry::learners

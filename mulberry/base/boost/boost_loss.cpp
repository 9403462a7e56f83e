#include "mulberry/base/boost/boost_loss.hpp"

#include <algorithm>
#include <cmath>

namespace mulberry::base {
namespace {

// ln(1 + exp(v)) without overflow.
double softplus(double v) { return std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))); }

}  // namespace

double sigmoid(double score) {
  const double e = std::exp(-std::abs(score));
  return score >= 0 ? 1 / (1 + e) : e / (1 + e);
}

double log_z_of(const LossRow& row) {
  // The largest of 0 and the exponents stays outside of the sum.
  double top = 0;
  const auto exponent = [&](std::size_t k) {
    return std::log(row.weight(k)) - static_cast<double>(row.truth[k]) * row.scores[k];
  };
  for (std::size_t k = 0; k < row.truth.size(); ++k) {
    if (row.truth[k] != 0) top = std::max(top, exponent(k));
  }
  double sum = std::exp(-top);
  for (std::size_t k = 0; k < row.truth.size(); ++k) {
    if (row.truth[k] != 0) sum += std::exp(exponent(k) - top);
  }
  return top + std::log(sum);
}

double loss_of(BoostLoss loss, const LossRow& row) {
  if (loss == BoostLoss::row_logistic) return log_z_of(row);
  double out = 0;
  for (std::size_t k = 0; k < row.truth.size(); ++k) {
    if (row.truth[k] == 0) continue;
    const double y = row.truth[k], p = row.scores[k];
    out += row.weight(k) * (loss == BoostLoss::squared ? (p - y) * (p - y) / 2 : softplus(-y * p));
  }
  return out;
}

void cell_derivatives(BoostLoss loss, double truth, double weight, double score, double log_z,
                      double& g, double& h) {
  g = h = 0;
  if (truth == 0) return;
  switch (loss) {
    case BoostLoss::logistic: {
      const double wrong = sigmoid(-truth * score);
      g = -weight * truth * wrong;
      h = weight * wrong * (1 - wrong);
      break;
    }
    case BoostLoss::row_logistic: {
      const double q = weight * std::exp(-truth * score - log_z);
      g = -truth * q;
      h = q * (1 - q);
      break;
    }
    case BoostLoss::squared:
      g = weight * (score - truth);
      h = weight;
      break;
  }
}

void derivatives(BoostLoss loss, const LossRow& row, std::span<double> g, std::span<double> h) {
  const double log_z = loss == BoostLoss::row_logistic ? log_z_of(row) : 0.0;
  for (std::size_t k = 0; k < row.truth.size(); ++k) {
    cell_derivatives(loss, row.truth[k], row.weight(k), row.scores[k], log_z, g[k], h[k]);
  }
}

void multiply_hessian(std::span<const double> q, std::span<const std::int8_t> truth, double weight,
                      std::span<const double> v, std::span<double> out) {
  double product = 0;
  for (std::size_t k = 0; k < q.size(); ++k) product += truth[k] * q[k] * v[k];
  for (std::size_t k = 0; k < q.size(); ++k) {
    out[k] += weight * q[k] * (v[k] - truth[k] * product);
  }
}

}  // namespace mulberry::base

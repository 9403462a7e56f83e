#include "mulberry/learners/mahr_reuse.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "mulberry/math/hinge_lp.hpp"

namespace mulberry::mahr {
namespace {

constexpr double k_rounding = 1e-12;
constexpr double k_least_price = 1e-6;  // keeps the programme bounded and its solution unique

// Whether the stump alone solves the programme: multipliers that prove it, in one pass.
bool stump_is_optimal(std::span<const double> weights, std::span<const double> own,
                      const Matrix& signs, Index label, double rho) {
  double error = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] * own[i] < 0) error += std::abs(weights[i]);
  }
  if (error > 0.5 - k_least_price) return false;
  std::vector<double> multipliers(weights.begin(), weights.end());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] * own[i] > 0) multipliers[i] *= error / (1 - error);
  }
  for (Index k = 0; k < signs.rows(); ++k) {
    if (k == label) continue;
    const auto column = signs.row(k);
    if (std::abs(std::inner_product(column.begin(), column.end(), multipliers.begin(), 0.0)) > rho)
      return false;
  }
  return true;
}

}  // namespace

Mix best_edge(double own_edge, std::span<const double> edges, Index label, double price) {
  Id best = -1;
  double size = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (static_cast<Index>(k) == label || std::abs(edges[k]) <= size + k_rounding) continue;
    best = static_cast<Id>(k);
    size = std::abs(edges[k]);
  }
  if (best < 0 || !(size > own_edge + std::max(price, k_rounding))) return {};
  return {.own = 0,
          .helpers = {best},
          .weights = {edges[static_cast<std::size_t>(best)] > 0 ? 1.0 : -1.0}};
}

Mix by_programme(std::span<const double> weights, std::span<const double> own, const Matrix& signs,
                 Index label, double rho, bool normalised) {
  if (stump_is_optimal(weights, own, signs, label, rho)) return {};
  std::vector<Id> candidates;
  for (Index k = 0; k < signs.rows(); ++k) {
    if (k != label) candidates.push_back(static_cast<Id>(k));
  }
  HingeRows rows(static_cast<Index>(candidates.size()) + 1);
  std::vector<double> row(candidates.size() + 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const double y = weights[i] > 0 ? 1 : -1;
    row[0] = y * own[i];
    for (std::size_t k = 0; k < candidates.size(); ++k)
      row[k + 1] = y * signs(candidates[k], static_cast<Index>(i));
    rows.add(row, std::abs(weights[i]));
  }
  std::vector<double> prices(row.size(), std::max(rho, k_least_price));
  prices[0] = k_least_price;
  const std::vector<double> b = solve_hinge_lp(rows, prices).b;
  double sum = 0;
  for (const double v : b) sum += std::abs(v);
  const double scale = normalised && sum > 0 ? 1 / sum : 1.0;
  Mix out{.own = b[0] * scale};
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (b[k + 1] == 0) continue;
    out.helpers.push_back(candidates[k]);
    out.weights.push_back(b[k + 1] * scale);
  }
  return out;
}

double step_of(double gamma, Index rows) {
  if (gamma <= k_rounding) return 0;
  const double most = 0.5 - 0.5 / static_cast<double>(std::max<Index>(rows, 2));
  const double g = std::min(gamma, most);
  return 0.5 * std::log((0.5 + g) / (0.5 - g));
}

Twins find_twins(const Matrix& signs) {
  Twins out;
  out.members.resize(static_cast<std::size_t>(signs.rows()));
  std::map<std::vector<std::uint64_t>, Id> seen;
  for (Index k = 0; k < signs.rows(); ++k) {
    const auto row = signs.row(k);
    const double agrees = row.empty() ? 1.0 : row[0];
    std::vector<std::uint64_t> bits(row.size() / 64 + 1);
    for (std::size_t i = 0; i < row.size(); ++i)
      bits[i / 64] |= static_cast<std::uint64_t>(row[i] == agrees) << (i % 64);
    const auto id = static_cast<Id>(k);
    const Id first = seen.emplace(std::move(bits), id).first->second;
    out.first.push_back(first);
    out.agrees.push_back(agrees * signs(first, 0));
    out.members[static_cast<std::size_t>(first)].push_back(id);
  }
  return out;
}

}  // namespace mulberry::mahr

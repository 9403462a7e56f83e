#include "mulberry/compare/signed_rank.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mulberry/compare/tied_ranks.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/statistics/distributions.hpp"

namespace mulberry::compare {
namespace {

constexpr std::size_t k_most_exact = 50;

std::vector<double> without_nan(std::span<const double> differences) {
  std::vector<double> out(differences.begin(), differences.end());
  for (double& d : out) d = std::isnan(d) ? 0.0 : d;
  return out;
}

// P(S <= sum) and P(S >= sum) for the sum S of those ranks whose sign is plus, all signs being
// equally likely. Ranks are multiples of one half, so twice the sum is a whole number.
std::pair<double, double> sign_tails(const std::vector<double>& ranks, double sum) {
  std::vector<double> chance = {1.0};
  for (const double rank : ranks) {
    const auto step = static_cast<std::size_t>(std::lround(2 * rank));
    std::vector<double> next(chance.size() + step, 0.0);
    for (std::size_t s = 0; s < chance.size(); ++s) {
      next[s] += chance[s] / 2;
      next[s + step] += chance[s] / 2;
    }
    chance = std::move(next);
  }
  const auto place = static_cast<std::size_t>(std::lround(2 * sum));
  const auto middle = chance.begin() + static_cast<std::ptrdiff_t>(place);
  const double below = std::accumulate(chance.begin(), middle, 0.0);
  const double above = std::accumulate(middle + 1, chance.end(), 0.0);
  return {below + *middle, above + *middle};
}

}  // namespace

SignedRankTest wilcoxon(std::span<const double> differences) {
  std::vector<double> d = without_nan(differences);
  std::erase(d, 0.0);
  std::vector<double> sizes(d.size());
  std::ranges::transform(d, sizes.begin(), [](double v) { return std::abs(v); });
  const TiedRanks ranked = tied_ranks(sizes);
  SignedRankTest out{.used = count_of(d)};
  for (std::size_t i = 0; i < d.size(); ++i) {
    (d[i] > 0 ? out.plus : out.minus) += ranked.ranks[i];
  }
  if (d.empty()) return out;
  if (d.size() <= k_most_exact) {
    const auto [below, above] = sign_tails(ranked.ranks, out.plus);
    out.p = std::min(1.0, 2 * std::min(below, above));
    return out;
  }
  out.exact = false;
  const auto n = static_cast<double>(d.size());
  const double mean = n * (n + 1) / 4;
  const double variance = (n * (n + 1) * (2 * n + 1) - ranked.ties / 2) / 24;
  out.p = std::min(1.0, 2 * normal_tail(std::abs(out.plus - mean) / std::sqrt(variance)));
  return out;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> out(p.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, p[order[k]] * static_cast<double>(order.size() - k));
    out[order[k]] = std::min(1.0, largest);
  }
  return out;
}

namespace {

// For each i of a sorted list z: how many j have z_i + z_j < -2 rope, how many at most -2 rope; and
// the same from above.
struct Crossings {
  std::vector<std::size_t> below, at_most, above, at_least;

  Crossings(const std::vector<double>& z, double rope) {
    for (const double v : z) {
      // The sums themselves are compared, so that rounding affects both sides alike.
      const auto first = [&](const auto& past) {
        return at(std::ranges::partition_point(z, past) - z.begin());
      };
      below.push_back(first([&](double w) { return v + w < -2 * rope; }));
      at_most.push_back(first([&](double w) { return v + w <= -2 * rope; }));
      at_least.push_back(first([&](double w) { return v + w < 2 * rope; }));
      above.push_back(first([&](double w) { return v + w <= 2 * rope; }));
    }
  }
};

}  // namespace

BayesianVerdict bayesian_signed_rank(std::span<const double> differences,
                                     const BayesianOptions& options, const Context& ctx) {
  MULBERRY_ASSERT(options.rope >= 0 && options.draws > 0);
  // Finite stand-ins for infinite differences: opposite ones must cancel, not give NaN.
  std::vector<double> z = without_nan(differences);
  double largest = 1;
  for (const double d : z) largest = std::max(largest, std::isfinite(d) ? std::abs(d) : 0.0);
  for (double& d : z) d = std::isfinite(d) ? d : std::copysign(4 * largest, d);
  z.push_back(0);  // the prior
  std::ranges::sort(z);
  const auto prior = at(std::ranges::find(z, 0.0) - z.begin());
  const Crossings cross(z, options.rope);
  std::array<double, 3> wins = {};
  std::vector<double> weight(z.size()), before(z.size() + 1);
  for (Index draw = 0; draw < options.draws; ++draw) {
    if (draw % 4096 == 0) ctx.check();
    Random rng = ctx.rng("bayesian signed rank", static_cast<std::uint64_t>(draw));
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (i == prior) {
        const double g = rng.normal();
        weight[i] = g * g / 2;  // Gamma(1/2)
      } else {
        weight[i] = -std::log1p(-rng.uniform());
      }
      sum += weight[i];
      before[i + 1] = sum;
    }
    double first = 0, second = 0;  // a sum on the border of the rope counts one half
    for (std::size_t i = 0; i < z.size(); ++i) {
      second += weight[i] * (before[cross.below[i]] + before[cross.at_most[i]]) / 2;
      first += weight[i] * (2 * sum - before[cross.above[i]] - before[cross.at_least[i]]) / 2;
    }
    const double inside = options.rope > 0 ? sum * sum - first - second : -1.0;
    if (first > inside && first > second) {
      wins[0] += 1;
    } else if (second > inside && second > first) {
      wins[2] += 1;
    } else if (inside > first && inside > second) {
      wins[1] += 1;
    } else {  // exactly equal: only if no difference decides anything
      wins[0] += 0.5;
      wins[2] += 0.5;
    }
  }
  const auto all = static_cast<double>(options.draws);
  return {wins[0] / all, wins[1] / all, wins[2] / all};
}

}  // namespace mulberry::compare

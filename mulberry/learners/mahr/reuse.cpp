#include "mulberry/learners/mahr/reuse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/mahr/edges.hpp"
#include "mulberry/learners/mahr/hinge_lp.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners::mahr {
namespace {

constexpr double k_rounding = 1e-12;
constexpr double k_least_price = 1e-6;  // keeps the programme bounded and its solution unique
constexpr Index k_labels = 32;          // per task

// Whether the stump alone solves the programme: looks for multipliers that prove it, in one pass.
bool stump_is_optimal(std::span<const double> weights, std::span<const double> own,
                      MatrixView signs, Index label, double rho) {
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

// D y times the cost of a mistake: 1 for each label of the other kind, 2 if it is on the wrong
// side; sizes summing to 1.
void weigh_pairs(std::span<const double> ahead, std::span<double> weights) {
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] *= ahead[i] < 0 ? 0.0 : 1 + ahead[i];
    total += std::abs(weights[i]);
  }
  for (double& w : weights) w = total > 0 ? w / total : 0.0;
}

// Sets the edges of labels that give the answers of `label`, or their opposites, for every row to
// 0.
void leave_out_repeats(MatrixView signs, Index label, std::span<double> edges) {
  const auto own = signs.row(label);
  for (Index k = 0; k < signs.rows(); ++k) {
    if (k == label || std::abs(std::abs(edges[at(k)]) - std::abs(edges[at(label)])) > k_rounding) {
      continue;  // different answers, without a look at them
    }
    const auto other = signs.row(k);
    const double same = own[0] == other[0] ? 1 : -1;
    if (std::equal(own.begin(), own.end(), other.begin(),
                   [&](double a, double b) { return a == same * b; })) {
      edges[at(k)] = 0;
    }
  }
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
  return {.own = 0, .helpers = {best}, .weights = {edges[at(best)] > 0 ? 1.0 : -1.0}};
}

Mix by_programme(std::span<const double> weights, std::span<const double> own, MatrixView signs,
                 std::span<const double> ahead, Index label, const Settings& settings) {
  if (ahead.empty() && stump_is_optimal(weights, own, signs, label, settings.rho)) return {};
  std::vector<Id> candidates;
  for (Index k = 0; k < signs.rows(); ++k) {
    if (k != label) candidates.push_back(static_cast<Id>(k));
  }
  HingeRows rows(count_of(candidates) + 1);
  std::vector<double> row(candidates.size() + 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool no_pair = !ahead.empty() && ahead[i] < 0;
    if (weights[i] == 0 || no_pair) continue;
    const double y = weights[i] > 0 ? 1 : -1, weight = std::abs(weights[i]);
    row[0] = y * own[i];
    for (std::size_t k = 0; k < candidates.size(); ++k)
      row[k + 1] = y * signs(candidates[k], static_cast<Index>(i));
    if (ahead.empty()) {
      rows.add(row, weight);
    } else {  // a label on the wrong side must be beaten by 2, one on the right side by 0
      if (ahead[i] > 0) rows.add(row, weight * ahead[i], 2);
      if (ahead[i] < 1) rows.add(row, weight * (1 - ahead[i]), 0);
    }
  }
  std::vector<double> prices(row.size(), std::max(settings.rho, k_least_price));
  prices[0] = k_least_price;
  const std::vector<double> b = solve_hinge_lp(rows, prices).b;
  double sum = 0;
  for (const double v : b) sum += std::abs(v);
  const double scale = settings.reuse == Reuse::normalised && sum > 0 ? 1 / sum : 1.0;
  Mix out{.own = b[0] * scale};
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (b[k + 1] == 0) continue;
    out.helpers.push_back(candidates[k]);
    out.weights.push_back(b[k + 1] * scale);
  }
  return out;
}

Matrix share_ahead(MatrixView truth, MatrixView signs) {
  Matrix out(truth.rows(), truth.cols(), -1.0);
  for (Index i = 0; i < truth.cols(); ++i) {
    double count[2] = {}, wrong[2] = {};  // of the labels that are no and yes
    for (Index l = 0; l < truth.rows(); ++l) {
      if (truth(l, i) == 0) continue;
      const std::size_t kind = truth(l, i) > 0 ? 1 : 0;
      count[kind] += 1;
      wrong[kind] += signs(l, i) != truth(l, i) ? 1 : 0;
    }
    for (Index l = 0; l < truth.rows(); ++l) {
      const std::size_t other = truth(l, i) > 0 ? 0 : 1;
      if (truth(l, i) != 0 && count[other] > 0) out(l, i) = wrong[other] / count[other];
    }
  }
  return out;
}

std::vector<Mix> choose_mixes(const Settings& settings, MatrixView weighted, MatrixView own,
                              std::span<const double> own_edges, MatrixView signs, MatrixView truth,
                              std::span<const Id> learning, const Context& ctx) {
  std::vector<Mix> out(learning.size());
  if (settings.reuse == Reuse::none || signs.rows() < 2) return out;
  const bool ranking = settings.loss == Loss::ranking;
  const Matrix ahead = ranking ? share_ahead(truth, signs) : Matrix();
  std::optional<SignLists> lists;
  if (settings.reuse == Reuse::best_edge) lists.emplace(signs);
  parallel_chunks(ctx, own.rows(), k_labels, [&](Index begin, Index end) {
    if (settings.reuse != Reuse::best_edge) {
      for (Index k = begin; k < end; ++k) {
        const Id label = learning[at(k)];
        out[at(k)] =
            by_programme(weighted.row(k), own.row(k), signs,
                         ranking ? ahead.row(label) : std::span<const double>(), label, settings);
      }
      return;
    }
    Matrix pairs(ranking ? end - begin : 0, weighted.cols());
    for (Index k = begin; ranking && k < end; ++k) {
      const auto to = pairs.row(k - begin);
      std::copy_n(weighted.row(k).begin(), to.size(), to.begin());
      weigh_pairs(ahead.row(learning[at(k)]), to);
    }
    const auto counted = ranking ? blas::block(pairs) : blas::block(weighted).row_range(begin, end);
    Matrix edges = lists->edges(counted);
    for (Index k = begin; k < end; ++k) {
      const auto row = ranking ? pairs.row(k - begin) : weighted.row(k);
      const double price =
          settings.kappa > 0 ? settings.kappa * std::sqrt(blas::dot(row, row)) : 0.0;
      const double own_edge = ranking ? blas::dot(row, own.row(k)) : own_edges[at(k)];
      const Id label = learning[at(k)];
      if (settings.must_differ) leave_out_repeats(signs, label, edges.row(k - begin));
      out[at(k)] = best_edge(own_edge, edges.row(k - begin), label, price);
    }
  });
  return out;
}

void apply_mix(const Mix& mix, MatrixView signs, std::span<double> answers) {
  if (mix.is_stump()) return;
  if (mix.own == 0 && mix.helpers.size() == 1 && std::abs(mix.weights[0]) == 1) {
    const auto theirs = signs.row(mix.helpers[0]);
    for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = mix.weights[0] * theirs[i];
    return;
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    double sum = mix.own == 0 ? 0.0 : mix.own * answers[i];
    for (std::size_t c = 0; c < mix.helpers.size(); ++c)
      sum += mix.weights[c] * signs(mix.helpers[c], static_cast<Index>(i));
    answers[i] = std::clamp(sum, -1.0, 1.0);
  }
}

// The share of an error that is counted at least: weights of 1e15 make that of one row vanish next to
// a half, and the step infinite.
constexpr double k_smallest_share = 1e-12;

double step_of(double gamma, double rows) {
  if (gamma <= k_rounding) return 0;
  const double most = 0.5 - std::max(0.5 / std::max(rows, 2.0), k_smallest_share);
  const double g = std::min(gamma, most);
  return 0.5 * std::log((0.5 + g) / (0.5 - g));
}

}  // namespace mulberry::learners::mahr

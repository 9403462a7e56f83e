#include "mulberry/compare/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::compare {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Gain of a over b on every set.
std::vector<double> differences(MatrixView gains, Index a, Index b) {
  std::vector<double> out(at(gains.rows()));
  for (Index i = 0; i < gains.rows(); ++i) out[at(i)] = gains(i, a) - gains(i, b);
  return out;
}

// Holm's correction over the pairs below the diagonal.
Matrix corrected(const Matrix& p) {
  std::vector<double> list;
  for (Index a = 0; a < p.rows(); ++a) {
    for (Index b = 0; b < a; ++b) list.push_back(p(a, b));
  }
  const std::vector<double> adjusted = holm(list);
  Matrix out(p.rows(), p.cols(), 1.0);
  std::size_t next = 0;
  for (Index a = 0; a < p.rows(); ++a) {
    for (Index b = 0; b < a; ++b) out(a, b) = out(b, a) = adjusted[next++];
  }
  return out;
}

}  // namespace

SetVerdicts judge_set(const SetScores& set, bool higher_is_better) {
  const std::size_t count = set.cells.size();
  SetVerdicts out{
      .against_best = std::vector<ResampledTTest>(count, {k_nan, k_nan, k_nan, k_nan, k_nan}),
      .p = std::vector<double>(count, k_nan)};
  const double sign = higher_is_better ? 1 : -1;
  out.best = best_of(set, higher_is_better);
  if (out.best < 0) return out;
  const ScoreCell& best = set.cells[at(out.best)];
  std::vector<double> p;
  std::vector<std::size_t> tested;
  for (std::size_t k = 0; k < count; ++k) {
    if (static_cast<Index>(k) == out.best || !std::isfinite(mean(set.cells[k]))) continue;
    std::vector<double> d(set.splits.size());
    for (std::size_t i = 0; i < d.size(); ++i) {
      d[i] = sign * (best.values[i] - set.cells[k].values[i]);
    }
    out.against_best[k] = resampled_t(d, set.splits);
    if (!std::isfinite(out.against_best[k].p)) continue;
    p.push_back(out.against_best[k].p);
    tested.push_back(k);
  }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t k = 0; k < tested.size(); ++k) out.p[tested[k]] = adjusted[k];
  return out;
}

std::string_view name_of(PairTest test) {
  return test == PairTest::nemenyi ? "nemenyi" : "wilcoxon-holm";
}

PairTest pair_test_of(std::string_view name) {
  const std::vector<std::string> names = {"wilcoxon-holm", "nemenyi"};
  if (name == names[0]) return PairTest::wilcoxon_holm;
  if (name == names[1]) return PairTest::nemenyi;
  throw Error(Code::parameter,
              "expected wilcoxon-holm or nemenyi as the test, found " + in_quotes(name),
              did_you_mean(name, names, "Use wilcoxon-holm, the default"));
}

const Matrix& Verdicts::pairs() const {
  return options.test == PairTest::nemenyi ? nemenyi : wilcoxon_holm;
}

bool Verdicts::differ(std::size_t a, std::size_t b) const {
  return pairs()(static_cast<Index>(a), static_cast<Index>(b)) < options.alpha;
}

std::vector<std::pair<std::size_t, std::size_t>> Verdicts::groups() const {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t first = 0; first < order.size(); ++first) {
    std::size_t last = first;
    const auto fits = [&](std::size_t next) {
      for (std::size_t k = first; k < next; ++k) {
        if (differ(order[k], order[next])) return false;
      }
      return true;
    };
    while (last + 1 < order.size() && fits(last + 1)) ++last;
    const bool inside = !out.empty() && out.back().second >= last;
    if (last > first && !inside) out.emplace_back(first, last);
  }
  return out;
}

Verdicts judge(const Scores& scores, const VerdictOptions& options, const Context& ctx) {
  MULBERRY_ASSERT(options.alpha > 0 && options.alpha < 1);
  Verdicts out{.options = options, .part = comparable(scores)};
  const MatrixView gains = out.part.gains;
  const Index learners = gains.cols(), sets = gains.rows();
  out.ranks = rank_rows(gains);
  out.mean_rank = mean_ranks(out.ranks);  // NaN without sets
  out.order.resize(at(learners));
  std::iota(out.order.begin(), out.order.end(), std::size_t{0});
  if (sets > 0) {
    std::ranges::stable_sort(out.order, {}, [&](std::size_t k) { return out.mean_rank[k]; });
  }
  out.friedman = friedman(gains);
  const bool several = learners > 1 && sets > 0;
  out.critical_difference =
      several ? compare::critical_difference(learners, sets, options.alpha) : k_nan;
  out.nemenyi = several ? compare::nemenyi(gains) : Matrix(learners, learners, 1.0);
  out.wilcoxon = Matrix(learners, learners, 1.0);
  out.wins = Matrix(learners, learners);
  for (Index a = 0; a < learners; ++a) {
    for (Index b = 0; b < learners; ++b) {
      if (b < a) {
        out.wilcoxon(a, b) = out.wilcoxon(b, a) = compare::wilcoxon(differences(gains, a, b)).p;
      }
      for (Index i = 0; i < sets; ++i) out.wins(a, b) += gains(i, a) > gains(i, b) ? 1 : 0;
    }
  }
  out.wilcoxon_holm = corrected(out.wilcoxon);
  for (Index k = 0; k < learners && sets > 0; ++k) {
    const auto best = static_cast<Index>(out.order[0]);
    out.bayesian.push_back(
        bayesian_signed_rank(differences(gains, best, k), options.bayesian, ctx));
  }
  for (const SetScores& set : scores.sets) {
    out.sets.push_back(judge_set(set, scores.higher_is_better));
  }
  return out;
}

}  // namespace mulberry::compare

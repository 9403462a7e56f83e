#include "mulberry/base/class_predictor.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/base/class_coupling.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::base {

std::vector<Id> classes_seen(std::span<const Id> y, Id classes, std::span<const double> weights) {
  std::vector<bool> found(at(classes), false);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (weights.empty() || weights[i] > 0) found[at(y[i])] = true;
  }
  std::vector<Id> out;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c]) out.push_back(static_cast<Id>(c));
  }
  return out;
}

std::vector<Id> positions_in(std::span<const Id> seen, Id classes, std::span<const Id> y) {
  std::vector<Id> position(at(classes), 0);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    position[at(seen[k])] = static_cast<Id>(k);
  }
  std::vector<Id> out;
  for (const Id c : y) out.push_back(position[at(c)]);
  return out;
}

std::vector<Id> best_classes(MatrixView scores, std::span<const Id> seen) {
  std::vector<Id> out;
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    out.push_back(seen[at(best)]);
  }
  return out;
}

bool meet_in_pairs(const Spec& base, ClassDuels duels, double classes, double columns) {
  if (duels == ClassDuels::rest || classes < 3) return false;
  if (find_base(base.id).scale_of(base) != Scale::margin) return false;
  return duels == ClassDuels::pairs ||
         (classes <= 100 && classes * (classes - 1) / 2 * (columns + 1) <= 1e6);
}

ClassPredictor::ClassPredictor(const Spec& base, const ColumnProblem& problem, const Context& ctx,
                               ClassDuels duels)
    : base_(base),
      classes_(problem.classes),
      seen_(classes_seen(problem.y, problem.classes, problem.weights)) {
  MULBERRY_ASSERT(!seen_.empty());
  if (seen_.size() == 1) return;
  const std::vector<Id> y = positions_in(seen_, classes_, problem.y);
  const auto seen = static_cast<Id>(seen_.size());
  if (meet_in_pairs(base, duels, seen, static_cast<double>(problem.x.cols()))) {
    std::vector<std::vector<Id>> rows(seen_.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (problem.weights.empty() || problem.weights[i] > 0)
        rows[at(y[i])].push_back(static_cast<Id>(i));
    }
    std::vector<std::pair<Id, Id>> pairs;
    for (Id a = 0; a < seen; ++a) {
      for (Id b = a + 1; b < seen; ++b) pairs.emplace_back(a, b);
    }
    pairs_.resize(pairs.size());
    parallel_for(ctx, count_of(pairs), [&](Index k) {
      const auto [a, b] = pairs[at(k)];
      std::vector<Id> both;
      std::merge(rows[at(a)].begin(), rows[at(a)].end(), rows[at(b)].begin(), rows[at(b)].end(),
                 std::back_inserter(both));
      std::vector<Id> first;  // 1 for a
      std::vector<double> weights;
      for (const Id i : both) {
        first.push_back(y[at(i)] == a ? 1 : 0);
        if (!problem.weights.empty()) weights.push_back(problem.weights[at(i)]);
      }
      pairs_[at(k)] = FittedClassifier(base, {take_rows(problem.x, both), first, 2, weights}, ctx);
    });
    return;
  }
  model_.emplace(base, ColumnProblem{problem.x, y, static_cast<Id>(seen_.size()), problem.weights},
                 ctx);
}

Scale ClassPredictor::scale() const {
  return pairs_.empty() ? find_base(base_.id).scale_of(base_) : Scale::votes;
}

Summary ClassPredictor::summary() const {
  if (model_) return model_->summary();
  Summary out;
  for (const FittedClassifier& pair : pairs_) {
    const Summary one = pair.summary();
    out.rounds += one.rounds;
    out.converged = out.converged && one.converged;
  }
  return out;
}

Matrix ClassPredictor::coupled_scores(const Features& x, const Context& ctx) const {
  const Index seen = count_of(seen_);
  Matrix margins(x.rows(), count_of(pairs_));
  double* const to = margins.data();
  parallel_for(ctx, margins.cols(), [&](Index k) {
    const Matrix scores = pairs_[at(k)].scores(x, ctx);
    for (Index i = 0; i < x.rows(); ++i) to[i * margins.cols() + k] = scores(i, 0);
  });
  Matrix out(x.rows(), seen);
  double* const shares = out.data();
  parallel_chunks(ctx, x.rows(), 64, [&](Index begin, Index end) {
    std::vector<double> wins(pairs_.size());
    for (Index i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < wins.size(); ++k)
        wins[k] = 1 / (1 + std::exp(-4 * to[i * margins.cols() + static_cast<Index>(k)]));
      couple_classes(wins, std::span(shares + i * seen, at(seen)));
    }
  });
  return out;
}

Matrix ClassPredictor::seen_scores(const Features& x, const Context& ctx) const {
  if (!pairs_.empty()) return coupled_scores(x, ctx);
  if (!model_) return {x.rows(), 1, constant_score(true, scale())};
  Matrix out = model_->scores(x, ctx);
  MULBERRY_ASSERT(out.cols() == (seen_.size() == 2 ? 1 : count_of(seen_)));
  if (seen_.size() != 2) return out;
  const bool margin = scale() == Scale::margin;
  Matrix both(x.rows(), 2);
  for (Index i = 0; i < x.rows(); ++i) {
    const double second = out(i, 0);
    both(i, 0) = margin ? -second : 1 - second;
    both(i, 1) = second;
  }
  return both;
}

std::vector<Id> ClassPredictor::predict(const Features& x, const Context& ctx) const {
  return best_classes(seen_scores(x, ctx), seen_);
}

Matrix ClassPredictor::scores(const Features& x, const Context& ctx) const {
  Matrix from = seen_scores(x, ctx);
  if (static_cast<Id>(seen_.size()) == classes_) return from;
  Matrix out(x.rows(), classes_);
  for (Index i = 0; i < x.rows(); ++i) {
    const auto row = from.row(i);
    const double lowest =
        model_ ? *std::min_element(row.begin(), row.end()) : constant_score(false, scale());
    const auto to = out.row(i);
    std::fill(to.begin(), to.end(), scale() == Scale::margin ? lowest : 0.0);
    for (std::size_t k = 0; k < seen_.size(); ++k) to[at(seen_[k])] = row[k];
  }
  return out;
}

std::vector<Id> ClassPredictor::best(MatrixView scores) const {
  std::vector<Id> out;
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    Id best = seen_.front();
    for (const Id c : seen_) {
      if (row[at(c)] > row[at(best)]) best = c;
    }
    out.push_back(best);
  }
  return out;
}

}  // namespace mulberry::base

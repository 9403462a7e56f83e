#include "mulberry/learners/powersets/powerset.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace mulberry::learners {

MemoryNeed powerset_need(const Spec& base, ClassDuels duels, const Extent& e, double sets) {
  MemoryNeed inner = target_need(base, e.of_classes(std::max(2.0, sets)));
  if (meet_in_pairs(base, duels, sets, e.columns)) {
    const MemoryNeed one = target_need(base, e.of_classes(2));
    const double pairs = sets * (sets - 1) / 2;
    inner = {.fit = pairs * one.model + e.features() + one.fit,
             .model = pairs * one.model,
             .predict = 8 * e.asked * (pairs + 1) + one.predict};
  }
  const double size = e.rows > 0 ? 4 * e.positives / e.rows : 0;  // of a set
  const double lists = sets * (2 * (24 + size) + 80) + 4 * grown(e.rows);
  const double wide = 8 * e.asked * std::max(2.0, sets);
  return {.fit = lists + inner.fit,
          .model = inner.model + sets * (24 + size),
          .predict = std::max(inner.predict,
                              wide + e.scores() + 2 * e.decisions() + (24 + 32) * grown(e.asked))};
}

Powerset::Powerset(const Spec& base, ClassDuels duels, const Features& x, const Labels& y,
                   std::span<const double> weights, const Context& ctx)
    : labels_(y.count()) {
  std::map<std::vector<Id>, Id> number;
  for (Index i = 0; i < y.rows(); ++i)
    number.emplace(std::vector(y.row(i).begin(), y.row(i).end()), 0);
  for (auto& [set, id] : number) {
    id = static_cast<Id>(sets_.size());
    sets_.push_back(set);
  }
  std::vector<Id> classes;
  for (Index i = 0; i < y.rows(); ++i) {
    classes.push_back(number[std::vector(y.row(i).begin(), y.row(i).end())]);
  }
  classifier_ =
      ClassPredictor(base, {x, classes, static_cast<Id>(sets_.size()), weights}, ctx, duels);
}

void Powerset::set_scores(std::span<const double> classes, std::span<double> labels) const {
  if (classifier_.scale() != Scale::margin) {
    for (std::size_t c = 0; c < sets_.size(); ++c) {
      for (const Id l : sets_[c]) labels[at(l)] += classes[c];
    }
    for (double& v : labels) v = std::min(v, 1.0);  // shares add up to 1 except for rounding
    return;
  }
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<double> with(labels.size(), none), without(labels.size(), none);
  for (std::size_t c = 0; c < sets_.size(); ++c) {
    auto held = sets_[c].begin();
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const bool holds = held != sets_[c].end() && at(*held) == l;
      if (holds) ++held;
      double& best = holds ? with[l] : without[l];
      best = std::max(best, classes[c]);
    }
  }
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const bool both = with[l] > none && without[l] > none;
    labels[l] = both ? with[l] - without[l] : constant_score(with[l] > none, Scale::margin);
  }
}

Prediction Powerset::predict(const Features& x, const Context& ctx) const {
  const Matrix classes = classifier_.scores(x, ctx);
  Prediction out{.scores = Matrix(x.rows(), labels_), .scale = classifier_.scale()};
  std::vector<std::vector<Id>> decided;
  for (const Id c : classifier_.best(classes)) decided.push_back(sets_[at(c)]);
  for (Index i = 0; i < x.rows(); ++i) set_scores(classes.row(i), out.scores.row(i));
  out.decided = Labels(labels_, decided);
  return out;
}

}  // namespace mulberry::learners

// ClassPredictor: a base learner that answers with a class. Classes that do not occur in training
// are kept from the base learner and never predicted; if only one occurs, nothing is trained and
// that class is the answer.
//
// A base learner of margins may meet its classes in pairs instead of one against the rest: one
// classifier per pair, trained on the rows of both, whose margins m become shares r = 1 / (1 +
// exp(-4 m)) and are coupled to a share of every class (class_coupling.hpp). Cost: the rows of each
// class are trained on classes - 1 times, classes (classes - 1) / 2 models.
#pragma once

#include <optional>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {

// The classes that occur among the rows of positive weight, in increasing order. Empty weights: 1.
std::vector<Id> classes_seen(std::span<const Id> y, Id classes, std::span<const double> weights);
// For every row the position of its class in `seen`, or 0 if it is not there.
std::vector<Id> positions_in(std::span<const Id> seen, Id classes, std::span<const Id> y);
// The class of `seen` with the highest score of each row, the lower on ties. Scores have a column
// for each class of `seen`.
std::vector<Id> best_classes(MatrixView scores, std::span<const Id> seen);

// How more than two classes meet, if the base learner gives margins. automatic: in pairs, unless
// the models of all pairs would hold more than a million numbers or there are more than 100
// classes.
enum class ClassDuels { automatic, pairs, rest };

bool meet_in_pairs(const Spec& base, ClassDuels duels, double classes, double columns);

class ClassPredictor {
 public:
  ClassPredictor() = default;
  ClassPredictor(const Spec& base, const ColumnProblem& problem, const Context& ctx,
                 ClassDuels duels = ClassDuels::rest);

  std::vector<Id> predict(const Features& x, const Context& ctx) const;
  // Rows x classes on the base learner's scale, or shares of pairs. A class that did not occur gets
  // the lowest score of its row, or 0 on a scale of shares; two classes get opposite margins, or
  // shares that sum to 1.
  Matrix scores(const Features& x, const Context& ctx) const;
  // The class of each row of such scores.
  std::vector<Id> best(MatrixView scores) const;
  Scale scale() const;
  Id classes() const { return classes_; }
  Summary summary() const;

  template <class V>
  void visit(V& v) {
    v("base", base_);
    v("classes", classes_, exactly(v.outputs()));
    v("seen", seen_, below(v.outputs()));
    const Index seen = count_of(seen_);
    v("model", model_, ModelShape{v.features(), seen == 2 ? 1 : seen});
    if (v.stores("pairs.count", !pairs_.empty())) {
      v.each("pairs", pairs_, [&](Index) { return ModelShape{v.features(), 1}; });
      v.require(count_of(pairs_) == seen * (seen - 1) / 2, "pairs", "does not fit the classes");
    }
    v.require(!seen_.empty() && model_.has_value() == (seen_.size() > 1 && pairs_.empty()), "seen",
              "does not fit the model");
    v.require(is_increasing(seen_), "seen", "is not increasing");
  }

 private:
  Matrix seen_scores(const Features& x, const Context& ctx) const;  // rows x seen classes
  Matrix coupled_scores(const Features& x, const Context& ctx) const;

  Spec base_;
  Id classes_ = 0;
  std::vector<Id> seen_;
  std::optional<FittedClassifier> model_;
  std::vector<FittedClassifier> pairs_;  // 0 and 1, 0 and 2, ..., 1 and 2, ... of the seen classes
};

}  // namespace mulberry::base

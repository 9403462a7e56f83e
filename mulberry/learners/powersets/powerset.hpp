// Powerset: a classifier whose classes are the label sets that occur in training, shared by label
// powerset and random k-labelsets.
//
// The score of a label is the sum of the shares of the sets that contain it or, for margins, the
// best set that contains it minus the best that does not. The decision is always a set that
// occurred. Cost: one fit of the base learner with as many classes as there are distinct sets.
#pragma once

#include <span>
#include <vector>

#include "mulberry/base/class_predictor.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::learners {

// How the classes meet: a parameter of every powerset.
struct DuelParams {
  ClassDuels duels = ClassDuels::automatic;

  static Fields fields() {
    return Fields{choice(
        "duels", &DuelParams::duels,
        "base learners with margins: sets meet in pairs whose answers are coupled, or one against "
        "the rest; auto: in pairs, if there are not too many",
        {"auto", "pairs", "rest"}, false)};
  }
};

// What a powerset takes whose labels have this many different sets.
MemoryNeed powerset_need(const Spec& base, ClassDuels duels, const Extent& extent, double sets);

class Powerset {
 public:
  Powerset() = default;
  Powerset(const Spec& base, ClassDuels duels, const Features& x, const Labels& y,
           std::span<const double> weights, const Context& ctx);

  Index labels() const { return labels_; }
  Index sets() const { return static_cast<Index>(sets_.size()); }
  Prediction predict(const Features& x, const Context& ctx) const;
  Summary summary() const { return classifier_.summary(); }

  template <class V>
  void visit(V& v) {
    v("labels", labels_, exactly(v.outputs()));
    v("sets", sets_, below(v.outputs()));
    v("classifier", classifier_, ModelShape{v.features(), count_of(sets_)});
    for (const auto& set : sets_) {
      v.require(is_increasing(set), "sets", "is not a list of labels");
    }
  }

 private:
  void set_scores(std::span<const double> classes, std::span<double> labels) const;

  Index labels_ = 0;
  std::vector<std::vector<Id>> sets_;  // of each class, in lexicographic order
  ClassPredictor classifier_;
};

// The model of the learners that differ only in the sets that they train with.
struct PowersetModel {
  Powerset powerset;

  Prediction predict(const View& view, const Context& ctx) const {
    return powerset.predict(Compact(view).x(), ctx);
  }
  Summary summary() const { return powerset.summary(); }
  template <class V>
  void visit(V& v) {
    v("powerset", powerset);
  }
};

}  // namespace mulberry::learners

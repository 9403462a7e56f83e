// The parameters of learners that pass label sets to a base learner and have no other parameters.
#pragma once

#include "mulberry/core/params.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::learners {

struct SetBaseParams {
  Spec base = "rbf_network";

  static Fields fields() {
    return Fields{learner_field("base", &SetBaseParams::base, "classifier of many classes")};
  }
  Tags tags() const {
    Tags out = tags_of_joint(base);
    out.label_sets = true;
    return out;
  }
  // What is needed in addition to the classifiers: to train, the classes of every row; to predict,
  // scores set by set, and decisions.
  static double training_need(const Extent& e) {
    return 4 * e.rows * static_cast<double>(e.groups.size());
  }
  static double answer_need(const Extent& e) {
    const auto groups = static_cast<double>(e.groups.size());
    return 2 * e.scores() + e.asked * (24 + 32 + 12 * groups) + e.decisions();
  }
};

}  // namespace mulberry::learners

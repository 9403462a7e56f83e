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
    Tags out = find_base(base.id).tags;
    out.label_sets = true;
    return out;
  }
};

}  // namespace mulberry::learners

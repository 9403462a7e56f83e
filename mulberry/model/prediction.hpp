// Prediction: what a model says about rows: a score per label and, if the model does not decide by
// a cut of its scores, the decisions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::model {

enum class Scale {
  margin,       // any number, positive means yes
  probability,  // 0..1, calibrated or meant to be; at least 0.5 means yes
  votes         // 0..1, a share of votes or a confidence; at least 0.5 means yes
};
const char* scale_name(Scale scale);

struct Prediction {
  Matrix scores = {};  // rows x labels
  Scale scale = Scale::margin;
  std::optional<Labels> decided = {};  // takes precedence over the cut
  // The cuts behind `decided`, one per label, if a label is assigned when its score reaches its
  // cut.
  std::vector<double> cuts = {};
};

// The labels that a prediction assigns: its decisions if it has them; otherwise the best label of
// each exclusive set (the lower index on ties), and the natural cut of the scale for labels outside
// any set.
Labels decide(const Prediction& prediction, const LabelSets* sets = nullptr);

// The scores that a learner inside another gives, which sorts, cuts and counts them: throws Error
// unless they are finite.
Matrix finite_scores(Matrix scores, const std::string& learner);

}  // namespace mulberry::model

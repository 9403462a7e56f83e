// FittedLearner: a whole multi-label model as a field of another, with the spec that says how to
// load it. The counterpart of FittedLabels for meta-learners over any learner.
#pragma once

#include <memory>

#include "mulberry/model/learner.hpp"

namespace mulberry::model {

class FittedLearner {
 public:
  FittedLearner() = default;
  FittedLearner(const CompleteSpec& spec, const View& view, const Context& ctx)
      : spec_(spec), model_(fit_learner(spec, view, ctx)) {}

  Prediction predict(const View& view, const Context& ctx) const {
    Prediction out = model_->predict(view, ctx);
    out.scores = finite_scores(std::move(out.scores), spec_.id);
    return out;
  }
  Summary summary() const { return model_->summary(); }
  std::vector<Result> results() const { return model_->results(); }
  const Matrix* held_out() const { return model_->held_out(); }

  void write(ArchiveWriter& out) {
    out("spec", spec_);
    model_->write(out);
  }
  void read(ArchiveReader& in) {
    in("spec", spec_);
    model_ = find_learner(spec_.id).load(spec_, in);
  }

 private:
  Spec spec_;
  std::unique_ptr<Model> model_;
};

// The tags of a meta-learner over this learner: as the learner, but it can neither be stopped early
// nor continued nor be trained in parts.
Tags tags_within(const CompleteSpec& spec);

// Scores of the rows of a view, each by a model of the other folds, from which cuts and calibration
// are learnt. A single row cannot be held out and is scored by a model trained on it.
// Cost: `folds` fits of the learner, in parallel.
Matrix held_out_scores(const CompleteSpec& spec, const View& view, Index folds, const Context& ctx);
// As above, except that nothing is trained if `fitted`, the learner trained on the view, has such
// scores of all rows by itself, as a forest has of rows outside its samples.
Matrix held_out_scores(const FittedLearner& fitted, const CompleteSpec& spec, const View& view,
                       Index folds, const Context& ctx);

}  // namespace mulberry::model

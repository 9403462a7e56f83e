// Calibration: scores of any learner turned into probabilities, label by label.
//
//   p_l(x) = g_l(score_l(x)),   g_l learnt from scores of rows that their model has not seen
//
// platt: g is a logistic curve with smoothed targets (Platt 1999, in the stable form of Lin, Lin
// and Weng 2007). isotonic: g is the best increasing step function (Zadrozny and Elkan 2002).
// Scores of the model's own training rows would be too good, and the probabilities too confident;
// hence `folds` additional fits, or none if the base has held-out scores by itself (a forest: out
// of bag). A label without both classes gets a constant. Cost: (folds + 1) fits of the base, and
// O(n log n) per label.
#include "mulberry/model/define.hpp"
#include "mulberry/model/fitted_learner.hpp"
#include "mulberry/resample/calibration.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "br_svm";
  CalibrationMethod method = CalibrationMethod::platt;
  Index folds = 5;

  static Fields fields() {
    return Fields{learner_field("base", &Params::base, "learner whose scores are calibrated",
                                ParamType::learner),
                  choice("method", &Params::method, "logistic curve, or increasing steps",
                         {"platt", "isotonic"}),
                  field("folds", &Params::folds,
                        "number of parts, each scored by a model of the others", between(2, 1000))};
  }
  Tags tags() const {
    Tags out = tags_within(CompleteSpec::inner(base));
    out.probabilities = true;
    out.labels_apart = false;  // all labels share the folds
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const MemoryNeed inner = memory_need(CompleteSpec::inner(base), e);
    const double scores = held_out_need(CompleteSpec::inner(base), e, static_cast<double>(folds));
    return {.fit = std::max(inner.fit, inner.model + e.pieces() + scores),
            .model = inner.model,
            .predict = std::max(inner.predict, 2 * e.scores())};
  }
};

struct Calibrated {
  FittedLearner base;
  Calibration curves;

  Prediction predict(const View& view, const Context& ctx) const {
    return {.scores = curves.apply(base.predict(view, ctx).scores, ctx),
            .scale = Scale::probability};
  }
  Summary summary() const { return base.summary(); }
  std::vector<Result> results() const { return base.results(); }
  template <class V>
  void visit(V& v) {
    v("base", base);
    v("curves", curves);
  }
};

Calibrated fit(const View& view, const Params& params, const Context& ctx) {
  const double share = 1.0 / static_cast<double>(params.folds + 1);
  const auto spec = CompleteSpec::inner(params.base);
  FittedLearner base(spec, view, ctx.part(0, share));
  const Matrix scores = held_out_scores(base, spec, view, params.folds, ctx.part(share, 1));
  const Compact data(view, Rows::blocks);
  return {std::move(base),
          learn_calibration(scores, data.y(), params.method, ctx.quiet(), data.weights())};
}

}  // namespace

Learner make_calibrated() {
  return define_learner<Params, Calibrated>(
      {.id = "calibrated",
       .summary = "probabilities for any learner with scores",
       .reference = "Platt, Probabilistic outputs for support vector machines, 1999; Zadrozny and "
                    "Elkan, Transforming classifier scores into probability estimates, 2002",
       .tags = {.missing_labels = true, .probabilities = true, .weights = true}},
      fit);
}

}  // namespace mulberry::learners

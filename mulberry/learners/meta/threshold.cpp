// Thresholds: cuts that turn the scores of any learner into yes and no.
//
//   label l is assigned to x  <=>  score_l(x) >= t_l   (or a rule on the row's scores, see
//   CutMethod)
//
// The cuts are learnt from scores of rows that their model has not seen: `folds` additional fits,
// or none if the base has such scores by itself (a forest: out of bag).
// The strategies are in resample/thresholds.hpp (Yang 2001; Largeron et al. 2012; Dembczynski et
// al. 2011 and others). Cost: (folds + 1) fits of the base, and O(n L log n).
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/fitted_learner.hpp"
#include "mulberry/model/plain_spec.hpp"
#include "mulberry/resample/thresholds.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "br_logistic";
  CutMethod cut = CutMethod::scut;
  std::optional<double> value = {};
  bool global = false;
  double beta = 1.0;
  double shrink = 10;
  Index folds = 5;

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "learner whose scores are cut", ParamType::learner),
        choice("cut", &Params::cut, "how the cuts are chosen",
               {"fixed", "cardinality", "rcut", "scut", "mcut", "macro_f", "micro_f", "example_f"}),
        field("value", &Params::value, "the cut, with cut=fixed; auto: the cut of the base"),
        field("global", &Params::global,
              "one cut for all labels, with cut=cardinality, macro_f or micro_f"),
        field("beta", &Params::beta, "weight of recall, with cut=scut, macro_f or micro_f",
              between(1e-3, 1e3)),
        field("shrink", &Params::shrink,
              "with cut=macro_f: number of positives with which a label is cut midway between its "
              "best cut and one as strict as the others'; 0: always at its best cut",
              between(0, 1e9)),
        field("folds", &Params::folds, "number of parts, each scored by a model of the others",
              between(2, 1000))};
  }

  Tags tags() const {
    Tags out = tags_within(CompleteSpec::inner(base));
    if (cut == CutMethod::example_f && !out.probabilities) {
      throw Error(Code::parameter,
                  "cut=example_f needs probabilities, which " + base.id + " does not give",
                  "Calibrate it: threshold(cut=example_f, base=calibrated(base=" +
                      without_defaults(base).text() + "))");
    }
    if (out.label_sets) {
      throw Error(Code::parameter, base.id + " decides one class of each label set: no cut applies",
                  "Use " + base.id + " by itself");
    }
    return out;
  }
  bool learns_from_scores() const {
    return cut == CutMethod::lcard || cut == CutMethod::scut || cut == CutMethod::macro_f ||
           cut == CutMethod::micro_f;
  }
  MemoryNeed memory(const Extent& e) const {
    const MemoryNeed inner = memory_need(CompleteSpec::inner(base), e);
    const double scores = learns_from_scores() ? held_out_need(CompleteSpec::inner(base), e,
                                                               static_cast<double>(folds))
                                               : e.cells();
    return {.fit = std::max(inner.fit, inner.model + e.pieces() + scores),
            .model = inner.model,
            .predict = inner.predict + 2 * e.decisions() + 24 * e.asked};
  }
};

struct Thresholded {
  FittedLearner base;
  Thresholds cuts;

  Prediction predict(const View& view, const Context& ctx) const {
    Prediction out = base.predict(view, ctx);
    out.decided = cuts.apply(out.scores, ctx);
    if (cuts.has_cuts()) out.cuts = cuts.cut;
    return out;
  }
  Summary summary() const { return base.summary(); }
  std::vector<Result> results() const {
    std::vector<Result> out = base.results();
    if (cuts.cut.empty()) return out;
    const auto labels = count_of(cuts.cut);
    out.push_back({.id = "cuts",
                   .sentence = "a label is assigned if its score reaches the cut",
                   .rows = Axis::labels,
                   .columns = Axis::named,
                   .column_names = {"cut"},
                   .values = Matrix(labels, 1, cuts.cut)});
    return out;
  }
  template <class V>
  void visit(V& v) {
    v("base", base);
    v("cuts", cuts);
  }
};

// The cut that the base uses for its scores, found by asking it about one row.
double natural_cut(const FittedLearner& base, const View& view, const Context& ctx) {
  const Id first[] = {0};
  const Compact data(view, Rows::blocks);
  std::vector<Id> storage;
  const View one = part_of({.x = &data.x(), .sets = view.sets}, first, storage);
  return base.predict(one, ctx.quiet()).scale == Scale::margin ? 0.0 : 0.5;
}

Thresholded fit(const View& view, const Params& params, const Context& ctx) {
  const double share =
      params.learns_from_scores() ? 1.0 / static_cast<double>(params.folds + 1) : 1;
  const auto spec = CompleteSpec::inner(params.base);
  FittedLearner base(spec, view, ctx.part(0, share));
  const ThresholdOptions options{.method = params.cut,
                                 .global = params.global,
                                 .cut = params.value ? *params.value : natural_cut(base, view, ctx),
                                 .beta = params.beta,
                                 .shrink = params.shrink};
  const Compact data(view, Rows::blocks);
  // The other methods do not look at scores of the training rows.
  const Matrix scores = params.learns_from_scores()
                            ? held_out_scores(base, spec, view, params.folds, ctx.part(share, 1))
                            : Matrix(data.y().rows(), data.y().count());
  return {std::move(base), learn_thresholds(scores, data.y(), options, ctx, data.weights())};
}

}  // namespace

Learner make_threshold() {
  return define_learner<Params, Thresholded>(
      {.id = "threshold",
       .summary = "any learner with scores, its decisions tuned to a measure",
       .reference = "Yang, A study of thresholding strategies for text categorization, 2001",
       .tags =
           {.missing_labels = true, .labels_apart = true, .probabilities = true, .weights = true},
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

// Binary relevance: one binary classifier per label, each trained separately.
//
//   for every label l:  h_l = base(X, Y_l),   score_l(x) = h_l(x)
//
// Tsoumakas and Katakis, "Multi-label classification: an overview", IJDWM 3(3), 2007. The baseline
// of the field: labels do not help each other. Rows with a missing cell are left out of that
// label's problem; a label with one class gets a constant score. Cost: L fits of the base learner,
// or less if it trains all labels in shared passes over X. Over forests, scores of rows out of bag
// are a result, and what `threshold` and `calibrated` learn from.
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "linear_svm";

  static Fields fields() {
    return Fields{learner_field("base", &Params::base, "classifier of one label")};
  }
  Tags tags() const {
    Tags out = tags_by_label(base);
    out.label_blocks = out.labels_apart;
    out.row_sums = find_base(base.id).tags.row_sums;
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    MemoryNeed out = labels_need(base, e);
    out.fit += e.listed();
    return out;
  }
};

struct BinaryRelevance {
  FittedLabels labels;

  Prediction predict(const View& view, const Context& ctx) const {
    return {.scores = labels.scores(Compact(view, Rows::listed).x(), ctx), .scale = labels.scale()};
  }
  Summary summary() const { return labels.summary(); }
  std::vector<Result> results() const { return labels.results(); }
  const Matrix* held_out() const { return labels.held_out(); }
  template <class V>
  void visit(V& v) {
    v("labels", labels);
  }
};

BinaryRelevance fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, Rows::listed);
  return {FittedLabels(params.base, data.x(), data.y(), data.weights(), ctx, true)};
}

}  // namespace

Learner make_br() {
  return define_learner<Params, BinaryRelevance>(
      {.id = "br",
       .summary = "one classifier per label, each trained separately",
       .reference = "Tsoumakas and Katakis, Multi-label classification: an overview, 2007",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

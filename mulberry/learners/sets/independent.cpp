// Independent decomposition: one classifier per label set, each trained separately.
//
//   for every set s:  h_s = base(X, y_s)
//
// Liu et al., "Dual Set Multi-Label Learning", AAAI 2018: the baseline for label sets.
#include "mulberry/base/class_predictor.hpp"
#include "mulberry/learners/sets/label_set_data.hpp"
#include "mulberry/learners/sets/set_base_params.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  SetBaseParams set;

  static Fields fields() { return Fields{group(&Params::set)}; }
  Tags tags() const { return set.tags(); }
  MemoryNeed memory(const Extent& e) const {
    double largest = 0, model = 0, asked = 0;
    for (const double classes : e.groups) {
      const MemoryNeed one = target_need(set.base, e.of_classes(classes));
      largest = std::max(largest, one.work());
      asked = std::max(asked, one.predict);
      model += one.model;
    }
    return {
        .fit = e.pieces() + SetBaseParams::training_need(e) + model + largest,
        .model = model,
        .predict = e.asked_pieces() + std::max(e.scores() + asked, SetBaseParams::answer_need(e))};
  }
};

struct Independent {
  LabelSetLayout layout = {};
  std::vector<ClassPredictor> sets = {};

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    std::vector<Matrix> scores;
    std::vector<std::vector<Id>> chosen;
    for (const ClassPredictor& set : sets) {
      scores.push_back(set.scores(data.x(), ctx));
      chosen.push_back(set.best(scores.back()));
    }
    return layout.prediction(scores, sets.front().scale(), chosen);
  }
  template <class V>
  void visit(V& v) {
    v("layout", layout);
    v.each("sets", sets, [&](Index k) { return ModelShape{v.features(), layout.classes_or_0(k)}; });
    v.require(sets.size() == layout.size(), "sets", "does not fit the label sets");
  }
};

Independent fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.set.base));
  const LabelSetData sets = label_set_data(view, data.y());
  Independent out{.layout = sets.layout};
  for (std::size_t s = 0; s < sets.layout.size(); ++s) {
    out.sets.emplace_back(
        params.set.base,
        ColumnProblem{data.x(), sets.classes[s], sets.layout.classes(s), data.weights()}, ctx);
  }
  return out;
}

}  // namespace

Learner make_independent() {
  return define_learner<Params, Independent>(
      {.id = "independent",
       .summary = "one label from each set, each set trained separately",
       .reference = "Liu et al., Dual set multi-label learning, 2018",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

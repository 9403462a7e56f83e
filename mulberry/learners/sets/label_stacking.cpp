// Label stacking: a sequence of classifiers of the label sets, each seeing the labels before it.
//
//   h_b = base(X, y_b),  h_a = base([X, y_b], y_a);  a(x) = h_a([x, h_b(x)])
//
// Sets with fewer classes come first. In training these are the true labels, at prediction the
// predicted ones. Liu et al., "Dual Set Multi-Label Learning", AAAI 2018.
#include "mulberry/base/class_columns.hpp"
#include "mulberry/base/class_predictor.hpp"
#include "mulberry/core/index.hpp"
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
    std::vector<double> order = e.groups;
    std::sort(order.begin(), order.end());
    const bool copies = JoinableFeatures::copies(set.base);
    const Extent x = copies ? e.of_dense(e.columns) : e;
    double before = 0, largest = 0, asked = 0, model = 0;
    for (const double classes : order) {
      Extent joined = x.with_columns(before).of_classes(classes);
      joined.picked = false;
      const double columns = before > 0 ? joined.features() + 8 * e.rows * before : 0;
      const double more = before > 0 ? joined.asked_features() + 8 * e.asked * before : 0;
      Spec base = set.base;
      if (copies) base.set("standardise", std::string("false"));
      const MemoryNeed one = target_need(base, joined);
      largest = std::max(largest, one.work() + columns);
      asked = std::max(asked, one.predict + more);
      model += one.model;
      before += classes;
    }
    return {.fit = e.pieces() + SetBaseParams::training_need(e) + (copies ? e.dense() : 0) + model +
                   largest,
            .model = model,
            .predict = e.asked_pieces() + (copies ? e.asked_dense() : 0) +
                       std::max(e.scores() + asked, SetBaseParams::answer_need(e))};
  }
};

struct LabelStacking {
  LabelSetLayout layout = {};
  JoinableFeatures features = {};
  std::vector<ClassPredictor> sets = {};  // in the order of layout.by_classes()

  // The sets before number k of the order, as columns.
  std::vector<ClassColumns> before(std::size_t k,
                                   const std::vector<std::vector<Id>>& classes) const {
    const std::vector<std::size_t> order = layout.by_classes();
    std::vector<ClassColumns> out;
    for (std::size_t p = 0; p < k; ++p) {
      const std::size_t s = order[p];
      if (layout.classes(s) > 1) out.push_back({classes[s], layout.classes(s)});
    }
    return out;
  }

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view, rows_of(features.base()));
    const Features x = features.prepare(data.x());
    const std::vector<std::size_t> order = layout.by_classes();
    std::vector<Matrix> scores(layout.size());
    std::vector<std::vector<Id>> chosen(layout.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      scores[order[k]] = sets[k].scores(join_columns(x, before(k, chosen)), ctx);
      chosen[order[k]] = sets[k].best(scores[order[k]]);
    }
    return layout.prediction(scores, sets.front().scale(), chosen);
  }
  template <class V>
  void visit(V& v) {
    v("layout", layout);
    v("features", features);
    const std::vector<std::size_t> order = layout.by_classes();
    Index width = features.width(v.features());
    v.each("sets", sets, [&](Index k) {
      const Id classes = k < count_of(order) ? layout.classes(order[at(k)]) : 0;
      const ModelShape out{width, classes};
      width += classes > 1 ? classes : 0;
      return out;
    });
    v.require(sets.size() == order.size(), "sets", "does not fit the label sets");
  }
};

LabelStacking fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.set.base));
  const LabelSetData sets = label_set_data(view, data.y());
  LabelStacking out{.layout = sets.layout,
                    .features = JoinableFeatures(params.set.base, data.x(), data.weights())};
  const Features x = out.features.prepare(data.x());
  const std::vector<std::size_t> order = out.layout.by_classes();
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Features joined = join_columns(x, out.before(k, sets.classes));
    out.sets.emplace_back(
        out.features.base(),
        ColumnProblem{joined, sets.classes[order[k]], out.layout.classes(order[k]), data.weights()},
        ctx);
  }
  return out;
}

}  // namespace

Learner make_label_stacking() {
  return define_learner<Params, LabelStacking>(
      {.id = "label_stacking",
       .summary = "one label from each set, each set seeing the labels before it",
       .reference = "Liu et al., Dual set multi-label learning, 2018",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

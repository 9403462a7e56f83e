// Co-occurrence decomposition: one classifier whose classes are the combinations of labels, one of
// each set, that occur in training. Combinations that do not occur are never predicted.
//
// The score of a label is the sum (for shares) or the maximum (for margins) over the combinations
// that contain it. Liu et al., "Dual Set Multi-Label Learning", AAAI 2018.
#include <algorithm>
#include <map>

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
    const double classes = std::max(2.0, e.sets_above(0));
    const auto groups = static_cast<double>(e.groups.size());
    const MemoryNeed inner = target_need(set.base, e.of_classes(classes));
    const double rows = e.rows * (24 + 32 + 4 * groups) + classes * (120 + 4 * groups);
    return {
        .fit = e.pieces() + SetBaseParams::training_need(e) + rows + inner.fit,
        .model = inner.model + classes * (24 + 4 * groups),
        .predict = e.asked_pieces() +
                   std::max(inner.predict, 8 * e.asked * classes + SetBaseParams::answer_need(e))};
  }
};

struct CoOccurrence {
  LabelSetLayout layout = {};
  std::vector<std::vector<Id>> combinations = {};  // a class of each set
  ClassPredictor classifier = {};

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    const Matrix scores = classifier.scores(data.x(), ctx);
    const std::vector<Id> best = classifier.best(scores);
    const bool margin = classifier.scale() == Scale::margin;
    std::vector<Matrix> per_set;
    std::vector<std::vector<Id>> chosen;
    for (std::size_t s = 0; s < layout.size(); ++s) {
      Matrix& out = per_set.emplace_back(scores.rows(), layout.classes(s));
      auto& winners = chosen.emplace_back();
      for (Index i = 0; i < scores.rows(); ++i) {
        const auto from = scores.row(i);
        const auto to = out.row(i);
        if (margin) std::fill(to.begin(), to.end(), *std::min_element(from.begin(), from.end()));
        for (std::size_t c = 0; c < combinations.size(); ++c) {
          double& label = to[at(combinations[c][s])];
          label = margin ? std::max(label, from[c]) : label + from[c];
        }
        const Id winner = best[at(i)];
        winners.push_back(combinations[at(winner)][s]);
      }
    }
    return layout.prediction(per_set, classifier.scale(), chosen);
  }
  template <class V>
  void visit(V& v) {
    v("layout", layout);
    v("combinations", combinations, below(v.outputs()));
    v("classifier", classifier, ModelShape{v.features(), count_of(combinations)});
    for (const auto& combination : combinations) {
      v.require(combination.size() == layout.size(), "combinations", "has the wrong length");
      for (std::size_t s = 0; s < combination.size(); ++s) {
        v.require(combination[s] < layout.classes(s), "combinations", "has an unknown class");
      }
    }
  }
};

CoOccurrence fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.set.base));
  const LabelSetData sets = label_set_data(view, data.y());
  CoOccurrence out{.layout = sets.layout};
  std::vector<std::vector<Id>> rows(at(data.x().rows()));
  std::map<std::vector<Id>, Id> number;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& classes : sets.classes) rows[i].push_back(classes[i]);
    number.emplace(rows[i], 0);
  }
  for (auto& [combination, id] : number) {
    id = static_cast<Id>(out.combinations.size());
    out.combinations.push_back(combination);
  }
  std::vector<Id> y;
  for (const auto& row : rows) y.push_back(number[row]);
  out.classifier =
      ClassPredictor(params.set.base,
                     {data.x(), y, static_cast<Id>(out.combinations.size()), data.weights()}, ctx);
  return out;
}

}  // namespace

Learner make_co_occurrence() {
  return define_learner<Params, CoOccurrence>(
      {.id = "co_occurrence",
       .summary = "one label from each set, with combinations seen in training as classes",
       .reference = "Liu et al., Dual set multi-label learning, 2018",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

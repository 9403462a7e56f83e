// Random k-labelsets: label powersets of small random sets of labels, and their votes.
//
//   votes_l(x) = share of the models over l whose predicted set contains l; yes from one half on
//   score_l(x) = mean over the models over l of the share of the sets with l
//
// The paper ranks by votes as well (answer=votes), where many labels tie: on medical the average
// precision over linear_svm is .78 then, and .87 by shares. // Tsoumakas, Katakis and Vlahavas,
// "Random k-labelsets for multi-label classification", TKDE 23(7), 2011. overlapping (RAkEL_o):
// `models` different sets of k labels, by default twice as many as there are labels; no label is
// left out unless there are too few sets (its score is 0 then). disjoint (RAkEL_d): the labels are
// cut at random into sets of k, the last of which may be smaller. Cost: one fit of the base learner
// with up to 2^k classes per set, in parallel.
#include <algorithm>
#include <atomic>
#include <optional>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/common/parts.hpp"
#include "mulberry/learners/powersets/powerset.hpp"
#include "mulberry/learners/powersets/rakel_sets.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

enum class Cover { overlapping, disjoint };
enum class Answer { shares, votes };

struct Params {
  Spec base = "logistic";
  DuelParams classes = {};
  std::optional<Index> k = 3;
  Cover cover = Cover::overlapping;
  std::optional<Index> models = {};
  Answer answer = Answer::shares;

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "classifier of many classes"),
        field("k", &Params::k,
              "number of labels of a set, all labels if there are fewer; auto: half of them",
              between(1, 1000).search(2, 6, false)),
        choice("cover", &Params::cover, "sets drawn one by one, or a partition of the labels",
               {"overlapping", "disjoint"}),
        field("models", &Params::models,
              "number of sets with cover=overlapping; auto: twice the number of labels; at most "
              "all sets",
              between(1, 1e6)),
        choice("answer", &Params::answer,
               "score: the mean share of the sets with the label, or the share of models whose set "
               "has it; decisions are by votes in either case",
               {"shares", "votes"}, false),
        group(&Params::classes)};
  }
  Tags tags() const {
    Tags out = tags_of_joint(base);
    out.probabilities = false;
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const double size =
        k ? std::min(static_cast<double>(*k), e.labels) : std::max(1.0, std::floor(e.labels / 2));
    double sets = cover == Cover::disjoint ? std::ceil(e.labels / size)
                  : models                 ? static_cast<double>(*models)
                                           : 2 * e.labels;
    if (cover != Cover::disjoint && size < e.labels && e.labels <= 30) {
      double all = 1;  // sets of this size
      for (double j = 0; j < size; ++j) all *= (e.labels - j) / (j + 1);
      sets = std::min(sets, all);
    }
    if (size == e.labels) sets = 1;
    const double sizes = std::min({std::exp2(std::min(size, 60.0)), e.sets_above(0), e.rows});
    const Extent part = e.of_labels(size).alone();
    const MemoryNeed one = powerset_need(base, this->classes.duels, part, sizes);
    return {.fit = e.pieces() + sets * one.model + e.at_once(sets) * (one.work() + part.truth()),
            .model = sets * one.model,
            .predict = e.asked_pieces() + 2 * e.scores() + e.decisions() + one.predict};
  }
};

struct RandomLabelsets {
  Index labels = 0;
  std::vector<std::vector<Id>> sets = {};
  std::vector<Powerset> models = {};  // one per set
  Answer answer = Answer::votes;

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    Prediction out{.scores = Matrix(data.x().rows(), labels), .scale = Scale::votes};
    double* votes = out.scores.data();
    Matrix shares(answer == Answer::shares ? data.x().rows() : 0, labels);
    std::vector<Index> voters(at(labels), 0);
    for (std::size_t m = 0; m < models.size(); ++m) {
      ctx.check();
      const Prediction one = models[m].predict(data.x(), ctx);
      for (const Id l : sets[m]) ++voters[at(l)];
      for (Index i = 0; i < one.decided->rows(); ++i) {
        for (const Id k : one.decided->row(i)) votes[i * labels + sets[m][at(k)]] += 1;
        if (answer == Answer::votes) continue;
        for (std::size_t k = 0; k < sets[m].size(); ++k) {
          const double score = one.scores(i, static_cast<Index>(k));
          shares(i, sets[m][k]) +=
              one.scale == Scale::margin ? 1 / (1 + std::exp(-2 * score)) : score;
        }
      }
    }
    for (Index i = 0; i < out.scores.rows(); ++i) {
      for (Index l = 0; l < labels; ++l) {
        const auto count = static_cast<double>(std::max<Index>(1, voters[at(l)]));
        votes[i * labels + l] /= count;
        if (answer == Answer::shares) shares(i, l) = std::min(shares.row(i)[at(l)] / count, 1.0);
      }
    }
    if (answer == Answer::votes) return out;
    out.decided = decide({.scores = std::move(out.scores), .scale = Scale::votes});
    out.scores = std::move(shares);
    return out;
  }
  Summary summary() const { return summary_of_parts(models); }
  template <class V>
  void visit(V& v) {
    v("labels", labels, exactly(v.outputs()));
    v("sets", sets, below(v.outputs()));
    v.each("models", models, [&](Index k) {
      return ModelShape{v.features(), k < count_of(sets) ? count_of(sets[at(k)]) : 0};
    });
    v.require(models.size() == sets.size(), "models", "does not fit the sets");
    v.added("answer", answer, up_to(Answer::votes));
  }
};

RandomLabelsets fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.base));
  RandomLabelsets out{.labels = view.labels(), .answer = params.answer};
  const Index k = std::min(params.k.value_or(std::max<Index>(1, out.labels / 2)), out.labels);
  out.sets = params.cover == Cover::disjoint
                 ? disjoint_labelsets(out.labels, k, ctx)
                 : random_labelsets(out.labels, k, params.models.value_or(2 * out.labels), ctx);
  out.models.resize(out.sets.size());
  std::atomic<Index> done = 0;
  const auto count = count_of(out.sets);
  parallel_for(ctx, count, [&](Index m) {
    const auto s = at(m);
    out.models[s] = Powerset(params.base, params.classes.duels, data.x(),
                             take_labels(data.y(), out.sets[s]), data.weights(), ctx.quiet());
    ctx.step(static_cast<double>(++done) / static_cast<double>(count));
  });
  return out;
}

}  // namespace

Learner make_rakel() {
  return define_learner<Params, RandomLabelsets>(
      {.id = "rakel",
       .summary = "votes of label powersets over small random sets of labels",
       .reference = "Tsoumakas et al., Random k-labelsets for multi-label classification, 2011",
       .tags = Params().tags(),
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

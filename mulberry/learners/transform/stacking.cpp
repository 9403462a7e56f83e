// Stacking: a second classifier per label sees what the first ones predict for the other labels.
//
//   first:   g_l = base(X, Y_l),                       z_l(x) = its score
//   second:  h_l = meta([X, z_j : j in R_l], Y_l),     score_l(x) = h_l([x, z_j(x)])
//
// R_l is all labels (Godbole and Sarawagi, "Discriminative methods for multi-labeled
// classification", PAKDD 2004; MS in later tables) or, with `related`=k, label l and the k - 1
// labels most related to it: by |phi| as in 2BR (Tsoumakas et al., "Correlation-based pruning of
// stacked binary relevance models", MLD 2009), by co-occurrence, or by the size of the reuse scores
// of mahr. The z of training rows come from models that have not seen them unless
// first_scores=fitted. A missing cell is left out of the problems of its own label. Cost: (folds +
// 1) times br with the base, and br with the meta learner on d + L columns.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "mulberry/base/class_columns.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/common/parts.hpp"
#include "mulberry/measures/relations.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

enum class FirstScores { held_out, fitted };
enum class Relation { phi, co_occurrence, reuse };

struct Params {
  Spec base = "logistic";
  Spec meta = "logistic";
  FirstScores first_scores = FirstScores::held_out;
  Index folds = 10;
  std::optional<Index> related = {};
  Relation relation = Relation::phi;
  bool features = true;

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "first classifier of one label"),
        learner_field("meta", &Params::meta, "second classifier of one label"),
        choice("first_scores", &Params::first_scores,
               "scores of training rows for the second classifier: from models that have not seen "
               "them, or from the first classifiers",
               {"held_out", "fitted"}),
        field("folds", &Params::folds, "number of parts, each scored by a model of the others",
              between(2, 1000)),
        field("related", &Params::related,
              "number of labels that the second classifier sees, including its own; auto: all",
              at_least(1)),
        choice("relation", &Params::relation, "how related labels are found",
               {"phi", "co_occurrence", "reuse"}),
        field("features", &Params::features, "whether the second classifier also sees X")};
  }
  CompleteSpec first() const {
    Spec out("br");
    out.set("base", base);
    return CompleteSpec(out);
  }
  Tags tags() const {
    Tags out = tags_by_label(base);
    const Tags second = find_base(meta.id).tags;
    out.labels_apart = false;
    out.sparse = out.sparse && second.sparse;
    out.missing_features = out.missing_features && second.missing_features;
    out.weights = out.weights && second.weights;
    out.probabilities = second.probabilities;
    out.distances = out.distances || second.distances;
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const double seen = related ? std::min(static_cast<double>(*related), e.labels) : e.labels;
    const bool apart = seen < e.labels;
    Extent second = features ? e.with_columns(seen) : e.of_dense(seen);
    second.picked = false;
    if (apart) second = second.of_labels(1).alone();
    const MemoryNeed one = memory_need(first(), e), two = labels_need(meta, second);
    const double tasks = apart ? e.at_once(e.labels) : 1, models = apart ? e.labels : 1;
    const bool copies = JoinableFeatures::copies(meta);
    const double inputs = second.features() + 8 * e.rows * seen;
    const double model = one.model + models * two.model;
    const double held_out = first_scores == FirstScores::held_out
                                ? held_out_need(first(), e, static_cast<double>(folds))
                                : one.predict;
    return {.fit = e.pieces() + std::max({one.fit, one.model + held_out,
                                          model + e.cells() + (copies ? e.dense() : 0) +
                                              tasks * (inputs + two.work())}),
            .model = model,
            .predict = e.asked_pieces() + (copies ? e.asked_dense() : 0) +
                       std::max(one.predict, 2 * e.scores() + second.asked_features() +
                                                 8 * e.asked * seen + two.predict)};
  }
};

struct Stacking {
  FittedLearner first = {};
  bool with_features = true;
  JoinableFeatures features = {};
  Index labels = 0;
  std::vector<std::vector<Id>> seen =
      {};  // by each second classifier; a single list of all labels is shared
  std::vector<FittedLabels> second = {};  // one per list

  // The input of second classifier k; x is prepared.
  Features input(std::size_t k, const Features& x, MatrixView first_scores) const {
    const auto& columns = seen[k];
    Matrix picked(first_scores.rows(), count_of(columns));
    double* to = picked.data();
    for (Index i = 0; i < picked.rows(); ++i) {
      for (const Id j : columns) *to++ = first_scores(i, j);
    }
    return with_features ? append_columns(x, picked) : Features(std::move(picked));
  }

  Prediction predict(const View& view, const Context& ctx) const {
    const Matrix scores = first.predict(view, ctx).scores;
    const Features x = features.prepare(Compact(view, rows_of(features.base())).x());
    Prediction out{.scores = Matrix(view.size(), labels), .scale = second.front().scale()};
    if (second.size() == 1) {
      out.scores = second[0].scores(input(0, x, scores), ctx);
      return out;
    }
    for (std::size_t l = 0; l < second.size(); ++l) {
      ctx.check();
      const Matrix one = second[l].scores(input(l, x, scores), ctx);
      for (Index i = 0; i < one.rows(); ++i) out.scores(i, static_cast<Index>(l)) = one(i, 0);
    }
    return out;
  }
  Summary summary() const { return summary_of_parts(second); }
  template <class V>
  void visit(V& v) {
    v("first", first);
    v("with_features", with_features);
    v("features", features);
    v("labels", labels, exactly(v.outputs()));
    v("seen", seen, below(v.outputs()));
    const Index width = with_features ? features.width(v.features()) : 0;
    v.each("second", second, [&](Index k) {
      const Index scores = k < count_of(seen) ? count_of(seen[at(k)]) : 0;
      return ModelShape{width + scores, seen.size() == 1 ? v.outputs() : 1};
    });
    v.require(!second.empty() && second.size() == seen.size() &&
                  (second.size() == 1 || count_of(second) == labels),
              "second", "does not fit the labels");
  }
};

// How informative label j (a column) is about label l (a row).
Matrix relatedness(Relation relation, const View& view, const Labels& y, const Context& ctx) {
  if (relation == Relation::phi) return phi(y, ctx);
  if (relation == Relation::co_occurrence) return co_occurrence(y, ctx);
  Spec booster("mahr");
  booster.set("bins", std::string("255"));
  booster.set("kappa", std::string("0"));  // all reuse counts
  constexpr std::string_view k_wanted = "reuse_score";
  for (Result& result : FittedLearner(CompleteSpec(booster), view, ctx).results()) {
    if (result.id == k_wanted) return std::move(result.values);
  }
  MULBERRY_ASSERT(false);
}

// For each label: itself and the count - 1 others with the largest size, the lower index on ties;
// in increasing order.
std::vector<std::vector<Id>> most_related(MatrixView relation, Index count) {
  std::vector<std::vector<Id>> out;
  for (Index l = 0; l < relation.rows(); ++l) {
    std::vector<Id> order(at(relation.cols()));
    std::iota(order.begin(), order.end(), 0);
    const auto size = [&](Id j) {
      return j == l ? std::numeric_limits<double>::infinity() : std::abs(relation(l, j));
    };
    std::stable_sort(order.begin(), order.end(), [&](Id a, Id b) { return size(a) > size(b); });
    order.resize(at(count));
    std::sort(order.begin(), order.end());
    out.push_back(std::move(order));
  }
  return out;
}

Stacking fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.meta));
  const bool hold_out = params.first_scores == FirstScores::held_out;
  const double half = hold_out ? 0.4 : 0.0;
  Stacking out{.first = FittedLearner(params.first(), view, ctx.part(0, 0.1)),
               .with_features = params.features,
               .features = JoinableFeatures(params.meta, data.x(), data.weights()),
               .labels = view.labels()};
  const Matrix scores =
      hold_out ? held_out_scores(params.first(), view, params.folds, ctx.part(0.1, half + 0.1))
               : out.first.predict(view, ctx).scores;
  const Index count = std::min(params.related.value_or(out.labels), out.labels);
  if (count < out.labels) {
    out.seen = most_related(relatedness(params.relation, view, data.y(), ctx.quiet()), count);
  } else {
    out.seen.emplace_back(at(out.labels));
    std::iota(out.seen[0].begin(), out.seen[0].end(), 0);
  }
  const Features x = out.features.prepare(data.x());
  out.second.resize(out.seen.size());
  if (out.seen.size() == 1) {
    out.second[0] = FittedLabels(out.features.base(), out.input(0, x, scores), data.y(),
                                 data.weights(), ctx.part(half + 0.1, 1));
    return out;
  }
  const Context rest = ctx.part(half + 0.1, 1);
  std::atomic<Index> done = 0;
  parallel_for(rest, out.labels, [&](Index l) {
    const auto k = at(l);
    const auto label = static_cast<Id>(l);
    out.second[k] =
        FittedLabels(out.features.base(), out.input(k, x, scores),
                     take_labels(data.y(), std::span(&label, 1)), data.weights(), rest.quiet());
    rest.step(static_cast<double>(++done) / static_cast<double>(out.labels));
  });
  return out;
}

}  // namespace

Learner make_stacking() {
  return define_learner<Params, Stacking>(
      {.id = "stacking",
       .summary = "two classifiers per label; the second sees what the first ones predict for "
                  "other labels",
       .reference = "Godbole and Sarawagi, Discriminative methods for multi-labeled "
                    "classification, 2004",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

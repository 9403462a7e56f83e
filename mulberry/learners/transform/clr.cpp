// Calibrated label ranking: a duel for every pair of labels, and a virtual label that separates
// relevant from irrelevant ones.
//
//   for k < l:  h_kl = base(rows with exactly one of k and l; has k?)
//   votes_k = duels won by k + [br says yes to k],   votes_0 = number of labels br says no to
//   score_k(x) = votes_k / L,   k is assigned to x  <=>  votes_k > votes_0
//
// Fuernkranz, Huellermeier, Loza Mencia and Brinker, "Multilabel classification via calibrated
// label ranking", Machine Learning 73, 2008. A duel that one label always won is a constant; a duel
// without rows is half a vote for either. A row in which either label is missing is left out of the
// duel. votes=soft adds probabilities instead of decisions. Cost: br and L (L - 1) / 2 fits of the
// base learner on parts of the rows, where each row is in |Y| (L - |Y|) of them; as many scores per
// row.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/common/parts.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/suitable_bases.hpp"

namespace mulberry::learners {
namespace {

enum class DuelVotes { hard, soft };

struct Params {
  Spec base = "logistic";
  DuelVotes votes = DuelVotes::hard;

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "classifier of one label, and of one duel"),
        choice("votes", &Params::votes, "whole votes, or probabilities", {"hard", "soft"})};
  }
  Tags tags() const {
    const BaseLearner& learner = find_base(base.id);
    if (votes == DuelVotes::soft && learner.scale_of(base) == Scale::margin) {
      throw Error(Code::parameter, "votes=soft needs shares, and " + base.id + " gives margins",
                  "Use votes=hard, or " + suitable_bases([](const BaseLearner& b) {
                    return b.scale != Scale::margin;
                  }));
    }
    Tags out = tags_by_label(base);
    out.probabilities = false;
    out.labels_apart = false;  // a duel is about two labels
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const double duels = e.labels * (e.labels - 1) / 2;
    const double share = e.rows > 0 && e.labels > 0 ? e.positives / e.rows / e.labels : 0.5;
    const Extent rows = e.of_rows(2 * share * (1 - share) * e.rows).of_classes(2).alone();
    const MemoryNeed all = labels_need(base, e), one = target_need(base, rows);
    const double model = all.model + duels * (one.model + 200);
    Extent chunk = e.alone();
    chunk.asked = std::min(e.asked, 256.0);
    return {.fit = e.pieces() +
                   std::max(all.fit, model + e.at_once(duels) *
                                                 (one.work() + rows.features() + 12 * rows.rows)),
            .model = model,
            .predict = e.asked_pieces() + e.scores() + 40 * e.asked + 2 * e.decisions() +
                       e.threads * (chunk.asked_features() + labels_need(base, chunk).predict)};
  }
};

// Between labels k < l.
struct Duel {
  std::optional<FittedClassifier> model = {};
  double constant = 0.5;  // the vote for k without a model

  Summary summary() const { return model ? model->summary() : Summary{}; }
  template <class V>
  void visit(V& v) {
    v("model", model, ModelShape{v.features(), 1});
    v("constant", constant, real(0, 1));
  }
};

Matrix votes_of(Matrix scores, Scale scale, DuelVotes votes) {
  if (votes == DuelVotes::soft) return scores;
  return to_dense(decide({.scores = std::move(scores), .scale = scale}));
}

struct CalibratedRanking {
  Index labels = 0;
  DuelVotes votes = DuelVotes::hard;
  FittedLabels relevance = {};
  std::vector<Duel> duels = {};  // (0, 1), (0, 2), ..., (1, 2), ...

  Prediction predict(const View& view, const Context& ctx) const;
  Summary summary() const { return summary_of_parts(duels); }
  template <class V>
  void visit(V& v) {
    v("labels", labels, exactly(v.outputs()));
    v("votes", votes, up_to(DuelVotes::soft));
    v("relevance", relevance);
    v("duels", duels);
    v.require(labels >= 1 && count_of(duels) == labels * (labels - 1) / 2, "duels",
              "does not fit the labels");
  }
};

// Adds the votes of one duel for every row to the votes of its labels.
void add_duel(const Duel& duel, MatrixView votes, Index k, Index l, Matrix& to) {
  double* total = to.data();
  for (Index i = 0; i < to.rows(); ++i) {
    const double won = duel.model ? votes(i, 0) : duel.constant;
    total[i * to.cols() + k] += won;
    total[i * to.cols() + l] += 1 - won;
  }
}

Prediction CalibratedRanking::predict(const View& view, const Context& ctx) const {
  const Compact data(view);
  const Index rows = data.x().rows();
  const auto width = static_cast<double>(labels);
  Prediction out{.scores = Matrix(rows, labels), .scale = Scale::votes};
  double* scores = out.scores.data();
  std::vector<std::vector<Id>> decided(at(rows));
  parallel_chunks(ctx, rows, 256, [&](Index begin, Index end) {
    std::vector<Id> chunk(at(end - begin));
    std::iota(chunk.begin(), chunk.end(), static_cast<Id>(begin));
    const Features x = take_rows(data.x(), chunk);
    const Context inner = ctx.serial();
    Matrix total = votes_of(relevance.scores(x, inner), relevance.scale(), votes);
    MULBERRY_ASSERT(total.cols() == labels);
    std::vector<double> against;  // votes of the virtual label
    for (Index i = 0; i < x.rows(); ++i) {
      const auto row = total.row(i);
      against.push_back(width - std::accumulate(row.begin(), row.end(), 0.0));
    }
    auto duel = duels.begin();
    for (Index k = 0; k < labels; ++k) {
      inner.check();
      for (Index l = k + 1; l < labels; ++l, ++duel) {
        const Matrix won = duel->model
                               ? votes_of(duel->model->scores(x, inner), relevance.scale(), votes)
                               : Matrix();
        add_duel(*duel, won, k, l, total);
      }
    }
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index l = 0; l < labels; ++l) {
        const double v = total(i, l);
        scores[(begin + i) * labels + l] = std::min(v / width, 1.0);
        if (v > against[at(i)]) {
          decided[at(begin + i)].push_back(static_cast<Id>(l));
        }
      }
    }
  });
  out.decided = Labels(labels, decided);
  return out;
}

Duel fit_duel(const Spec& base, const Compact& data, Index k, Index l, const Context& ctx) {
  std::vector<Id> rows, won;
  std::vector<double> weights;
  for (Index i = 0; i < data.x().rows(); ++i) {
    const Cell a = data.y().cell(i, k), b = data.y().cell(i, l);
    if (a == b || a == Cell::missing || b == Cell::missing) continue;
    rows.push_back(static_cast<Id>(i));
    won.push_back(a == Cell::positive ? 1 : 0);
    if (!data.weights().empty()) weights.push_back(data.weight(i));
  }
  Duel out;
  const auto wins = std::accumulate(won.begin(), won.end(), std::size_t{0});
  if (wins > 0 && wins < won.size()) {
    out.model.emplace(base, ColumnProblem{take_rows(data.x(), rows), won, 2, weights}, ctx);
  } else if (!won.empty()) {
    out.constant = wins > 0 ? 1 : 0;
  }
  return out;
}

CalibratedRanking fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.base));
  CalibratedRanking out{.labels = view.labels(), .votes = params.votes};
  std::vector<std::pair<Index, Index>> pairs;
  for (Index k = 0; k < out.labels; ++k) {
    for (Index l = k + 1; l < out.labels; ++l) pairs.emplace_back(k, l);
  }
  out.relevance = FittedLabels(params.base, data.x(), data.y(), data.weights(), ctx.part(0, 0.1));
  ctx.check();
  const Context rest = ctx.part(0.1, 1);
  out.duels.resize(pairs.size());
  std::atomic<std::size_t> done = 0;
  parallel_for(ctx, count_of(pairs), [&](Index p) {
    const auto [k, l] = pairs[at(p)];
    out.duels[at(p)] = fit_duel(params.base, data, k, l, ctx.quiet());
    rest.step(static_cast<double>(++done) / static_cast<double>(pairs.size()));
  });
  return out;
}

}  // namespace

Learner make_clr() {
  return define_learner<Params, CalibratedRanking>(
      {.id = "clr",
       .summary = "a ranking by duels of all pairs of labels, cut by a virtual label",
       .reference = "Fuernkranz et al., Multilabel classification via calibrated label ranking, "
                    "2008",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

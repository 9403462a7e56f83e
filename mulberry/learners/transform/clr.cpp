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
// row. The weights of linear duels are kept as floats in one matrix, by which X is multiplied.
#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/common/parts.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/suitable_bases.hpp"

namespace mulberry::learners {
namespace {

enum class DuelVotes { hard, soft };

// Rows, and linear duels, that are predicted at once.
constexpr Index k_rows = 256, k_linear_rows = 1024, k_duel_block = 512;

bool is_linear(const Spec& base) { return find_base(base.id).fit_links != nullptr; }

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
    const bool linear = is_linear(base);
    const double model = all.model + duels * (linear ? 4 * e.columns + 9 : one.model + 200);
    Extent chunk = e.alone();
    chunk.asked = std::min(e.asked, static_cast<double>(linear ? k_linear_rows : k_rows));
    const double block = std::min(duels, static_cast<double>(k_duel_block));
    const double votes_of_chunk =
        8 * (e.labels + 1) * chunk.asked + (linear ? 8 * block * (2 * e.columns + chunk.asked) : 0);
    return {.fit = e.pieces() +
                   std::max(all.fit, model + e.at_once(duels) *
                                                 (one.work() + rows.features() + 12 * rows.rows)),
            .model = model,
            .predict = e.asked_pieces() + e.scores() + 40 * e.asked + 2 * e.decisions() +
                       e.threads * (chunk.asked_features() + votes_of_chunk +
                                    labels_need(base, chunk).predict)};
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

// All duels of a linear base learner. Their weights are floats: half the memory of half a million
// models, and a rounding far below what two solutions within the tolerance of a solver differ by.
struct LinearDuels {
  Array<float> w = {};                 // duels x features
  std::vector<double> b = {};          // infinite if one label always won
  std::vector<std::uint8_t> met = {};  // 0: no rows, half a vote for either
  bool logistic = false;               // see LinearForm
  bool converged = true;
  Index rounds = 0;

  bool empty() const { return b.empty(); }
  template <class V>
  void visit(V& v) {
    v("met", met, whole(0, 1));
    v("b", b, finite_or_infinite().length(count_of(met)));
    v("w", w, finite().length(count_of(met) * v.features()));
    v("logistic", logistic);
    v("converged", converged);
    v("rounds", rounds, any_count());
  }
};

struct CalibratedRanking {
  Index labels = 0;
  DuelVotes votes = DuelVotes::hard;
  FittedLabels relevance = {};
  // (0, 1), (0, 2), ..., (1, 2), ...; one of these two.
  std::vector<Duel> duels = {};
  LinearDuels linear = {};

  Index pairs() const { return labels * (labels - 1) / 2; }
  Prediction predict(const View& view, const Context& ctx) const;
  void add_linear_duels(const Features& x, Matrix& votes_of_labels, const Context& ctx) const;
  Summary summary() const {
    Summary out = summary_of_parts(duels);
    out.converged = out.converged && linear.converged;
    out.rounds = std::max(out.rounds, linear.rounds);
    return out;
  }
  template <class V>
  void visit(V& v) {
    v("labels", labels, exactly(v.outputs()));
    v("votes", votes, up_to(DuelVotes::soft));
    v("relevance", relevance);
    if (v.stores("linear.b", !linear.empty())) {
      v("linear", linear);
      v.require(labels >= 1 && count_of(linear.b) == pairs(), "linear", "does not fit the labels");
      return;
    }
    v("duels", duels);
    v.require(labels >= 1 && count_of(duels) == pairs(), "duels", "does not fit the labels");
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

void CalibratedRanking::add_linear_duels(const Features& x, Matrix& votes_of_labels,
                                         const Context& ctx) const {
  const Index d = x.cols();
  double* const to = votes_of_labels.data();
  Index k = 0, l = 0;  // of the next duel, less one step
  for (Index begin = 0; begin < pairs(); begin += k_duel_block) {
    ctx.check();
    const Index count = std::min(k_duel_block, pairs() - begin);
    Matrix w(count, d);
    std::copy_n(linear.w.data() + begin * d, count * d, w.data());
    const Matrix scores =
        linear_scores(x, w, std::span(linear.b).subspan(at(begin), at(count)), ctx);
    for (Index p = 0; p < count; ++p) {
      if (++l == labels) l = ++k + 1;
      for (Index i = 0; i < x.rows(); ++i) {
        const double t = scores(i, p);
        double won = 0.5;
        if (linear.met[at(begin + p)] != 0) {
          if (votes == DuelVotes::soft) {
            won = logistic_share(t);
          } else {
            won = (linear.logistic ? t >= 0 : t > 0) ? 1 : 0;
          }
        }
        to[i * labels + k] += won;
        to[i * labels + l] += 1 - won;
      }
    }
  }
}

Prediction CalibratedRanking::predict(const View& view, const Context& ctx) const {
  const Compact data(view);
  const Index rows = data.x().rows();
  const auto width = static_cast<double>(labels);
  Prediction out{.scores = Matrix(rows, labels), .scale = Scale::votes};
  double* scores = out.scores.data();
  std::vector<std::vector<Id>> decided(at(rows));
  const Index at_once = linear.empty() ? k_rows : k_linear_rows;
  parallel_chunks(ctx, rows, at_once, [&](Index begin, Index end) {
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
    if (!linear.empty()) add_linear_duels(x, total, inner);
    auto duel = duels.begin();
    for (Index k = 0; k < labels && !duels.empty(); ++k) {
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

// The rows in which exactly one of labels k and l is positive and neither is missing, in order, and
// whether it is k.
struct Meeting {
  std::vector<Id> rows = {}, won = {};
};

Meeting meeting_of(const Labels& y, Index k, Index l) {
  Meeting out;
  const auto of_k = y.column(k), of_l = y.column(l);
  const auto gone_k = y.missing_column(k), gone_l = y.missing_column(l);
  const auto add = [&](Id row, Id won, std::span<const Id> gone) {
    if (std::binary_search(gone.begin(), gone.end(), row)) return;
    out.rows.push_back(row);
    out.won.push_back(won);
  };
  auto a = of_k.begin(), b = of_l.begin();
  while (a != of_k.end() || b != of_l.end()) {
    if (b == of_l.end() || (a != of_k.end() && *a < *b)) {
      add(*a++, 1, gone_l);
    } else if (a == of_k.end() || *b < *a) {
      add(*b++, 0, gone_k);
    } else {
      ++a, ++b;
    }
  }
  return out;
}

Duel fit_duel(const Spec& base, const Compact& data, Index k, Index l, const Context& ctx) {
  const auto [rows, won] = meeting_of(data.y(), k, l);
  std::vector<double> weights;
  if (!data.weights().empty()) {
    for (const Id i : rows) weights.push_back(data.weight(i));
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
  std::vector<std::pair<Id, Id>> pairs;
  pairs.reserve(at(out.pairs()));
  for (Id k = 0; k < out.labels; ++k) {
    for (Id l = k + 1; l < out.labels; ++l) pairs.emplace_back(k, l);
  }
  out.relevance = FittedLabels(params.base, data.x(), data.y(), data.weights(), ctx.part(0, 0.1));
  ctx.check();
  const Context rest = ctx.part(0.1, 1);
  const Index d = data.x().cols();
  const bool linear = is_linear(params.base);
  std::vector<float> w;
  std::vector<std::uint8_t> unfinished;  // of linear duels
  std::vector<Index> rounds;
  if (linear) {
    w.resize(pairs.size() * at(d));
    out.linear.b.resize(pairs.size());
    out.linear.met.resize(pairs.size());
    out.linear.logistic = out.relevance.scale() == Scale::probability;
    unfinished.resize(pairs.size());
    rounds.resize(pairs.size());
  } else {
    out.duels.resize(pairs.size());
  }
  std::atomic<std::size_t> done = 0;
  parallel_for(ctx, count_of(pairs), [&](Index index) {
    const auto p = at(index);
    const auto [k, l] = pairs[p];
    Duel duel = fit_duel(params.base, data, k, l, ctx.quiet());
    if (!linear) {
      out.duels[p] = std::move(duel);
    } else if (duel.model) {
      const std::optional<LinearForm> form = duel.model->linear_form();
      MULBERRY_ASSERT(form.has_value());
      std::transform(form->w.begin(), form->w.end(), w.begin() + index * d,
                     [](double v) { return static_cast<float>(v); });
      const Summary how = duel.summary();
      out.linear.b[p] = form->b;
      out.linear.met[p] = 1;
      unfinished[p] = how.converged ? 0 : 1;
      rounds[p] = how.rounds;
    } else if (duel.constant != 0.5) {
      constexpr double k_infinity = std::numeric_limits<double>::infinity();
      out.linear.b[p] = duel.constant > 0.5 ? k_infinity : -k_infinity;
      out.linear.met[p] = 1;
    }
    rest.step(static_cast<double>(++done) / static_cast<double>(pairs.size()));
  });
  out.linear.w = std::move(w);
  for (std::size_t p = 0; p < rounds.size(); ++p) {
    out.linear.converged = out.linear.converged && unfinished[p] == 0;
    out.linear.rounds = std::max(out.linear.rounds, rounds[p]);
  }
  return out;
}

}  // namespace

Learner make_clr() {
  return define_learner<Params, CalibratedRanking>(
      {.id = "clr",
       .summary = "a ranking by duels of all pairs of labels, cut by a virtual label",
       .reference = "Fuernkranz et al., Multilabel classification via calibrated label ranking, "
                    "2008",
       .tags = Params().tags(),
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

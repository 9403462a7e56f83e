// MAHR, multi-label hypothesis reuse: one boosted classifier per label, all grown together; in
// every round a label may reuse the answer of another label instead of a new stump.
//
//   minimise, label by label,  sum_i ln(1 + exp(-y_i H_l(x_i))),   H_l = sum_t alpha_t h_t
//   h_t = the best of  stump(x), sign(H_k(x)), -sign(H_k(x)) for labels k != l
//
// The weights of reused hypotheses, summed over rounds, tell how much one label helps another: the
// result `reuse_score`, with learners in rows and helpers in columns, each row divided by the
// contribution of the label's own stumps. Labels with the same answers in a round share the credit.
//
// Huang, Yu and Zhou, "Multi-label Hypothesis Reuse", KDD 2012; its equation 2, the reuse step, is
// lost in the copies that we know, and best_edge with kappa=0 is our reading of it
// (docs/deviations.md). Stumps are chosen by entropy, as in Weka; `kappa` is ours: reuse must be
// better by kappa times the sampling error of an edge. Without a price best_edge ranks worse than no
// reuse on most sets, so the default asks for 4 sampling errors and for helpers that do not repeat
// the label. Cost and steps of a round: booster.hpp; prediction: O(rounds x labels) per row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/boosting/boosted_stumps.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/learners/mahr/booster.hpp"
#include "mulberry/learners/mahr/filter.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners {
namespace {

using mahr::Loss;
using mahr::Reuse;
using mahr::Rounds;
using mahr::Settings;

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_kappas[] = {0, 2, 4, k_infinity};  // what kappa=auto tries with folds
constexpr double k_price = 4;                         // of kappa=auto without folds
constexpr Index k_most_rounds = 3000;                 // of rounds=auto

struct Params {
  std::optional<Index> rounds = {};
  Reuse reuse = Reuse::best_edge;
  Loss loss = Loss::hamming;
  std::optional<double> kappa = {};
  double rho = 0.1;
  StumpCriterion criterion = StumpCriterion::entropy;
  Index bins = 0;
  Index folds = 0;
  double validation = 0;
  Index patience = 50;
  bool filter = false;
  double filter_epsilon = 0.05, filter_delta = 0.1, filter_tau = 0.1;

  static Fields fields() {
    return Fields{
        field("rounds", &Params::rounds,
              "rounds of boosting, in addition to the rounds of a model that is continued; auto: "
              "twice the features, at most 3000",
              between(1, 1e6).search(50, 1000)),
        choice("reuse", &Params::reuse,
               "best_edge: the best single hypothesis; clip, normalised: a mix by a linear "
               "programme; none: own stumps only",
               {"best_edge", "clip", "normalised", "none"}, false),
        choice(
            "loss", &Params::loss,
            "loss for choosing what to reuse: mistakes in cells, or in the order of a row's labels",
            {"hamming", "ranking"}, false),
        field("kappa", &Params::kappa,
              "best_edge: by how many sampling errors reuse must be better than the stump; 0 to "
              "learn "
              "relations; auto, to predict: 4, and no helper that only repeats the label",
              between(0, 1e6).search(0.5, 8)),
        field("rho", &Params::rho, "clip, normalised: price of a unit of reuse", between(0, 1e6)),
        choice("criterion", &Params::criterion, "criterion for choosing a stump",
               {"entropy", "error"}),
        field("bins", &Params::bins,
              "largest number of intervals per feature; 0: every cut between its values; 255 is "
              "faster for many rows",
              between(0, 65535)),
        field("folds", &Params::folds,
              "kappa=auto: folds of the cross-validation that chooses 0, 2, 4 or no reuse; 0: "
              "choose nothing",
              between(0, 100)),
        field("validation", &Params::validation,
              "share of rows held out to stop early; 0: train all rounds on all rows",
              between(0, 0.9)),
        field("patience", &Params::patience,
              "with validation: rounds without a better held-out Hamming loss before stopping",
              between(1, 1e6)),
        field("filter", &Params::filter,
              "train on rows drawn by their weights, for data whose rows are too many to look at "
              "all of them in every round"),
        field("filter_epsilon", &Params::filter_epsilon,
              "filter: a label that errs on less than about this share of the rows is finished",
              between(1e-6, 1)),
        field("filter_delta", &Params::filter_delta, "filter: probability that an estimate is off",
              between(1e-9, 0.5)),
        field("filter_tau", &Params::filter_tau,
              "filter: relative error of the measured edges; the rows drawn for a round grow with "
              "its inverse square",
              between(1e-3, 10))};
  }
  // Neither given nor chosen.
  bool by_rule() const { return !kappa && folds == 0; }
  Settings settings() const {
    return {.reuse = reuse,
            .loss = loss,
            .kappa = kappa.value_or(k_price),
            .must_differ = by_rule(),
            .rho = rho,
            .criterion = criterion,
            .bins = bins};
  }
  Tags tags() const {
    Tags out = k_boosting_tags;
    out.labels_apart = reuse == Reuse::none && folds == 0 && validation == 0 && !filter;
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const double count = rounds ? static_cast<double>(*rounds)
                                : std::min(static_cast<double>(k_most_rounds), 2 * e.columns);
    const double model = 1.5 * count * e.labels * (8 + 8 + 4 + 8 + 3 + 8 + 12);
    // Truth, scores, signs, weights, answers, and weights of the round after.
    const double cells = (reuse == Reuse::none ? 5 : 6) * e.cells();
    const bool searches = !kappa;
    const double tasks = searches ? e.at_once(static_cast<double>(folds)) : 1;
    const double copies = searches || validation > 0 ? e.features() + e.truth() : 0;
    return {.fit = e.pieces() + 8 * e.labels * e.labels +
                   tasks * (copies + StumpColumns::bytes(e, bins) + 2 * model + 8 * e.rows +
                            std::max(StumpColumns::work_bytes(e), cells)),
            .model = model,
            .predict = e.asked_pieces() + e.scores()};
  }
};

enum : Index { k_hamming, k_logistic, k_reused, k_validation, k_curve };

struct Mahr {
  Rounds rounds = {};
  Matrix reuse = {};                // not yet divided by the diagonal
  Matrix curve = {};                // rounds x k_curve
  double kappa = 0;                 // -1: no reuse
  bool must_differ = false;         // with this kappa
  std::vector<double> search = {};  // Hamming loss of each of k_kappas, if it was chosen
  bool interrupted = false;

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    Matrix scores = rounds.start(data.x().rows());
    rounds.advance(data.x(), 0, rounds.count(), scores, ctx);
    return {.scores = std::move(scores), .scale = Scale::margin};
  }

  Summary summary() const {
    return {.interrupted = interrupted,
            .objective = curve.rows() > 0 ? curve(curve.rows() - 1, k_logistic) : k_nan,
            .rounds = rounds.count()};
  }

  std::vector<Result> results() const {
    Matrix scores = reuse;
    for (Index i = 0; i < scores.rows(); ++i) {
      const double own = reuse(i, i);
      for (double& v : scores.row(i)) v = own != 0 ? v / own : k_nan;
    }
    std::vector<Result> out = {
        {.id = "reuse_score",
         .sentence = "how much each label (column) helped each label (row), relative to the "
                     "contribution of the row's own stumps; nan: the label learnt no stump",
         .rows = Axis::labels,
         .columns = Axis::labels,
         .values = std::move(scores)},
        {.id = "learning_curve",
         .sentence = "after each round: losses on the training rows, the share of labels that "
                     "reused, and the Hamming loss of held-out rows (nan: there were none)",
         .column_names = {"hamming_loss", "logistic_loss", "reused", "validation_hamming_loss"},
         .values = curve}};
    if (!search.empty()) {
      Result tried{.id = "kappa_search",
                   .sentence = "cross-validated Hamming loss of each kappa that was tried",
                   .rows = Axis::named,
                   .row_names = {},
                   .column_names = {"hamming_loss"},
                   .values = Matrix(count_of(search), 1)};
      for (std::size_t k = 0; k < search.size(); ++k) {
        tried.row_names.push_back(std::isfinite(k_kappas[k]) ? "kappa=" + shortest(k_kappas[k])
                                                             : std::string("no reuse"));
        tried.values(static_cast<Index>(k), 0) = search[k];
      }
      out.push_back(std::move(tried));
    }
    return out;
  }

  template <class V>
  void visit(V& v) {
    v("rounds", rounds);
    v("reuse", reuse, any_real().rows(v.outputs()).cols(v.outputs()));
    v("curve", curve, any_real().rows(rounds.count()).cols(k_curve));
    v("kappa", kappa, any_real());
    v("search", search, any_real());
    v("interrupted", interrupted);
    v.added("must_differ", must_differ);
    v.require(search.empty() || search.size() == std::size(k_kappas), "search",
              "does not fit the values of kappa");
  }
};

double hamming_loss(MatrixView scores, const Labels& y, std::span<const double> weights) {
  double wrong = 0, all = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[at(i)];
    for (Index l = 0; l < scores.cols(); ++l) {
      const Cell cell = y.cell(i, l);
      if (cell == Cell::missing) continue;
      all += weight;
      if ((scores(i, l) > 0) != (cell == Cell::positive)) wrong += weight;
    }
  }
  return all > 0 ? wrong / all : 0.0;
}

std::vector<double> take(std::span<const double> values, std::span<const Id> rows) {
  std::vector<double> out;
  for (const Id i : rows) {
    if (!values.empty()) out.push_back(values[at(i)]);
  }
  return out;
}

// Of the weights of so many rows, all 1 when there are none.
double sum_of(std::span<const double> weights, Index rows) {
  return weights.empty() ? static_cast<double>(rows)
                         : std::accumulate(weights.begin(), weights.end(), 0.0);
}

// Rows that training does not see, and their scores so far.
struct HeldOut {
  Features x;
  Labels y;
  std::vector<double> weights;
  Matrix scores;
};

Index rounds_of(const Params& params, const Features& x) {
  return params.rounds.value_or(std::min(k_most_rounds, 2 * x.cols()));
}

// Adds rounds to `out` until there are enough, no label learns, or the held-out loss says stop.
template <class Booster>
void boost(Booster& booster, Index rounds, Index patience, HeldOut* held, Mahr& out,
           const Context& ctx) {
  const Index before = out.rounds.count();
  std::vector<double> curve(out.curve.values().begin(), out.curve.values().end());
  const bool to_beat = held != nullptr && before > 0;  // the model that is continued
  double best = to_beat ? hamming_loss(held->scores, held->y, held->weights) : k_infinity;
  Index best_count = before;
  Matrix best_reuse = out.reuse;
  try {
    for (Index t = 0; t < rounds; ++t) {
      ctx.step(static_cast<double>(t) / static_cast<double>(rounds));
      if (!booster.add_round(ctx.quiet())) break;
      double validation = k_nan;
      const Index count = booster.rounds().count();
      if (held != nullptr) {
        booster.rounds().advance(held->x, count - 1, count, held->scores, ctx.quiet());
        validation = hamming_loss(held->scores, held->y, held->weights);
      }
      curve.insert(curve.end(), {booster.hamming_loss(), booster.logistic_loss(),
                                 booster.history().reused(), validation});
      if (held == nullptr || validation < best) {
        best = validation;
        best_count = count;
        if (held != nullptr) best_reuse = booster.history().reuse();
      }
      if (count - best_count >= patience) break;
    }
  } catch (const Cancelled&) {
    if (best_count == 0) throw;  // no model to return yet
    out.interrupted = true;
  }
  out.rounds = booster.rounds();
  out.rounds.keep(best_count);
  out.reuse = held != nullptr ? std::move(best_reuse) : booster.history().reuse();
  curve.resize(at(best_count * k_curve));
  out.curve = Matrix(best_count, k_curve, std::move(curve));
}

// On all rows or on filtered ones.
void boost_with(const Features& x, const Labels& y, std::span<const double> weights,
                const Params& params, const Settings& settings, HeldOut* held, Mahr& out,
                const Context& ctx) {
  const Index rounds = rounds_of(params, x);
  const Index patience = held != nullptr ? params.patience : rounds;
  if (params.filter) {
    mahr::FilteredBooster booster(x, y, weights, settings,
                                  {params.filter_epsilon, params.filter_delta, params.filter_tau},
                                  out.rounds, out.reuse);
    boost(booster, rounds, patience, held, out, ctx);
  } else {
    mahr::Booster booster(x, y, weights, settings, out.rounds, out.reuse, ctx.quiet());
    boost(booster, rounds, patience, held, out, ctx);
  }
}

Mahr train(const Features& x, const Labels& y, std::span<const double> weights,
           const Params& params, const Settings& settings, const Mahr* init, const Context& ctx) {
  Mahr out;
  if (init != nullptr) {
    out = *init;
    out.interrupted = false;
  } else {
    out.rounds = Rounds(x.cols(), one_class_scores(y));
    out.reuse = Matrix(y.count(), y.count());
    out.curve = Matrix(0, k_curve);
  }
  out.kappa = settings.reuse == Reuse::none ? -1 : settings.kappa;
  out.must_differ = settings.must_differ;
  if (params.validation == 0 || x.rows() < 4) {
    boost_with(x, y, weights, params, settings, nullptr, out, ctx);
    return out;
  }
  const Fold fold = hold_out(y, {.holdout = params.validation}, ctx);
  const Features seen = block_rows(x, fold.train);
  const Labels seen_y = take_rows(y, fold.train);
  const std::vector<double> seen_weights = take(weights, fold.train);
  if (init == nullptr) out.rounds = Rounds(x.cols(), one_class_scores(seen_y));
  HeldOut held{block_rows(x, fold.test), take_rows(y, fold.test), take(weights, fold.test), {}};
  held.scores = out.rounds.start(held.x.rows());
  out.rounds.advance(held.x, 0, out.rounds.count(), held.scores, ctx.quiet());
  boost_with(seen, seen_y, seen_weights, params, settings, &held, out, ctx);
  return out;
}

Settings with_kappa(Settings settings, double kappa) {
  if (std::isinf(kappa)) settings.reuse = Reuse::none;
  settings.kappa = std::isinf(kappa) ? 0 : kappa;
  return settings;
}

// The cross-validated Hamming loss of each kappa. In a fold the highest kappa comes first: the
// stumps of its labels serve the others until they reuse.
std::vector<double> search_kappa(const Features& x, const Labels& y,
                                 std::span<const double> weights, const Params& params,
                                 const Context& ctx) {
  const auto folds = k_folds(y, {.folds = std::min(params.folds, x.rows())}, ctx);
  Matrix losses(count_of(folds), static_cast<Index>(std::size(k_kappas)));
  double* const out = losses.data();
  parallel_for(ctx, losses.rows(), [&](Index f) {
    const Fold& fold = folds[at(f)];
    const Features seen = block_rows(x, fold.train), test = block_rows(x, fold.test);
    const Labels seen_y = take_rows(y, fold.train), test_y = take_rows(y, fold.test);
    const std::vector<double> seen_weights = take(weights, fold.train);
    const std::vector<double> test_weights = take(weights, fold.test);
    const double tested = sum_of(test_weights, test.rows()), all = sum_of(weights, x.rows());
    mahr::OwnStumps shared;
    for (Index k = losses.cols() - 1; k >= 0; --k) {
      ctx.step(static_cast<double>(losses.cols() * (f + 1) - k - 1) /
               static_cast<double>(losses.size()));
      Settings settings = with_kappa(params.settings(), k_kappas[k]);
      if (!params.filter) settings.shared = &shared;
      const Mahr model = train(seen, seen_y, seen_weights, params, settings, nullptr, ctx.quiet());
      if (model.interrupted) throw Cancelled();
      Matrix scores = model.rounds.start(test.rows());
      model.rounds.advance(test, 0, model.rounds.count(), scores, ctx.quiet());
      out[f * losses.cols() + k] = hamming_loss(scores, test_y, test_weights) * tested / all;
    }
  });
  std::vector<double> sums(std::size(k_kappas), 0.0);
  for (Index k = 0; k < losses.size(); ++k) sums[at(k % losses.cols())] += out[k];
  return sums;
}

Mahr fit(const View& view, const Params& params, const Context& ctx, const Mahr* init) {
  if (params.reuse != Reuse::best_edge && params.kappa.value_or(0) != 0.0) {
    constexpr const char* k_names[] = {"best_edge", "clip", "normalised", "none"};
    throw Error(Code::parameter,
                std::string("mahr: expected kappa with reuse=best_edge only, found kappa=") +
                    shortest(*params.kappa) +
                    " with reuse=" + k_names[static_cast<int>(params.reuse)],
                "Leave out kappa");
  }
  if (params.folds == 1 ||
      (params.folds > 0 && (params.kappa || params.reuse != Reuse::best_edge))) {
    throw Error(Code::parameter,
                params.folds == 1
                    ? "mahr: expected folds=0 or 2 and more, found 1"
                    : "mahr: expected folds with reuse=best_edge and kappa=auto only, "
                      "found it with another",
                "Leave out folds");
  }
  const Compact data(view, Rows::blocks);
  Settings settings = params.settings();
  if (init != nullptr) {
    require_same_shape("mahr", init->rounds.labels(), init->rounds.columns(), data);
    if (!params.kappa && params.reuse == Reuse::best_edge) {
      settings = with_kappa(settings, init->kappa < 0 ? k_infinity : init->kappa);
      settings.must_differ = init->must_differ;
    }
    return train(data.x(), data.y(), data.weights(), params, settings, init, ctx);
  }
  if (params.folds == 0 || data.x().rows() < 2) {
    return train(data.x(), data.y(), data.weights(), params, settings, nullptr, ctx);
  }
  std::vector<double> search =
      search_kappa(data.x(), data.y(), data.weights(), params, ctx.part(0, 0.9));
  const auto best = std::min_element(search.begin(), search.end()) - search.begin();
  Mahr out = train(data.x(), data.y(), data.weights(), params, with_kappa(settings, k_kappas[best]),
                   nullptr, ctx.part(0.9, 1));
  out.search = std::move(search);
  return out;
}

}  // namespace

Learner make_mahr() {
  return define_learner<Params, Mahr>(
      {.id = "mahr",
       .summary = "boosted stumps that reuse the answers of other labels, and tell which labels "
                  "help which",
       .reference = "Huang, Yu and Zhou, Multi-label Hypothesis Reuse, 2012",
       .tags = k_boosting_tags,
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

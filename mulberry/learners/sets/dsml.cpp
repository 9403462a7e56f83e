// DSML: exactly one label from each set, learnt by boosting in which the sets help each other.
//
// Sets a (more classes) and b; base learner A; rows weighted by wa and wb, at first all equal.
//   a round:  hraw = A(X, yb)                    on a sample drawn by wb
//             ha   = A([X, hraw(X)], ya)         on a sample drawn by wa
//             hb   = A([X, ha(..)], yb)          on the sample drawn by wb
//             vote_a = (ln((1 - ea) / ea) + ln(La - 1)) / La,  ea = error on the sample; b likewise
//             wa_i *= exp(vote_a [a wrong]) B^[b wrong],  wb_i *= exp(vote_b [b wrong]) B^[a wrong]
//   answer:   the class with the most votes, set by set; the lower class on ties.
// A round with an error above (L - 1) / L in any set is dropped and ends training; if it is the
// first, it is kept and votes alone. With K sets the first answers form a chain from the set with
// the fewest classes, then every set, most classes first, sees the newest answers of all others.
//
// Liu, Zhao, Huang, Jiang, Zhou, "Dual Set Multi-Label Learning", AAAI 2018. We differ where the
// paper's pseudocode contradicts its text: errors are rates, and B multiplies the weight of a row
// only if its other label is wrong. hb is trained on the answers that it will see when predicting.
// The print feeds ha the true labels of b, which are not there when predicting, both for the rows
// that hb is trained on (3) and for those that its error is measured on (5): `reuse_labels = true`.
// With `reuse_labels = training` only (3) does so, and the error is measured as the chain will
// predict. Ours: a row whose label of a set is missing has no weight in that set, is neither right
// nor wrong there, and still sees and gives answers; `rounds=auto` takes as many rounds, up to 100,
// as get most held-out rows right in three folds. Cost: 3 base learners per round (rounds=auto: 200
// rounds more); with shared centres k-means runs once.
#include <algorithm>

#include "mulberry/base/class_predictor.hpp"
#include "mulberry/base/rbf/shared_rbf.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/learners/sets/dsml_rounds.hpp"
#include "mulberry/learners/sets/label_set_data.hpp"
#include "mulberry/learners/sets/set_base_params.hpp"
#include "mulberry/learners/sets/set_boosting.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners {
namespace {

using dsml::Chain;
using dsml::Classes;
using dsml::Round;
using dsml::Rounds;

enum class ReuseLabels { predicted, truth, training };
enum class FitBy { draws, weights };
enum class ErrorOn { drawn, weighted };

constexpr Index k_most_rounds = 100;  // of rounds=auto
constexpr Index k_choice_folds = 3;

struct Params {
  Spec base = "rbf_network";
  std::optional<Index> rounds = 10;
  double B = 1.05;
  bool reuse = true;
  ReuseLabels reuse_labels = ReuseLabels::predicted;
  FitBy fit = FitBy::draws;
  ErrorOn error = ErrorOn::drawn;
  std::optional<bool> shared_centres = {};

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "classifier of one set"),
        field("rounds", &Params::rounds,
              "largest number of boosting rounds; auto: as many, up to 100, as get most held-out "
              "rows right in three folds",
              between(1, 1e6).search(5, 50)),
        field("B", &Params::B, "factor on rows whose other label is wrong; 1 for none",
              between(1, 100).search(1, 1.2, false)),
        field("reuse", &Params::reuse, "classifiers see the answers for the other sets"),
        choice(
            "reuse_labels", &Params::reuse_labels,
            "labels behind the answers that a round is trained and measured on: predicted; true, "
            "as printed; training: true for training, predicted for measuring",
            {"pred", "true", "training"}, false),
        choice("fit", &Params::fit, "train on rows drawn by weight, or on all rows with weights",
               {"draws", "weights"}, false),
        choice("error", &Params::error,
               "measure the error of a round on the rows drawn, or on all rows by weight",
               {"drawn", "weighted"}, false),
        field("shared_centres", &Params::shared_centres,
              "rbf_network: the same centres for all rounds, much faster; auto: if possible")};
  }
  bool shares() const { return shared_centres.value_or(base.id == k_rbf_network); }
  Tags tags() const {
    Tags out = tags_of_joint(base);
    out.probabilities = false;
    out.weights = true;
    out.missing_labels = true;
    out.label_sets = true;
    out.anytime = true;
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const double votes = SetBaseParams::answer_need(e);
    const auto groups = static_cast<double>(e.groups.size());
    double classes = 0;
    for (const double size : e.groups) classes += size;
    const auto count = static_cast<double>(rounds.value_or(k_most_rounds));
    const double state = e.rows * groups * (3 * 4 + 2 * 8 + 1) +
                         (rounds ? 0 : e.features() + e.truth() + 2 * e.scores());
    if (shares()) {
      const auto rbf = read_params<RbfParams>(base);
      const double units = rbf.units(e);
      const MemoryNeed one = rbf.memory(e.of_classes(std::max(2.0, classes)));
      const double model = 8 * units * e.columns + count * 2 * 8 * units * classes * (groups + 1);
      return {.fit = e.pieces() + state + one.fit + model,
              .model = model,
              .predict = e.asked_pieces() + votes + one.predict};
    }
    Extent joined = e.with_columns(classes).of_classes(std::max(2.0, classes));
    const MemoryNeed one = target_need(base, joined);
    const double copies = JoinableFeatures::copies(base) ? e.dense() : 0;
    const double model = count * 2 * groups * one.model;
    return {.fit = e.pieces() + state + copies + 2 * joined.features() + one.work() + model,
            .model = model,
            .predict = e.asked_pieces() + votes + 2 * joined.asked_features() + one.predict};
  }
};

// Classifiers of any base learner, each on a copy of the rows drawn.
class PlainEngine {
 public:
  struct Rows {
    Features x = {};
    Index size() const { return x.rows(); }
  };
  using Classifier = ClassPredictor;

  PlainEngine() = default;
  PlainEngine(const Params& params, const Features& x, Rows& rows)
      : features_(params.base, x), drawn_(params.fit == FitBy::draws) {
    rows.x = features_.prepare(x);
  }

  Rows prepare(const Features& x, const Context&) const { return {features_.prepare(x)}; }

  Classifier fit(const Rows& rows, std::span<const Id> y, Id classes, std::span<const double> mass,
                 std::span<const ClassColumns> others, const Context& ctx) const {
    const Features x = join_columns(rows.x, others);
    if (!drawn_) return {features_.base(), {x, y, classes, mass}, ctx};
    std::vector<Id> copies, targets;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      copies.insert(copies.end(), static_cast<std::size_t>(mass[i]), static_cast<Id>(i));
      targets.insert(targets.end(), static_cast<std::size_t>(mass[i]), y[i]);
    }
    return {features_.base(), {take_rows(x, copies), targets, classes}, ctx};
  }

  std::vector<Id> predict(const Classifier& model, const Rows& rows,
                          std::span<const ClassColumns> others, const Context& ctx) const {
    return model.predict(join_columns(rows.x, others), ctx);
  }
  bool fits(const Classifier& model, Id classes, std::span<const ClassColumns>) const {
    return model.classes() == classes;
  }
  Index width(Index columns) const { return features_.width(columns); }

  template <class V>
  void visit(V& v) {
    v("features", features_);
  }

 private:
  JoinableFeatures features_;
  bool drawn_ = false;  // mass counts draws; of no use after training
};

struct Dsml {
  LabelSetLayout layout = {};
  // One of the two, unless every set has a single class.
  std::optional<Rounds<SharedRbf>> shared = {};
  std::optional<Rounds<PlainEngine>> plain = {};
  bool weak = false;  // the first round was worse than chance and votes alone
  bool interrupted = false;
  std::vector<double> search = {};  // if rounds were chosen: rows right after 1, 2, ... rounds

  // Sets with something to learn, by rank.
  std::vector<std::size_t> ranks() const {
    std::vector<std::size_t> out = layout.by_classes();
    std::erase_if(out, [&](std::size_t s) { return layout.classes(s) < 2; });
    return out;
  }
  std::vector<Id> sizes() const {
    std::vector<Id> out;
    for (const std::size_t s : ranks()) out.push_back(layout.classes(s));
    return out;
  }

  template <class Engine>
  void add_votes(const Rounds<Engine>& rounds, const Features& x, std::vector<Matrix>& votes,
                 const Context& ctx) const {
    const std::vector<std::size_t> order = ranks();
    const std::vector<Id> classes = sizes();
    const auto rows = rounds.engine.prepare(x, ctx);
    std::vector<double> total(order.size(), 0.0);
    for (const auto& round : rounds.list) {
      for (std::size_t r = 0; r < order.size(); ++r) total[r] += round.votes[r];
    }
    for (const auto& round : rounds.list) {
      const Classes answers = Chain<Engine>{rounds.engine, rows, classes, ctx}.answers(round);
      for (std::size_t r = 0; r < order.size(); ++r) {
        // If no round is better than chance, all vote alike.
        const double share =
            total[r] > 0 ? round.votes[r] / total[r] : 1 / static_cast<double>(rounds.list.size());
        for (Index i = 0; i < x.rows(); ++i) {
          votes[order[r]](i, answers[r][at(i)]) += share;
        }
      }
    }
  }

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    std::vector<Matrix> votes;
    for (std::size_t s = 0; s < layout.size(); ++s) {
      votes.emplace_back(view.size(), layout.classes(s), layout.classes(s) == 1 ? 1.0 : 0.0);
    }
    if (shared) add_votes(*shared, data.x(), votes, ctx);
    if (plain) add_votes(*plain, data.x(), votes, ctx);
    std::vector<std::vector<Id>> chosen;
    for (MatrixView scores : votes) {
      auto& best = chosen.emplace_back();
      for (Index i = 0; i < scores.rows(); ++i) {
        const auto row = scores.row(i);
        best.push_back(static_cast<Id>(std::max_element(row.begin(), row.end()) - row.begin()));
      }
    }
    return layout.prediction(votes, Scale::votes, chosen);
  }

  template <class Use>
  void with_rounds(const Use& use) const {
    if (shared) use(shared->list);
    if (plain) use(plain->list);
  }

  Summary summary() const {
    Summary out{.converged = !weak, .interrupted = interrupted};
    with_rounds([&](const auto& list) { out.rounds = count_of(list); });
    return out;
  }

  std::vector<Result> results() const {
    std::vector<Result> out;
    with_rounds([&](const auto& list) {
      const auto n = count_of(list), k = count_of(layout);
      Result votes{.id = "votes",
                   .sentence = "the weight of each round's vote, set by set",
                   .columns = Axis::sets,
                   .values = Matrix(n, k)};
      Result errors{.id = "errors",
                    .sentence = "the error of each round on its sample, set by set",
                    .columns = Axis::sets,
                    .values = Matrix(n, k)};
      const std::vector<std::size_t> order = ranks();
      for (std::size_t t = 0; t < list.size(); ++t) {
        for (std::size_t r = 0; r < order.size(); ++r) {
          const auto row = static_cast<Index>(t), column = static_cast<Index>(order[r]);
          votes.values(row, column) = list[t].votes[r];
          errors.values(row, column) = list[t].errors[r];
        }
      }
      out = {std::move(votes), std::move(errors)};
    });
    if (!search.empty()) {
      out.push_back({.id = "rounds_search",
                     .sentence = "the share of held-out rows with all labels right after 1, 2, ... "
                                 "rounds; the first of the best set the number of rounds",
                     .column_names = {"right"},
                     .values = Matrix(count_of(search), 1, search)});
    }
    return out;
  }

  template <class V>
  void visit(V& v) {
    v("layout", layout);
    v.made("shared", shared, [&] { return Rounds<SharedRbf>{.sizes = sizes()}; });
    v.made("plain", plain, [&] { return Rounds<PlainEngine>{.sizes = sizes()}; });
    v("weak", weak);
    v("interrupted", interrupted);
    v.added("search", search, any_real());
    const std::vector<Id> classes = sizes();
    v.require(!shared || dsml::rounds_fit(*shared, classes), "shared", "does not fit the sets");
    v.require(!plain || dsml::rounds_fit(*plain, classes), "plain", "does not fit the sets");
  }
};

// Trains the rounds over one engine.
template <class Engine>
class Booster {
 public:
  Booster(const Params& params, Engine engine, const typename Engine::Rows& rows,
          const LabelSetData& data, std::span<const double> weights, Dsml& out, const Context& ctx)
      : params_(params),
        engine_(std::move(engine)),
        rows_(rows),
        sizes_(out.sizes()),
        out_(out),
        ctx_(ctx.quiet()) {
    for (const std::size_t s : out.ranks()) truth_.push_back(data.classes[s]);
    const auto n = at(rows.size());
    std::vector<double> start(weights.begin(), weights.end());
    start.resize(n, 1.0);
    for (const double w : start) total_ += w;
    for (double& w : start) w /= total_;
    weights_.assign(sizes_.size(), start);
    for (std::size_t r = 0; r < truth_.size(); ++r) leave_out_unknown(r);
  }

  Rounds<Engine> run(const Context& progress) {
    std::vector<Round<Engine>> list;
    try {
      const Index most = params_.rounds.value_or(k_most_rounds);
      for (Index t = 0; t < most; ++t) {
        progress.step(static_cast<double>(t) / static_cast<double>(most));
        Classes answers(sizes_.size());
        Round<Engine> round = train(t, answers);
        const bool bad = !weigh(round, answers);
        if (bad && t > 0) break;
        list.push_back(std::move(round));
        if (bad) {
          list[0].votes.assign(sizes_.size(), 1.0);
          out_.weak = true;
          break;
        }
      }
    } catch (const Cancelled&) {
      if (list.empty()) throw;  // no model to return yet
      out_.interrupted = true;
    }
    return {std::move(engine_), std::move(list)};
  }

 private:
  // Rows without a label of this rank have class 0 and no weight.
  void leave_out_unknown(std::size_t r) {
    double kept = 0;
    bool all = true;
    known_.emplace_back(truth_[r].size(), std::uint8_t{1});
    for (std::size_t i = 0; i < truth_[r].size(); ++i) {
      if (truth_[r][i] < 0) {
        all = false;
        truth_[r][i] = 0;
        known_[r][i] = 0;
        weights_[r][i] = 0;
      }
      kept += weights_[r][i];
    }
    if (all) return;
    for (double& w : weights_[r]) w /= kept;
  }

  // The classifiers of round t; `measured` becomes the answers on all rows by which it is judged.
  Round<Engine> train(Index t, Classes& measured) {
    Classes state(sizes_.size());
    const std::size_t k = sizes_.size();
    const Chain<Engine> chain{engine_, rows_, sizes_, ctx_};
    mass_.clear();
    for (std::size_t r = 0; r < k; ++r) mass_.push_back(mass_of(t, r));
    Round<Engine> round;
    if (params_.reuse) {
      for (std::size_t r = 0; r + 1 < k; ++r) {
        round.raw.push_back(fit(t, r, r, dsml::columns_of(state, sizes_, r, r)));
        chain.answer_raw(round, r, state);
      }
    }
    const Classes raw = state;
    round.final.resize(k);
    for (std::size_t r = k; r-- > 0;) {
      Classes seen = state;
      if (params_.reuse_labels != ReuseLabels::predicted) {
        // The answers of the earlier sets if they had known the true labels of this one.
        seen = raw;
        seen[r] = truth_[r];
        for (std::size_t other = k; other-- > r + 1;) chain.answer_final(round, other, seen);
      }
      round.final[r] = fit(t, r, k + r, chain.seen_by(round, r, seen));
      chain.answer_final(round, r, state);
      if (params_.reuse_labels == ReuseLabels::truth) {
        chain.answer_final(round, r, seen);
        measured[r] = seen[r];
      } else {
        measured[r] = state[r];
      }
    }
    return round;
  }

  // The weight of each row for a rank: draws, or weights with the sum of those given, so that a row
  // of weight 2 is two rows. Streams are numbered from the set with the most classes, so that a
  // single set has the same draws as the first of many.
  std::vector<double> mass_of(Index t, std::size_t rank) const {
    const std::vector<double>& weights = weights_[rank];
    if (params_.fit == FitBy::draws) {
      return draw_counts(
          weights, ctx_.rng("dsml.draws", static_cast<std::uint64_t>(t), sizes_.size() - 1 - rank));
    }
    std::vector<double> mass = weights;
    for (double& m : mass) m *= total_;
    return mass;
  }

  typename Engine::Classifier fit(Index t, std::size_t rank, std::size_t stream,
                                  const std::vector<ClassColumns>& others) const {
    Random random = ctx_.rng("dsml.classifier", static_cast<std::uint64_t>(t), stream);
    return engine_.fit(rows_, truth_[rank], sizes_[rank], mass_[rank], others,
                       ctx_.with_seed(random.bits()));
  }

  // Errors and votes of a round and the weights of the next; false if it is worse than chance.
  bool weigh(Round<Engine>& round, const Classes& answers) {
    const auto n = at(rows_.size());
    std::vector<std::vector<std::uint8_t>> wrong;
    std::vector<int> wrong_sets(n, 0);
    bool good = true;
    for (std::size_t r = 0; r < sizes_.size(); ++r) {
      auto& here = wrong.emplace_back();
      for (std::size_t i = 0; i < n; ++i) {
        here.push_back(known_[r][i] != 0 && answers[r][i] != truth_[r][i] ? 1 : 0);
        wrong_sets[i] += here.back();
      }
      const double error =
          wrong_share(params_.error == ErrorOn::drawn ? mass_[r] : weights_[r], here);
      good = good && !worse_than_chance(error, sizes_[r]);
      round.errors.push_back(error);
      const bool drawn = params_.fit == FitBy::draws;
      round.votes.push_back(
          vote_weight(error, sizes_[r], drawn ? static_cast<double>(rows_.size()) : total_));
    }
    if (!good) return false;
    std::vector<int> others_wrong(n);
    for (std::size_t r = 0; r < sizes_.size(); ++r) {
      for (std::size_t i = 0; i < n; ++i) others_wrong[i] = wrong_sets[i] - wrong[r][i];
      reweigh(weights_[r], round.votes[r], wrong[r], params_.B, others_wrong);
    }
    return true;
  }

  const Params& params_;
  Engine engine_;
  const typename Engine::Rows& rows_;
  std::vector<Id> sizes_;
  Dsml& out_;
  Context ctx_;
  Classes truth_;
  std::vector<std::vector<std::uint8_t>> known_;  // whether a row has a label of the rank
  std::vector<std::vector<double>> weights_;      // of each rank, sum 1
  std::vector<std::vector<double>> mass_;         // of each rank, this round
  double total_ = 0;                              // of the weights given
};

// What needs the label of every row.
void require_known(const Params& params) {
  if (params.reuse_labels != ReuseLabels::predicted) {
    throw Error(Code::parameter, "dsml: expected reuse_labels=pred where labels are missing",
                "Leave out " + mention("reuse_labels"));
  }
  if (!params.rounds) {
    throw Error(Code::parameter, "dsml: expected a number of rounds where labels are missing",
                "Give " + mention("rounds") + " a number");
  }
  if (params.base.id == k_rbf_network && !read_params<RbfParams>(params.base).centres) {
    throw Error(Code::parameter, "dsml: expected a number of centres where labels are missing",
                "Give centres of rbf_network a number");
  }
}

void require_possible(const Params& params) {
  if (params.shares() && params.base.id != k_rbf_network) {
    throw Error(Code::parameter,
                "shared_centres needs base=rbf_network, found base=" + params.base.id,
                "Leave out shared_centres, or use base=rbf_network");
  }
  if (params.fit == FitBy::weights && !find_base(params.base.id).tags.weights) {
    throw Error(Code::unsupported, params.base.id + " cannot use instance weights",
                "Use fit=draws");
  }
}

// Trains as many rounds as `params` says, or the most that are tried.
Dsml train(const View& view, const Compact& data, const Params& params, const Context& ctx) {
  const LabelSetData sets = label_set_data(view, data.y(), true);
  Dsml out;
  out.layout = sets.layout;
  if (out.ranks().empty()) return out;
  if (params.shares()) {
    SharedRbf::Rows rows;
    std::vector<RbfTarget> targets;
    for (const std::size_t s : out.ranks()) {
      targets.push_back({sets.classes[s], out.layout.classes(s)});
    }
    SharedRbf engine(read_params<RbfParams>(params.base), data.x(), targets, rows, ctx.quiet());
    Booster booster(params, std::move(engine), rows, sets, data.weights(), out, ctx);
    out.shared = booster.run(ctx);
  } else {
    PlainEngine::Rows rows;
    PlainEngine engine(params, data.x(), rows);
    Booster booster(params, std::move(engine), rows, sets, data.weights(), out, ctx);
    out.plain = booster.run(ctx);
  }
  return out;
}

// Adds to `right` the weight of the rows of a view whose labels are all right after 1, 2, ...
// rounds.
template <class Engine>
void count_right(const Dsml& model, const Rounds<Engine>& rounds, const View& view,
                 std::vector<double>& right, const Context& ctx) {
  const Compact data(view);
  const std::vector<std::size_t> order = model.ranks();
  const std::vector<Id> sizes = model.sizes();
  const auto rows = rounds.engine.prepare(data.x(), ctx);
  Classes truth;
  std::vector<Matrix> votes;
  for (const std::size_t s : order) {
    truth.push_back(classes_of(data.y(), *view.sets, s));
    votes.emplace_back(view.size(), model.layout.classes(s));
  }
  double sum = 0;
  for (std::size_t t = 0; t < right.size(); ++t) {
    if (t < rounds.list.size()) {
      const auto& round = rounds.list[t];
      const Classes answers = Chain<Engine>{rounds.engine, rows, sizes, ctx}.answers(round);
      sum = 0;
      for (Index i = 0; i < view.size(); ++i) {
        bool all = true;
        for (std::size_t r = 0; r < order.size(); ++r) {
          votes[r](i, answers[r][at(i)]) += round.votes[r];
          const auto row = std::as_const(votes[r]).row(i);
          all = all && std::ranges::max_element(row) - row.begin() == truth[r][at(i)];
        }
        if (all) sum += data.weight(i);
      }
    }
    right[t] += sum;  // training may have ended before
  }
}

// The share of held-out rows with all labels right after 1, 2, ... rounds.
std::vector<double> search_rounds(const View& whole, const Params& params, const Context& ctx) {
  std::vector<double> out(at(k_most_rounds), 0.0);
  const auto folds = k_folds(*whole.y, {.folds = k_choice_folds}, ctx);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const auto share = static_cast<double>(folds.size());
    const Context part =
        ctx.part(static_cast<double>(f) / share, static_cast<double>(f + 1) / share);
    std::vector<Id> train_rows, test_rows;
    const View seen = part_of(whole, folds[f].train, train_rows);
    const View test = part_of(whole, folds[f].test, test_rows);
    const Dsml model = train(seen, Compact(seen), params, part);
    if (model.interrupted) throw Cancelled();
    if (model.shared) count_right(model, *model.shared, test, out, ctx.quiet());
    if (model.plain) count_right(model, *model.plain, test, out, ctx.quiet());
  }
  double total = 0;
  for (Index i = 0; i < whole.size(); ++i) {
    total += whole.weights.empty() ? 1.0 : whole.weights[at(i)];
  }
  for (double& right : out) right /= total;
  return out;
}

Dsml fit(const View& view, const Params& params, const Context& ctx) {
  require_possible(params);
  const Compact data(view);
  if (data.y().has_missing()) require_known(params);
  if (params.rounds) return train(view, data, params, ctx);
  Params chosen = params;
  chosen.rounds = Params().rounds;
  std::vector<double> search;
  if (view.size() >= 2 * k_choice_folds) {
    const View whole{.x = &data.x(), .y = &data.y(), .sets = view.sets, .weights = data.weights()};
    search = search_rounds(whole, params, ctx.part(0, 0.8));
    chosen.rounds = std::ranges::max_element(search) - search.begin() + 1;
  }
  Dsml out = train(view, data, chosen, ctx.part(0.8, 1));
  out.search = std::move(search);
  return out;
}

}  // namespace

Learner make_dsml() {
  return define_learner<Params, Dsml>(
      {.id = "dsml",
       .summary = "one label from each set, by boosting in which the sets help each other",
       .reference = "Liu et al., Dual set multi-label learning, 2018",
       .tags = Params().tags(),
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

// MSSBoost: boosting of models that are trained for one label and shared by all.
//
//   F_l(x) = sum_t alpha_tl h_t(x),   minimising sum_il exp(-y_il F_l(x_i)), y_il = -1 or +1
//
// There is a pool of candidates, one trained for each label: a base learner on a random part of the
// features and a random sample of the rows, weighted by exp(-y F) of its label, with outputs
// squashed to [-1, 1]: 2 sigma(f) - 1 for a margin f, 2 p - 1 for a share p. A round adds the
// candidate that lowers the total loss of all labels most, with a separate multiple for each label
// (shared_step.hpp), and trains a new one in its place. The training loss never rises. Yan, Tesic
// and Smith, "Model-shared subspace boosting for multi-label classification", KDD 2007.
//
// Ours: the base is logistic regression instead of the paper's support vector machines, because its
// solution changes smoothly with the weights; rows are drawn uniformly with replacement and their
// weights multiplied by how often they were drawn; a missing cell has weight 0; labels of one class
// have no candidate and are answered with that class. Cost of a round: one fit of the base, and O(n
// L^2). Memory: 2 n L.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/boosting/shared_step.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/suitable_bases.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Index rounds = 100;
  double subspace = 0.3;
  double sample = 0.5;
  Spec base = "logistic";

  static Fields fields() {
    return Fields{
        field("rounds", &Params::rounds, "number of models in the sum",
              between(1, 1e6).search(30, 300)),
        field("subspace", &Params::subspace, "share of the features that a model sees",
              between(1e-6, 1).search(0.1, 1, false)),
        field("sample", &Params::sample, "rows drawn for a model, as a share of all rows",
              between(1e-6, 10).search(0.2, 1, false)),
        learner_field("base", &Params::base, "base learner of one label; it must accept weights")};
  }
  Tags tags() const {
    const Tags inner = find_base(base.id).tags;
    if (!inner.weights) {
      throw Error(Code::parameter,
                  "base: expected a base learner that accepts weights, found " + base.id,
                  "Use " + suitable_bases([](const BaseLearner& b) { return b.tags.weights; }));
    }
    return {.sparse = inner.sparse,
            .missing_labels = true,
            .missing_features = inner.missing_features,
            .anytime = true,
            .distances = inner.distances};
  }
  MemoryNeed memory(const Extent& e) const {
    const double count = static_cast<double>(rounds), seen = std::ceil(subspace * e.columns);
    // Rows that are drawn at least once.
    const double drawn = e.rows * (1 - std::exp(-sample));
    Extent part = e.of_rows(drawn).of_columns(seen).of_classes(2).alone();
    part.picked = false;
    const MemoryNeed one = target_need(base, part);
    const double training =
        e.of_rows(drawn).features() + part.features() + one.work() + 32 * e.rows;
    const double answering = e.of_columns(seen).features() + one.predict;
    const double model = (count + e.labels) * (one.model + 4 * seen + 150) + 8 * count * e.labels;
    return {.fit = e.pieces() + 2 * e.cells() + model +
                   e.at_once(e.labels) * std::max(training, answering),
            .model = model,
            .predict =
                e.asked_pieces() + 8 * e.asked * count +
                std::max(e.scores(),
                         e.at_once(count) * (e.of_columns(seen).asked_features() + 8 * e.asked))};
  }
};

// A base learner on some of the features, with outputs in [-1, 1].
struct Piece {
  std::vector<Id> features = {};  // increasing
  FittedClassifier model = {};

  void write_outputs(const Features& x, double* to, const Context& ctx) const {
    const Matrix scores = model.scores(take_columns(x, features), ctx);
    const bool margin = model.scale() == Scale::margin;
    for (Index i = 0; i < scores.rows(); ++i) {
      const double f = scores(i, 0);
      to[i] = margin ? std::tanh(f / 2) : 2 * f - 1;
    }
  }
  template <class V>
  void visit(V& v) {
    v("features", features, below(v.features()));
    v("model", model, ModelShape{count_of(features), 1});
    v.require(is_increasing(features), "features", "is not increasing");
  }
};

struct MssBoost {
  Index columns = 0;
  std::vector<Piece> pieces = {};
  Matrix alpha = {};                  // pieces x labels
  std::vector<double> constant = {};  // one per label: its score if that is fixed, otherwise 0
  std::vector<double> loss = {};      // mean over cells, after each round
  bool interrupted = false;

  Prediction predict(const View& view, const Context& ctx) const;
  Summary summary() const {
    Summary out{.interrupted = interrupted, .rounds = alpha.rows()};
    if (!loss.empty()) out.objective = loss.back();
    return out;
  }
  std::vector<Result> results() const {
    return {{.id = "learning_curve",
             .sentence = "after each round: the mean of exp(-y F) over rows and labels",
             .column_names = {"loss"},
             .values = Matrix(count_of(loss), 1, loss)}};
  }
  template <class V>
  void visit(V& v) {
    v("columns", columns, exactly(v.features()));
    v("pieces", pieces);
    v("alpha", alpha, finite().rows(count_of(pieces)).cols(v.outputs()));
    v("constant", constant, finite().length(v.outputs()));
    v("loss", loss, any_real());
    v("interrupted", interrupted);
  }
};

Prediction MssBoost::predict(const View& view, const Context& ctx) const {
  const Compact data(view);
  const Index n = view.size(), labels = alpha.cols();
  Matrix outputs(alpha.rows(), n);
  double* const cells = outputs.data();
  parallel_for(ctx, alpha.rows(),
               [&](Index t) { pieces[at(t)].write_outputs(data.x(), cells + t * n, ctx); });
  Matrix scores(n, labels);
  const blas::Block<double> to = blas::block(scores);
  parallel_chunks(ctx, n, 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      std::copy(constant.begin(), constant.end(), to.data + i * labels);
    }
    if (alpha.rows() == 0) return;
    blas::gemm(1.0, blas::block(outputs).col_range(begin, end), blas::Op::transposed,
               blas::block(alpha), blas::Op::plain, 1.0, to.row_range(begin, end));
  });
  return {.scores = std::move(scores), .scale = Scale::margin};
}

// Training: the pool, its outputs on all rows, and the weights of cells.
class Pool {
 public:
  Pool(const Features& x, const Labels& y, const std::vector<double>& one_class,
       const Params& params, const Context& ctx)
      : x_(x), y_(y), params_(params), weights_(y.rows(), y.count()) {
    for (Id l = 0; l < static_cast<Id>(y.count()); ++l) {
      if (one_class[at(l)] != 0) continue;
      labels_.push_back(l);
      for_observed(y, l, [&](Index i, bool positive) {
        weights_(i, l) = positive ? 1 : -1;
        ++cells_;
      });
    }
    const auto count = count_of(labels_);
    trained_.resize(labels_.size());
    pieces_.resize(labels_.size());
    outputs_ = Matrix(count, y.rows());
    std::atomic<Index> done = 0;
    parallel_for(ctx, count, [&](Index p) {
      train(p, ctx);
      ctx.step(static_cast<double>(++done) / static_cast<double>(count));
    });
  }

  bool empty() const { return labels_.empty(); }

  // The best candidate, with its multiples and the mean loss after adding it.
  SharedStep add_best(std::vector<Piece>& to, const Context& ctx) {
    SharedStep step = best_shared_step(outputs_, weights_, ctx);
    const auto place = at(step.model);
    to.push_back(std::move(pieces_[place]));
    step.loss = take_shared_step(outputs_.row(step.model), step.alpha, weights_, ctx);
    step.loss /= static_cast<double>(cells_);
    return step;
  }
  void replace(Index place, const Context& ctx) { train(place, ctx); }

 private:
  void train(Index place, const Context& ctx);

  const Features& x_;
  const Labels& y_;
  const Params& params_;
  std::vector<Id> labels_;      // the labels with a candidate
  std::vector<Index> trained_;  // how often each candidate was replaced
  std::vector<Piece> pieces_;
  Matrix outputs_;  // candidates x rows
  Matrix weights_;  // y exp(-y F), 0 if missing
  Index cells_ = 0;
};

void Pool::train(Index place, const Context& ctx) {
  const Id label = labels_[at(place)];
  Random random = ctx.rng("mss_boost", static_cast<std::uint64_t>(label),
                          static_cast<std::uint64_t>(trained_[at(place)]++));
  std::vector<Id> observed;
  for_observed(y_, label, [&](Index i, bool) { observed.push_back(static_cast<Id>(i)); });
  const auto share = [](double part, std::size_t of) {
    return std::max<Index>(1, std::llround(part * static_cast<double>(of)));
  };
  std::vector<double> mass(at(x_.rows()));
  for (Index k = share(params_.sample, observed.size()); k > 0; --k) {
    const Id i = observed[at(random.below(count_of(observed)))];
    mass[at(i)] += std::abs(weights_(i, label));
  }
  std::vector<Id> rows, classes;
  std::vector<double> weights;
  for (const Id i : observed) {
    const double weight = mass[at(i)];
    if (!(weight > 0)) continue;
    rows.push_back(i);
    classes.push_back(weights_(i, label) > 0 ? 1 : 0);
    weights.push_back(weight);
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight *= static_cast<double>(rows.size()) / total;

  Piece& piece = pieces_[at(place)];
  piece.features.resize(at(x_.cols()));
  std::iota(piece.features.begin(), piece.features.end(), Id{0});
  random.shuffle(std::span(piece.features));
  piece.features.resize(at(share(params_.subspace, piece.features.size())));
  std::sort(piece.features.begin(), piece.features.end());
  const std::uint64_t seed = random.bits();
  piece.model = FittedClassifier(
      params_.base, {take_columns(take_rows(x_, rows), piece.features), classes, 2, weights},
      ctx.quiet().with_seed(seed));
  piece.write_outputs(x_, outputs_.data() + place * x_.rows(), ctx);
}

MssBoost fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, Rows::blocks);
  MssBoost out;
  out.columns = data.x().cols();
  out.constant = one_class_scores(data.y());
  Pool pool(data.x(), data.y(), out.constant, params, ctx.part(0, 0.1));
  const Context rounds = ctx.part(0.1, 1);
  std::vector<double> alpha;
  try {
    for (Index t = 0; t < params.rounds && !pool.empty(); ++t) {
      const SharedStep step = pool.add_best(out.pieces, rounds.quiet());
      alpha.insert(alpha.end(), step.alpha.begin(), step.alpha.end());
      out.loss.push_back(step.loss);
      rounds.step(static_cast<double>(t + 1) / static_cast<double>(params.rounds), step.loss);
      if (t + 1 < params.rounds) pool.replace(step.model, rounds);
    }
  } catch (const Cancelled&) {
    if (out.loss.empty()) throw;  // no model to return yet
    out.interrupted = true;
    out.pieces.resize(out.loss.size());
  }
  out.alpha = Matrix(count_of(out.loss), data.y().count(), std::move(alpha));
  return out;
}

}  // namespace

Learner make_mss_boost() {
  return define_learner<Params, MssBoost>(
      {.id = "mss_boost",
       .summary = "boosted models of random features and rows, each shared by all labels",
       .reference = "Yan, Tesic and Smith, Model-shared subspace boosting for multi-label "
                    "classification, 2007",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

// Probabilistic classifier chain: the joint distribution of the labels as a product along a chain.
//
//   P(y | x) = prod_j P(y_j | x, y_1 .. y_j-1),   score_l(x) = P(y_l = 1 | x)
//
// Dembczynski, Cheng and Huellermeier, "Bayes optimal multilabel classification via probabilistic
// classifier chains", ICML 2010. loss=hamming decides the labels whose marginal is at least 0.5,
// loss=subset the most probable set of labels. Up to `exact_labels` labels all 2^L sets are
// enumerated. Beyond that, `samples` sets are drawn along the chain, with the same random numbers
// for every row and every prediction; a marginal is the mean over the samples of P(y_l = 1 | x,
// labels before), the most probable set the most frequent sample. Cost: training as chain.hpp; a
// row costs 2^L scores of the base learner, or at most L `samples` of them (equal beginnings are
// scored once).
#include "mulberry/core/error.hpp"
#include "mulberry/learners/transform/chain.hpp"
#include "mulberry/learners/transform/chain_inference.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/suitable_bases.hpp"

namespace mulberry::learners {
namespace {

enum class ChainLoss { hamming, subset };

struct Params {
  Spec base = "logistic";
  ChainOrder order = ChainOrder::label;
  ChainLoss loss = ChainLoss::hamming;
  Index exact_labels = 15;
  Index samples = 1000;

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "classifier of one label that gives probabilities"),
        choice("order", &Params::order,
               "order of the labels in the chain: as in the data, or shuffled by the seed",
               {"label", "random"}),
        choice("loss", &Params::loss,
               "decide each label by its marginal, or take the most probable set",
               {"hamming", "subset"}),
        field("exact_labels", &Params::exact_labels,
              "largest number of labels for which all sets are enumerated", between(0, 25)),
        field("samples", &Params::samples, "number of label sets drawn if there are more labels",
              between(1, 1e6))};
  }
  Tags tags() const {
    const BaseLearner& learner = find_base(base.id);
    if (learner.scale_of(base) != Scale::probability) {
      throw Error(Code::parameter, "pcc needs probabilities, which " + base.id + " does not give",
                  "Use " + suitable_bases(
                               [](const BaseLearner& b) { return b.scale == Scale::probability; }));
    }
    Tags out = tags_by_label(base);
    out.labels_apart = false;
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    const MemoryNeed chain = chain_need(base, e);
    // Per thread: the beginnings of label sets of a row, and the samples that they share.
    const bool all = e.labels <= static_cast<double>(exact_labels);
    const double sets = all ? std::exp2(e.labels) : static_cast<double>(samples);
    const double row = sets * (12 * e.labels + 24);
    return {.fit = chain.fit + e.pieces(),
            .model = chain.model,
            .predict = e.asked_pieces() + e.scores() + 32 * e.asked + e.decisions() +
                       (all ? 0 : 8 * sets * e.labels) + e.threads * row};
  }
};

struct ProbabilisticChain {
  Chain chain = {};
  ChainLoss loss = ChainLoss::hamming;
  Index samples = 0;  // 0: enumerate
  Index seed = 0;     // of the samples

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view, chain.rows());
    ChainPosterior posterior =
        chain_posterior(chain, data.x(), samples, ctx.with_seed(static_cast<std::uint64_t>(seed)));
    Prediction out{.scores = std::move(posterior.marginals), .scale = Scale::probability};
    if (loss == ChainLoss::subset) out.decided = std::move(posterior.mode);
    return out;
  }
  Summary summary() const { return chain.summary(); }
  std::vector<Result> results() const { return {chain.places()}; }
  template <class V>
  void visit(V& v) {
    v("chain", chain);
    v("loss", loss, up_to(ChainLoss::subset));
    v("samples", samples, whole(0, 1000000));
    v("seed", seed, any_whole());
    v.require(samples > 0 || chain.size() <= 25, "samples", "is out of range");
  }
};

ProbabilisticChain fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.base));
  return {.chain = Chain(params.base, chain_order(params.order, view.labels(), ctx), data.x(),
                         data.y(), data.weights(), ctx),
          .loss = params.loss,
          .samples = view.labels() <= params.exact_labels ? 0 : params.samples,
          .seed = static_cast<Index>(ctx.seed())};
}

}  // namespace

Learner make_pcc() {
  return define_learner<Params, ProbabilisticChain>(
      {.id = "pcc",
       .summary = "marginals or the most probable set of a joint distribution along a chain",
       .reference = "Dembczynski et al., Bayes optimal multilabel classification via probabilistic "
                    "classifier chains, 2010",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

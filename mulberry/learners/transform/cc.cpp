// Classifier chain: one binary classifier per label, each seeing the labels before it.
//
//   for j = 1..L:  h_j = base([X, Y_1 .. Y_j-1], Y_j),   score_j(x) = h_j([x, yes_1 .. yes_j-1])
//
// with the labels in the order of the chain and yes_j the decision of link j. Read, Pfahringer,
// Holmes and Frank, "Classifier chains for multi-label classification", ECML PKDD 2009. A label
// with one class gets a constant score; a missing cell is left out of the problem of its own label
// and enters the later ones as the rate of the label (the paper has complete labels). Cost:
// chain.hpp.
#include "mulberry/learners/transform/chain.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Spec base = "logistic";
  ChainOrder order = ChainOrder::label;

  static Fields fields() {
    return Fields{
        learner_field("base", &Params::base, "classifier of one label"),
        choice("order", &Params::order,
               "order of the labels in the chain: as in the data, or shuffled by the seed",
               {"label", "random"})};
  }
  Tags tags() const {
    Tags out = tags_by_label(base);
    out.labels_apart = false;  // a link sees the labels before it
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    MemoryNeed out = chain_need(base, e);
    out.fit += e.pieces();
    out.predict += e.asked_pieces();
    return out;
  }
};

struct ClassifierChain {
  Chain chain;

  Prediction predict(const View& view, const Context& ctx) const {
    return {.scores = chain.scores(Compact(view, chain.rows()).x(), ctx), .scale = chain.scale()};
  }
  Summary summary() const { return chain.summary(); }
  std::vector<Result> results() const { return {chain.places()}; }
  template <class V>
  void visit(V& v) {
    v("chain", chain);
  }
};

ClassifierChain fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, rows_of(params.base));
  return {Chain(params.base, chain_order(params.order, view.labels(), ctx), data.x(), data.y(),
                data.weights(), ctx)};
}

}  // namespace

Learner make_cc() {
  return define_learner<Params, ClassifierChain>(
      {.id = "cc",
       .summary = "one classifier per label, each seeing the labels before it",
       .reference = "Read et al., Classifier chains for multi-label classification, 2009",
       .tags = Params().tags(),
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

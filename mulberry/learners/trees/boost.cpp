// Gradient boosting for all labels: trees added one after another, each lowering a loss of the
// labels; the formulae, the paper and the cost are in base/boost/boost_model.hpp.
//
//   loss=logistic       every label by itself: probabilities
//   loss=row_logistic   the labels of a row together: for answers that are right as a whole
//   loss=squared        regression of the signs
//
// leaves=vector grows one tree per round for all labels, leaves=each one per label. With a share of
// the rows held out (validation), training ends once `measure` has not improved for `patience`
// rounds, and the rounds after the best one are dropped: any measure of the catalogue that has one
// value and, of those of probabilities, with loss=logistic.
#include "mulberry/base/boost/boost_watch.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  BoostOptions options;
  BoostTreeParams trees;

  static Fields fields() { return Fields{group(&Params::options), group(&Params::trees)}; }

  Tags tags() const {
    require_stop_measure(options);
    return {.missing_labels = true,
            .missing_features = true,
            .probabilities = options.loss == BoostLoss::logistic,
            .weights = true,
            .anytime = true,
            .warm_start = true};
  }
  MemoryNeed memory(const Extent& e) const {
    const bool each = options.leaves == BoostLeaves::each;
    MemoryNeed out = trees.need(e, e.labels, each, lines(e.labels));
    out.fit += e.pieces() + (options.validation > 0 ? e.features() + e.truth() : 0);
    return out;
  }
  BoostTreeParams::Lines lines(double labels) const {
    using Lines = BoostTreeParams::Lines;
    const double all = Lines::of(options.leaves == BoostLeaves::each ? 1 : labels);
    const auto size = static_cast<double>(options.sketch_size);
    if (options.leaves == BoostLeaves::each || size >= labels) return {all, all};
    if (options.sketch == GradientSketch::node_top) return {all, Lines::of(size)};
    const bool none = options.sketch == GradientSketch::none ||
                      (options.sketch == GradientSketch::automatic && labels <= 24);
    const double line = none ? all : Lines::of(size, true);
    return {line, line};
  }
};

struct Boosting {
  Boost boost = {};

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view, Rows::listed);
    return {.scores = boost.scores(data.x(), ctx),
            .scale = boost.loss() == BoostLoss::logistic ? Scale::probability : Scale::margin};
  }
  Summary summary() const {
    return {.interrupted = boost.interrupted(),
            .objective = boost.objective(),
            .rounds = boost.rounds()};
  }
  std::vector<Result> results() const {
    if (boost.curve().empty()) return {};
    return {{.id = "learning_curve",
             .sentence = "after each round of the last training: the measure of the held-out rows",
             .column_names = {boost.measure()},
             .values = Matrix(count_of(boost.curve()), 1, boost.curve())}};
  }
  template <class V>
  void visit(V& v) {
    v("boost", boost);
  }
};

void require_same(const Boost& init, const Params& params, const Compact& data) {
  if (init.labels() != data.y().count() || init.trees().columns() != data.x().cols()) {
    throw Error(Code::unsupported,
                "boost: expected data with the labels and features of the model to continue",
                "Continue on the data that the model was trained on");
  }
  if (init.loss() != params.options.loss ||
      init.has_tree_per_label() != (params.options.leaves == BoostLeaves::each)) {
    throw Error(Code::parameter,
                "boost: expected the loss and leaves of the model to continue, found others",
                "Give loss and leaves the values that they had");
  }
}

Boosting fit(const View& view, const Params& params, const Context& ctx, const Boosting* init) {
  const Compact data(view, Rows::blocks);
  if (init != nullptr) require_same(init->boost, params, data);
  const BoostData learnt{.x = data.x(),
                         .y = data.y(),
                         .weights = data.weights(),
                         .sets = view.sets,
                         .rules = view.rules};
  return {Boost::train(learnt, params.trees, params.options,
                       init != nullptr ? &init->boost : nullptr, ctx)};
}

}  // namespace

Learner make_boost() {
  return define_learner<Params, Boosting>(
      {.id = "boost",
       .summary = "trees added one after another that lower a loss of all labels",
       .reference = "Friedman, Greedy function approximation, 2001; Rapp et al., Learning gradient "
                    "boosted multi-label classification rules, 2020",
       .tags = Params().tags(),
       .revision = 4},
      fit);
}

}  // namespace mulberry::learners

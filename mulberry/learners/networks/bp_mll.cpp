// BP-MLL: a neural network whose outputs rank the labels of a row.
//
//   minimise  sum_i 1 / (|Y_i| |N_i|) sum_{k in Y_i, l in N_i} exp(o_l(x_i) - o_k(x_i))
//             + decay / 2 sum_w w^2
//
// where o are the outputs of a network with one hidden layer (bp_network.hpp), Y_i the labels that
// row i has and N_i the labels that it lacks. Trained by gradient descent, one step per row, with
// the rows in a new random order every epoch. Zhang and Zhou, "Multilabel neural networks with
// applications to functional genomics and text categorization", IEEE TKDE 18(10), 2006.
//
// A label is predicted if its output is above a cut that depends on the row, a linear function of
// the outputs (resample/row_threshold.hpp); scores are outputs minus the cut. Rows with no labels
// or all labels rank nothing and are only used to learn the cut. Missing cells are in no pair; a
// label of one class is put before or after all others. Where the paper gives no details, we scale
// inputs to [-0.8, 0.8], start from uniform weights and apply the penalty in equal parts at every
// step; with that, its figures on the yeast data need decay=5 instead of its 0.1.
//
// Cost of an epoch, with h hidden units: O(h stored values + n h L), on one thread, because every
// step needs the previous one. Memory: d h + h L.
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/common/cut_rows.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/learners/networks/bp_network.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

constexpr double k_most_weights = 1e9;

struct Params {
  double hidden = 0.2;
  double rate = 0.05;
  double decay = 0.1;
  Index epochs = 100;

  static Fields fields() {
    return Fields{
        field("hidden", &Params::hidden,
              "hidden units, as a share of the number of features; at least 2 units",
              between(1e-6, 1e3).search(0.05, 1)),
        field("rate", &Params::rate, "length of a step relative to its gradient",
              between(1e-9, 1).search(0.01, 0.3)),
        field("decay", &Params::decay, "penalty on the weights", between(0, 1e3).search(0.1, 20)),
        field("epochs", &Params::epochs, "number of visits of every row",
              between(1, 1e6).search(20, 300))};
  }
  MemoryNeed memory(const Extent& e) const {
    const double units = std::max(2.0, hidden * e.columns);
    const double network = 8 * units * (e.columns + e.labels) + 16 * e.columns;
    const double asked = e.sparse ? e.asked_features() : 0;
    return {.fit = e.pieces() + 4 * e.rows + 2 * network + e.features() + 2 * e.cells() + asked,
            .model = network,
            .predict = e.asked_pieces() + e.scores() + asked + e.threads * 256 * 8 * units};
  }
};

struct BpMll {
  BpNetwork network = {};
  RowThreshold threshold = {};
  std::vector<double> one_class = {};
  std::vector<double> loss = {};  // mean over rows, of each epoch

  Prediction predict(const View& view, const Context& ctx) const {
    Matrix scores = network.outputs(Compact(view).x(), ctx);
    cut_rows(scores, threshold, one_class);
    return {.scores = std::move(scores), .scale = Scale::margin};
  }
  Summary summary() const {
    Summary out{.rounds = count_of(loss)};
    if (!loss.empty()) out.objective = loss.back();
    return out;
  }
  std::vector<Result> results() const {
    return {{.id = "learning_curve",
             .sentence = "for each epoch: the mean loss of the rows, each before its step",
             .column_names = {"loss"},
             .values = Matrix(count_of(loss), 1, loss)}};
  }
  template <class V>
  void visit(V& v) {
    v("network", network);
    v("threshold", threshold);
    v("one_class", one_class, finite().length(v.outputs()));
    v("loss", loss, any_real());
  }
};

BpSettings settings_of(const Params& params, Index features, Index rows) {
  // A single unit would put the labels of all rows in one order or its reverse.
  const double hidden = std::max(2.0, std::round(params.hidden * static_cast<double>(features)));
  if (hidden * static_cast<double>(features) > k_most_weights) {
    throw Error(Code::parameter,
                "hidden: expected at most " + shortest(k_most_weights) + " weights, found " +
                    std::to_string(features) + " features times " + shortest(hidden) +
                    " hidden units",
                "Use hidden=" +
                    shortest(std::floor(k_most_weights / static_cast<double>(features)) /
                             static_cast<double>(features)) +
                    " or less");
  }
  const double decay = params.decay / static_cast<double>(std::max<Index>(rows, 1));
  if (params.rate * decay >= 1) {
    throw Error(Code::parameter,
                "decay: expected rate * decay below the number of rows with a pair of labels, " +
                    std::to_string(rows) + ", found " + shortest(params.rate * params.decay),
                "Use decay=0.1 and rate=0.05");
  }
  return {.hidden = static_cast<Index>(hidden), .rate = params.rate, .decay = decay};
}

BpMll fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view);
  const Labels& y = data.y();
  std::vector<Id> order;
  for (Index i = 0; i < y.rows(); ++i) {
    if (has_pairs(y, i)) order.push_back(static_cast<Id>(i));
  }
  const auto rows = count_of(order);
  BpTraining training(data.x(), y, settings_of(params, data.x().cols(), rows), ctx);
  BpMll out;
  for (Index epoch = 0; epoch < params.epochs && rows > 0; ++epoch) {
    ctx.rng("bp_mll order", static_cast<std::uint64_t>(epoch)).shuffle(std::span(order));
    double total = 0;
    for (const Id i : order) {
      ctx.check();
      total += training.step(i);
    }
    out.loss.push_back(total / static_cast<double>(rows));
    ctx.step(static_cast<double>(epoch + 1) / static_cast<double>(params.epochs), out.loss.back());
  }
  out.network = training.network();
  out.one_class = one_class_scores(y);
  out.threshold = learn_row_threshold(out.network.outputs(data.x(), ctx), y, ctx);
  return out;
}

}  // namespace

Learner make_bp_mll() {
  return define_learner<Params, BpMll>(
      {.id = "bp_mll",
       .summary = "neural network that ranks the labels of each row, and learns where to cut",
       .reference = "Zhang and Zhou, Multilabel neural networks with applications to functional "
                    "genomics and text categorization, IEEE TKDE 18(10), 2006",
       .tags = {.missing_labels = true}},
      fit);
}

}  // namespace mulberry::learners

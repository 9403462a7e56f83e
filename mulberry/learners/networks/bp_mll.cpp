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
// step. A fixed number of epochs at the published rate overfits (yeast) or drives all units to
// their ends in the first epoch (many features), so a part of the rows is held out by default: each
// of four rates is trained until their loss has not fallen for `patience` epochs, and the best rate
// and number of epochs are then used on all rows. `validation=0, rate=0.05` is the published form.
//
// Cost of an epoch, with h hidden units: O(h stored values + n h L), on one thread, because every
// step needs the previous one; at most 5 times `epochs` of them. Memory: d h + h L.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

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
constexpr double k_rates[] = {0.05, 0.0125, 0.003, 0.0008};  // rate=auto; the first is published
constexpr Index k_least_held = 5;                            // fewer rows say too little
constexpr double k_settled = 0.01;  // share by which the loss may still change in the last epochs
constexpr double k_same = 0.02;     // outputs that vary by less over the rows do not depend on them

struct Params {
  double hidden = 0.2;
  std::optional<double> rate = {};
  double decay = 0.1;
  Index epochs = 100;
  double validation = 0.1;
  Index patience = 10;

  static Fields fields() {
    return Fields{
        field("hidden", &Params::hidden,
              "hidden units, as a share of the number of features; at least 2 units",
              between(1e-6, 1e3).search(0.05, 1)),
        field("rate", &Params::rate,
              "length of a step relative to its gradient; auto: the best of 0.05, 0.0125, 0.003 "
              "and 0.0008 on rows held out, and 0.05 without them",
              between(1e-9, 1).search(0.001, 0.1)),
        field("decay", &Params::decay, "penalty on the weights", between(0, 1e3).search(0.1, 20)),
        field("epochs", &Params::epochs, "largest number of visits of every row",
              between(1, 1e6).search(20, 300)),
        field("validation", &Params::validation,
              "share of the rows held out to choose the number of epochs, which are then repeated "
              "on all rows; 0: train all epochs",
              between(0, 0.9)),
        field("patience", &Params::patience,
              "epochs without a lower loss of the rows held out after which a rate is given up",
              between(1, 1e6))};
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
  std::vector<double> loss = {};      // mean over rows, of each epoch
  std::vector<double> held_out = {};  // the loss of the rows held out, while epochs were chosen
  double rate = 0;
  bool converged = true;  // of files that do not say: they said so
  bool same = false;      // outputs do not depend on the row

  Prediction predict(const View& view, const Context& ctx) const {
    Matrix scores = network.outputs(Compact(view).x(), ctx);
    cut_rows(scores, threshold, one_class);
    return {.scores = std::move(scores), .scale = Scale::margin};
  }
  Summary summary() const {
    Summary out{.converged = converged, .rounds = count_of(loss)};
    if (!loss.empty()) out.objective = loss.back();
    if (same) {
      out.remarks = {
          "the network answers the same for every row, because its units are at their "
          "ends: set a smaller rate, or scale the features"};
    }
    return out;
  }
  std::vector<Result> results() const {
    std::vector<Result> out = {
        {.id = "learning_curve",
         .sentence = "for each epoch: the mean loss of the rows, each before its step",
         .column_names = {"loss"},
         .values = Matrix(count_of(loss), 1, loss)}};
    if (held_out.empty()) return out;
    out.push_back({.id = "held_out",
                   .sentence = "for each epoch at the chosen rate: the mean loss of the rows held "
                               "out, the lowest of which set the number of epochs",
                   .column_names = {"loss"},
                   .values = Matrix(count_of(held_out), 1, held_out)});
    out.push_back({.id = "settings",
                   .sentence = "the rate that was chosen on the rows held out",
                   .rows = Axis::named,
                   .row_names = {"value"},
                   .column_names = {"rate"},
                   .values = Matrix(1, 1, rate)});
    return out;
  }
  template <class V>
  void visit(V& v) {
    v("network", network);
    v("threshold", threshold);
    v("one_class", one_class, finite().length(v.outputs()));
    v("loss", loss, any_real());
    v.added("held_out", held_out, any_real());
    v.added("rate", rate, any_real());
    v.added("converged", converged);
    v.added("same", same);
  }
};

BpSettings settings_of(const Params& params, double rate, Index features, Index rows) {
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
  if (rate * decay >= 1) {
    throw Error(Code::parameter,
                "decay: expected rate * decay below the number of rows with a pair of labels, " +
                    std::to_string(rows) + ", found " + shortest(rate * params.decay),
                "Use decay=0.1 and rate=0.05");
  }
  return {.hidden = static_cast<Index>(hidden), .rate = rate, .decay = decay};
}

// One network over some rows, epoch by epoch.
class Epochs {
 public:
  Epochs(const Compact& data, std::vector<Id> rows, const Params& params, double rate,
         const Context& ctx)
      : training_(data.x(), data.y(), settings_of(params, rate, data.x().cols(), count_of(rows)),
                  ctx),
        order_(std::move(rows)),
        ctx_(ctx) {}

  // The mean loss of the rows, each before its step.
  double next() {
    ctx_.rng("bp_mll order", epoch_++).shuffle(std::span(order_));
    double total = 0;
    for (const Id i : order_) {
      ctx_.check();
      total += training_.step(i);
    }
    return total / static_cast<double>(order_.size());
  }
  double loss_of(const std::vector<Id>& rows) {
    double total = 0;
    for (const Id i : rows) total += training_.loss(i);
    return total / static_cast<double>(rows.size());
  }
  BpNetwork network() const { return training_.network(); }

 private:
  BpTraining training_;
  std::vector<Id> order_;
  std::uint64_t epoch_ = 0;
  const Context& ctx_;
};

// The rate and the number of epochs for all rows.
struct Plan {
  double rate = k_rates[0];
  Index epochs = 0;
  std::vector<double> held_out = {};
  bool stopped = false;  // the loss of the rows held out rose before the last epoch
};

Plan choose(const Compact& data, std::vector<Id> rows, const Params& params, const Context& ctx) {
  Plan out{.rate = params.rate.value_or(k_rates[0]), .epochs = params.epochs};
  const auto held = static_cast<Index>(params.validation * static_cast<double>(rows.size()));
  if (held < k_least_held) return out;
  ctx.rng("bp_mll held out").shuffle(std::span(rows));
  const std::vector<Id> test(rows.begin(), rows.begin() + held);
  rows.erase(rows.begin(), rows.begin() + held);
  const std::vector<double> rates =
      params.rate ? std::vector<double>{*params.rate}
                  : std::vector<double>(std::begin(k_rates), std::end(k_rates));
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < rates.size(); ++r) {
    Epochs epochs(data, rows, params, rates[r], ctx);
    std::vector<double> curve;
    Index lowest = 0;
    while (count_of(curve) < params.epochs && count_of(curve) - lowest <= params.patience) {
      ctx.step((static_cast<double>(r) +
                static_cast<double>(curve.size()) / static_cast<double>(params.epochs)) /
               static_cast<double>(rates.size()));
      epochs.next();
      curve.push_back(epochs.loss_of(test));
      if (curve.back() < curve[at(lowest)]) lowest = count_of(curve) - 1;
    }
    if (!(curve[at(lowest)] < best)) continue;
    best = curve[at(lowest)];
    out = {.rate = rates[r],
           .epochs = lowest + 1,
           .held_out = curve,
           .stopped = lowest + 1 < params.epochs};
  }
  return out;
}

// Whether the loss hardly changed in the last tenth of the epochs.
bool settled(const std::vector<double>& loss) {
  const std::size_t last = loss.size() / 10;
  if (last == 0) return false;
  const double before = loss[loss.size() - 1 - last];
  return std::abs(loss.back() - before) <= k_settled * before;
}

// Whether the outputs do not depend on the row: their ranges over the rows are below k_same in the
// mean over the labels. Networks that have learnt something have 1 to 2, those whose units are at
// their ends 0.001, with a row or two that differ.
bool all_same(MatrixView outputs) {
  double sum = 0;
  for (Index l = 0; l < outputs.cols(); ++l) {
    double low = outputs(0, l), high = low;
    for (Index i = 1; i < outputs.rows(); ++i) {
      low = std::min(low, outputs(i, l));
      high = std::max(high, outputs(i, l));
    }
    sum += high - low;
  }
  return outputs.rows() > 1 && sum <= k_same * static_cast<double>(outputs.cols());
}

BpMll fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, Rows::blocks);
  const Labels& y = data.y();
  std::vector<Id> rows;
  for (Index i = 0; i < y.rows(); ++i) {
    if (has_pairs(y, i)) rows.push_back(static_cast<Id>(i));
  }
  settings_of(params, params.rate.value_or(k_rates[0]), data.x().cols(), count_of(rows));
  const double chosen = params.validation > 0 ? 0.8 : 0;
  const Plan plan = choose(data, rows, params, ctx.part(0, chosen));
  const Context last = ctx.part(chosen, 1);
  Epochs epochs(data, rows, params, plan.rate, last);
  BpMll out;
  for (Index epoch = 0; epoch < plan.epochs && !rows.empty(); ++epoch) {
    out.loss.push_back(epochs.next());
    last.step(static_cast<double>(epoch + 1) / static_cast<double>(plan.epochs), out.loss.back());
  }
  out.network = epochs.network();
  out.rate = plan.rate;
  out.held_out = plan.held_out;
  const Matrix outputs = out.network.outputs(data.x(), ctx);
  out.same = !rows.empty() && all_same(outputs);
  out.converged =
      rows.empty() || (!out.same && (plan.held_out.empty() ? settled(out.loss) : plan.stopped));
  out.one_class = one_class_scores(y);
  out.threshold = learn_row_threshold(outputs, y, ctx);
  return out;
}

}  // namespace

Learner make_bp_mll() {
  return define_learner<Params, BpMll>(
      {.id = "bp_mll",
       .summary = "neural network that ranks the labels of each row, and learns where to cut",
       .reference = "Zhang and Zhou, Multilabel neural networks with applications to functional "
                    "genomics and text categorization, IEEE TKDE 18(10), 2006",
       .tags = {.missing_labels = true},
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

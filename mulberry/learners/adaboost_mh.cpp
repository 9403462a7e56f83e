// AdaBoost.MH with real-valued stumps: one stump a round answers for all labels.
//
//   D(i,l) = 1 / (n L) at first;  W_+, W_- = weight of yes and no of label l in a branch
//   a round takes the split with the least  Z = 2 sum over branches and labels of sqrt(W_+ W_-)
//   and scores label l in a branch  c = 1/2 ln((W_+ + e) / (W_- + e)),  e = 1 / (n L)
//   D(i,l) *= exp(-y c), scaled to sum 1
//
// The Hamming loss on the training rows is at most the product of sum D exp(-y c) over rounds.
// Schapire and Singer, "BoosTexter: A boosting-based system for text categorization", Machine
// Learning 39, 2000. Ours: numeric cuts, weights, missing cells (weight 0). Cost of a round:
// O(non-zeros x L), with two square roots a cut and label.
#include <cmath>

#include "mulberry/learners/joint_stumps.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry {
namespace {

struct Params {
  Index rounds = 500;
  Index bins = 0;

  static auto fields() {
    return std::tuple{
        field("rounds", &Params::rounds, "rounds of boosting", between(1, 1e6).search(50, 1000)),
        field("bins", &Params::bins, "most intervals of a feature; 0: every cut between its values",
              between(0, 65535))};
  }
};

struct AdaBoostMh {
  JointStumps stumps = {};
  std::vector<double> bound = {};  // of the training Hamming loss, after each round
  bool interrupted = false;

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    Matrix scores(data.x().rows(), stumps.labels());
    stumps.add_scores(data.x(), 0, stumps.count(), scores, ctx);
    return {.scores = std::move(scores), .scale = Scale::margin};
  }
  Summary summary() const {
    Summary out{.interrupted = interrupted, .rounds = stumps.count()};
    if (!bound.empty()) out.objective = bound.back();
    return out;
  }
  std::vector<Result> results() const {
    return {{.id = "learning_curve",
             .sentence = "after each round: the bound of the training Hamming loss",
             .column_names = {"hamming_loss_bound"},
             .values = Matrix(static_cast<Index>(bound.size()), 1, bound)}};
  }
  template <class V>
  void visit(V& v) {
    v("stumps", stumps);
    v("bound", bound);
    v("interrupted", interrupted);
    if constexpr (requires { v.require(true, "", ""); }) {
      v.require(static_cast<Index>(bound.size()) == stumps.count(), "bound",
                "needs one number a round");
    }
  }
};

// Weights of yes (first half of the columns) and no (second half) of every cell; the other is 0.
Matrix first_weights(const Compact& data, double* smoothing) {
  const Labels& y = data.y();
  const Index labels = y.count();
  Matrix out(y.rows(), 2 * labels);
  double total = 0;
  Index cells = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    const auto row = out.row(i);
    for (Index l = 0; l < labels; ++l) {
      const Cell cell = y.cell(i, l);
      if (cell == Cell::missing) continue;
      row[static_cast<std::size_t>(cell == Cell::positive ? l : labels + l)] = data.weight(i);
      total += data.weight(i);
      ++cells;
    }
  }
  double* const values = out.data();
  for (Index k = 0; total > 0 && k < out.size(); ++k) values[k] /= total;
  *smoothing = 1 / static_cast<double>(std::max<Index>(cells, 1));
  return out;
}

AdaBoostMh fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view);
  const Index labels = data.y().count();
  const auto width = static_cast<std::size_t>(labels);
  double smoothing = 0;
  Matrix weights = first_weights(data, &smoothing);
  const StumpColumns columns(data.x(), params.bins, ctx.quiet());
  const auto half_z = [&](const Sums& sums) {
    double out = 0;
    for (std::size_t l = 0; l < width; ++l)
      out += std::sqrt(std::max(0.0, sums[l] * sums[width + l]));
    return out;
  };
  const auto answers = [&](const Sums& sums) {
    Sums out(width);
    for (std::size_t l = 0; l < width; ++l) {
      out[l] = 0.5 * std::log((std::max(sums[l], 0.0) + smoothing) /
                              (std::max(sums[width + l], 0.0) + smoothing));
    }
    return out;
  };
  AdaBoostMh out;
  out.stumps = JointStumps(data.x().cols(), labels);
  double bound = 1;
  try {
    for (Index t = 0; t < params.rounds; ++t) {
      ctx.step(static_cast<double>(t) / static_cast<double>(params.rounds), bound);
      const JointSplit split = best_joint_split(columns, weights, half_z, ctx.quiet());
      if (t > 0 && 2 * split.value >= 1 - 1e-10) break;  // no question tells anything any more
      JointStumps stump(data.x().cols(), labels);
      stump.add(split.column, split.cut, answers(split.left), answers(split.right),
                answers(split.missing));
      Matrix scores(data.x().rows(), labels);
      stump.add_scores(data.x(), 0, 1, scores, ctx.quiet());
      double z = 0;
      for (Index i = 0; i < weights.rows(); ++i) {
        const auto row = weights.row(i);
        for (std::size_t l = 0; l < width; ++l) {
          const double c = std::as_const(scores).row(i)[l];
          row[l] *= std::exp(-c);
          row[width + l] *= std::exp(c);
          z += row[l] + row[width + l];
        }
      }
      if (z == 0) break;
      double* const values = weights.data();
      for (Index k = 0; k < weights.size(); ++k) values[k] /= z;
      bound *= z;
      out.stumps.add(split.column, split.cut, answers(split.left), answers(split.right),
                     answers(split.missing));
      out.bound.push_back(bound);
    }
  } catch (const Cancelled&) {
    if (out.stumps.count() == 0) throw;  // nothing to give back
    out.interrupted = true;
  }
  return out;
}

}  // namespace

Learner make_adaboost_mh() {
  return define_learner<Params, AdaBoostMh>(
      {.id = "adaboost_mh",
       .summary = "boosted stumps that answer for all labels at once, for Hamming loss",
       .reference = "Schapire and Singer, BoosTexter, 2000",
       .tags =
           {.missing_labels = true, .missing_features = true, .weights = true, .anytime = true}},
      fit);
}

}  // namespace mulberry

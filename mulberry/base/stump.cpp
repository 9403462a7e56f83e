// The decision stump as a base learner: one cut of one feature.
//
//   p(x) = weight of the class among the training rows on x's side of the cut / their weight
//
// Iba and Langley, "Induction of one-level decision trees", ICML 1992; the cut, the third branch
// for missing values and ties are as in mulberry/math/trees/decision_stump.hpp. With more than two
// classes each gets a stump against the rest. Cost: O(stored log n) to sort, then one pass per
// class. Nominal features are columns of 0 and 1, where the cut 0.5 asks "is it this value?".
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/math/trees/decision_stump.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {
namespace {

struct Params {
  StumpCriterion criterion = StumpCriterion::entropy;
  Index bins = 0;

  static Fields fields() {
    return Fields{choice("criterion", &Params::criterion, "criterion for choosing the cut",
                         {"entropy", "error"}),
                  field("bins", &Params::bins,
                        "largest number of intervals per feature; 0: every cut between its values",
                        between(0, 65535))};
  }
  MemoryNeed memory(const Extent& e) const {
    const double outputs = e.classes > 2 ? e.classes : 1;
    return {.fit = e.pieces() + StumpColumns::bytes(e, bins) +
                   std::max(StumpColumns::work_bytes(e), 8 * e.rows * outputs),
            .model = 36 * outputs,
            .predict = 8 * e.asked * outputs};
  }
};

// One stump per class, or a single one for the second of two classes.
struct Stumps {
  std::vector<Id> column;
  std::vector<double> cut;
  std::vector<double> shares;  // share of the class at or below the cut, above it, and if missing

  Matrix scores(const Features& x, const Context&) const {
    const auto count = count_of(column);
    Matrix out(x.rows(), count);
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index k = 0; k < count; ++k) {
        const auto c = at(k);
        const double v = column[c] < 0 ? 0.0 : x.at(i, column[c]);
        out(i, k) = shares[3 * c + (v <= cut[c] ? 0u : v > cut[c] ? 1u : 2u)];
      }
    }
    return out;
  }

  template <class V>
  void visit(V& v) {
    v("column", column, whole(-1, v.features() - 1).length(v.outputs()));
    v("cut", cut, finite_or_infinite().length(v.outputs()));
    v("shares", shares, real(0, 1).length(3 * v.outputs()));
  }
};

Stumps fit(const ColumnProblem& problem, const Params& params, const Context& ctx) {
  const StumpColumns columns(problem.x, params.bins, ctx);
  const Id first = problem.classes == 2 ? 1 : 0;
  double total = 0;
  for (Index i = 0; i < problem.x.rows(); ++i) {
    total += problem.weights.empty() ? 1.0 : problem.weights[at(i)];
  }
  // A power of two: weights that are whole numbers stay exact, and so do their sums, so that classes
  // with equal shares are equal.
  const double unit = std::exp2(std::ceil(std::log2(total)));
  Matrix weights(problem.classes - first, problem.x.rows());
  for (Index i = 0; i < weights.cols(); ++i) {
    const auto k = at(i);
    const double w = (problem.weights.empty() ? 1.0 : problem.weights[k]) / unit;
    for (Index c = 0; c < weights.rows(); ++c) weights(c, i) = problem.y[k] == first + c ? w : -w;
  }
  Stumps out;
  for (const Split& split : best_splits(columns, weights, params.criterion, ctx)) {
    out.column.push_back(split.column);
    out.cut.push_back(split.cut);
    for (const Branch& branch : {split.left, split.right, split.missing}) {
      const Branch& taken = split.or_all(branch);
      out.shares.push_back(std::clamp(taken.yes / taken.all(), 0.0, 1.0));
    }
  }
  return out;
}

}  // namespace

BaseLearner make_stump() {
  return define_base<Params, Stumps>(
      {.id = "stump",
       .summary = "one cut of one feature",
       .reference = "Iba and Langley, Induction of one-level decision trees, 1992",
       .scale = Scale::probability,
       .tags = {.missing_features = true, .probabilities = true, .weights = true},
       .listed_rows = true,
       .revision = 2},
      fit);
}

}  // namespace mulberry::base

// AdaBoost.MR: one stump per round answers for all labels, chosen to rank relevant labels above
// irrelevant ones.
//
//   v(i,l) = (n |Y_i| |not Y_i|)^(-1/2) at first: a pair of labels of a row weighs v(i,k) v(i,l)
//   u      = sum over a branch of  y_i(l) v(i,l) sum over labels k of the other kind of v(i,k)
//   a round takes the split with the largest  r = 1/2 sum over branches and labels of |u|
//   and scores label l in a branch  alpha sign(u),  alpha = 1/2 ln((1 + r) / (1 - r))
//   v(i,l) *= exp(-y score / 2), scaled so that all pairs weigh 1 together
//
// The ranking loss on the training rows is at most the product of sqrt(1 - r^2) over rounds.
// Schapire and Singer, "BoosTexter: A boosting-based system for text categorization", Machine
// Learning 39, 2000. Scores order the labels of a row; their cut at 0 means little, and `threshold`
// around this learner finds a better one. Rows with no labels or all labels carry no information
// and are left out; a label with one class gets the score -1 or +1. Cost of a round: O(non-zeros x
// L).
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/learners/boosting/boosted_stumps.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

using Params = BoostParams<500>;
using AdaBoostMr = BoostedStumps<BoundedLoss::ranking>;

// The weights v of all cells and the pairs that they represent.
class Pairs {
 public:
  explicit Pairs(const Compact& data)
      : truth_(data.y().rows(), data.y().count()), v_(data.y().rows(), data.y().count()) {
    const Labels& y = data.y();
    for (Index i = 0; i < y.rows(); ++i) {
      for (Index l = 0; l < y.count(); ++l) {
        const Cell cell = y.cell(i, l);
        truth_(i, l) = cell == Cell::missing ? 0 : cell == Cell::positive ? 1 : -1;
      }
      rows_ += data.weight(i);
      const auto row = truth_.row(i);
      const auto yes = static_cast<double>(std::count(row.begin(), row.end(), 1.0));
      const auto no = static_cast<double>(std::count(row.begin(), row.end(), -1.0));
      if (yes == 0 || no == 0) continue;
      for (Index l = 0; l < y.count(); ++l) {
        if (row[at(l)] != 0) v_(i, l) = std::sqrt(data.weight(i) / (yes * no));
      }
    }
    empty_ = rescale() == 0;
  }

  bool empty() const { return empty_; }
  double rows() const { return rows_; }  // the sum of their weights

  // y v times the weight of the labels of the other kind, cell by cell.
  Matrix vectors() const {
    Matrix out(v_.rows(), padded_labels(v_.cols()));
    for (Index i = 0; i < v_.rows(); ++i) {
      const auto [yes, no] = sums(i);
      for (Index l = 0; l < v_.cols(); ++l) {
        const double y = truth_(i, l);
        if (y != 0) out(i, l) = y * v_(i, l) * (y > 0 ? no : yes);
      }
    }
    return out;
  }

  // Weights after rules with these scores.
  void update(MatrixView scores) {
    for (Index i = 0; i < v_.rows(); ++i) {
      for (Index l = 0; l < v_.cols(); ++l)
        v_(i, l) *= std::exp(-0.5 * truth_(i, l) * scores(i, l));
    }
    rescale();
  }
  // Weights after a rule with these answers in each row's branch.
  void update(std::span<const char> branch, std::span<const Sums> answers) {
    for (Index i = 0; i < v_.rows(); ++i) {
      const Sums& c = answers[at(branch[at(i)])];
      const auto row = v_.row(i);
      for (std::size_t l = 0; l < row.size(); ++l)
        row[l] *= std::exp(-0.5 * truth_.row(i)[l] * c[l]);
    }
    rescale();
  }

 private:
  std::pair<double, double> sums(Index i) const {
    double yes = 0, no = 0;
    for (Index l = 0; l < v_.cols(); ++l) (truth_(i, l) > 0 ? yes : no) += v_(i, l);
    return {yes, no};
  }

  // Scales the total weight of all pairs to 1 and returns what it was before.
  double rescale() {
    double total = 0;
    for (Index i = 0; i < v_.rows(); ++i) {
      const auto [yes, no] = sums(i);
      total += yes * no;
    }
    double* const values = v_.data();
    for (Index k = 0; total > 0 && k < v_.size(); ++k) values[k] /= std::sqrt(total);
    return total;
  }

  Matrix truth_;  // -1, +1, 0 if missing
  Matrix v_;
  double rows_ = 0;
  bool empty_ = false;
};

AdaBoostMr fit(const View& view, const Params& params, const Context& ctx, const AdaBoostMr* init) {
  const Compact data(view, Rows::blocks);
  AdaBoostMr out = start_boosting("adaboost_mr", init, data);
  out.constant = one_class_scores(data.y());
  const StumpColumns columns(data.x(), params.bins, ctx.quiet());
  Pairs pairs(data);
  pairs.update(out.stumps.scores(data.x(), ctx.quiet()));
  const auto add_rule = [&]() -> std::optional<double> {
    const JointSplit split =
        best_joint_split(columns, pairs.vectors(), JointCriterion::minus_r, {}, ctx.quiet());
    if (-split.value <= 1e-12) return {};  // no stump gains anything
    // A perfect ranking would have an infinite step.
    const double most = std::min(1 - 1 / (2 * std::max(1.0, pairs.rows())), 1 - 1e-12);
    const double r = std::min(-split.value, most);
    const double alpha = 0.5 * std::log((1 + r) / (1 - r));
    std::vector<Sums> answers = {split.left, split.right, split.missing};
    for (Sums& branch : answers) {
      branch.resize(at(data.y().count()));
      for (double& u : branch) u = u > 1e-15 ? alpha : u < -1e-15 ? -alpha : 0.0;
    }
    pairs.update(training_branches(columns, split), answers);
    out.stumps.add(split, answers[0], answers[1], answers[2]);
    return std::sqrt(1 - r * r);
  };
  add_rules(out, pairs.empty() ? 0 : params.rounds, add_rule, ctx);
  return out;
}

}  // namespace

Learner make_adaboost_mr() {
  return define_learner<Params, AdaBoostMr>(
      {.id = "adaboost_mr",
       .summary = "boosted stumps that answer for all labels at once, for ranking loss",
       .reference = "Schapire and Singer, BoosTexter, 2000",
       .tags = k_boosting_tags},
      fit);
}

}  // namespace mulberry::learners

// AdaBoost.MR: one stump a round answers for all labels, chosen to rank relevant labels above
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
// Learning 39, 2000. Scores order the labels of a row; their cut at 0 means little, `threshold`
// around this learner finds a better one. Rows with no or all labels say nothing and are left out;
// a label with one class gets the score -1 or +1. Cost of a round: O(non-zeros x L).
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

struct AdaBoostMr {
  JointStumps stumps = {};
  std::vector<double> constant = {};  // one a label: its score when it has one class, otherwise 0
  std::vector<double> bound = {};     // of the training ranking loss, after each round
  bool interrupted = false;

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    Matrix scores(data.x().rows(), stumps.labels());
    stumps.add_scores(data.x(), 0, stumps.count(), scores, ctx);
    for (Index i = 0; i < scores.rows(); ++i) {
      const auto row = scores.row(i);
      for (std::size_t l = 0; l < row.size(); ++l) {
        if (constant[l] != 0) row[l] = constant[l];
      }
    }
    return {.scores = std::move(scores), .scale = Scale::margin};
  }
  Summary summary() const {
    Summary out{.interrupted = interrupted, .rounds = stumps.count()};
    if (!bound.empty()) out.objective = bound.back();
    return out;
  }
  std::vector<Result> results() const {
    return {{.id = "learning_curve",
             .sentence = "after each round: the bound of the training ranking loss",
             .column_names = {"ranking_loss_bound"},
             .values = Matrix(static_cast<Index>(bound.size()), 1, bound)}};
  }
  template <class V>
  void visit(V& v) {
    v("stumps", stumps);
    v("constant", constant);
    v("bound", bound);
    v("interrupted", interrupted);
    if constexpr (requires { v.require(true, "", ""); }) {
      v.require(static_cast<Index>(constant.size()) == stumps.labels(), "constant",
                "needs one number a label");
      v.require(static_cast<Index>(bound.size()) == stumps.count(), "bound",
                "needs one number a round");
    }
  }
};

// The weights v of all cells and the pairs they stand for.
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
      const auto row = std::as_const(truth_).row(i);
      const auto yes = static_cast<double>(std::count(row.begin(), row.end(), 1.0));
      const auto no = static_cast<double>(std::count(row.begin(), row.end(), -1.0));
      if (yes == 0 || no == 0) continue;
      for (Index l = 0; l < y.count(); ++l) {
        if (row[static_cast<std::size_t>(l)] != 0)
          v_(i, l) = std::sqrt(data.weight(i) / (yes * no));
      }
    }
    empty_ = rescale() == 0;
  }

  bool empty() const { return empty_; }

  // y v times the weight of the labels of the other kind, cell by cell.
  Matrix vectors() const {
    Matrix out(v_.rows(), v_.cols());
    for (Index i = 0; i < v_.rows(); ++i) {
      const auto [yes, no] = sums(i);
      for (Index l = 0; l < v_.cols(); ++l) {
        const double y = truth_(i, l);
        if (y != 0) out(i, l) = y * v_(i, l) * (y > 0 ? no : yes);
      }
    }
    return out;
  }

  // After a round with these scores.
  void update(const Matrix& scores) {
    for (Index i = 0; i < v_.rows(); ++i) {
      for (Index l = 0; l < v_.cols(); ++l)
        v_(i, l) *= std::exp(-0.5 * std::as_const(truth_)(i, l) * scores(i, l));
    }
    rescale();
  }

 private:
  std::pair<double, double> sums(Index i) const {
    double yes = 0, no = 0;
    for (Index l = 0; l < v_.cols(); ++l) (truth_(i, l) > 0 ? yes : no) += v_(i, l);
    return {yes, no};
  }

  // Makes all pairs weigh 1 together; returns what they did before.
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

  Matrix truth_;  // -1, +1, 0 where missing
  Matrix v_;
  bool empty_ = false;
};

std::vector<double> constants_of(const Labels& y) {
  std::vector<double> out;
  for (Index l = 0; l < y.count(); ++l) {
    const Index observed = y.rows() - static_cast<Index>(y.missing_column(l).size());
    const auto positives = static_cast<Index>(y.column(l).size());
    out.push_back(positives == 0 ? -1.0 : positives == observed ? 1.0 : 0.0);
  }
  return out;
}

AdaBoostMr fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view);
  const Index labels = data.y().count();
  const StumpColumns columns(data.x(), params.bins, ctx.quiet());
  Pairs pairs(data);
  const auto minus_r = [](const Sums& u) {
    double out = 0;
    for (const double v : u) out -= 0.5 * std::abs(v);
    return out;
  };
  AdaBoostMr out;
  out.stumps = JointStumps(data.x().cols(), labels);
  out.constant = constants_of(data.y());
  double bound = 1;
  try {
    for (Index t = 0; !pairs.empty() && t < params.rounds; ++t) {
      ctx.step(static_cast<double>(t) / static_cast<double>(params.rounds), bound);
      const JointSplit split = best_joint_split(columns, pairs.vectors(), minus_r, ctx.quiet());
      if (-split.value <= 1e-12) break;  // no question tells anything
      // A perfect ranking would have an infinite step.
      const double r = std::min(-split.value, 1 - 1 / static_cast<double>(2 * data.x().rows()));
      const double alpha = 0.5 * std::log((1 + r) / (1 - r));
      const auto answers = [&](Sums u) {
        for (double& v : u) v = v > 1e-15 ? alpha : v < -1e-15 ? -alpha : 0.0;
        return u;
      };
      JointStumps stump(data.x().cols(), labels);
      stump.add(split.column, split.cut, answers(split.left), answers(split.right),
                answers(split.missing));
      Matrix scores(data.x().rows(), labels);
      stump.add_scores(data.x(), 0, 1, scores, ctx.quiet());
      pairs.update(scores);
      bound *= std::sqrt(1 - r * r);
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

Learner make_adaboost_mr() {
  return define_learner<Params, AdaBoostMr>(
      {.id = "adaboost_mr",
       .summary = "boosted stumps that answer for all labels at once, for ranking loss",
       .reference = "Schapire and Singer, BoosTexter, 2000",
       .tags =
           {.missing_labels = true, .missing_features = true, .weights = true, .anytime = true}},
      fit);
}

}  // namespace mulberry

// AdtBoost.MH: an alternating decision tree that answers for all labels at once.
//
//   D(i,l) = 1 / (n L) at first;  W_+, W_- = weight of yes and no of label l in a branch
//   first rule: a constant,  c = 1/2 ln((W_+ + e) / (W_- + e)),  e = 1 / (n L)
//   a round takes the precondition (all rows, or a branch of an earlier rule) and the question with
//   the least  Z = 2 sum over branches and labels of sqrt(W_+ W_-) + weight of the rows outside
//   rows of the precondition get the c of their branch, the others 0;  D(i,l) *= exp(-y c)
//
// The Hamming loss on the training rows is at most the product of sum D exp(-y c) over rules. A
// missing value takes a third branch, which is no precondition. De Comite, Gilleron and Tommasi,
// "Learning multi-label alternating decision trees from texts and data", MLDM 2003. Cost of a
// round: a round of AdaBoost.MH for every rule so far.
#include <algorithm>

#include "mulberry/core/index.hpp"
#include "mulberry/learners/boosting/boosted_stumps.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

using Params = BoostParams<50, true>;
using AdtBoostMh = BoostedStumps<BoundedLoss::hamming>;

// Rows that an earlier rule sends one way, or all rows.
struct Precondition {
  Id parent = -1;
  Index side = 0;
  std::vector<char> inside = {};  // empty: all rows
};

double weight_inside(MatrixView vectors, std::span<const char> inside) {
  double out = 0;
  for (Index i = 0; i < vectors.rows(); ++i) {
    if (!inside.empty() && inside[at(i)] == 0) continue;
    for (const double v : vectors.row(i)) out += v;
  }
  return out;
}

class Tree {
 public:
  Tree(const Compact& data, const Params& params, AdtBoostMh& model, const Context& ctx)
      : columns_(data.x(), params.bins, ctx),
        model_(model),
        weights_(data, model.stumps.scores(data.x(), ctx)),
        preconditions_{{}} {
    for (Index rule = 0; rule < model.stumps.count(); ++rule) {  // of a model that is continued
      const Id column = model.stumps.column(rule);
      if (column < 0) continue;
      std::vector<char> branch;
      for (Index i = 0; i < data.x().rows(); ++i)
        branch.push_back(static_cast<char>(model.stumps.branch_of(rule, data.x().at(i, column))));
      add_branches(rule, branch);
    }
  }

  std::optional<double> add_rule(const Context& ctx) {
    std::size_t chosen = 0;
    JointSplit best;
    if (model_.stumps.count() == 0) {
      const StumpColumns nothing(Matrix(columns_.rows(), 0), 0, ctx);
      best = best_joint_split(nothing, weights_.vectors(), JointCriterion::half_z, {}, ctx);
    } else {
      double least = std::numeric_limits<double>::infinity();  // Z / 2
      for (std::size_t k = 0; k < preconditions_.size(); ++k) {
        const auto& inside = preconditions_[k].inside;
        const double outside = 1 - weight_inside(weights_.vectors(), inside);
        JointSplit found = best_joint_split(columns_, weights_.vectors(), JointCriterion::half_z,
                                            inside, ctx, least - outside / 2);
        if (found.column < 0) continue;  // nothing better
        least = found.value + outside / 2;
        best = std::move(found);
        chosen = k;
      }
      if (2 * least >= 1 - 1e-10) return {};  // no stump gains anything any more
    }
    const Sums answers[] = {weights_.answers(best.left), weights_.answers(best.right),
                            weights_.answers(best.missing)};
    const std::vector<char> branch = training_branches(columns_, best);
    const double z = weights_.update(branch, answers, preconditions_[chosen].inside);
    if (z == 0) return {};
    model_.stumps.add(best, answers[0], answers[1], answers[2], preconditions_[chosen].parent,
                      preconditions_[chosen].side);
    if (best.column >= 0) add_branches(model_.stumps.count() - 1, branch);
    return z;
  }

 private:
  // Both branches of a rule become preconditions.
  void add_branches(Index rule, const std::vector<char>& branch) {
    const std::vector<char> above = precondition_of(rule).inside;
    for (const Index side : {0, 1}) {
      Precondition added{static_cast<Id>(rule), side, std::vector<char>(branch.size(), 0)};
      for (std::size_t i = 0; i < branch.size(); ++i) {
        const bool reached = above.empty() || above[i] != 0;
        added.inside[i] = reached && branch[i] == static_cast<char>(side) ? 1 : 0;
      }
      preconditions_.push_back(std::move(added));
    }
  }

  const Precondition& precondition_of(Index rule) const {
    const auto found =
        std::find_if(preconditions_.begin(), preconditions_.end(), [&](const Precondition& p) {
          return p.parent == model_.stumps.parent(rule) && p.side == model_.stumps.side(rule);
        });
    return *found;
  }

  StumpColumns columns_;
  AdtBoostMh& model_;
  CellWeights weights_;
  std::vector<Precondition> preconditions_;
};

AdtBoostMh fit(const View& view, const Params& params, const Context& ctx, const AdtBoostMh* init) {
  const Compact data(view, Rows::blocks);
  AdtBoostMh out = start_boosting("adtboost_mh", init, data);
  Tree tree(data, params, out, ctx.quiet());
  const Index constant = init == nullptr ? 1 : 0;
  add_rules(out, params.rounds + constant, [&] { return tree.add_rule(ctx.quiet()); }, ctx);
  return out;
}

}  // namespace

Learner make_adtboost_mh() {
  return define_learner<Params, AdtBoostMh>(
      {.id = "adtboost_mh",
       .summary = "an alternating decision tree that answers for all labels at once",
       .reference = "De Comite, Gilleron and Tommasi, Multi-label alternating decision trees, 2003",
       .tags = k_boosting_tags,
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

// What a forest tells beyond predictions: scores of training rows by the trees that have not seen
// them, and the importance of features.
//
// Cost: out of bag, about a third of a prediction of all rows; permutation, that for every column
// that a tree uses.
#pragma once

#include "mulberry/base/forest/out_of_bag.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/model/model.hpp"

namespace mulberry::learners {

enum class OutOfBag { none, measures, scores };
enum class Importance { none, gain, label, permutation };

class ForestReport {
 public:
  ForestReport() = default;
  // `bags` is null if all trees have seen all rows, `gains` if nobody asked for them.
  ForestReport(const Forest& forest, const Compact& data, const ForestBags* bags,
               const ForestGains* gains, OutOfBag oob, Importance importance, const Context& ctx);

  // Importance becomes the mean of all trees: a `share` of them has the earlier report.
  void blend(const ForestReport& earlier, double share);
  // Whether this report measured the same scores of rows out of bag as another one.
  bool has_measures_of(const ForestReport& other) const {
    return out_of_bag_.has_measures_of(other.out_of_bag_);
  }
  void take_out_of_bag(ForestReport&& other);
  // Scores of rows out of bag are of the last `trees` trees of a target only.
  void say_trees(Index trees) { out_of_bag_.say_trees(trees); }

  // Rows x labels; NaN in rows that all trees have seen. Null if there are none.
  const Matrix* held_out() const { return out_of_bag_.held_out(); }
  std::vector<Result> results() const;
  bool fits(Index columns, Index labels) const;

  template <class V>
  void visit(V& v) {
    out_of_bag_.visit(v);
    v("importance", importance_, any_real());
    v("by_label", by_label_, any_real());
    v("permuted", permuted_);
    if (v.stores("scores.rows", keeps_scores_)) {
      keeps_scores_ = true;
      v("scores", out_of_bag_.scores(), any_real().cols(v.outputs()));
    }
  }

 private:
  OutOfBagScores out_of_bag_;
  std::vector<double> importance_;  // of each column, or empty
  Matrix by_label_;                 // columns x labels, or empty
  bool permuted_ = false;           // importance by permutation, otherwise by gain
  bool keeps_scores_ = false;
};

}  // namespace mulberry::learners

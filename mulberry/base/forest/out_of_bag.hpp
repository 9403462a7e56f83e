// Scores of the training rows of a forest by the trees that have not seen them, and measures of
// these scores: an honest estimate without cross-validation. A row that every tree of a target has
// seen has none.
//
// Cost: about a third of a prediction of all rows.
#pragma once

#include <string>
#include <vector>

#include "mulberry/base/forest/forest_model.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/model/model.hpp"

namespace mulberry::base {

class OutOfBagScores {
 public:
  OutOfBagScores() = default;
  OutOfBagScores(const Forest& forest, const Features& x, const Labels& y, const ForestBags& bags,
                 const Context& ctx);

  // Rows x labels; NaN in rows that all trees have seen. Null if there are none.
  const Matrix* held_out() const { return scores_.rows() > 0 ? &scores_ : nullptr; }
  Matrix& scores() { return scores_; }
  // The measures as the result `out_of_bag`, if there are any.
  std::vector<Result> results() const;
  bool is_sound() const { return values_.size() == measures_.size(); }

  // Whether both measured the same scores.
  bool has_measures_of(const OutOfBagScores& other) const {
    return measures_.size() > 1 && measures_ == other.measures_ && values_ == other.values_;
  }
  // The scores are of the last `trees` trees of a target only.
  void say_trees(Index trees);

  // Measures are saved, scores are not.
  template <class V>
  void visit(V& v) {
    v.added("measures", measures_);
    v.added("values", values_, any_real().length(count_of(measures_)));
  }

 private:
  void measure(const Labels& y, const Context& ctx);

  std::vector<std::string> measures_;
  std::vector<double> values_;
  Matrix scores_;
};

}  // namespace mulberry::base

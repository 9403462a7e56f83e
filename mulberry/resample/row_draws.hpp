// Rows drawn with replacement in proportion to their weights, as bootstrap samples need them.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/random.hpp"

namespace mulberry::resample {

// Sums of weights up to and including each row: what draw_by_weight searches.
std::vector<double> running_sums(std::span<const double> weights);
std::size_t draw_by_weight(std::span<const double> sums, Random& random);

// A bootstrap of weighted rows. Rows are drawn by weight, and then all weigh the same, so that a
// row of weight 2 is drawn as often as two rows. Rows of weight 0 are not drawn.
class RowDraws {
 public:
  // Rows 0 .. rows - 1; without weights, all of weight 1.
  RowDraws(Index rows, std::span<const double> weights);

  Index count() const { return static_cast<Index>(rows_.size()); }  // rows that may be drawn
  std::span<const Id> rows() const { return rows_; }
  // Of each drawn row: count() of them weigh as much as all rows together.
  double weight() const { return weight_; }
  Id draw(Random& random) const;

 private:
  std::vector<Id> rows_;
  std::vector<double> sums_;  // empty: all rows weigh the same
  double weight_ = 1;
};

}  // namespace mulberry::resample

// A linear programme with one hinge per row:
//
//   minimise  sum_r weight_r max(0, c_r - a_r . b) + sum_k price_k |b_k|   over b, b_0 >= 0
//
// where every a_r has entries -1 and +1 (a vote for or against the right class) and c_r >= 0.
// Solved exactly by a primal simplex over bases of as many tight rows as there are variables, with
// an exact line search that passes many breakpoints per pivot; no slack variable is ever formed.
// Equal rows should be merged first (HingeRows does); ties are broken by a hash of the row, so the
// result depends neither on threads nor on the order of equal rows. Prices must be above 0: then
// the optimum is bounded.
//
// Cost of a pivot: O(rows x variables); 2 to 10 pivots per variable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::learners {

// Rows of -1 and +1 with weights; rows with the same signs and target are merged.
class HingeRows {
 public:
  explicit HingeRows(Index variables) : variables_(variables) {}

  void add(std::span<const double> row, double weight, double target = 1);

  Index size() const { return static_cast<Index>(weights_.size()); }
  Index variables() const { return variables_; }
  std::span<const double> row(Index r) const {
    return {values_.data() + r * variables_, at(variables_)};
  }
  std::span<const double> weights() const { return weights_; }
  std::span<const double> targets() const { return targets_; }  // c

 private:
  Index variables_;
  std::vector<double> values_;
  std::vector<double> weights_, targets_;
  std::unordered_map<std::string, Index> place_;  // by the signs of the row and its target
};

struct HingeLpResult {
  std::vector<double> b = {};
  double value = 0;  // objective at b
  int pivots = 0;
  bool optimal = false;  // false only if the limit of pivots ended the search
};

HingeLpResult solve_hinge_lp(const HingeRows& rows, std::span<const double> prices);

}  // namespace mulberry::learners

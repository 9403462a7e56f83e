// Standardiser: columns to mean 0 and deviation 1, as measured on training rows. Constant columns
// are dropped. The result is dense. Cost: one pass over the stored values to measure, one to apply.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

class Standardiser {
 public:
  Standardiser() = default;
  // `weights`: of the rows, or empty: all 1.
  explicit Standardiser(const Features& x, std::span<const double> weights = {});

  Index columns() const {
    return static_cast<Index>(columns_.size());
  }  // the columns that are kept
  Matrix apply(const Features& x) const;

  template <class V>
  void visit(V& v) {
    v("columns", columns_, below(v.features()));
    v("mean", mean_, finite().length(columns()));
    v("scale", scale_, finite().length(columns()));
  }

 private:
  std::vector<Id> columns_;
  std::vector<double> mean_;   // of the kept columns
  std::vector<double> scale_;  // 1 / deviation
};

}  // namespace mulberry::math

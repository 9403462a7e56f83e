// Imputation: missing features become the mean of their column or, for nominal attributes, its most
// frequent value (the first of them when several are equally frequent).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry {

// The columns [begin, begin + size) that one attribute of the file became. Missing is NaN, in the
// first of them; a nominal attribute of one column holds positions or numbers, one of several
// columns is one-hot.
struct FeatureGroup {
  Id begin = 0, size = 1;
  bool nominal = false;
};

// The stored values of features, dense (all of them, row by row) or sparse (with their columns).
struct StoredFeatures {
  Index rows = 0, cols = 0;
  bool sparse = false;
  std::vector<Id>& index;
  std::vector<double>& value;
};

// In place. The groups cover all columns, in order. Throws Error for an attribute without any
// value; `names` are those of the columns.
void impute(const StoredFeatures& x, std::span<const FeatureGroup> groups,
            std::span<const std::string> names);

}  // namespace mulberry

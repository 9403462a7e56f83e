// The columns of sparse features that have a stored value. Data with feature 16,000,000 may have a
// few hundred of them: statistics of these few cost what is stored, not what could be.
#pragma once

#include <vector>

#include "mulberry/data/features.hpp"

namespace mulberry::data {

struct PresentColumns {
  Features x = {};           // with these columns only
  std::vector<Id> ids = {};  // of each column of x, increasing; empty if x has all columns
  Index total = 0;           // columns of the original

  Id id(std::size_t k) const { return ids.empty() ? static_cast<Id>(k) : ids[k]; }
  Index absent() const { return ids.empty() ? 0 : total - static_cast<Index>(ids.size()); }
};

// Shares x unless it has many more columns than stored values.
PresentColumns present_columns(const Features& x);

}  // namespace mulberry::data

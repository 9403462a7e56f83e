// Features of two words in sparse data: the more frequent word of the training rows becomes 0, so
// that the many rows that have it store nothing. Readers code the words in the order of their
// declaration, which says nothing about how frequent they are: {YES,NO} features that are nearly
// always NO would make sparse data dense.
#pragma once

#include <span>
#include <vector>

#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

// The columns of 0 and 1 among the nominal ones of sparse features in which 1 is the more frequent;
// empty for dense features, which gain nothing.
std::vector<Id> frequent_ones(const Features& x, std::span<const NominalColumns> nominal);
// 1 - x in these columns, which increase; missing values stay. Cost: the stored values, and rows x
// columns.
Features swap_zero_one(const Features& x, std::span<const Id> columns);

}  // namespace mulberry::data

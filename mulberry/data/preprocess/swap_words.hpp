// Features of two words in sparse data: a word that four fifths of the training rows have becomes
// 0, so that they store nothing. Readers code the words in the order of their declaration, which
// says nothing about how frequent they are: {YES,NO} features that are nearly always NO would make
// sparse data dense. Words about as frequent as each other stay as declared: nothing is gained, and
// where a constant term is penalised or absent, the other coding is another model.
#pragma once

#include <span>
#include <vector>

#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

// The columns of 0 and 1 among the nominal ones of sparse features in which at least four
// of five known values are 1; empty for dense features, which gain nothing.
std::vector<Id> frequent_ones(const Features& x, std::span<const NominalColumns> nominal);
// 1 - x in these columns, which increase; missing values stay. Cost: the stored values, and rows x
// columns.
Features swap_zero_one(const Features& x, std::span<const Id> columns);

}  // namespace mulberry::data

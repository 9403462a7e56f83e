// Rows that are equal to an earlier one. O(stored values) by hashing; equality is then checked, so
// a collision of hashes costs time but never a wrong answer.
#pragma once

#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::data {

// For every row the first row that equals it, which may be the row itself.
std::vector<Id> first_equal_rows(const Features& x, const Context& ctx);
std::vector<Id> first_equal_rows(const Labels& y, const Context& ctx);  // by positive labels

}  // namespace mulberry::data

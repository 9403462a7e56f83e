// A picture of the labels of a data set: how often each occurs, and which occur together, ordered
// so that groups of labels are adjacent.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::report {

// An order in which similar items are neighbours: average-linkage clusters, each merged so that the
// ends that touch are as similar as can be. `similarity` is symmetric. O(n^3).
std::vector<Id> order_by_similarity(MatrixView similarity);

// Frequencies and correlations (phi) of the `most` most frequent labels.
std::string describe_picture(const Dataset& data, const Context& ctx, Index most = 60);

}  // namespace mulberry::report

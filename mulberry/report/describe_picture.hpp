// A picture of the labels of a data set: how often each occurs, and which occur together, ordered
// so that groups of labels stand next to each other.
#pragma once

#include <string>
#include <vector>

#include "mulberry/data/dataset.hpp"

namespace mulberry {

// Correlation (phi) of labels over the rows where both are observed; 0 where one is constant.
// O(sum over rows of (positive + missing cells of these labels)^2).
Matrix label_correlation(const Labels& y, std::span<const Id> labels);

// An order in which similar items are neighbours: average-linkage clusters, each merged so that the
// ends that touch are as similar as can be. `similarity` is symmetric. O(n^3).
std::vector<Id> order_by_similarity(const Matrix& similarity);

// Frequencies and correlations of the `most` most frequent labels.
std::string describe_picture(const Dataset& data, Index most = 60);

}  // namespace mulberry

// The report of a data set: sizes, what to look out for, labels and how they occur together,
// missing cells, duplicates, features, some rows. Large data is shown in parts.
#pragma once

#include <string>

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/report/page/page.hpp"

namespace mulberry::report {

// O(stored values + sum over rows of the square of their labels).
Page data_page(const Dataset& data, const Context& ctx);

// A row in a few words: the beginning of its texts, or some of its features.
std::string row_excerpt(const Dataset& data, Index row);
// Its id, or its number from 1.
std::string row_name(const Dataset& data, Index row);
// The names of labels, as tags.
std::vector<std::string> label_tags(std::span<const Id> labels,
                                    const std::vector<std::string>& names,
                                    std::string_view sign = {});

}  // namespace mulberry::report

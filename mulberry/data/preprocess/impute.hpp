// Imputation: missing features (NaN) become the mean of their column, or its most frequent value
// (the first of several equally frequent ones); nominal attributes always use the latter. The
// values are fitted on training rows and used for all later ones. Sparse data stays sparse; its
// zeros count.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

enum class Impute { none, mean, mode };

// One value per column, by mean or mode. Throws Error for an attribute without any value; `names`
// are the names of the columns, or empty. Cost: as column_statistics.
std::vector<double> fill_values(const Features& x, std::span<const NominalColumns> nominal,
                                std::span<const std::string> names, const Context& ctx,
                                Impute how = Impute::mean);

// x with fill[j] in the missing cells of column j.
Features fill_missing(const Features& x, std::span<const double> fill);

}  // namespace mulberry::data

// Imputation: missing features (NaN) become the mean of their column, or its most frequent value
// (the first of them when several are equally frequent); nominal attributes always the latter. The
// values are fitted on training rows and serve all that come later. Sparse data stays sparse; its
// zeros count.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

enum class Impute { none, mean, mode };

// One value a column, by mean or mode. Throws Error for an attribute without any value; `names` are
// those of the columns, or empty. Cost: as column_statistics.
std::vector<double> fill_values(const Features& x, std::span<const NominalColumns> nominal,
                                std::span<const std::string> names, const Context& ctx,
                                Impute how = Impute::mean);

// x with fill[j] where column j is missing.
Features fill_missing(const Features& x, std::span<const double> fill);

}  // namespace mulberry::data

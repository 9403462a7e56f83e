// Reading a data set from a file of any format that we know.
#pragma once

#include <string>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read_options.hpp"

namespace mulberry {

// Sparse files stay sparse. Peak memory is about that of the result. Every mistake in the file is
// an Error with file, line and column.
Dataset read_dataset(const std::string& path, const ReadOptions& options = {});

}  // namespace mulberry

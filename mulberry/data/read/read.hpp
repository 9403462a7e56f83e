// Reading a data set from a file of any format that we know.
#pragma once

#include <memory>
#include <string>

#include "mulberry/data/bytes/byte_source.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

// Sparse files stay sparse. Peak memory is about that of the result. Every mistake in the file is
// an Error with file, line and column.
Dataset read_dataset(const std::string& path, const ReadOptions& options = {});
// The same from any bytes; `path` stands in errors, and a label XML is looked for beside it.
Dataset read_dataset(std::unique_ptr<ByteSource> bytes, const std::string& path,
                     const ReadOptions& options = {});

}  // namespace mulberry::data

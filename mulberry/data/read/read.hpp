// Reads a data set from a file in any supported format.
#pragma once

#include <memory>
#include <string>

#include "mulberry/data/bytes/byte_source.hpp"
#include "mulberry/data/bytes/text_reader.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read/block_reader.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

// Sparse files stay sparse. Peak memory is about the memory of the result. Every mistake in the
// file is an Error with file, line and column.
Dataset read_dataset(const std::string& path, const ReadOptions& options = {});
// As above, from any bytes; `path` is used in errors, and a label XML is looked for next to it.
Dataset read_dataset(std::unique_ptr<ByteSource> bytes, const std::string& path,
                     const ReadOptions& options = {});

// The reader of a file, with the text that it reads; or the bytes of a .npz file that can only be
// read as a whole. The options must outlive the reader.
struct OpenedFile {
  Format format = Format::csv;
  std::unique_ptr<TextReader> text = {};
  std::unique_ptr<BlockReader> reader = {};
  std::unique_ptr<ByteSource> bytes = {};
};
OpenedFile open_reader(const std::string& path, const ReadOptions& options);
// The last touch to what a reader gives: names in UTF-8, the name of the data, how it was read.
void tidy_dataset(Dataset& data, const std::string& path, const ReadOptions& options);

}  // namespace mulberry::data

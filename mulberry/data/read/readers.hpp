// The reader of each format: one function, one file. Text and options must outlive the reader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mulberry/data/bytes/text_reader.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read/block_reader.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

std::unique_ptr<BlockReader> arff_reader(TextReader& text, const ReadOptions& options);
std::unique_ptr<BlockReader> libsvm_reader(TextReader& text, const ReadOptions& options);
std::unique_ptr<BlockReader> xmlrepo_reader(TextReader& text, const ReadOptions& options);
std::unique_ptr<BlockReader> csv_reader(TextReader& text, const ReadOptions& options,
                                        char delimiter);  // and TSV
std::unique_ptr<BlockReader> jsonl_reader(TextReader& text, const ReadOptions& options);
Dataset read_npz(ByteSource& bytes, const std::string& path, const ReadOptions& options);
// A .npz file whose arrays can be read from their beginning to their end; null if it is another:
// packed again, a pipe, or with columns one after the other.
std::unique_ptr<BlockReader> npz_reader(const std::string& path, const ReadOptions& options);

// Sorts each row of a sparse matrix by index and drops stored zeros; an index that occurs twice is
// an error. `key` is its name in the file.
void tidy_sparse_rows(std::vector<Index>& start, std::vector<Id>& index, std::vector<double>& value,
                      const std::string& key, const std::string& path);

// All rows.
Dataset read_whole(BlockReader& reader);

}  // namespace mulberry::data

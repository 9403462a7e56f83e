// RowBlocks: the rows of a data file of any format, block by block, in the memory of a block. For
// data that a model is applied to: what the rows of a file decide together (words of columns, the
// number of features) must be known from the model, ReadOptions::known_features and its like.
// Where it is not, and for files that cannot be read from their beginning to their end, the first
// block has all rows: a .npz file that is packed again, comes from a pipe, or has its columns one
// after the other; a libsvm file from a pipe without ReadOptions::index_base; words in a file for a
// model without names of features.
#pragma once

#include <memory>
#include <string>

#include "mulberry/data/bytes/text_reader.hpp"
#include "mulberry/data/read/block_reader.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

class RowBlocks {
 public:
  // Throws Error as read_dataset does.
  RowBlocks(std::string path, ReadOptions options, BlockLimit limit = k_block);
  RowBlocks(const RowBlocks&) = delete;
  RowBlocks& operator=(const RowBlocks&) = delete;

  // About 16 MB of numbers.
  static constexpr BlockLimit k_block = {.cells = Index{1} << 21};

  // The next rows; false after the last. The first block may have no rows. Errors that say "in row"
  // say from which row on they count.
  bool next(Dataset& block);
  Index first_row() const { return first_; }  // of the block that next() gave, counted from 0

  // The part of the file that has been read, 0..1; 0 if it is not known.
  double share() const;

  // Only the rows [begin, end) follow. Before the first call of next().
  void only(Index begin, Index end);
  // Counts all rows that are left, without looking at their values.
  Index count();

 private:
  void open();

  std::string path_;
  ReadOptions options_;
  BlockLimit limit_;
  std::unique_ptr<TextReader> text_;
  std::unique_ptr<BlockReader> reader_;  // null: all rows at once
  Dataset whole_;
  Index first_ = 0, next_ = 0, end_;
  double bytes_ = 0;  // of the file, if it is one
  bool done_ = false;
};

// An error that counts rows from the beginning of a block says where the block begins.
Error with_rows_after(const Error& error, Index rows);

}  // namespace mulberry::data

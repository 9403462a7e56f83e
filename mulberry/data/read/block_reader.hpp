// BlockReader: the rows of one file in one format. A whole data set is one block without a limit;
// a file that is larger than memory is read block by block (row_blocks.hpp).
#pragma once

#include <limits>

#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

// How much a block holds: about `cells` stored values, characters of text and results. Loops over
// rows are cut into pieces of up to 1,024 rows (192 in searches of neighbours); blocks end where
// such pieces end if they are not too large then, so that the whole has the same pieces.
struct BlockLimit {
  Index cells = std::numeric_limits<Index>::max();
  Index results = 0;                               // values that will be computed for each row
  Index rows = std::numeric_limits<Index>::max();  // at most

  bool is_full(Index rows_held, Index held) const {
    constexpr Index k_pieces = 3072, k_small_pieces = 64;
    if (held < cells && held + rows_held * results < cells) return rows_held == rows;
    return rows_held == rows || rows_held % k_pieces == 0 ||
           (rows_held % k_small_pieces == 0 && held + rows_held * results >= 2 * cells);
  }
};

class BlockReader {
 public:
  BlockReader() = default;
  virtual ~BlockReader() = default;
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  // Reads rows until the block is full; false at the end of the file.
  virtual bool read(const BlockLimit& limit) = 0;
  // Reads over up to `rows` rows without keeping them and returns their number; their values are
  // not checked.
  virtual Index skip(Index rows) = 0;
  // The rows that were read since the last cut. Of blocks before the last, labels may be left out.
  virtual Dataset cut(bool last) = 0;
};

}  // namespace mulberry::data

// Change files: proposed or decided changes of labels, cell by cell, in one small table. Whoever
// looks for wrong labels writes it, people answer or edit it, and apply_changes carries it out.
//
//     row,label,from,to,chance        CSV as in RFC 4180: exactly these columns, in this order
//     12,sunset,0,1,0.93              row 12 (counted from 1) gets the label `sunset`
//     40,boat,1,0,0.02                row 40 loses the label `boat`
//     41,boat,?,1,                    an unknown cell becomes 1; nobody said how likely that is
//     52,boat,0,0,0.4                 somebody looked, and the cell is right
//     60,boat,0,,0.4                  nobody has decided: the cell stays
//
// The first column is called `row` if rows are known by their number and `id` if they are known by
// the ids of the data. `from` is what the data has; `to` is what it should have: 0, 1 or ? for
// unknown, and nothing for an open question. `chance` is the probability of the label, 0 to 1, or
// nothing. Only open questions may name a cell again.
//
// Programs that people edit tables with may write ; or a tab in place of the comma: both are read.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mulberry/data/bytes/byte_source.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::data {

enum class RowKey { number, id };  // how a change file names rows

struct Change {
  std::string row = {};  // its number, from 1, or its id
  std::string label = {};
  Cell from = Cell::negative;
  std::optional<Cell> to = {};  // empty: an open question
  double chance = std::numeric_limits<double>::quiet_NaN();
  std::int64_t line = 0;  // of the file, if it was read from one
};

struct Changes {
  RowKey key = RowKey::number;
  std::vector<Change> entries = {};
  std::string path = {};  // for messages
};

std::string change_header(RowKey key);         // the first line, with its end
std::string change_line(const Change& entry);  // a further line
std::string change_text(const Changes& changes);
std::string cell_text(Cell cell);  // 0, 1 or ?

// Throw Error with the line and column of what is not as above. Whether the entries fit some data
// is for match_changes to say.
Changes read_changes(const std::string& path);
Changes read_changes(std::unique_ptr<ByteSource> bytes, const std::string& path);
void write_changes(const Changes& changes, const std::string& path);  // all or nothing

}  // namespace mulberry::data

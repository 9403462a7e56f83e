// What the entries of a change file mean for a data set. Either all of them fit, or nothing is
// changed and every entry that does not fit is named.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mulberry/data/changes/change_file.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

// The rows of a data set under the names that change files use.
class RowNames {
 public:
  // By its ids if it has any, by number otherwise. Throws Error (data) if two rows share an id or
  // one has none.
  explicit RowNames(const Dataset& data);
  // By a given key. Throws Error (usage) if there are no ids.
  RowNames(const Dataset& data, RowKey key);

  RowKey key() const { return key_; }
  std::string name(Index row) const;
  std::optional<Id> find(const std::string& name) const;

 private:
  RowKey key_;
  std::vector<std::string> ids_;
  std::unordered_map<std::string, Id> rows_;  // of ids
  Index count_;
};

// An entry of the file, as numbers.
struct CellChange {
  Id row = 0, label = 0;
  Cell from = Cell::negative;
  std::optional<Cell> to = {};
};

// One per entry, in their order. Throws Error (data) that names the entries with an unknown row or
// label, with a `from` that the data does not have, or with a cell that is decided already.
std::vector<CellChange> match_changes(const Changes& changes, const Dataset& data);

Labels apply_changes(const Labels& y, std::span<const CellChange> changes);

// What became of a cell, for a log: added, removed, ruled out (unknown before), made unknown,
// confirmed, undecided.
std::string outcome_of(const CellChange& change);

}  // namespace mulberry::data

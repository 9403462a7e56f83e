// The columns of a tree that grows: entries sorted by value once, then only ever split in two.
//
// A column lists its rows that are not 0, by value. A node has a range in every column; splitting a
// node splits each range and keeps the order on both sides. Rows that are 0 are listed nowhere:
// what they weigh is the node less what is listed. Cost: O(stored log n) to sort, O(listed) per
// split; 12 bytes per entry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/rooms.hpp"
#include "mulberry/data/extent.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::base {

class TreeColumns {
 public:
  TreeColumns(const Features& x, const Context& ctx);

  // The entries of one column in a node, from the lowest value.
  struct Listed {
    std::span<const double> value;
    std::span<const Id> row;
  };
  // Where a node's entries are, for every column: begin and end.
  using Node = std::vector<Id>;

  Index size() const { return static_cast<Index>(columns_.size()); }
  Node root() const;
  Listed listed(const Node& node, Index column) const;
  // Splits the columns: rows with a flag go to the first node, the others to the second.
  void split(const Node& node, std::span<const std::uint8_t> goes_left, Node& left, Node& right,
             const Context& ctx);

  // What it takes in memory, while it is built and after.
  static double bytes(const Extent& extent);

 private:
  struct Column {
    std::vector<double> value;
    std::vector<Id> row;
  };
  std::vector<Column> columns_;
};

}  // namespace mulberry::base

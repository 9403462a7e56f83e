#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::math {
namespace {

// The bin of each row of a sparse column: one look-up among the row's entries.
Id sparse_bin(const BinnedFeatures::SparseBlock& block, const BinnedColumn& column, Id row) {
  const auto entries = block.row(row);
  const auto first = static_cast<Id>(column.first);
  const auto found = std::lower_bound(entries.begin(), entries.end(), first);
  if (found == entries.end() || *found >= first + column.slots()) return column.zero_bin;
  return *found - first;
}

}  // namespace

// A bijection of numbers (Steele et al., splitmix64), so that deep places stay apart.
std::uint64_t place_below(std::uint64_t place, std::uint64_t side) {
  std::uint64_t x = 2 * place + side + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void TreeSplit::list_words(std::span<const Id> order, bool left_is_heavier, Id rest) {
  by_words = true;
  const auto place = std::ranges::find(order, rest);
  rest_left = place != order.end() ? place - order.begin() <= bin : left_is_heavier;
  listed = {};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool left = static_cast<Id>(k) <= bin;
    if (left != rest_left) listed[at(order[k] / 64)] |= std::uint64_t{1} << (order[k] % 64);
  }
}

std::vector<Id> split_columns(const BinnedFeatures& x, const TreeSplit& split) {
  if (!split.by_words) return {split.column};
  std::vector<Id> out;
  for (Id word = 0; word < x[split.column].words; ++word) {
    if (split.lists(word)) out.push_back(split.column + word);
  }
  return out;
}

Index part_rows(const BinnedFeatures& x, const TreeSplit& split, std::span<Id> rows,
                std::vector<Id>& scratch) {
  const BinnedColumn& column = x[split.column];
  const Id missing = column.has_missing ? column.bins() : -1;
  scratch.resize(rows.size());
  std::size_t left = 0, right = 0;
  const auto part = [&](const auto& bin_of) {
    for (const Id row : rows) {
      const Id bin = bin_of(row);
      const bool goes_left = bin == missing   ? split.missing_left
                             : split.by_words ? split.lists(bin) != split.rest_left
                                              : bin <= split.bin;
      rows[left] = row;  // overwritten by the next if it goes right
      scratch[right] = row;
      left += goes_left ? 1 : 0;
      right += goes_left ? 0 : 1;
    }
  };
  if (column.dense >= 0) {
    const std::uint8_t* codes = x.codes(column);
    part([&](Id row) { return Id{codes[row]}; });
  } else {
    const auto& block = x.block_of(split.column);
    part([&](Id row) { return sparse_bin(block, column, row); });
  }
  std::copy_n(scratch.begin(), right, rows.begin() + static_cast<std::ptrdiff_t>(left));
  return static_cast<Index>(left);
}

}  // namespace mulberry::math

#include "mulberry/math/trees/binned_features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/trees/visit_column.hpp"

namespace mulberry::math {
namespace {

constexpr std::size_t k_sample = 50'000;  // values that the cuts of a column come from
constexpr double k_sparse = 0.2;          // share of entries up to which a column is sparse
constexpr Index k_row_entries = 8;        // of a block of sparse columns, at least, on average
constexpr Index k_most_blocks = 64;

struct Entry {
  double value;  // not 0, maybe NaN
  Id row;
};

struct Group {
  double value;
  double weight;
};

// Between two values, so that `value <= cut` tells them apart whatever the rounding.
double middle_of(double below, double above) {
  const double middle = below + (above - below) / 2;
  return middle < above && middle >= below ? middle : below;
}

// By value: the first 32 bits by counting, 11 at a time, and what they leave equal by comparing.
void sort_groups(std::vector<Group>& groups, std::vector<Group>& spare) {
  const auto by_value = [](const Group& a, const Group& b) { return a.value < b.value; };
  constexpr std::size_t k_few = 256;
  if (groups.size() < k_few) return std::sort(groups.begin(), groups.end(), by_value);
  const auto key = [](const Group& g) {  // in the order of values
    const auto bits = std::bit_cast<std::uint64_t>(g.value);
    const bool negative = bits >> 63 != 0;
    return static_cast<std::uint32_t>((negative ? ~bits : bits | std::uint64_t{1} << 63) >> 32);
  };
  constexpr int k_digit = 11, k_digits = 3;
  constexpr std::uint32_t k_mask = (1U << k_digit) - 1;
  std::uint32_t count[k_digits][k_mask + 1] = {};
  for (const Group& g : groups) {
    for (int d = 0; d < k_digits; ++d) ++count[d][key(g) >> (k_digit * d) & k_mask];
  }
  spare.resize(groups.size());
  for (int d = 0; d < k_digits; ++d) {
    std::uint32_t begin = 0;
    for (std::uint32_t& c : count[d]) begin += std::exchange(c, begin);
    for (const Group& g : groups) spare[count[d][key(g) >> (k_digit * d) & k_mask]++] = g;
    groups.swap(spare);
  }
  for (auto run = groups.begin(); run != groups.end();) {
    auto end = run + 1;
    while (end != groups.end() && key(*end) == key(*run)) ++end;
    if (end - run > 1) std::sort(run, end, by_value);
    run = end;
  }
}

// The distinct values of a column with their weights, in increasing order. `zeros` is the weight of
// the rows that are not among the entries.
std::vector<Group> group_values(std::span<const Entry> entries, double zeros,
                                std::span<const double> weights, std::vector<Group>& scratch,
                                std::vector<Group>& spare) {
  scratch.clear();
  std::size_t present = 0;
  for (const Entry& e : entries) present += std::isnan(e.value) ? 0 : 1;
  const std::size_t step = present > k_sample ? present / k_sample : 1;
  std::size_t seen = 0;
  for (const Entry& e : entries) {
    if (std::isnan(e.value) || seen++ % step != 0) continue;
    const double weight = weights.empty() ? 1.0 : weights[at(e.row)];
    scratch.push_back({e.value, weight * static_cast<double>(step)});
  }
  if (zeros > 0) scratch.push_back({0.0, zeros});
  sort_groups(scratch, spare);
  std::vector<Group> out;
  for (const Group& g : scratch) {
    if (!out.empty() && out.back().value == g.value) {
      out.back().weight += g.weight;
    } else {
      out.push_back(g);
    }
  }
  return out;
}

// Cuts between groups: every bin takes its share of the weight that remains.
std::vector<double> cuts_between(std::span<const Group> groups, Index most) {
  std::vector<double> cuts;
  double left = 0, taken = 0;
  for (const Group& g : groups) left += g.weight;
  Index bins = most;
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    taken += groups[g].weight;
    const bool needed = count_of(groups) - static_cast<Index>(g) <= bins;
    const bool full = taken * static_cast<double>(bins) >= left;
    if (bins <= 1 || !(needed || full)) continue;
    cuts.push_back(middle_of(groups[g].value, groups[g + 1].value));
    left -= taken;
    taken = 0;
    --bins;
  }
  return cuts;
}

// The number of cuts below the value. Without branches: which way it goes is anybody's guess.
Id bin_of(const std::vector<double>& cuts, double value) {
  if (cuts.empty()) return 0;
  const double* base = cuts.data();
  for (std::size_t count = cuts.size(); count > 1;) {
    const std::size_t half = count / 2;
    base += half * static_cast<std::size_t>(base[half - 1] < value);
    count -= half;
  }
  return static_cast<Id>(base - cuts.data()) + (*base < value ? 1 : 0);
}

}  // namespace

double BinnedFeatures::slots_of(const Extent& extent, Index most_bins) {
  const double entries = extent.columns > 0 ? extent.stored / extent.columns : 0;
  return extent.columns * std::min(static_cast<double>(most_bins), entries + 1);
}

double BinnedFeatures::bytes(const Extent& extent, Index most_bins) {
  const double slots = slots_of(extent, most_bins);
  const bool thin = extent.stored <= k_sparse * extent.rows * extent.columns;
  const double blocks =
      std::clamp(extent.stored / std::max(1.0, static_cast<double>(k_row_entries) * extent.rows),
                 1.0, static_cast<double>(k_most_blocks));
  return extent.columns * (sizeof(BinnedColumn) + 8) + 12 * grown(slots) +
         (thin ? 4 * extent.stored + 4 * blocks * extent.rows : extent.rows * extent.columns);
}

double BinnedFeatures::work_bytes(const Extent& extent) {
  const double entries = extent.columns > 0 ? extent.stored / extent.columns : 0;
  const bool thin = extent.stored <= k_sparse * extent.rows * extent.columns;
  // Columns as they were, codes before they are together, and entries of eight columns per thread.
  const double together = extent.at_once(extent.columns / 8) * 9 * 16 * grown(entries);
  const double codes = thin ? 8 * extent.stored : extent.rows * extent.columns;
  return (extent.sparse ? extent.features() : 0) + std::max(codes, together) +
         (thin ? 0 : together / 2);
}

BinnedFeatures::BinnedFeatures(const Features& x, Index most_bins, std::span<const double> weights,
                               const Context& ctx, bool words_together)
    : rows_(x.rows()), columns_(at(x.cols())) {
  MULBERRY_ASSERT(most_bins >= 2 && most_bins <= 255);
  double total = 0;
  for (Index i = 0; i < rows_; ++i) total += weights.empty() ? 1.0 : weights[at(i)];
  const Csr by_column = x.is_sparse() ? columns_of(x) : Csr{};
  std::vector<std::vector<std::uint8_t>> dense(columns_.size());
  std::vector<std::vector<std::pair<Id, Id>>> sparse(columns_.size());  // (row, bin)
  std::vector<WordGroup> groups;
  if (words_together) groups = find_word_groups(x, by_column, ctx);
  std::vector<char> is_word(columns_.size(), 0);
  for (const WordGroup& group : groups) std::fill_n(is_word.begin() + group.begin, group.size, 1);
  parallel_for(ctx, count_of(groups),
               [&](Index g) { take_words(x, by_column, groups[at(g)], most_bins, dense); });
  constexpr Index grain = 8;
  parallel_chunks(ctx, x.cols(), grain, [&](Index begin, Index end) {
    // Eight columns at a time, so that each line of a dense matrix is read once.
    std::vector<Entry> entries[grain];
    const auto add = [&](Index j, Id i, double v) {
      if (v != 0) entries[j - begin].push_back({v, i});
    };
    if (x.is_sparse()) {
      for (Index j = begin; j < end; ++j) {
        const SparseRow column = by_column.row(j);
        for (std::size_t k = 0; k < column.index.size(); ++k) {
          add(j, column.index[k], column.value[k]);
        }
      }
    } else {
      constexpr Index k_rows = 1024;
      std::vector<double> lines(at(std::min(k_rows, rows_) * (end - begin)));
      for (Index first = 0; first < rows_; first += k_rows) {
        const Index last = std::min(rows_, first + k_rows);
        x.read_block(first, last, begin, end, lines.data());
        const double* value = lines.data();
        for (Index i = first; i < last; ++i) {
          for (Index j = begin; j < end; ++j) add(j, static_cast<Id>(i), *value++);
        }
      }
    }
    std::vector<Group> scratch, spare;
    std::vector<Id> bins;
    for (Index j = begin; j < end; ++j) {
      if (is_word[at(j)] != 0) continue;
      const auto& list = entries[j - begin];
      BinnedColumn& column = columns_[at(j)];
      double zeros = total;
      for (const Entry& e : list) zeros -= weights.empty() ? 1.0 : weights[at(e.row)];
      if (count_of(list) == rows_) zeros = 0;  // whatever the rounding
      column.cuts = cuts_between(group_values(list, zeros, weights, scratch, spare), most_bins);
      column.zero_bin = bin_of(column.cuts, 0.0);
      bins.clear();
      Index others = 0;
      for (const Entry& e : list) {
        const bool missing = std::isnan(e.value);
        column.has_missing = column.has_missing || missing;
        bins.push_back(missing ? column.bins() : bin_of(column.cuts, e.value));
        others += bins.back() != column.zero_bin ? 1 : 0;
      }
      if (column.slots() < 2) continue;
      if (static_cast<double>(others) <= k_sparse * static_cast<double>(rows_)) {
        auto& to = sparse[at(j)];
        to.reserve(at(others));
        for (std::size_t k = 0; k < list.size(); ++k) {
          if (bins[k] != column.zero_bin) to.emplace_back(list[k].row, bins[k]);
        }
      } else {
        auto& to = dense[at(j)];
        to.assign(at(rows_), static_cast<std::uint8_t>(column.zero_bin));
        for (std::size_t k = 0; k < list.size(); ++k) {
          to[at(list[k].row)] = static_cast<std::uint8_t>(bins[k]);
        }
      }
    }
  });
  Id dense_count = 0;
  for (Index j = 0; j < x.cols(); ++j) {
    BinnedColumn& column = columns_[at(j)];
    column.first = slots_;
    slots_ += column.slots();
    column_of_.insert(column_of_.end(), at(column.slots()), static_cast<Id>(j));
    if (column.slots() >= 2) usable_.push_back(static_cast<Id>(j));
    if (!dense[at(j)].empty()) column.dense = dense_count++;
  }
  codes_.resize(at(dense_count) * at(rows_));
  for (std::size_t j = 0; j < dense.size(); ++j) {
    if (columns_[j].dense < 0) continue;
    std::copy(dense[j].begin(), dense[j].end(),
              codes_.begin() + static_cast<std::ptrdiff_t>(at(columns_[j].dense) * at(rows_)));
    dense[j] = {};
  }
  fill_sparse(sparse, ctx);
}

// The bins of the words of a group, and of its rows.
void BinnedFeatures::take_words(const Features& x, const Csr& by_column, const WordGroup& group,
                                Index most_bins, std::vector<std::vector<std::uint8_t>>& codes) {
  std::vector<Id> word(at(rows_), -1);
  for (Id k = 0; k < group.size; ++k) {
    visit_column(x, by_column, group.begin + k, [&](Id i, double v) {
      if (!std::isnan(v)) word[at(i)] = k;
    });
  }
  const bool has_missing = std::ranges::find(word, -1) != word.end();
  const bool several = group.size > most_bins;
  const Index pieces = several ? (group.size + most_bins - 2) / (most_bins - 1) : 1;
  for (Index piece = 0; piece < pieces; ++piece) {
    const auto begin = static_cast<Id>(piece * group.size / pieces);
    const auto end = static_cast<Id>((piece + 1) * group.size / pieces);
    BinnedColumn& column = columns_[at(group.begin + begin)];
    column.words = end - begin;
    column.has_rest = several;
    column.has_missing = has_missing;
    std::vector<std::uint8_t>& to = codes[at(group.begin + begin)];
    to.reserve(word.size());
    for (const Id k : word) {
      const bool here = k >= begin && k < end;
      to.push_back(static_cast<std::uint8_t>(k < 0  ? column.bins()
                                             : here ? k - begin
                                                    : column.rest()));
    }
  }
}

void BinnedFeatures::fill_sparse(std::vector<std::vector<std::pair<Id, Id>>>& entries,
                                 const Context& ctx) {
  Index total = 0;
  for (const auto& column : entries) total += count_of(column);
  if (total == 0) return;
  const Index most = std::max(k_row_entries * rows_, total / k_most_blocks + 1);
  // Blocks of neighbouring columns, each of about `most` entries.
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  Index taken = 0;
  std::size_t begin = 0;
  for (std::size_t j = 0; j < entries.size(); ++j) {
    taken += count_of(entries[j]);
    if (taken < most && j + 1 < entries.size()) continue;
    if (taken > 0) ranges.emplace_back(begin, j + 1);
    begin = j + 1;
    taken = 0;
  }
  blocks_.resize(ranges.size());
  parallel_for(ctx, count_of(ranges), [&](Index b) {
    SparseBlock& block = blocks_[at(b)];
    const auto [from, to] = ranges[at(b)];
    block.start.assign(at(rows_) + 1, 0);
    for (std::size_t j = from; j < to; ++j) {
      if (!entries[j].empty()) columns_[j].block = static_cast<Id>(b);
      for (const auto& [row, bin] : entries[j]) ++block.start[at(row) + 1];
    }
    for (std::size_t i = 0; i < at(rows_); ++i) block.start[i + 1] += block.start[i];
    block.bin.resize(block.start.back());
    std::vector<std::uint32_t> next(block.start.begin(), block.start.end() - 1);
    for (std::size_t j = from; j < to; ++j) {
      for (const auto& [row, bin] : entries[j]) {
        block.bin[next[at(row)]++] = static_cast<Id>(columns_[j].first + bin);
      }
      entries[j] = {};
    }
  });
}

}  // namespace mulberry::math

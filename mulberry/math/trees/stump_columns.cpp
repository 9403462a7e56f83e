#include "mulberry/math/trees/stump_columns.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/trees/visit_column.hpp"

namespace mulberry::math {
namespace {

struct Entry {
  double value;
  Id row;
};

// Groups of one value each, before any are joined.
struct Groups {
  std::vector<double> value = {};
  std::vector<Id> end = {};  // among the sorted entries
  std::vector<Id> size = {};
  Id zero = -1;

  void add(double v, Id end_of, Id count) {
    value.push_back(v);
    end.push_back(end_of);
    size.push_back(count);
  }
};

Groups group_values(std::span<const Entry> entries, Id zeros) {
  Groups out;
  const auto add_zeros = [&](Id at) {
    if (zeros == 0 || out.zero >= 0) return;
    out.zero = static_cast<Id>(out.value.size());
    out.add(0.0, at, zeros);
  };
  for (std::size_t k = 0; k < entries.size();) {
    std::size_t next = k + 1;
    while (next < entries.size() && !(entries[k].value < entries[next].value)) ++next;
    if (entries[k].value > 0) add_zeros(static_cast<Id>(k));
    out.add(entries[k].value, static_cast<Id>(next), static_cast<Id>(next - k));
    k = next;
  }
  add_zeros(static_cast<Id>(entries.size()));
  return out;
}

// Which groups end a joined group: each joined group takes its share of the remaining rows.
std::vector<char> last_of_joined(const Groups& groups, Index most) {
  const std::size_t n = groups.size.size();
  std::vector<char> out(n, 1);
  if (most == 0 || n <= at(most)) return out;
  Index left = 0, bins = most, taken = 0;
  for (const Id s : groups.size) left += s;
  for (std::size_t g = 0; g < n; ++g) {
    taken += groups.size[g];
    const bool needed = static_cast<Index>(n - g) <= bins;  // as many groups as remaining bins
    const bool full = taken * bins >= left;
    out[g] = g + 1 == n || (bins > 1 && (needed || full)) ? 1 : 0;
    if (out[g] == 0) continue;
    left -= taken;
    taken = 0;
    --bins;
  }
  return out;
}

// Between two values, so that `value <= cut` tells them apart whatever the rounding.
double middle_of(double below, double above) {
  const double middle = below + (above - below) / 2;
  return middle < above && middle >= below ? middle : below;
}

StumpColumn build(std::vector<Entry>& entries, std::vector<Id> missing, Index rows, Index most) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.value < b.value; });
  const auto zeros = static_cast<Id>(rows - static_cast<Index>(entries.size() + missing.size()));
  const Groups groups = group_values(entries, zeros);
  const std::vector<char> last = last_of_joined(groups, most);
  StumpColumn out;
  out.missing = std::move(missing);
  out.rows.reserve(entries.size());
  for (const Entry& entry : entries) out.rows.push_back(entry.row);
  for (std::size_t g = 0; g < groups.value.size(); ++g) {
    if (static_cast<Id>(g) == groups.zero) out.zero_group = out.groups();
    if (last[g] == 0) continue;
    out.group_end.push_back(groups.end[g]);
    if (g + 1 < groups.value.size())
      out.cuts.push_back(middle_of(groups.value[g], groups.value[g + 1]));
  }
  return out;
}

std::uint64_t fingerprint(const StumpColumn& column) {
  std::uint64_t out = static_cast<std::uint64_t>(column.zero_group) + 1;
  for (const std::vector<Id>* list : {&column.rows, &column.missing, &column.group_end}) {
    for (const Id i : *list) out = (out ^ static_cast<std::uint64_t>(i)) * 0x100000001b3;
    out = (out ^ list->size()) * 0x9e3779b97f4a7c15;
    out ^= out >> 29;
  }
  return out;
}

bool same_groups(const StumpColumn& a, const StumpColumn& b) {
  return a.zero_group == b.zero_group && a.rows == b.rows && a.missing == b.missing &&
         a.group_end == b.group_end;
}

std::vector<Id> find_distinct(std::span<const StumpColumn> columns) {
  std::vector<Id> out;
  std::unordered_multimap<std::uint64_t, Id> seen;
  for (Id j = 0; at(j) < columns.size(); ++j) {
    const StumpColumn& column = columns[at(j)];
    if (column.groups() < 2) continue;
    const std::uint64_t key = fingerprint(column);
    const auto [begin, end] = seen.equal_range(key);
    const bool known = std::any_of(begin, end, [&](const auto& entry) {
      return same_groups(columns[at(entry.second)], column);
    });
    if (known) continue;
    seen.emplace(key, j);
    out.push_back(j);
  }
  return out;
}

}  // namespace

double StumpColumns::bytes(const Extent& extent, Index most_groups) {
  const double entries = extent.columns > 0 ? extent.stored / extent.columns : 0;
  const double groups =
      most_groups > 0 ? std::min(entries, static_cast<double>(most_groups)) : entries;
  return extent.columns * (sizeof(StumpColumn) + 4 * entries + 12 * grown(groups) + 8);
}

double StumpColumns::work_bytes(const Extent& extent) {
  const double entries = extent.columns > 0 ? extent.stored / extent.columns : 0;
  // Entries, half of them once more for sorting them, and groups.
  return (extent.sparse ? extent.features() : 0) +
         extent.at_once(extent.columns / 8) * (1.5 * 16 + 16) * grown(entries);
}

StumpColumns::StumpColumns(const Features& x, Index most_groups, const Context& ctx)
    : rows_(x.rows()), columns_(at(x.cols())) {
  const Csr by_column = x.is_sparse() ? columns_of(x) : Csr{};
  parallel_chunks(ctx, x.cols(), 8, [&](Index begin, Index end) {
    std::vector<Entry> entries;
    for (Index j = begin; j < end; ++j) {
      entries.clear();
      std::vector<Id> missing;
      visit_column(x, by_column, j, [&](Id i, double v) {
        if (std::isnan(v)) {
          missing.push_back(i);
        } else {
          entries.push_back({v, i});
        }
      });
      columns_[at(j)] = build(entries, std::move(missing), x.rows(), most_groups);
    }
  });
  distinct_ = find_distinct(columns_);
}

}  // namespace mulberry::math

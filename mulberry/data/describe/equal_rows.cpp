#include "mulberry/data/describe/equal_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::data {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

// A value that is missing in both rows is no difference.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Equal values have the same bits: -0 equals 0, and all NaNs are equal.
std::uint64_t bits(double value) {
  return std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value + 0.0);
}

// Rows are sorted by hash; within a run of equal hashes, each row is compared with the distinct
// ones before it; there is nearly always just one.
template <class Hash, class Equal>
std::vector<Id> first_equal(Index rows, const Context& ctx, const Hash& hash, const Equal& equal) {
  const auto n = at(rows);
  std::vector<std::uint64_t> hashes(n);
  parallel_chunks(ctx, rows, 1024, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) hashes[at(i)] = hash(i);
  });
  std::vector<Id> order(n), first(n);
  std::iota(order.begin(), order.end(), 0);
  std::iota(first.begin(), first.end(), 0);
  const auto hash_of = [&](Id i) { return hashes[at(i)]; };
  std::sort(order.begin(), order.end(),
            [&](Id a, Id b) { return hash_of(a) != hash_of(b) ? hash_of(a) < hash_of(b) : a < b; });
  std::vector<Id> distinct;
  for (std::size_t k = 0; k < n; ++k) {
    const Id row = order[k];
    if (k == 0 || hash_of(order[k - 1]) != hash_of(row)) distinct.clear();
    const auto found = std::find_if(distinct.begin(), distinct.end(),
                                    [&](Id earlier) { return equal(earlier, row); });
    if (found == distinct.end()) {
      distinct.push_back(row);
    } else {
      first[at(row)] = *found;
    }
  }
  return first;
}

}  // namespace

std::vector<Id> first_equal_rows(const Features& x, const Context& ctx) {
  if (!x.is_sparse()) {
    return first_equal(
        x.rows(), ctx,
        [&](Index i) {
          std::uint64_t hash = 1;
          for (const double v : x.dense_row(i)) {
            hash = mix(hash, bits(v));
          }
          return hash;
        },
        [&](Id a, Id b) { return std::ranges::equal(x.dense_row(a), x.dense_row(b), same); });
  }
  // A stored zero equals one that is not stored.
  const auto next_nonzero = [](const SparseRow& row, std::size_t k) {
    while (k < row.value.size() && row.value[k] == 0) ++k;
    return k;
  };
  return first_equal(
      x.rows(), ctx,
      [&](Index i) {
        const SparseRow row = x.sparse_row(i);
        std::uint64_t hash = 1;
        for (std::size_t k = next_nonzero(row, 0); k < row.index.size();
             k = next_nonzero(row, k + 1)) {
          hash = mix(mix(hash, static_cast<std::uint64_t>(row.index[k])), bits(row.value[k]));
        }
        return hash;
      },
      [&](Id a, Id b) {
        const SparseRow left = x.sparse_row(a), right = x.sparse_row(b);
        std::size_t k = next_nonzero(left, 0), m = next_nonzero(right, 0);
        while (k < left.index.size() && m < right.index.size()) {
          if (left.index[k] != right.index[m] || !same(left.value[k], right.value[m])) return false;
          k = next_nonzero(left, k + 1);
          m = next_nonzero(right, m + 1);
        }
        return k == left.index.size() && m == right.index.size();
      });
}

std::vector<Id> first_equal_rows(const Labels& y, const Context& ctx) {
  return first_equal(
      y.rows(), ctx,
      [&](Index i) {
        std::uint64_t hash = 1;
        for (const Id l : y.row(i)) hash = mix(hash, static_cast<std::uint64_t>(l));
        return hash;
      },
      [&](Id a, Id b) { return std::ranges::equal(y.row(a), y.row(b)); });
}

}  // namespace mulberry::data

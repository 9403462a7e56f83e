// Candidates among dense rows: single-precision products of blocks of rows, with error bounds.
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/blas.hpp"
#include "mulberry/math/neighbour_candidates.hpp"
#include "mulberry/math/vectors.hpp"

namespace mulberry {

namespace {

constexpr Index k_block = 192;  // rows; a block of products stays in the second-level cache

// Rows as single-precision numbers, shifted and scaled to the middle of their range, and the
// parts of the bounds that belong to one row:
//   low  = small_a + small_b - 2 product,   high = large_a + large_b - 2 product.
struct Rounded {
  Index rows = 0, cols = 0;
  std::vector<float> values = {};
  std::vector<double> small = {}, large = {};

  blas::Block<const float> block(Index begin, Index end) const {
    return {values.data() + begin * cols, end - begin, cols, cols};
  }
};

struct Map {
  std::vector<double> centre = {};
  double scale = 1;    // a power of two: exact
  bool exact = false;  // whole numbers whose products have no rounding at all
};

// Distances do not change when all rows move; products lose least near the origin.
Map choose_map(const Features& train_x, const Features& query_x) {
  const Matrix &train = train_x.dense(), &query = query_x.dense();
  const auto d = static_cast<std::size_t>(train.cols());
  Map out;
  out.centre.assign(d, 0.0);
  const auto short_whole = [](const Features& x) {  // |a - b|^2 <= 4 largest < 2^24
    const Lengths lengths = lengths_of(x);
    return lengths.whole && lengths.largest < 4e6;
  };
  const bool same = &train_x == &query_x;
  out.exact = short_whole(train_x) && (same || short_whole(query_x));
  if (out.exact) return out;
  for (Index i = 0; i < train.rows(); ++i) {
    const auto row = train.row(i);
    for (std::size_t j = 0; j < d; ++j) out.centre[j] += row[j];
  }
  for (double& v : out.centre) v /= static_cast<double>(train.rows());
  double reach = 0;
  const auto stretch = [&](const Matrix& m) {
    for (Index i = 0; i < m.rows(); ++i) {
      const auto row = m.row(i);
      for (std::size_t j = 0; j < d; ++j) {
        reach = std::max(reach, std::abs(row[j] - out.centre[j]));
      }
    }
  };
  stretch(train);
  if (!same) stretch(query);
  if (reach > 0) out.scale = std::ldexp(1.0, -std::ilogb(reach));
  return out;
}

Rounded round_rows(const Matrix& m, const Map& map, const Context& ctx) {
  Rounded out{.rows = m.rows(), .cols = m.cols()};
  out.values.resize(static_cast<std::size_t>(m.size()));
  out.small.resize(static_cast<std::size_t>(m.rows()));
  out.large.resize(static_cast<std::size_t>(m.rows()));
  // Rounding the values moves a row by at most u |a|, so |a - b| by u (|a| + |b|), and |a - b|^2 by
  // less than 4.1 u (|a|^2 + |b|^2); a product of d terms errs by at most d u |a| |b|
  // (1 + d u), whatever the order of its sum, which counts twice; norms are exact next to that.
  // Values that are denormal after scaling by their largest err by 2^-126 each at most.
  const double u = std::ldexp(1.0, -24), terms = static_cast<double>(m.cols());
  const double share = map.exact ? 0.0 : u * (terms + 8) * (1.01 + 2 * u * terms);
  const double least = map.exact ? 0.0 : 1e-36 * (terms + 1);
  parallel_chunks(ctx, m.rows(), k_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = m.row(i);
      float* const to = out.values.data() + i * m.cols();
      double norm2 = 0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        to[j] = static_cast<float>((row[j] - map.centre[j]) * map.scale);
        norm2 += static_cast<double>(to[j]) * static_cast<double>(to[j]);
      }
      out.small[static_cast<std::size_t>(i)] = norm2 * (1 - share) - least;
      out.large[static_cast<std::size_t>(i)] = norm2 * (1 + share) + least;
    }
  });
  return out;
}

// One row of a block of products, as the scan below sees it.
struct Scan {
  const float* products;
  const double* small;   // of the columns
  const double* limits;  // of the columns
  Index count;
  double own_small, own_limit;
  Id* hits;
  Index hit_count;
};

// The columns with low <= the limit of the row or of the column, sixteen by sixteen: most have
// none.
MULBERRY_INLINE void scan_body(Scan& s) {
  constexpr Index width = 16;
  Index found = 0, j0 = 0;
  const auto hit = [&](Index j) {
    const double low = (s.own_small + s.small[j]) - 2.0 * static_cast<double>(s.products[j]);
    const double limit = s.limits[j] > s.own_limit ? s.limits[j] : s.own_limit;
    return low <= limit ? 1 : 0;
  };
  for (; j0 + width <= s.count; j0 += width) {
    int some = 0;
    for (Index j = j0; j < j0 + width; ++j) some |= hit(j);
    if (some == 0) continue;
    for (Index j = j0; j < j0 + width; ++j) {  // without a branch: hits cannot be foretold
      s.hits[found] = static_cast<Id>(j);
      found += hit(j);
    }
  }
  for (; j0 < s.count; ++j0) {
    s.hits[found] = static_cast<Id>(j0);
    found += hit(j0);
  }
  s.hit_count = found;
}
MULBERRY_DISPATCH(scan, scan_body)

// The k-th smallest upper bound of a row of products, itself left out: nothing behind it needs to
// be kept, not even for a while.
double first_limit(const float* products, std::span<const double> large, double own_large, Index k,
                   Index self) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (static_cast<Index>(large.size()) < k) return infinity;
  std::array<double, k_block> high;
  for (std::size_t j = 0; j < large.size(); ++j) {
    high[j] = (own_large + large[j]) - 2.0 * static_cast<double>(products[j]);
  }
  if (self >= 0) high[static_cast<std::size_t>(self)] = infinity;
  std::nth_element(high.begin(), high.begin() + (k - 1),
                   high.begin() + static_cast<Index>(large.size()));
  return high[static_cast<std::size_t>(k - 1)];
}

// The pairs of blocks along diagonals and, where a pair serves the rows of both, every other
// stretch of a diagonal first: tasks which run at the same time do not wait for each other's rows.
std::vector<std::pair<Index, Index>> block_pairs(Index row_blocks, Index col_blocks, bool same) {
  std::vector<std::pair<Index, Index>> out;
  for (Index d = 0; d < col_blocks; ++d) {
    for (Index parity = 0; parity < (same && d > 0 ? 2 : 1); ++parity) {
      for (Index p = 0; p < row_blocks; ++p) {
        if (same && (p + d >= col_blocks || (d > 0 && p / d % 2 != parity))) continue;
        out.emplace_back(p, same ? p + d : (p + d) % col_blocks);
      }
    }
  }
  return out;
}

}  // namespace

std::vector<Candidates> dense_candidates(const Features& train, const Features& query, Index k,
                                         const Context& ctx) {
  const bool same = &train == &query;
  const Map map = choose_map(train, query);
  const Rounded b = round_rows(train.dense(), map, ctx);
  const Rounded other = same ? Rounded() : round_rows(query.dense(), map, ctx);
  const Rounded& a = same ? b : other;
  // Bounds are in the scaled units, which is all that comparing them needs; exact ones have
  // scale 1.
  std::vector<Candidates> out(static_cast<std::size_t>(a.rows));

  const Index row_blocks = chunk_count(a.rows, k_block), col_blocks = chunk_count(b.rows, k_block);
  const std::vector<std::pair<Index, Index>> pairs = block_pairs(row_blocks, col_blocks, same);
  // A row's candidates are guarded by the lock of its block; the order of the blocks does not
  // matter to them.
  std::vector<std::mutex> guards(static_cast<std::size_t>(row_blocks));
  parallel_for(ctx, static_cast<Index>(pairs.size()), [&](Index task) {
    const auto [p, q] = pairs[static_cast<std::size_t>(task)];
    const Index row_begin = p * k_block, row_end = std::min(a.rows, row_begin + k_block);
    const Index col_begin = q * k_block, col_end = std::min(b.rows, col_begin + k_block);
    const Index width = col_end - col_begin;
    const bool both = same && p != q;  // each product serves its row and its column
    thread_local const auto products = std::make_unique_for_overwrite<float[]>(k_block * k_block);
    blas::gemm(1.0F, a.block(row_begin, row_end), blas::Op::plain, b.block(col_begin, col_end),
               blas::Op::transposed, 0.0F, {products.get(), row_end - row_begin, width, width});

    std::unique_lock first(guards[static_cast<std::size_t>(p)], std::defer_lock);
    std::unique_lock second(guards[static_cast<std::size_t>(both ? q : p)], std::defer_lock);
    if (both) {
      std::lock(first, second);
    } else {
      first.lock();
    }
    std::vector<double> limits(static_cast<std::size_t>(width),
                               -std::numeric_limits<double>::infinity());
    for (Index j = 0; both && j < width; ++j) {
      limits[static_cast<std::size_t>(j)] = out[static_cast<std::size_t>(col_begin + j)].limit();
    }
    std::vector<Id> hits(static_cast<std::size_t>(width));
    for (Index i = row_begin; i < row_end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const float* const row = products.get() + (i - row_begin) * width;
      if (std::isinf(out[at].limit())) {
        const auto large = std::span(b.large).subspan(static_cast<std::size_t>(col_begin),
                                                      static_cast<std::size_t>(width));
        out[at].tighten(
            first_limit(row, large, a.large[at], k, same && p == q ? i - col_begin : -1));
      }
      Scan s{.products = row,
             .small = b.small.data() + col_begin,
             .limits = limits.data(),
             .count = width,
             .own_small = a.small[at],
             .own_limit = out[at].limit(),
             .hits = hits.data(),
             .hit_count = 0};
      scan(s);
      for (Index h = 0; h < s.hit_count; ++h) {
        const Id local = hits[static_cast<std::size_t>(h)];
        const Index j = col_begin + local;
        if (same && i == j) continue;
        const auto col = static_cast<std::size_t>(j);
        const double twice = 2.0 * static_cast<double>(row[local]);
        const double low = (a.small[at] + b.small[col]) - twice;
        const double high = (a.large[at] + b.large[col]) - twice;
        if (low <= out[at].limit()) out[at].add({low, high, static_cast<Id>(j)}, k);
        if (both && low <= out[col].limit()) {
          out[col].add({low, high, static_cast<Id>(i)}, k);
          limits[static_cast<std::size_t>(local)] = out[col].limit();
        }
      }
    }
  });
  return out;
}

}  // namespace mulberry

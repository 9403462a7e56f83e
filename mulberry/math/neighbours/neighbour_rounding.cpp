#include "mulberry/math/neighbours/neighbour_rounding.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "mulberry/core/parallel.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_grain = 256;  // rows

struct Map {
  std::vector<double> centre = {};
  double scale = 1;    // a power of two: exact
  bool exact = false;  // whole numbers whose products have no rounding at all
};

// |a - b|^2 <= 4 |a|^2 < 2^24: neither products nor halves of squares need more than 24 bits.
bool short_whole(const Features& m) {
  for (Index i = 0; i < m.rows(); ++i) {
    double norm2 = 0;
    for (const double v : m.dense_row(i)) {
      if (std::abs(v) >= 2048 || v != static_cast<double>(static_cast<std::int32_t>(v))) {
        return false;
      }
      norm2 += v * v;
    }
    if (norm2 >= 4e6) return false;
  }
  return true;
}

// Column by column.
struct Range {
  std::vector<double> sum = {}, least = {}, most = {};
};

Range range_of(const Features& m, const Context& ctx) {
  const auto d = at(m.cols());
  const double infinity = std::numeric_limits<double>::infinity();
  const auto empty = [&] {
    return Range{.sum = std::vector<double>(d, 0.0),
                 .least = std::vector<double>(d, infinity),
                 .most = std::vector<double>(d, -infinity)};
  };
  return parallel_reduce(
      ctx, m.rows(), k_grain, empty(),
      [&](Index begin, Index end) {
        Range out = empty();
        for (Index i = begin; i < end; ++i) {
          const auto row = m.dense_row(i);
          for (std::size_t j = 0; j < d; ++j) {
            out.sum[j] += row[j];
            out.least[j] = row[j] < out.least[j] ? row[j] : out.least[j];
            out.most[j] = row[j] > out.most[j] ? row[j] : out.most[j];
          }
        }
        return out;
      },
      [&](Range& total, const Range& part) {
        for (std::size_t j = 0; j < d; ++j) {
          total.sum[j] += part.sum[j];
          total.least[j] = std::min(total.least[j], part.least[j]);
          total.most[j] = std::max(total.most[j], part.most[j]);
        }
      });
}

Map choose_map(const Features& train, const Features& query, const Context& ctx) {
  const bool same = &train == &query;
  Map out;
  out.centre.assign(at(train.cols()), 0.0);
  out.exact = short_whole(train) && (same || short_whole(query));
  if (out.exact) return out;
  const Range a = range_of(train, ctx);
  const Range b = same ? Range() : range_of(query, ctx);
  double reach = 0;
  for (std::size_t j = 0; j < out.centre.size(); ++j) {
    const double c = a.sum[j] / static_cast<double>(train.rows());
    out.centre[j] = c;
    reach = std::max({reach, c - a.least[j], a.most[j] - c});
    if (!same) reach = std::max({reach, c - b.least[j], b.most[j] - c});
  }
  if (reach > 0) out.scale = std::ldexp(1.0, std::min(1023, -std::ilogb(reach)));
  return out;
}

RoundedRows round_rows(const Features& m, const Map& map, const Context& ctx) {
  const auto n = at(m.rows());
  RoundedRows out{.rows = m.rows(),
                  .cols = m.cols(),
                  .values = std::vector<float>(at(m.rows() * m.cols())),
                  .small = std::vector<double>(n),
                  .large = std::vector<double>(n),
                  .half_small = std::vector<float>(n),
                  .half_large = std::vector<float>(n)};
  // Rounding the values moves a row by at most u |a|, so |a - b| by u (|a| + |b|), and |a - b|^2 by
  // less than 4.1 u (|a|^2 + |b|^2); a product of d terms errs by at most d u |a| |b|
  // (1 + d u), whatever the order of its sum, which counts twice; the error of norms is negligible.
  // A rounded half and the difference of a product and it err by u |b|^2 / 2 and
  // u (|a| |b| + |b|^2 / 2), which count twice: less than 3.1 u (|a|^2 + |b|^2).
  // Values that are denormal after scaling by their largest err by 2^-126 each at most.
  const double u = std::ldexp(1.0, -24), terms = static_cast<double>(m.cols());
  const double share = map.exact ? 0.0 : u * (terms + 12) * (1.01 + 2 * u * terms);
  // The final distances are sums of squares before scaling, which may lose up to the smallest
  // double in each term.
  const double lost = std::numeric_limits<double>::denorm_min() * map.scale * map.scale;
  const double least = map.exact ? 0.0 : (4e-36 + 4 * lost) * (terms + 1);
  parallel_chunks(ctx, m.rows(), k_grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = m.dense_row(i);
      float* const to = out.values.data() + i * m.cols();
      for (std::size_t j = 0; j < row.size(); ++j) {
        to[j] = static_cast<float>((row[j] - map.centre[j]) * map.scale);
      }
      double norm2 = 0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        norm2 += static_cast<double>(to[j]) * static_cast<double>(to[j]);
      }
      const auto k = at(i);
      out.small[k] = norm2 * (1 - share) - least;
      out.large[k] = norm2 * (1 + share) + least;
      out.half_small[k] = static_cast<float>(out.small[k] / 2);
      out.half_large[k] = static_cast<float>(out.large[k] / 2);
    }
  });
  return out;
}

}  // namespace

RoundedPair round_for_search(const Features& train, const Features& query, const Context& ctx) {
  const Map map = choose_map(train, query, ctx);
  RoundedPair out{.train = round_rows(train, map, ctx)};
  if (&train != &query) out.query = round_rows(query, map, ctx);
  return out;
}

}  // namespace mulberry::math

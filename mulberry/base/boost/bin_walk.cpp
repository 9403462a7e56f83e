#include "mulberry/base/boost/bin_walk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace mulberry::base {
namespace {

// `to` += sign x line, four numbers at a time.
template <int sign>
MULBERRY_INLINE void add_floats(double* to, const float* line, Index stride) {
  for (Index k = 0; k < stride; k += 4) {
    const Vector4 more =
        __builtin_convertvector(*reinterpret_cast<const Float4*>(line + k), Vector4);
    Vector4& sum = *reinterpret_cast<Vector4*>(to + k);
    sum = sign > 0 ? sum + more : sum - more;
  }
}

struct DenseTask {
  const std::uint8_t* codes;
  const Id* rows;
  Index count;
  const float* lines;
  Index stride;
  double* histogram;
};

template <int sign>
MULBERRY_INLINE void dense_loop(DenseTask& t) {
  if (t.stride == 4) {
    for (Index r = 0; r < t.count; ++r) {
      add_floats<sign>(t.histogram + 4 * Index{t.codes[t.rows[r]]}, t.lines + 4 * r, 4);
    }
  } else {
    for (Index r = 0; r < t.count; ++r) {
      add_floats<sign>(t.histogram + t.stride * Index{t.codes[t.rows[r]]}, t.lines + t.stride * r,
                       t.stride);
    }
  }
}

struct SparseTask {
  const BinnedFeatures::SparseBlock& block;
  const Id* rows;
  Index count;
  const float* lines;
  Index stride;
  double* histogram;
};

template <int sign>
MULBERRY_INLINE void sparse_loop(SparseTask& t) {
  for (Index r = 0; r < t.count; ++r) {
    for (const Id bin : t.block.row(t.rows[r])) {
      add_floats<sign>(t.histogram + t.stride * Index{bin}, t.lines + t.stride * r, t.stride);
    }
  }
}

MULBERRY_DISPATCH(dense_plus, dense_loop<1>)
MULBERRY_DISPATCH(dense_minus, dense_loop<-1>)
MULBERRY_DISPATCH(sparse_plus, sparse_loop<1>)
MULBERRY_DISPATCH(sparse_minus, sparse_loop<-1>)

MULBERRY_INLINE void add_doubles(double* to, const double* from, Index stride) {
  for (Index k = 0; k < stride; k += 4) {
    *reinterpret_cast<Vector4*>(to + k) += *reinterpret_cast<const Vector4*>(from + k);
  }
}

MULBERRY_INLINE void soften(Vector4& g, double l1) {
  const Vector4 zero = {}, high = g - l1, low = g + l1;
  g = high > zero ? high : low < zero ? low : zero;
}

// score(left) + score(right), of several outputs.
template <bool has_l1>
MULBERRY_INLINE double score_several(const double* left, const double* all, Index padded,
                                     const LeafPenalty& p) {
  Vector4 sum = {};
  for (Index k = 0; k < padded; k += 4) {
    Vector4 g = *reinterpret_cast<const Vector4*>(left + k);
    Vector4 rest = *reinterpret_cast<const Vector4*>(all + k) - g;
    const Vector4 h = *reinterpret_cast<const Vector4*>(left + padded + k);
    const Vector4 a = h + p.l2;
    const Vector4 b = *reinterpret_cast<const Vector4*>(all + padded + k) - h + p.l2;
    if (has_l1) {
      soften(g, p.l1);
      soften(rest, p.l1);
    }
    sum += (g * g * b + rest * rest * a) / (a * b);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <bool has_l1>
MULBERRY_INLINE double score_shared(const double* left, const double* all, Index padded,
                                    const LeafPenalty& p) {
  Vector4 here = {}, there = {};
  for (Index k = 0; k < padded; k += 4) {
    Vector4 g = *reinterpret_cast<const Vector4*>(left + k);
    Vector4 rest = *reinterpret_cast<const Vector4*>(all + k) - g;
    if (has_l1) {
      soften(g, p.l1);
      soften(rest, p.l1);
    }
    here += g * g;
    there += rest * rest;
  }
  const double a = left[padded] + p.l2, b = all[padded] - left[padded] + p.l2;
  return ((here[0] + here[1]) + (here[2] + here[3])) / a +
         ((there[0] + there[1]) + (there[2] + there[3])) / b;
}

MULBERRY_INLINE double scores_of_cut(const double* left, const double* all,
                                     const GradientLayout& layout, const LeafPenalty& p) {
  const Index padded = layout.padded();
  if (layout.shared) {
    return p.l1 > 0 ? score_shared<true>(left, all, padded, p)
                    : score_shared<false>(left, all, padded, p);
  }
  return p.l1 > 0 ? score_several<true>(left, all, padded, p)
                  : score_several<false>(left, all, padded, p);
}

// The sums of one output left of every border of bins, and what a cut there gains.
struct Borders {
  double g[256], h[256], w[256], gain[256];
};

template <bool has_l1>
MULBERRY_INLINE void gains_of_borders(Borders& at_border, Id count, const double* all,
                                      const LeafPenalty& p, double node_score) {
  const double g = all[0], h = all[1] + p.l2, l2 = p.l2, l1 = p.l1;
  for (Id k = 0; k < count; ++k) {
    double left = at_border.g[k], right = g - left;
    const double a = at_border.h[k] + l2, b = h - at_border.h[k];
    if (has_l1) {
      left = std::max(0.0, std::abs(left) - l1);
      right = std::max(0.0, std::abs(right) - l1);
    }
    at_border.gain[k] = ((left * left * b + right * right * a) / (a * b) - node_score) / 2;
  }
}

MULBERRY_INLINE bool is_better(double gain, const TreeSplit& best, double node_score) {
  return gain > best.gain + k_same_gain * (node_score + best.gain);
}

// The cut after bin number k of `lines`, with this weight on either side.
MULBERRY_INLINE void take_cut(const BinWalk& walk, const BinLines& lines, Id k, double left,
                              double right, bool missing_left, double gain, TreeSplit& best) {
  const Id below = lines.bin[k];
  const bool is_last = k + 1 == lines.count;
  best.column = lines.column;
  best.bin = is_last ? walk.last_bin : below + (lines.bin[k + 1] - below - 1) / 2;
  if (walk.words) {
    best.bin = k;
    best.rest_left = left >= right;
  }
  best.missing_left = lines.missing == nullptr ? left >= right : missing_left;
  best.gain = gain;
}

// The cut with the highest gain of the borders before bins number 1, 2, ...
MULBERRY_INLINE void take_best(const BinWalk& walk, Borders& borders, Id count,
                               const BinLines& lines, bool missing_left, TreeSplit& best) {
  if (walk.penalty.l1 > 0) {
    gains_of_borders<true>(borders, count, walk.totals, walk.penalty, walk.node_score);
  } else {
    gains_of_borders<false>(borders, count, walk.totals, walk.penalty, walk.node_score);
  }
  for (Id k = 0; k < count; ++k) {
    if (!is_better(borders.gain[k], best, walk.node_score)) continue;
    const double right = walk.totals[2] - borders.w[k];
    if (borders.w[k] < walk.min_leaf || right < walk.min_leaf) continue;
    take_cut(walk, lines, k, borders.w[k], right, missing_left, borders.gain[k], best);
  }
}

// One output: the borders are visited twice, so that all gains are computed at once.
MULBERRY_INLINE void walk_single(const BinWalk& walk, const BinLines& lines, bool missing_left,
                                 TreeSplit& best) {
  Borders borders;
  double g = 0, h = 0, w = 0;
  if (missing_left) {
    g = lines.missing[0];
    h = lines.missing[1];
    w = lines.missing[2];
  }
  const bool after_last = lines.missing != nullptr && !missing_left;
  const Id count = after_last ? lines.count : lines.count - 1;
  for (Id k = 0; k < count; ++k) {
    borders.g[k] = g += lines.line[k][0];
    borders.h[k] = h += lines.line[k][1];
    borders.w[k] = w += lines.line[k][2];
  }
  take_best(walk, borders, count, lines, missing_left, best);
}

// One direction of missing values.
MULBERRY_INLINE void walk_bins(const BinWalk& walk, const BinLines& lines, bool& missing_left,
                               double* side, TreeSplit& best) {
  if (walk.layout.single()) return walk_single(walk, lines, missing_left, best);
  const Index stride = walk.layout.stride(), w = walk.layout.w();
  for (Index k = 0; k < stride; ++k) side[k] = 0;
  if (missing_left) add_doubles(side, lines.missing, stride);
  for (Id k = 0; k < lines.count; ++k) {
    add_doubles(side, lines.line[k], stride);
    const bool is_last = k + 1 == lines.count;
    if (is_last && (lines.missing == nullptr || missing_left)) break;
    const double right = walk.totals[w] - side[w];
    if (side[w] < walk.min_leaf) continue;
    if (right < walk.min_leaf) break;
    const double gain =
        (scores_of_cut(side, walk.totals, walk.layout, walk.penalty) - walk.node_score) / 2;
    if (!is_better(gain, best, walk.node_score)) continue;
    take_cut(walk, lines, k, side[w], right, missing_left, gain, best);
  }
}

MULBERRY_DISPATCH(walk_direction, walk_bins)

// One output, straight from the rows: bins are added up, visited and cleared in one go.
MULBERRY_INLINE void walk_rows(const BinWalk& walk, DenseTask& t, BinLines& lines,
                               TreeSplit& best) {
  std::uint64_t used[4] = {};
  for (Index r = 0; r < t.count; ++r) {
    const std::uint8_t code = t.codes[t.rows[r]];
    used[code >> 6] |= std::uint64_t{1} << (code & 63);
    add_floats<1>(t.histogram + 4 * Index{code}, t.lines + 4 * r, 4);
  }
  Borders borders;
  Vector4 sum = {};
  const Vector4 zero = {};
  for (Id word = 0; word < 4; ++word) {
    for (std::uint64_t bits = used[word]; bits != 0; bits &= bits - 1) {
      const Id bin = 64 * word + static_cast<Id>(std::countr_zero(bits));
      Vector4& line = *reinterpret_cast<Vector4*>(t.histogram + 4 * Index{bin});
      if (line[2] > 0) {  // otherwise its rows weigh nothing
        sum += line;
        borders.g[lines.count] = sum[0];
        borders.h[lines.count] = sum[1];
        borders.w[lines.count] = sum[2];
        lines.bin[lines.count++] = bin;
      }
      line = zero;
    }
  }
  if (lines.count > 1) take_best(walk, borders, lines.count - 1, lines, false, best);
}

MULBERRY_DISPATCH(rows_of_single, walk_rows)

MULBERRY_INLINE void score_loop(const double* sums, const GradientLayout& layout,
                                const LeafPenalty& penalty, double& out) {
  out = 0;
  for (Index k = 0; k < layout.outputs; ++k) {
    const double g = penalty.soft(sums[layout.g(k)]);
    out += g * g / (sums[layout.h(k)] + penalty.l2);
  }
}

}  // namespace

void BinLines::order(const GradientLayout& layout, double l2) {
  const Index outputs = layout.outputs;
  std::vector<double> direction(at(outputs)), key(at(count));
  for (std::size_t k = 0; k < direction.size(); ++k) {  // no words are at right angles to it
    direction[k] = 1 + 0.3 * static_cast<double>(k % 3);
  }
  const int rounds = outputs == 1 ? 1 : 6;
  for (int round = 0; round < rounds; ++round) {
    double mean = 0, weight = 0;
    std::vector<double> curvature(at(count), l2);
    for (std::size_t b = 0; b < key.size(); ++b) {
      key[b] = 0;
      for (Index k = 0; k < outputs; ++k) {
        key[b] += direction[at(k)] * line[b][layout.g(k)];
        curvature[b] += line[b][layout.h(k)] / static_cast<double>(outputs);
      }
      mean += key[b];
      weight += curvature[b];
    }
    for (std::size_t b = 0; b < key.size(); ++b) {
      key[b] = curvature[b] > 0 ? key[b] / curvature[b] - mean / weight : 0.0;
    }
    if (round + 1 == rounds) break;
    std::fill(direction.begin(), direction.end(), 0.0);
    double longest = 0;
    for (std::size_t k = 0; k < direction.size(); ++k) {
      for (std::size_t b = 0; b < key.size(); ++b) {
        direction[k] += key[b] * line[b][layout.g(static_cast<Index>(k))];
      }
      longest = std::max(longest, std::abs(direction[k]));
    }
    if (longest == 0) break;
    for (double& d : direction) d /= longest;
  }
  std::vector<Id> places(key.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](Id a, Id b) { return key[at(a)] < key[at(b)]; });
  const std::vector<Id> old_bin(bin, bin + count);
  const std::vector<const double*> old_line(line, line + count);
  for (std::size_t k = 0; k < places.size(); ++k) {
    bin[k] = old_bin[at(places[k])];
    line[k] = old_line[at(places[k])];
  }
}

TreeSplit BinWalk::best(const BinLines& lines, AlignedVector<double>& side) const {
  TreeSplit out;
  side.resize(at(layout.stride()));
  double* const room = side.data();
  bool missing_left = false;
  walk_direction(*this, lines, missing_left, room, out);
  if (lines.missing != nullptr) {
    missing_left = true;
    walk_direction(*this, lines, missing_left, room, out);
  }
  return out;
}

TreeSplit BinWalk::best_of_rows(Id column, const std::uint8_t* codes, std::span<const Id> rows,
                                const float* lines, double* sums) const {
  TreeSplit out;
  BinLines list;
  list.column = column;
  DenseTask task{codes, rows.data(), count_of(rows), lines, 4, sums};
  rows_of_single(*this, task, list, out);
  return out;
}

double score_of(const double* sums, const GradientLayout& layout, const LeafPenalty& penalty) {
  double out = 0;
  score_loop(sums, layout, penalty, out);
  return out;
}

void add_dense(const std::uint8_t* codes, std::span<const Id> rows, const float* lines,
               Index stride, bool subtract, double* histogram) {
  DenseTask task{codes, rows.data(), count_of(rows), lines, stride, histogram};
  subtract ? dense_minus(task) : dense_plus(task);
}

void add_sparse(const BinnedFeatures::SparseBlock& block, std::span<const Id> rows,
                const float* lines, Index stride, bool subtract, double* histogram) {
  SparseTask task{block, rows.data(), count_of(rows), lines, stride, histogram};
  subtract ? sparse_minus(task) : sparse_plus(task);
}

void add_line(const float* line, Index stride, double* to) {
  for (Index k = 0; k < stride; ++k) to[k] += static_cast<double>(line[k]);
}

}  // namespace mulberry::base

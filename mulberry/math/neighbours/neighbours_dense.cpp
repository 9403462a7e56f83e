// Candidates among dense rows: single-precision products of blocks of rows, with error bounds.
//
// A task is a block of rows against a stretch of columns. It first gives its rows a limit from all
// columns of the stretch at once, so that few candidates are ever kept; if a set is compared with
// itself, each product also serves its column, whose own stretch began earlier and left a limit.
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/neighbours/neighbour_candidates.hpp"
#include "mulberry/math/neighbours/neighbour_rounding.hpp"
#include "mulberry/math/neighbours/neighbour_scan.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_block = 192;            // rows of a task; rows under one lock
constexpr Index k_stretch = 6 * k_block;  // columns of a task: products stay in the second cache
constexpr double k_infinity = std::numeric_limits<double>::infinity();

struct Task {
  Index row_begin, row_end, col_begin, col_end;
};

// If a set is compared with itself, only columns from the diagonal on are used, short rows of
// blocks first: their columns have limits by the time that longer ones see them.
std::vector<Task> make_tasks(Index rows, Index cols, bool same) {
  std::vector<Task> out;
  const Index blocks = chunk_count(rows, k_block);
  for (Index b = 0; b < blocks; ++b) {
    const Index row_begin = (same ? blocks - 1 - b : b) * k_block;
    for (Index c = same ? row_begin : 0; c < cols; c += k_stretch) {
      out.push_back(
          {row_begin, std::min(rows, row_begin + k_block), c, std::min(cols, c + k_stretch)});
    }
  }
  return out;
}

// The largest single-precision number that is not above.
float round_down(double v) {
  const auto out = static_cast<float>(v);
  return static_cast<double>(out) > v ? std::nextafter(out, -std::numeric_limits<float>::infinity())
                                      : out;
}

struct Hit {
  Id row, col;
  float product;
};

class DenseSearch {
 public:
  DenseSearch(const RoundedRows& a, const RoundedRows& b, Index k)
      : a_(a),
        b_(b),
        same_(&a == &b),
        k_(k),
        lanes_(std::clamp<Index>(chunk_count(4 * k, 8) * 8, 64, k_stretch)),
        found_(at(a.rows)),
        guards_(at(chunk_count(a.rows, k_block))) {}

  void run(const Task& task) {
    const Index height = task.row_end - task.row_begin, width = task.col_end - task.col_begin;
    thread_local const auto buffer = std::make_unique_for_overwrite<float[]>(k_block * k_stretch);
    float* const products = buffer.get();
    blas::gemm(1.0F, a_.block(task.row_begin, task.row_end), blas::Op::plain,
               b_.block(task.col_begin, task.col_end), blas::Op::transposed, 0.0F,
               {products, height, width, width});
    const bool diagonal = same_ && task.row_begin == task.col_begin;
    for (Index i = 0; diagonal && i < height; ++i) {  // never its own neighbour
      products[i * width + i] = -std::numeric_limits<float>::infinity();
    }
    limit_rows(task, products);
    std::array<float, k_block> cuts;
    read_cuts(task.row_begin, task.row_end, a_.small, cuts);
    std::vector<Hit> hits;
    for (Index c = task.col_begin; c < task.col_end; c += k_block) {
      const Task part{task.row_begin, task.row_end, c, std::min(task.col_end, c + k_block)};
      scan_block(part, products + (c - task.col_begin), width, cuts, hits);
    }
  }

  std::vector<Candidates> take() { return std::move(found_); }

 private:
  std::mutex& guard_of(Index row) { return guards_[at(row / k_block)]; }
  Candidates& found(Index row) { return found_[at(row)]; }

  // Limits from this stretch for the rows that have none yet.
  void limit_rows(const Task& task, const float* products) {
    const Index width = task.col_end - task.col_begin;
    if (width < k_) return;
    std::array<bool, k_block> open;
    {
      const std::lock_guard lock(guard_of(task.row_begin));
      for (Index i = task.row_begin; i < task.row_end; ++i) {
        open[at(i - task.row_begin)] = std::isinf(found(i).limit());
      }
    }
    std::array<double, k_block> limits;
    limits.fill(k_infinity);
    std::vector<float> best(at(lanes_));
    for (Index i = task.row_begin; i < task.row_end; ++i) {
      const auto row = at(i - task.row_begin);
      if (!open[row]) continue;
      std::fill(best.begin(), best.end(), -std::numeric_limits<float>::infinity());
      LaneMaxima s{.products = products + (i - task.row_begin) * width,
                   .half = b_.half_large.data() + task.col_begin,
                   .count = width,
                   .best = best.data(),
                   .lanes = lanes_};
      lane_maxima(s);
      limits[row] = a_.large[at(i)] - 2 * static_cast<double>(kth_of(best));
    }
    const std::lock_guard lock(guard_of(task.row_begin));
    for (Index i = task.row_begin; i < task.row_end; ++i) {
      found(i).tighten(limits[at(i - task.row_begin)]);
    }
  }

  float kth_of(std::span<float> values) const {
    if (values.size() <= 128) {
      KthLargest s{.values = values.data(), .count = count_of(values), .k = k_, .result = 0};
      kth_largest(s);
      return s.result;
    }
    const auto kth = values.begin() + (k_ - 1);
    std::nth_element(values.begin(), kth, values.end(), std::greater<>());
    return *kth;
  }

  // The value that p - half must reach for |a - b|^2 to be within the limit of a row of one block.
  void read_cuts(Index begin, Index end, std::span<const double> small,
                 std::span<float, k_block> cuts) {
    const std::lock_guard lock(guard_of(begin));
    for (Index i = begin; i < end; ++i) {
      cuts[at(i - begin)] = round_down((small[at(i)] - found(i).limit()) / 2);
    }
  }

  // A block of columns under one lock. `hits` is working memory.
  void scan_block(const Task& t, const float* products, Index stride,
                  const std::array<float, k_block>& row_cuts, std::vector<Hit>& hits) {
    const bool both = same_ && t.row_begin != t.col_begin;  // products serve row and column
    std::array<float, k_block> col_cuts;
    col_cuts.fill(std::numeric_limits<float>::infinity());
    if (both) {
      limit_columns(t, products, stride);
      read_cuts(t.col_begin, t.col_end, b_.small, col_cuts);
    }
    hits.clear();
    std::array<Id, k_block> columns;
    for (Index i = t.row_begin; i < t.row_end; ++i) {
      const float* const row = products + (i - t.row_begin) * stride;
      Scan s{.products = row,
             .half = b_.half_small.data() + t.col_begin,
             .cuts = col_cuts.data(),
             .count = t.col_end - t.col_begin,
             .own_half = a_.half_small[at(i)],
             .cut = row_cuts[at(i - t.row_begin)],
             .hits = columns.data(),
             .hit_count = 0};
      scan(s);
      for (Index h = 0; h < s.hit_count; ++h) {
        const Id c = columns[at(h)];
        hits.push_back({static_cast<Id>(i), static_cast<Id>(t.col_begin + c), row[c]});
      }
    }
    {
      const std::lock_guard lock(guard_of(t.row_begin));
      for (const Hit& h : hits) add(h.row, h.col, h);
    }
    if (!both) return;
    const std::lock_guard lock(guard_of(t.col_begin));
    for (const Hit& h : hits) add(h.col, h.row, h);
  }

  void add(Id to, Id other, const Hit& h) {
    if (same_ && to == other) return;
    const auto row = at(h.row), col = at(h.col);
    const double twice = 2 * static_cast<double>(h.product);
    const double low = (a_.small[row] + b_.small[col]) - twice;
    if (low > found(to).limit()) return;
    found(to).add({low, (a_.large[row] + b_.large[col]) - twice, other}, k_);
  }

  // Columns whose own stretch has not been processed yet take a limit from this block.
  void limit_columns(const Task& t, const float* products, Index stride) {
    const std::lock_guard lock(guard_of(t.col_begin));
    const Index height = t.row_end - t.row_begin;
    if (height < k_) return;
    for (Index j = t.col_begin; j < t.col_end; ++j) {
      if (!std::isinf(found(j).limit())) continue;
      std::array<float, k_block> best;
      for (Index i = 0; i < height; ++i) {
        best[at(i)] = products[i * stride + (j - t.col_begin)] - a_.half_large[at(t.row_begin + i)];
      }
      const auto kth = best.begin() + (k_ - 1);
      std::nth_element(best.begin(), kth, best.begin() + height, std::greater<>());
      found(j).tighten(b_.large[at(j)] - 2 * static_cast<double>(*kth));
    }
  }

  const RoundedRows &a_, &b_;
  bool same_;
  Index k_, lanes_;
  // A row's candidates are guarded by the lock of its block. Only bounds decide what remains, so
  // the order of tasks does not matter.
  std::vector<Candidates> found_;
  std::vector<std::mutex> guards_;
};

}  // namespace

std::vector<Candidates> dense_candidates(const Features& train, const Features& query, Index k,
                                         const Context& ctx) {
  const bool same = &train == &query;
  const RoundedPair rounded = round_for_search(train, query, ctx);
  DenseSearch search(same ? rounded.train : rounded.query, rounded.train, k);
  const std::vector<Task> tasks = make_tasks(query.rows(), train.rows(), same);
  parallel_for(ctx, count_of(tasks), [&](Index t) { search.run(tasks[at(t)]); });
  return search.take();
}

}  // namespace mulberry::math

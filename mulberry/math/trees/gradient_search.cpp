#include "mulberry/math/trees/gradient_search.hpp"

#include <bit>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/trees/bin_walk.hpp"

namespace mulberry::math {
namespace {

constexpr Index k_small = 768;              // a node with fewer rows has no histogram
constexpr Index k_parallel_work = 100'000;  // numbers added from which threads share a node
constexpr Index k_sum_rows = 4096;          // rows of a partial sum

}  // namespace

int HistogramPool::take(std::size_t size) {
  if (free_.empty()) {
    all_.emplace_back();
    free_.push_back(static_cast<int>(all_.size()) - 1);
  }
  const int out = free_.back();
  free_.pop_back();
  all_[at(out)].assign(size, 0.0);
  return out;
}

// Sums of a few rows in the bins of one or all columns, cleared after use by a list of them.
struct GradientSearch::Few {
  std::vector<double> sums;
  std::vector<Id> touched;
};

// What a thread needs to search columns.
struct GradientSearch::Scratch {
  BinLines lines;
  std::vector<double> side, zero, few;
};

GradientSearch::GradientSearch(const BinnedFeatures& x, const GradientRows& gradients,
                               std::vector<Id> columns, const GradientSearchOptions& options,
                               HistogramPool& pool, std::uint64_t tree, const Context& ctx)
    : x_(x),
      gradients_(gradients),
      layout_(gradients.layout()),
      sampler_(std::move(columns)),
      options_(options),
      pool_(pool),
      tree_(tree),
      ctx_(ctx),
      few_(std::make_unique<Few>()),
      scratch_(std::make_unique<Scratch>()),
      block_wanted_(x.blocks().size(), 0) {
  for (const Id j : sampler_.all()) {
    if (x_[j].dense < 0) {
      block_wanted_[at(x_[j].block)] = 1;
    } else {
      dense_.push_back(j);
    }
  }
}

GradientSearch::~GradientSearch() = default;

// The lines of the rows, next to each other, and their sum.
void GradientSearch::gather(std::span<const Id> rows) {
  const Index stride = layout_.stride(), n = count_of(rows);
  lines_.resize(at(n * stride));
  parallel_chunks(ctx_, n, k_sum_rows, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      std::copy_n(gradients_.row(rows[at(r)]), stride, lines_.data() + r * stride);
    }
  });
  totals_ = parallel_reduce(
      ctx_, n, k_sum_rows, std::vector<double>(at(stride), 0.0),
      [&](Index begin, Index end) {
        std::vector<double> part(at(stride), 0.0);
        for (Index r = begin; r < end; ++r)
          add_line(lines_.data() + r * stride, stride, part.data());
        return part;
      },
      [](std::vector<double>& total, const std::vector<double>& part) {
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += part[k];
      });
}

// Adds the gathered rows to a histogram, or subtracts them from it.
void GradientSearch::fill(std::span<const Id> rows, bool subtract, double* histogram) const {
  const Index stride = layout_.stride(), dense = count_of(dense_);
  const auto work = [&](Index task) {
    if (task < dense) {
      const BinnedColumn& column = x_[dense_[at(task)]];
      add_dense(x_.codes(column), rows, lines_.data(), stride, subtract,
                histogram + column.first * stride);
    } else if (block_wanted_[at(task - dense)] != 0) {
      add_sparse(x_.blocks()[at(task - dense)], rows, lines_.data(), stride, subtract, histogram);
    }
  };
  const Index tasks = dense + count_of(block_wanted_);
  const Index each = std::max<Index>(1, count_of(rows) * stride);
  const Index grain = std::max<Index>(1, k_parallel_work / each);
  parallel_chunks(ctx_, tasks, grain, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) work(task);
  });
}

TreeSplit GradientSearch::best(GrownTree& tree, std::size_t number) {
  GrownNode& node = tree.nodes[number];
  const auto rows = tree.rows_of(node);
  gather(rows);
  TreeSplit best;
  if (totals_[at(layout_.w())] < 2 * options_.min_leaf) return best;
  best.gain = options_.min_gain;
  if (node.histogram < 0 && node.rows() >= k_small) {
    node.histogram = pool_.take(at(x_.slots() * layout_.stride()));
    fill(rows, false, pool_[node.histogram].data());
  }
  node_score_ = score_of(totals_.data(), layout_, options_.penalty);
  row_curvature_ = 0;
  for (Index k = 0; k < layout_.outputs; ++k) row_curvature_ += totals_[at(layout_.h(k))];
  row_curvature_ /= static_cast<double>(layout_.outputs) * totals_[at(layout_.w())];
  if (node.histogram < 0) add_few(rows);
  const Index all = count_of(sampler_.all());
  if (options_.columns == 0 || options_.columns >= all) {
    try_columns(sampler_.all(), node, rows, best);
  } else {
    sampler_.draw(options_.columns, ctx_.rng("tree columns", tree_, number),
                  [&](std::span<const Id> columns) {
                    try_columns(columns, node, rows, best);
                    return best.column >= 0;
                  });
  }
  for (const Id bin : few_->touched) {
    std::fill_n(few_->sums.begin() + bin * layout_.stride(), layout_.stride(), 0.0);
  }
  few_->touched.clear();
  return best;
}

// The sums of the sparse entries of a few rows.
void GradientSearch::add_few(std::span<const Id> rows) {
  const Index stride = layout_.stride();
  if (x_.blocks().empty()) return;
  few_->sums.resize(at(x_.slots() * stride), 0.0);
  double* const sums = few_->sums.data();
  const auto w = layout_.w();
  for (std::size_t b = 0; b < block_wanted_.size(); ++b) {
    if (block_wanted_[b] == 0) continue;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const float* const line = lines_.data() + static_cast<Index>(r) * stride;
      for (const Id bin : x_.blocks()[b].row(rows[r])) {
        double* const to = sums + stride * bin;
        if (to[w] == 0) few_->touched.push_back(bin);  // maybe again: a row may weigh nothing
        add_line(line, stride, to);
      }
    }
  }
  std::sort(few_->touched.begin(), few_->touched.end());
  few_->touched.erase(std::unique(few_->touched.begin(), few_->touched.end()), few_->touched.end());
}

void GradientSearch::try_columns(std::span<const Id> columns, const GrownNode& node,
                                 std::span<const Id> rows, TreeSplit& best) {
  std::vector<TreeSplit> found(columns.size());
  const bool has_histogram = node.histogram >= 0;
  const double* const sums = has_histogram ? pool_[node.histogram].data() : nullptr;
  const auto search = [&](Index k, Scratch& scratch) {
    const Id j = columns[at(k)];
    if (has_histogram) {
      found[at(k)] = search_histogram(j, sums, scratch);
    } else if (x_[j].dense >= 0) {
      found[at(k)] = search_rows(j, rows, scratch);
    } else {
      found[at(k)] = search_few(j, scratch);
    }
  };
  const Index each = std::min<Index>(k_small, count_of(rows)) * layout_.stride() * 2;
  const Index work = each * count_of(columns);
  if (ctx_.pool() != nullptr && work >= k_parallel_work) {
    parallel_chunks(ctx_, count_of(columns), std::max<Index>(1, k_parallel_work / each / 2),
                    [&](Index begin, Index end) {
                      Scratch scratch;
                      for (Index k = begin; k < end; ++k) search(k, scratch);
                    });
  } else {
    for (Index k = 0; k < count_of(columns); ++k) search(k, *scratch_);
  }
  for (const TreeSplit& one : found) {
    if (one.column < 0) continue;
    if (one.gain > best.gain + k_same_gain * (node_score_ + best.gain)) best = one;
  }
}

BinWalk GradientSearch::walk_of(Id column) const {
  return {.layout = layout_,
          .penalty = options_.penalty,
          .min_leaf = options_.min_leaf,
          .totals = totals_.data(),
          .node_score = node_score_,
          .last_bin = x_[column].bins() - 1,
          .words = x_[column].has_words()};
}

// `scratch.lines` has the column's bins.
TreeSplit GradientSearch::search_lines(Scratch& scratch) const {
  BinWalk walk = walk_of(scratch.lines.column);
  if (!walk.words) return walk.best(scratch.lines, scratch.side);
  scratch.lines.order(layout_, options_.penalty.l2);
  walk.penalty.l2 += options_.word_rows * row_curvature_;
  TreeSplit out = walk.best(scratch.lines, scratch.side);
  if (out.column >= 0) {
    out.list_words(std::span(scratch.lines.bin, at(scratch.lines.count)), out.rest_left,
                   x_[out.column].rest());
  }
  return out;
}

namespace {

void subtract_from(std::vector<double>& total, const double* part) {
  for (std::size_t k = 0; k < total.size(); ++k) total[k] -= part[k];
}

}  // namespace

TreeSplit GradientSearch::search_histogram(Id j, const double* histogram, Scratch& s) const {
  const BinnedColumn& column = x_[j];
  const Index stride = layout_.stride(), w = layout_.w();
  const double* const first = histogram + column.first * stride;
  const double nothing = 1e-12 * totals_[at(w)];  // what is left of a bin after subtractions
  const auto line = [&](Id b) { return first + stride * b; };
  s.lines.column = j;
  s.lines.count = 0;
  s.lines.missing = nullptr;
  if (column.has_missing && line(column.bins())[w] > nothing) {
    s.lines.missing = line(column.bins());
  }
  if (column.dense < 0) {  // the bin of 0 has what the others have not
    s.zero = totals_;
    for (Id b = 0; b < column.slots(); ++b) {
      if (b != column.zero_bin) subtract_from(s.zero, line(b));
    }
  }
  for (Id b = 0; b < column.bins(); ++b) {
    const bool is_rest = column.dense < 0 && b == column.zero_bin;
    const double* const sums = is_rest ? s.zero.data() : line(b);
    if (sums[w] > nothing) s.lines.add(b, sums);
  }
  return search_lines(s);
}

// A dense column of a node with few rows.
TreeSplit GradientSearch::search_rows(Id j, std::span<const Id> rows, Scratch& s) const {
  const BinnedColumn& column = x_[j];
  const Index stride = layout_.stride(), w = layout_.w();
  s.few.resize(at(256 * stride), 0.0);
  const std::uint8_t* const codes = x_.codes(column);
  if (layout_.single() && !column.has_missing && !column.has_words()) {
    return walk_of(j).best_of_rows(j, codes, rows, lines_.data(), s.few.data());
  }
  std::uint64_t used[4] = {};
  for (const Id row : rows) used[codes[row] >> 6] |= std::uint64_t{1} << (codes[row] & 63);
  add_dense(codes, rows, lines_.data(), stride, false, s.few.data());
  s.lines.column = j;
  s.lines.count = 0;
  s.lines.missing = nullptr;
  const auto for_used = [&](const auto& visit) {
    for (Id word = 0; word < 4; ++word) {
      for (std::uint64_t bits = used[word]; bits != 0; bits &= bits - 1) {
        visit(64 * word + static_cast<Id>(std::countr_zero(bits)));
      }
    }
  };
  for_used([&](Id b) {
    const double* const sums = s.few.data() + stride * b;
    if (sums[w] <= 0) return;
    if (b == column.bins()) {
      s.lines.missing = sums;
    } else {
      s.lines.add(b, sums);
    }
  });
  const TreeSplit out = search_lines(s);
  for_used([&](Id b) { std::fill_n(s.few.begin() + stride * b, stride, 0.0); });
  return out;
}

// A sparse column of a node with few rows: the bins that add_few has touched.
TreeSplit GradientSearch::search_few(Id j, Scratch& s) const {
  const BinnedColumn& column = x_[j];
  const Index stride = layout_.stride(), w = layout_.w();
  const auto begin = std::lower_bound(few_->touched.begin(), few_->touched.end(), column.first);
  const auto end = std::lower_bound(begin, few_->touched.end(), column.first + column.slots());
  if (begin == end) return {};
  s.lines.column = j;
  s.lines.count = 0;
  s.lines.missing = nullptr;
  s.zero = totals_;
  for (auto bin = begin; bin != end; ++bin) {
    subtract_from(s.zero, few_->sums.data() + stride * *bin);
  }
  const bool has_zeros = s.zero[at(w)] > 1e-12 * totals_[at(w)];
  bool placed = !has_zeros;
  for (auto bin = begin; bin != end; ++bin) {
    const Id b = *bin - static_cast<Id>(column.first);
    if (!placed && b > column.zero_bin) {
      s.lines.add(column.zero_bin, s.zero.data());
      placed = true;
    }
    const double* const sums = few_->sums.data() + stride * *bin;
    if (sums[w] <= 0) continue;
    if (column.has_missing && b == column.bins()) {
      s.lines.missing = sums;
    } else {
      s.lines.add(b, sums);
    }
  }
  if (!placed) s.lines.add(column.zero_bin, s.zero.data());
  return search_lines(s);
}

void GradientSearch::inherit(GrownTree& tree, std::size_t parent, bool left_open, bool right_open) {
  GrownNode& from = tree.nodes[parent];
  if (from.histogram < 0) return;
  const auto left = at(from.left), right = left + 1;
  const bool left_larger = tree.nodes[left].rows() >= tree.nodes[right].rows();
  GrownNode& large = tree.nodes[left_larger ? left : right];
  GrownNode& small = tree.nodes[left_larger ? right : left];
  const bool wanted = (left_larger ? left_open : right_open) && large.rows() >= k_small;
  if (!wanted) return release(from);
  gather(tree.rows_of(small));
  if (small.rows() < k_small) {
    fill(tree.rows_of(small), true, pool_[from.histogram].data());
  } else {
    small.histogram = pool_.take(at(x_.slots() * layout_.stride()));
    fill(tree.rows_of(small), false, pool_[small.histogram].data());
    const double* const less = pool_[small.histogram].data();
    double* const to = pool_[from.histogram].data();
    parallel_chunks(ctx_, x_.slots() * layout_.stride(), 1 << 16, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) to[k] -= less[k];
    });
  }
  large.histogram = from.histogram;
  from.histogram = -1;
}

void GradientSearch::release(GrownNode& node) {
  if (node.histogram >= 0) pool_.give_back(node.histogram);
  node.histogram = -1;
}

}  // namespace mulberry::math

#include "mulberry/base/boost/gradient_search.hpp"

#include <bit>
#include <cmath>
#include <numeric>

#include "mulberry/base/boost/bin_walk.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::base {
namespace {

// A node with fewer rows has no histogram, nor one with fewer entries than bins times a factor, which
// is smaller for short lines, because to list an entry costs as much as to add so many numbers.
constexpr Index k_few_rows = 768;
constexpr double k_small_share = 3, k_listing = 60;
constexpr Index k_sorting = 16;             // bins that are looked through as fast as one is sorted
constexpr Index k_parallel_work = 100'000;  // numbers added from which threads share a node
constexpr Index k_sum_rows = 4096;          // rows of a partial sum

// Tasks that are one piece of work, if each adds so many numbers (NaN: there are no tasks).
Index grain_of(double each) {
  return std::max(k_parallel_work / static_cast<Index>(std::fmax(1.0, std::fmin(each, 1e9))),
                  Index{1});
}

}  // namespace

bool histogram_pays(double rows, double entries, double bins, double stride) {
  return rows >= k_few_rows && entries * (stride + k_listing) >= k_small_share * bins * stride;
}

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

// The sparse entries of a node with few rows, by block: the bins that occur, in increasing order,
// and the rows of each, by their place in the node.
struct GradientSearch::Few {
  struct Block {
    std::vector<Id> bins = {};
    std::vector<std::uint32_t> start = {};  // bins + 1
    std::vector<Id> rows = {};
    Index first = 0, last = 0;  // the bins of its columns
  };
  std::vector<Block> blocks;
  std::vector<std::uint32_t> count;  // of every bin; 0 between nodes
};

// What a thread needs to search columns.
struct GradientSearch::Scratch {
  BinLines lines;
  AlignedVector<double> side, zero, few;
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
      block_wanted_(x.blocks().size(), 0) {
  for (const Id j : sampler_.all()) {
    if (x_[j].dense < 0) {
      block_wanted_[at(x_[j].block)] = 1;
    } else {
      dense_.push_back(j);
    }
    bins_ += static_cast<double>(x_[j].slots());
  }
  entries_ = static_cast<double>(dense_.size()) * static_cast<double>(x_.rows());
  for (std::size_t b = 0; b < block_wanted_.size(); ++b) {
    if (block_wanted_[b] != 0) entries_ += static_cast<double>(x_.blocks()[b].bin.size());
  }
  few_->blocks.resize(block_wanted_.size());
  for (Index j = x_.cols() - 1; j >= 0; --j) {
    if (x_[j].block < 0) continue;
    Few::Block& block = few_->blocks[at(x_[j].block)];
    block.last = std::max(block.last, x_[j].first + x_[j].slots());
    block.first = x_[j].first;
  }
  if (options_.strongest > 0 && options_.strongest < layout_.outputs) {
    layout_.outputs = options_.strongest;
  } else {
    options_.strongest = 0;
  }
}

GradientSearch::~GradientSearch() = default;

double GradientSearch::entries_of(const GrownNode& node) const {
  return static_cast<double>(node.rows()) / static_cast<double>(x_.rows()) * entries_;
}

bool GradientSearch::wants_histogram(const GrownNode& node) const {
  return histogram_pays(static_cast<double>(node.rows()), entries_of(node), bins_,
                        static_cast<double>(layout_.stride()));
}

void GradientSearch::choose_outputs(std::span<const Id> rows) {
  const GradientLayout& all = gradients_.layout();
  const Index outputs = all.outputs;
  // |g| and h of every output.
  const std::vector<double> sums = parallel_reduce(
      ctx_, count_of(rows), k_sum_rows, std::vector<double>(at(2 * outputs), 0.0),
      [&](Index begin, Index end) {
        std::vector<double> part(at(2 * outputs), 0.0);
        for (Index r = begin; r < end; ++r) {
          const float* const line = gradients_.row(rows[at(r)]);
          const float* const h = line + all.h(0);
          for (Index k = 0; k < outputs; ++k) part[at(k)] += static_cast<double>(std::abs(line[k]));
          for (Index k = 0; k < outputs; ++k) {
            part[at(outputs + k)] += static_cast<double>(all.shared ? *h : h[k]);
          }
        }
        return part;
      },
      [](std::vector<double>& total, const std::vector<double>& part) {
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += part[k];
      });
  std::vector<double> strength(at(outputs));
  for (Index k = 0; k < outputs; ++k) {
    strength[at(k)] = sums[at(k)] / std::sqrt(sums[at(outputs + k)] + options_.penalty.l2);
  }
  chosen_.resize(at(outputs));
  std::iota(chosen_.begin(), chosen_.end(), Index{0});
  const auto last = chosen_.begin() + options_.strongest;
  std::nth_element(chosen_.begin(), last, chosen_.end(), [&](Index a, Index b) {
    return strength[at(a)] > strength[at(b)] || (strength[at(a)] == strength[at(b)] && a < b);
  });
  chosen_.erase(last, chosen_.end());
  std::sort(chosen_.begin(), chosen_.end());
}

// The lines of the rows, next to each other, and their sum.
void GradientSearch::gather(std::span<const Id> rows) {
  const Index stride = layout_.stride(), n = count_of(rows);
  const GradientLayout& all = gradients_.layout();
  lines_.assign(at(options_.strongest > 0 ? n * stride : 0), 0.0F);
  lines_.resize(at(n * stride));
  parallel_chunks(ctx_, n, k_sum_rows, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const float* const from = gradients_.row(rows[at(r)]);
      float* const to = lines_.data() + r * stride;
      if (options_.strongest == 0) {
        std::copy_n(from, stride, to);
        continue;
      }
      for (Index k = 0; k < layout_.outputs; ++k) {
        to[layout_.g(k)] = from[all.g(chosen_[at(k)])];
        if (!layout_.shared) to[layout_.h(k)] = from[all.h(chosen_[at(k)])];
      }
      to[layout_.w()] = from[all.w()];
    }
  });
  const std::vector<double> totals = parallel_reduce(
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
  totals_.assign(totals.begin(), totals.end());
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
  const auto each = static_cast<double>(count_of(rows) * stride);
  parallel_chunks(ctx_, tasks, grain_of(each), [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) work(task);
  });
}

TreeSplit GradientSearch::best(GrownTree& tree, std::size_t number) {
  GrownNode& node = tree.nodes[number];
  const auto rows = tree.rows_of(node);
  if (options_.strongest > 0) choose_outputs(rows);
  gather(rows);
  TreeSplit best;
  if (totals_[at(layout_.w())] < 2 * options_.min_leaf) return best;
  best.gain = options_.min_gain;
  if (node.histogram < 0 && wants_histogram(node)) {
    node.histogram = pool_.take(at(x_.slots() * layout_.stride()));
    fill(rows, false, pool_[node.histogram].data());
  }
  node_score_ = score_of(totals_.data(), layout_, options_.penalty);
  row_curvature_ = 0;
  for (Index k = 0; k < layout_.outputs; ++k) row_curvature_ += totals_[at(layout_.h(k))];
  row_curvature_ /= static_cast<double>(layout_.outputs) * totals_[at(layout_.w())];
  if (node.histogram < 0) list_few(node, rows);
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
  return best;
}

// The sparse entries of a few rows, sorted by bin.
void GradientSearch::list_few(const GrownNode& node, std::span<const Id> rows) {
  const Index blocks = count_of(block_wanted_);
  few_->count.resize(at(x_.slots()), 0);
  std::uint32_t* const count = few_->count.data();
  const auto list = [&](Index b) {
    Few::Block& block = few_->blocks[at(b)];
    const BinnedFeatures::SparseBlock& from = x_.blocks()[at(b)];
    block.bins.clear();
    for (const Id row : rows) {
      for (const Id bin : from.row(row)) {
        if (count[bin]++ == 0) block.bins.push_back(bin);
      }
    }
    if (count_of(block.bins) * k_sorting > block.last - block.first) {
      block.bins.clear();
      for (auto bin = static_cast<Id>(block.first); bin < block.last; ++bin) {
        if (count[bin] > 0) block.bins.push_back(bin);
      }
    } else {
      std::sort(block.bins.begin(), block.bins.end());
    }
    block.start.assign(1, 0);
    for (const Id bin : block.bins) {
      const std::uint32_t begin = block.start.back();
      block.start.push_back(begin + std::exchange(count[bin], begin));
    }
    block.rows.resize(block.start.back());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const Id bin : from.row(rows[r])) block.rows[count[bin]++] = static_cast<Id>(r);
    }
    for (const Id bin : block.bins) count[bin] = 0;
  };
  const double each = entries_of(node) * k_listing / std::max(1.0, static_cast<double>(blocks));
  parallel_chunks(ctx_, blocks, grain_of(each), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      if (block_wanted_[at(b)] != 0) list(b);
    }
  });
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
  // Numbers that are added for a column, on average.
  const double each = (has_histogram ? 2 * bins_ : entries_of(node)) /
                      static_cast<double>(sampler_.all().size()) *
                      static_cast<double>(layout_.stride());
  parallel_chunks(ctx_, count_of(columns), grain_of(each), [&](Index begin, Index end) {
    const Spares<Scratch>::Loan scratch(scratch_);
    for (Index k = begin; k < end; ++k) search(k, *scratch);
  });
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

void subtract_from(std::span<double> total, const double* part) {
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

// A sparse column of a node with few rows.
TreeSplit GradientSearch::search_few(Id j, Scratch& s) const {
  const BinnedColumn& column = x_[j];
  const Index stride = layout_.stride(), w = layout_.w();
  const Few::Block& block = few_->blocks[at(column.block)];
  const auto begin = std::lower_bound(block.bins.begin(), block.bins.end(), column.first);
  const auto end = std::lower_bound(begin, block.bins.end(), column.first + column.slots());
  if (begin == end) return {};
  s.few.resize(at(256 * stride), 0.0);
  const auto sums_of = [&](auto bin) { return s.few.data() + (*bin - column.first) * stride; };
  for (auto bin = begin; bin != end; ++bin) {
    const auto k = static_cast<std::size_t>(bin - block.bins.begin());
    for (std::uint32_t e = block.start[k]; e < block.start[k + 1]; ++e) {
      add_line(lines_.data() + block.rows[e] * stride, stride, sums_of(bin));
    }
  }
  s.lines.column = j;
  s.lines.count = 0;
  s.lines.missing = nullptr;
  s.zero = totals_;
  for (auto bin = begin; bin != end; ++bin) subtract_from(s.zero, sums_of(bin));
  const bool has_zeros = s.zero[at(w)] > 1e-12 * totals_[at(w)];
  bool placed = !has_zeros;
  for (auto bin = begin; bin != end; ++bin) {
    const Id b = *bin - static_cast<Id>(column.first);
    if (!placed && b > column.zero_bin) {
      s.lines.add(column.zero_bin, s.zero.data());
      placed = true;
    }
    const double* const sums = sums_of(bin);
    if (sums[w] <= 0) continue;
    if (column.has_missing && b == column.bins()) {
      s.lines.missing = sums;
    } else {
      s.lines.add(b, sums);
    }
  }
  if (!placed) s.lines.add(column.zero_bin, s.zero.data());
  const TreeSplit out = search_lines(s);
  for (auto bin = begin; bin != end; ++bin) std::fill_n(sums_of(bin), stride, 0.0);
  return out;
}

void GradientSearch::inherit(GrownTree& tree, std::size_t parent, bool left_open, bool right_open) {
  GrownNode& from = tree.nodes[parent];
  if (from.histogram < 0) return;
  const auto left = at(from.left), right = left + 1;
  const bool left_larger = tree.nodes[left].rows() >= tree.nodes[right].rows();
  GrownNode& large = tree.nodes[left_larger ? left : right];
  GrownNode& small = tree.nodes[left_larger ? right : left];
  const bool wanted = (left_larger ? left_open : right_open) && wants_histogram(large);
  if (!wanted || options_.strongest > 0) return release(from);
  gather(tree.rows_of(small));
  if (!wants_histogram(small)) {
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

}  // namespace mulberry::base

// The split of a node that lowers a loss most, to second order:
//
//   gain = (score(left) + score(right) - score(node)) / 2     (score: gradient_rows.hpp)
//
// A node with many rows has a histogram: the sums of the lines of its rows, for every bin of every
// column. Of two children the one with fewer rows adds up its own; the other one takes the
// histogram of the parent and subtracts. A node with fewer rows, or fewer entries, than bins has no
// histogram: its rows are visited by bin, column by column. Missing values are tried on both sides.
//
// With `strongest` a node looks only at so many outputs, those with the largest
//
//   sum over its rows of |g_k|, divided by sqrt(H_k + l2)
//
// (the lower number on ties). Its children look at others, so that nothing is subtracted.
//
// Ties (up to rounding) go to the lowest column, then to the lowest cut. The bits do not depend on
// the number of threads, which share the columns of a node.
//
// Cost of a node of r rows: O(r d m) for d dense columns and m numbers per line, the entries of
// sparse columns, and the bins; memory: bins of all columns x m per open node with a histogram, and
// 8 bytes per sparse entry of the node that is searched.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mulberry/base/boost/bin_walk.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/trees/spares.hpp"
#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::base {

struct GradientSearchOptions {
  Index columns = 0;    // tried per node; 0: all
  Index strongest = 0;  // outputs that a node looks at; 0: all
  double min_leaf = 1;
  double min_gain = 0;
  LeafPenalty penalty = {};
  // A set of words is chosen among so many that some gain by chance: each side of such a split
  // counts as if it had so many more rows that say nothing (their second derivatives are mean ones).
  double word_rows = 0;
};

// Whether nodes of so many rows and entries have a histogram of so many bins, with `stride` numbers
// each; the others list their entries by bin, which takes less memory, and less time if most bins
// would stay empty.
bool histogram_pays(double rows, double entries, double bins, double stride);

// Histograms that are used again by later nodes and trees.
class HistogramPool {
 public:
  int take(std::size_t size);
  void give_back(int number) { free_.push_back(number); }
  AlignedVector<double>& operator[](int number) { return all_[at(number)]; }

 private:
  std::vector<AlignedVector<double>> all_;
  std::vector<int> free_;
};

class GradientSearch {
 public:
  GradientSearch(const BinnedFeatures& x, const GradientRows& gradients, std::vector<Id> columns,
                 const GradientSearchOptions& options, HistogramPool& pool, std::uint64_t tree,
                 const Context& ctx);
  ~GradientSearch();

  TreeSplit best(GrownTree& tree, std::size_t node);
  void inherit(GrownTree& tree, std::size_t parent, bool left_open, bool right_open);
  void release(GrownNode& node);

 private:
  struct Few;
  struct Scratch;

  double entries_of(const GrownNode& node) const;
  bool wants_histogram(const GrownNode& node) const;
  void choose_outputs(std::span<const Id> rows);
  void gather(std::span<const Id> rows);
  void fill(std::span<const Id> rows, bool subtract, double* histogram) const;
  void list_few(const GrownNode& node, std::span<const Id> rows);
  void try_columns(std::span<const Id> columns, const GrownNode& node, std::span<const Id> rows,
                   TreeSplit& best);
  TreeSplit search_histogram(Id column, const double* histogram, Scratch& scratch) const;
  TreeSplit search_rows(Id column, std::span<const Id> rows, Scratch& scratch) const;
  TreeSplit search_few(Id column, Scratch& scratch) const;
  TreeSplit search_lines(Scratch& scratch) const;
  BinWalk walk_of(Id column) const;

  const BinnedFeatures& x_;
  const GradientRows& gradients_;
  GradientLayout layout_;
  ColumnSampler sampler_;
  GradientSearchOptions options_;
  HistogramPool& pool_;
  std::uint64_t tree_;
  const Context& ctx_;
  std::unique_ptr<Few> few_;
  Spares<Scratch> scratch_;
  std::vector<char> block_wanted_;
  std::vector<Id> dense_;          // the dense columns of the tree
  double bins_ = 0, entries_ = 0;  // of all columns, and of all rows

  // Of the node that is searched.
  std::vector<Index> chosen_;  // the outputs that it looks at; empty: all
  std::vector<float> lines_;   // of its rows, next to each other
  AlignedVector<double> totals_;
  double node_score_ = 0;
  double row_curvature_ = 0;  // mean second derivative of a row
};

}  // namespace mulberry::base

// The split of a node that tells two classes apart best, by C4.5's rule on binned features.
//
//   gain = H(node) - (W_S H(S) + W_R H(R)) / W,   ratio = gain / H(W_S / W, W_R / W)
//
// H is the entropy of the classes, S and R the children, W weights of rows. Each column offers its
// cut of the highest gain; among the columns whose gain is at least the average of those that gain
// anything, the highest ratio wins (the lower column, then the lower cut, on ties).
//
// The rows of a node are added to the bins of one column at a time, and bins that hold rows are
// visited from the lowest. Between two bins whose rows all have the same class the gain is never
// highest (Fayyad and Irani, "On the handling of continuous-valued attributes in decision tree
// generation", Machine Learning 8, 1992), so no gain is computed there: where one class is rare,
// that is nearly everywhere. Where all weights are whole numbers, x log2 x comes from a table.
//
// Cost of a node: O(rows x dense columns + entries of its rows in sparse columns).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::base {

// The weights of rows: of all classes, and of class 1.
struct PairSums {
  double all = 0, yes = 0;
};

struct PairRows {
  PairRows(std::span<const Id> classes, std::span<const double> weights);

  std::vector<PairSums> rows = {};
  std::vector<double> table = {};  // of x log2 x, for whole weights of a moderate sum
};

class PairSearch {
 public:
  PairSearch(const BinnedFeatures& x, const PairRows& y, double min_leaf, const Context& ctx);
  ~PairSearch();

  TreeSplit best(const GrownTree& tree, std::size_t node);
  void inherit(GrownTree&, std::size_t, bool, bool) const {}
  void release(GrownNode&) const {}

 private:
  struct Offer;
  struct Whole;  // sums of whole weights
  struct Real;
  struct Room;
  template <class Sums>
  class Walk;

  template <class Sums>
  void search_columns(std::span<const Id> rows, std::vector<Offer>& offers);
  TreeSplit choose(const std::vector<Offer>& offers) const;

  const BinnedFeatures& x_;
  const PairRows& y_;
  double min_leaf_;
  const Context& ctx_;
  std::unique_ptr<Room> room_;
  PairSums total_ = {};  // of the node that is searched
};

}  // namespace mulberry::base

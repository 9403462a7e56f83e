#include "mulberry/math/trees/tree_list.hpp"

#include <algorithm>
#include <limits>

namespace mulberry::math {

Index TreeList::add(const GrownTree& tree, const BinnedFeatures& x) {
  const Index first = leaves_;
  for (const GrownNode& node : tree.nodes) {
    const bool is_leaf = node.left < 0;
    const TreeSplit& split = node.split;
    double cut = 0;
    if (!is_leaf && split.by_words) {
      cut = split.rest_left ? 1 : 0;
    } else if (!is_leaf) {
      const auto& cuts = x[split.column].cuts;
      // After the last bin: all values are on the left, missing ones on the right.
      cut = at(split.bin) < cuts.size() ? cuts[at(split.bin)]
                                        : std::numeric_limits<double>::infinity();
    }
    column_.push_back(is_leaf ? -1 : split.column);
    cut_.push_back(cut);
    child_.push_back(is_leaf ? static_cast<Id>(leaves_++) : node.left);
    missing_left_.push_back(!is_leaf && split.missing_left ? 1 : 0);
    if (!is_leaf && split.by_words) {
      add_set(split, x);
    } else if (!set_.empty()) {
      set_.push_back(-1);
    }
  }
  start_.push_back(nodes());
  return first;
}

// Of the node that was added last.
void TreeList::add_set(const TreeSplit& split, const BinnedFeatures& x) {
  set_.resize(column_.size(), -1);
  set_.back() = static_cast<Id>(set_start_.size()) - 1;
  const std::vector<Id> columns = split_columns(x, split);
  set_column_.insert(set_column_.end(), columns.begin(), columns.end());
  set_start_.push_back(count_of(set_column_));
}

void TreeList::add_leaf() {
  column_.push_back(-1);
  cut_.push_back(0);
  child_.push_back(static_cast<Id>(leaves_++));
  missing_left_.push_back(0);
  if (!set_.empty()) set_.push_back(-1);
  start_.push_back(nodes());
}

void TreeList::append(const TreeList& other, Index begin, Index end) {
  const Index from = other.start_[at(begin)], to = other.start_[at(end)], moved = nodes() - from;
  const auto first_leaf = static_cast<Id>(leaves_ - other.first_leaf(begin));
  for (Index t = begin; t < end; ++t) start_.push_back(other.start_[at(t) + 1] + moved);
  const auto copy = [&](const auto& source, auto& out) {
    out.insert(out.end(), source.begin() + from, source.begin() + to);
  };
  copy(other.column_, column_);
  copy(other.cut_, cut_);
  copy(other.missing_left_, missing_left_);
  for (Index k = from; k < to; ++k) {
    child_.push_back(other.child_[at(k)] + (other.column_[at(k)] < 0 ? first_leaf : 0));
  }
  leaves_ += other.first_leaf(end) - other.first_leaf(begin);
  if (set_.empty() && other.set_.empty()) return;
  set_.resize(column_.size(), -1);
  if (other.set_.empty()) return;
  for (Index k = from; k < to; ++k) {
    if (other.set_[at(k)] < 0) continue;
    set_[at(k + moved)] = static_cast<Id>(set_start_.size()) - 1;
    const auto columns = other.set_of(at(k));
    set_column_.insert(set_column_.end(), columns.begin(), columns.end());
    set_start_.push_back(count_of(set_column_));
  }
}

Index TreeList::first_leaf(Index tree) const {
  for (Index k = start_[at(tree)]; k < nodes(); ++k) {
    if (column_[at(k)] < 0) return child_[at(k)];
  }
  return leaves_;
}

void TreeList::shorten(Index trees) {
  const auto kept = at(start_[at(trees)]);
  start_.resize(at(trees) + 1);
  column_.resize(kept);
  cut_.resize(kept);
  child_.resize(kept);
  missing_left_.resize(kept);
  if (!set_.empty()) {  // sets are numbered in the order of nodes
    set_.resize(kept);
    set_start_.resize(1 + at(std::count_if(set_.begin(), set_.end(), [](Id s) { return s >= 0; })));
    set_column_.resize(at(set_start_.back()));
  }
  leaves_ = std::count(column_.begin(), column_.end(), -1);
}

std::vector<Id> TreeList::columns_of(Index tree) const {
  std::vector<Id> out;
  for (Index k = start_[at(tree)]; k < start_[at(tree) + 1]; ++k) {
    if (column_[at(k)] < 0) continue;
    if (set_.empty() || set_[at(k)] < 0) {
      out.push_back(column_[at(k)]);
    } else {
      const auto columns = set_of(at(k));
      out.insert(out.end(), columns.begin(), columns.end());
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// A tree from a file must not send a row out of bounds or in circles.
void TreeList::require_sound(const ArchiveReader& in) {
  const std::size_t n = column_.size();
  in.require(columns_ >= 1, "columns", "is 0");
  in.require(!start_.empty() && start_.front() == 0 && at(start_.back()) == n, "start",
             "does not fit the nodes of the trees");
  in.require(set_.empty() || set_.size() == n, "set", "does not fit the nodes");
  in.require(are_offsets(set_start_, set_column_.size()), "set_start", "does not fit the sets");
  Index sets = 0;
  for (std::size_t k = 0; k < set_.size(); ++k) {
    if (set_[k] < 0) continue;
    in.require(set_[k] == sets++ && column_[k] >= 0, "set", "has a set out of order");
  }
  in.require(sets + 1 == count_of(set_start_), "set_start", "does not fit the sets");
  leaves_ = 0;
  for (std::size_t t = 0; t + 1 < start_.size(); ++t) {
    const Index begin = start_[t], size = start_[t + 1] - begin;
    in.require(begin >= 0 && size >= 1 && start_[t + 1] <= static_cast<Index>(n), "start",
               "has a tree without nodes");
    for (Index k = 0; k < size; ++k) {
      const auto node = at(begin + k);
      if (column_[node] < 0) {
        in.require(child_[node] == leaves_, "child", "has a leaf out of order");
        ++leaves_;
      } else {
        in.require(child_[node] > k && child_[node] + Index{1} < size, "child",
                   "has a child that is no later node");
      }
    }
  }
}

}  // namespace mulberry::math

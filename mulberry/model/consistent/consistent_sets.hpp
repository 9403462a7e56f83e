// ConsistentSets: the best set of labels that obeys declared rules (data/label_rules.hpp).
//
//     maximise sum over S of weight_l   subject to   l in S and l implies m  =>  m in S,
//                                                    at most one label of each exclusive group in
//                                                    S, exactly one label of each label set in S
//
// Exact in each of three ways, by the form of the rules:
//   forest   every label implies at most one other directly, without circles, and the groups are
//            among children of one label, or among labels at the top: dynamic programming from the
//            leaves up, O(L) per row.
//   closure  any implications, without groups: a closure of greatest weight is a minimum cut
//            (Picard, "Maximal closure of a graph", Management Science 22, 1976), found by Dinic's
//            method on the labels of positive weight and those that they imply.
//   both     implications and any groups: finding the best set is hard in general (a graph's
//            independent sets are a case of it). Branch and bound with the closure as the bound: of
//            a group with several chosen labels one stays, each in turn. Exact unless a row takes
//            more than k_most_branches, whereafter the best set found so far counts; exact() tells.
// Equal weights: the same set each time, whatever the threads.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "mulberry/data/label_rules.hpp"

namespace mulberry::model {

class ConsistentSets {
 public:
  static constexpr Index k_most_branches = 10'000;

  ConsistentSets(const LabelRules& rules, const LabelSets& sets, Index labels);

  bool allows(std::span<const Id> set) const;  // in increasing order
  // The best set, in increasing order. Throws Error if no set obeys the rules, which only label
  // sets can bring about. May be called from several threads.
  std::vector<Id> best(std::span<const double> weights) const;

  bool exact() const { return exact_; }  // of all calls so far

 private:
  struct Group {
    std::vector<Id> members = {};
    bool needed = false;  // exactly one instead of at most one
  };
  struct Search;

  void plan_forest();
  std::vector<Id> best_of_forest(std::span<const double> weights) const;
  std::vector<Id> best_of_all(std::span<const double> weights) const;

  Index labels_;
  std::vector<std::vector<Id>> implied_;   // directly, of each label
  std::vector<std::vector<Id>> implying_;  // the other direction
  std::vector<Group> groups_;
  std::vector<std::vector<Id>> groups_of_;  // of each label

  // The plan of a forest: labels below others first; of each label, and of none (the last entry),
  // its children in no group, and the groups of its children.
  bool forest_ = false;
  std::vector<Id> order_;
  std::vector<std::vector<Id>> single_children_, child_groups_;
  mutable std::atomic<bool> exact_ = true;
};

}  // namespace mulberry::model

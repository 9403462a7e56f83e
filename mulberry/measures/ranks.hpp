// Ranks of the relevant entries among all entries of a list of scores: the labels of a row, or the
// rows of a label. Every ranking measure and AUC follows from them.
//
// Only relevant entries are sorted; the others are counted into the gaps between them, so a list of
// m scores with a relevant ones usually costs O(m + a log a).
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/measures/convention.hpp"
#include "mulberry/measures/score_index.hpp"

namespace mulberry::measures {

// Equal scores, at least one of them relevant.
struct TieGroup {
  Index above;           // entries with a higher score
  Index relevant_above;  // relevant ones among them
  Index size;            // entries of the group
  Index relevant;        // relevant ones among them
  Index first;           // into Ranks::position
};

struct Ranks {
  Index observed = 0;            // entries that are not missing
  Index relevant = 0;            // of them
  std::vector<TieGroup> groups;  // best score first
  // Of relevant entries, by group and then by index; only filled on request (`positions`).
  std::vector<Index> position;  // in the group, by index, from 0
  std::vector<Index> entry;     // in the list
};

// Keeps its buffers between calls; one per thread.
class Ranker {
 public:
  // positions: also fill position and entry, which the ties first and last and propensities need.
  explicit Ranker(bool positions) : positions_(positions) {}

  // Every entry has a finite score. relevant and missing: increasing indices, disjoint.
  const Ranks& dense(std::span<const double> scores, std::span<const Id> relevant,
                     std::span<const Id> missing);
  // Only some of `size` entries have a score; the others tie below all of them.
  const Ranks& top(SparseRow scores, Index size, std::span<const Id> relevant,
                   std::span<const Id> missing);

 private:
  void rank(std::span<const double> scores, std::span<const Id> relevant);
  void count_each(std::span<const double> scores);
  void count_all(std::span<const double> scores);
  void locate(std::span<const double> scores, std::span<const Id> relevant);
  void locate_mixed(std::span<const double> scores, std::span<const Id> relevant);

  bool positions_;
  Ranks ranks_;
  std::vector<double> values_, distinct_, kept_scores_;
  std::vector<Id> kept_relevant_, kept_index_;
  std::vector<Index> relevant_at_, above_, equal_, between_, next_, seen_;
  ScoreIndex index_;
  ScoreSorter sorter_;
};

// Measures of one list. All need at least one relevant entry; ranking_loss_of and auc_of also an
// irrelevant one.
double ranking_loss_of(const Ranks& ranks, Ties ties);
double depth_of(const Ranks& ranks, Ties ties);  // rank of the last relevant entry, from 1
double one_error_of(const Ranks& ranks, Ties ties);
double average_precision_of(const Ranks& ranks, Ties ties);
double auc_of(const Ranks& ranks, double tie);  // tie: what a tied pair counts

// visit(rank from 1, weight, member) for the ranks that relevant entries of a group take; the
// weights of a group add up to its relevant entries. member counts the relevant entries by index;
// -1 where the weight is shared by all of them.
template <class Visit>
void for_ranks(const Ranks& ranks, const TieGroup& g, Ties ties, Index limit, const Visit& visit) {
  const double share = static_cast<double>(g.relevant) / static_cast<double>(g.size);
  switch (ties) {
    case Ties::worst:
      if (g.above + g.size <= limit) {
        visit(g.above + g.size, static_cast<double>(g.relevant), Index{-1});
      }
      return;
    case Ties::average:
    case Ties::best: {
      const bool best = ties == Ties::best;
      const Index taken = std::min(best ? g.relevant : g.size, limit - g.above);
      for (Index t = 1; t <= taken; ++t) visit(g.above + t, best ? 1.0 : share, Index{-1});
      return;
    }
    case Ties::first:
    case Ties::last:
      for (Index j = 0; j < g.relevant; ++j) {
        const Index p = ranks.position[at(g.first + j)];
        const Index rank = g.above + (ties == Ties::first ? p + 1 : g.size - p);
        if (rank <= limit) visit(rank, 1.0, j);
      }
      return;
  }
}

}  // namespace mulberry::measures

// Candidates: the rows that may still be among the k nearest of one row, given bounds of their
// distances. Used by the dense and the sparse search of neighbours.hpp.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

struct Candidate {
  double low, high;  // bounds of the squared distance; equal if it is known exactly
  Id row;
};

class Candidates {
 public:
  // The largest lower bound that still matters.
  double limit() const { return limit_; }
  // Announces that k rows, yet to be added, have an upper bound of at most this.
  void tighten(double limit) { limit_ = std::min(limit_, limit); }

  void add(const Candidate& c, Index k) {
    kept_.push_back(c);
    if (kept_.size() >= room_) prune(k);
  }

  // Drops rows that are certainly behind k others. Only bounds decide, so neither the order of
  // add() nor the times of pruning change the final result.
  void prune(Index k) {
    const auto count = at(k);
    if (kept_.size() > count) {
      const auto kth = kept_.begin() + (k - 1);
      std::nth_element(kept_.begin(), kth, kept_.end(), before);
      const Candidate last = *kth;
      limit_ = last.high;
      std::erase_if(kept_, [&](const Candidate& c) {
        // An exact tie goes to the lower row; overlapping intervals stay.
        const bool tie = c.low == last.high && c.low == c.high && last.low == last.high;
        return tie ? c.row > last.row : c.low > last.high;
      });
    }
    room_ = std::max<std::size_t>(2 * kept_.size(), 2 * count + 8);
    kept_.reserve(room_);
  }

  const std::vector<Candidate>& kept() const { return kept_; }
  void clear() {
    kept_.clear();
    limit_ = std::numeric_limits<double>::infinity();
    room_ = 0;
  }

 private:
  static bool before(const Candidate& a, const Candidate& b) {
    return a.high != b.high ? a.high < b.high : a.row < b.row;
  }

  std::vector<Candidate> kept_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::size_t room_ = 0;
};

// Squared lengths of rows and facts about products between them.
struct Lengths {
  std::vector<double> norm2 = {};  // one per row
  double largest = 0;
  Index terms = 0;    // largest number of terms in a product of two rows
  bool whole = true;  // every value is a whole number
};
Lengths lengths_of(const Features& x);

// All pairs by blocked products; `query` may be `train`, which then excludes each row from its own
// neighbours.
std::vector<Candidates> dense_candidates(const Features& train, const Features& query, Index k,
                                         const Context& ctx);
// As above, by an inverted index; calls take(i, candidates) for each row of the query, from any
// thread.
void sparse_candidates(const Features& train, const Features& query, Index k, const Context& ctx,
                       const std::function<void(Index, Candidates&)>& take);

}  // namespace mulberry::math

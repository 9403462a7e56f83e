// The rounds of a MAHR model: the contribution of each label in each round, and how to replay them.
//
//   h(x) = clip(own * stump(x) + sum over helpers k of weight_k * sign(H_k(x)), -1, 1)
//   H_l(x) += alpha h(x)
//
// where H_k are the scores after the previous round and sign(0) = +1. Replaying takes the rounds in
// order for all labels, one block of rows at a time: O(rounds x labels x (1 + helpers)) per row.
#pragma once

#include <vector>

#include "mulberry/core/archive.hpp"
#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/trees/decision_stump.hpp"

namespace mulberry::learners::mahr {

inline double sign_of(double score) { return score >= 0 ? 1.0 : -1.0; }

// The mix of a label in a round.
struct Mix {
  double own = 1;                    // weight of its stump
  std::vector<Id> helpers = {};      // other labels
  std::vector<double> weights = {};  // their weights; negative: the opposite of their answer

  bool is_stump() const { return own == 1 && helpers.empty(); }
};

class Rounds {
 public:
  Rounds() = default;
  // `start`: scores before the first round, one per label.
  Rounds(Index columns, std::vector<double> start) : columns_(columns), start_(std::move(start)) {}

  Index labels() const { return static_cast<Index>(start_.size()); }
  Index columns() const { return columns_; }
  Index count() const {
    return start_.empty() ? 0 : static_cast<Index>(alpha_.size() / start_.size());
  }
  // The next label of the current round, in the order of labels.
  void add(double alpha, const Stump& stump, const Mix& mix);
  void keep(Index rounds);  // drops the later ones

  double alpha(Index round, Index label) const { return alpha_[at(round, label)]; }
  double own(Index round, Index label) const { return own_[at(round, label)]; }
  // Whether a label has no stump and took no step, as in the rounds after it has finished.
  bool rested(Index round, Index label) const {
    return alpha_[at(round, label)] == 0 && column_[at(round, label)] < 0;
  }
  // The weight of a helper, 0 if it did not help.
  double helper_weight(Index round, Index label, Index helper) const;

  Matrix start(Index rows) const;  // the scores of this many rows before the first round
  // Adds rounds begin .. end - 1 to the scores (rows x labels) after the earlier rounds.
  void advance(const Features& x, Index begin, Index end, Matrix& scores, const Context& ctx) const;
  // As above, for one row.
  void advance_row(const Features& x, Index row, Index begin, Index end, std::span<double> scores,
                   const Context& ctx) const;

  template <class V>
  void visit(V& v) {
    v("columns", columns_, exactly(v.features()));
    v("start", start_, finite().length(v.outputs()));
    v("alpha", alpha_, finite());
    const Index size = count_of(alpha_);
    v("own", own_, finite().length(size));
    v("column", column_, whole(-1, v.features() - 1).length(size));
    v("cut", cut_, finite_or_infinite().length(size));
    v("answers", answers_, whole(-1, 1).length(3 * size));
    v("helper_start", helper_start_, any_count().length(size + 1));
    v("helper", helper_, below(v.outputs()));
    v("helper_weight", helper_weight_, finite().length(count_of(helper_)));
    v.require(!start_.empty() && size % count_of(start_) == 0, "alpha",
              "needs one number per round and label");
    v.require(are_offsets(helper_start_, helper_.size()), "helper_start",
              "does not cut the helpers into parts");
  }

 private:
  std::size_t at(Index round, Index label) const { return core::at(round * labels() + label); }
  Stump stump(std::size_t k) const;
  void advance_rows(const Features& x, Index first, Index last, Index begin, Index end,
                    double* block, const Context& ctx) const;

  Index columns_ = 0;
  std::vector<double> start_;
  // One per round and label.
  std::vector<double> alpha_, own_;
  std::vector<Id> column_;
  std::vector<double> cut_;
  std::vector<std::int8_t> answers_;       // three each: at or below the cut, above it, missing
  std::vector<Index> helper_start_ = {0};  // one more
  std::vector<Id> helper_;
  std::vector<double> helper_weight_;
};

}  // namespace mulberry::learners::mahr

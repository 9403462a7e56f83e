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
#include "mulberry/core/context.hpp"
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
    v("columns", columns_);
    v("start", start_);
    v("alpha", alpha_);
    v("own", own_);
    v("column", column_);
    v("cut", cut_);
    v("answers", answers_);
    v("helper_start", helper_start_);
    v("helper", helper_);
    v("helper_weight", helper_weight_);
    v.check([this](const ArchiveReader& in) { require_sound(in); });
  }

 private:
  std::size_t at(Index round, Index label) const {
    return static_cast<std::size_t>(round * labels() + label);
  }
  Stump stump(std::size_t k) const;
  void advance_rows(const Features& x, Index first, Index last, Index begin, Index end,
                    double* block, const Context& ctx) const;
  void require_sound(const ArchiveReader& in) const;

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

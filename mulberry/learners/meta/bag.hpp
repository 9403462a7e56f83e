// Bag: several models of one learner, each trained on a separate sample of the rows with a separate
// seed, and their common answer. Cost: as many fits of the learner as there are members, in
// parallel.
#pragma once

#include <vector>

#include "mulberry/core/params.hpp"
#include "mulberry/learners/common/parts.hpp"
#include "mulberry/model/fitted_learner.hpp"
#include "mulberry/resample/row_draws.hpp"

namespace mulberry::learners {

enum class BagSample { bootstrap, subset, all };
enum class BagAnswer { votes, scores, mixed };

// The number of members, under the name that the learner gives to it.
template <class Params>
auto member_count(const char* name, Index Params::* count, const char* sentence) {
  return field(name, count, sentence, between(1, 10000).search(5, 100));
}

struct BagParams {
  BagSample sample = BagSample::bootstrap;
  BagAnswer answer = BagAnswer::mixed;

  static Fields fields() {
    return Fields{
        choice("sample", &BagParams::sample,
               "rows of a member: as many as there are, drawn by weight with replacement; 67 % "
               "without; or all",
               {"bootstrap", "subset", "all"}),
        choice("answer", &BagParams::answer,
               "score: the share of members that say yes, or the mean of their scores; mixed: the "
               "mean of their scores, with decisions by votes",
               {"votes", "scores", "mixed"})};
  }
  // The tags of a bag whose members have these tags.
  Tags tags(Tags member) const {
    member.probabilities = member.probabilities && answer != BagAnswer::votes;
    member.labels_apart = false;  // which rows a member sees depends on all labels
    return member;
  }
};

// A row that was drawn k times: k rows, or one of k times the weight, for learners to which that is
// the same and which take less time over fewer rows.
enum class Repeats { rows, weights };

// What a bag of this many members takes.
MemoryNeed bag_need(const CompleteSpec& learner, Index members, const BagParams& params,
                    const Extent& extent, Repeats repeats = Repeats::rows);

// The rows of member m. A bootstrap draws them by weight; a subset is drawn evenly, and its rows
// keep their weights. A row of weight 0 is never drawn.
std::vector<Id> bag_rows(BagSample sample, const RowDraws& draws, Index m, const Context& ctx);

class Bag {
 public:
  Bag() = default;
  Bag(const CompleteSpec& learner, Index members, const View& view, const BagParams& params,
      const Context& ctx, Repeats repeats = Repeats::rows);

  Prediction predict(const View& view, const Context& ctx) const;
  Summary summary() const { return summary_of_parts(members_); }

  template <class V>
  void visit(V& v) {
    v("answer", answer_, up_to(BagAnswer::mixed));
    v("members", members_);
    v.require(!members_.empty(), "members", "is empty");
  }

 private:
  BagAnswer answer_ = BagAnswer::votes;
  std::vector<FittedLearner> members_;
};

}  // namespace mulberry::learners

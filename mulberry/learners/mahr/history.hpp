// The history of MAHR: the rounds so far, and which labels helped which.
#pragma once

#include <span>

#include "mulberry/learners/mahr/rounds.hpp"

namespace mulberry::learners::mahr {

// The contribution of a label in a round.
struct Step {
  Stump stump = {};
  Mix mix = {};
  double alpha = 0;
};

class History {
 public:
  History(Rounds rounds, Matrix reuse) : rounds_(std::move(rounds)), reuse_(std::move(reuse)) {}

  // A round: one step for each of the labels that learn, in increasing order; the others add
  // nothing. `signs` (labels x rows) holds the labels' answers before it: labels with the same, or
  // the opposite, answer on every row share the credit of a helper.
  void add(std::span<const Id> learning, std::span<const Step> steps, MatrixView signs);

  const Rounds& rounds() const { return rounds_; }
  // Rows learn, columns help: sums of alpha times weight from the second round on.
  const Matrix& reuse() const { return reuse_; }
  double reused() const { return reused_; }  // share of labels that reused in the last round

 private:
  Rounds rounds_;
  Matrix reuse_;
  double reused_ = 0;
};

// Labels whose signs agree on every row, or disagree on every row, are one helper: for each label
// the first of its group and whether it agrees with it.
struct Twins {
  std::vector<Id> first = {};
  std::vector<double> agrees = {};            // +1 or -1
  std::vector<std::vector<Id>> members = {};  // of the group that starts at a label; else empty
};
Twins find_twins(MatrixView signs);

}  // namespace mulberry::learners::mahr

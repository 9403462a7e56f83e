// Ranking the assigned labels of one row above its other labels: losses, and the steps of dual
// ascent that change one row's coefficients while all others stay fixed.
//
// With scores s of the row, and h_kl = max(0, 1 - s_k + s_l) for assigned k and unassigned l,
//
//   group   sum_l sqrt(sum_k h_kl^2)     an unassigned label that beats many assigned ones at once
//                                        costs little more than one that beats a few
//   sum     sum_l sum_k h_kl
//
// The dual of a row is a matrix gamma >= 0, assigned x unassigned, whose columns have length <= 1
// (group) or whose entries are <= 1 (sum). The coefficient of an assigned label is C times its row
// sum, the coefficient of an unassigned label is minus C times its column sum. Scores given to the
// steps exclude the row's own contribution, and `self` is the kernel of the row with itself.
// Cost: O(a b) for a assigned and b unassigned labels, times the steps taken in exact_step.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::learners {

enum class PairLoss { group, sum };

// One row's problem.
struct PairProblem {
  std::span<const double> assigned = {};    // scores of the assigned labels
  std::span<const double> unassigned = {};  // and of the others
  double C = 1;
  double self = 0;
};

// The result of a step: the coefficients without their signs, in the order of the problem.
struct PairCoefficients {
  std::vector<double> assigned = {}, unassigned = {};
};

double pair_loss(PairLoss loss, const PairProblem& row);

// MLR-GL's approximation: the row's own quadratic term is replaced by C self eta |gamma|^2, which
// makes its columns independent of each other.
void approximate_group_step(const PairProblem& row, double eta, PairCoefficients& out);

// MLR-L1's relaxation: coefficients within 0 .. C b (assigned) and 0 .. C a (unassigned), with
// equal sums, whether or not some gamma produces them. Exact if a or b is 1.
void relaxed_sum_step(const PairProblem& row, PairCoefficients& out);

// The nearest gamma (a x b, row-major) that the loss allows.
void project_pairs(PairLoss loss, std::size_t a, std::size_t b, std::span<double> gamma);
// C times the sums of its rows and columns.
void add_up_pairs(std::size_t a, std::size_t b, std::span<const double> gamma, double C,
                  PairCoefficients& out);

// Improves gamma by up to `steps` accelerated projected gradient steps, until it
// moves by no more than 1e-10. The row's objective never decreases; with one step it is the plain
// gradient step.
void exact_step(PairLoss loss, const PairProblem& row, Index steps, std::span<double> gamma,
                PairCoefficients& out);

}  // namespace mulberry::learners

// Ranks of learners over data sets, and the tests that are built on them.
//
// Friedman's test asks whether any learner differs from the others. Nemenyi's test then compares
// all pairs by their mean ranks. Its verdict on two learners depends on which other learners are in
// the table (Benavoli, Corani and Mangili 2016), so our tables use Wilcoxon's test
// (signed_rank.hpp) unless Nemenyi's is asked for.
#pragma once

#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/core/rooms.hpp"

namespace mulberry::compare {

// Gains are sets x learners, and more is better; infinities are allowed.

// In each row 1 is the best; equal values share the mean of their ranks.
Matrix rank_rows(MatrixView gains);
std::vector<double> mean_ranks(MatrixView ranks);

// Friedman's chi-square, corrected for ties, and the less conservative F of Iman and Davenport. NaN
// with p = 1 if all values of every row are equal; NaN throughout for fewer than 2 learners or
// sets.
struct FriedmanTest {
  double chi_square = 0, chi_square_p = 0;
  double f = 0, f_p = 0;
  double freedom = 0, freedom_below = 0;  // of F; the first also of chi-square
};
FriedmanTest friedman(MatrixView gains);

// The range of `count` independent normal values (deviation 1): P(range > q), and its inverse. The
// studentised range with infinitely many degrees of freedom.
double range_tail(double q, Index count);
double range_quantile(double tail, Index count);  // tail in (0, 1): the q with that tail

// Two mean ranks over `sets` data sets differ at level alpha if they are further apart than this.
double critical_difference(Index learners, Index sets, double alpha);
// Learners x learners: p-values of all pairs, 1 on the diagonal.
Matrix nemenyi(MatrixView gains);

}  // namespace mulberry::compare

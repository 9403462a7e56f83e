// The reuse step of MAHR: how a label mixes its own stump with what the other labels say.
//
//   best_edge   the hypothesis with the largest edge alone: its own stump, or sign(H_k) or
//               -sign(H_k) of another label when that is better by more than `price`
//   clip        weights of all of them by a linear programme (hinge loss plus rho for each unit of
//               reuse), the sum cut to [-1, 1]
//   normalised  the same weights divided by their sum
//   none        its own stump
//
// The edge of a hypothesis is sum_i D_i y_i h_i, D summing to 1. With best_edge and clip the edge
// of the mix is never below that of the stump.
#pragma once

#include <span>

#include "mulberry/core/matrix.hpp"
#include "mulberry/learners/mahr_rounds.hpp"

namespace mulberry::mahr {

enum class Reuse { best_edge, clip, normalised, none };

// Ties go to the stump, then to the lowest label. `edges` has one number a label; `label` itself is
// no candidate.
Mix best_edge(double own_edge, std::span<const double> edges, Index label, double price);

// By the linear programme. `weights` are D_i y_i of the rows, `own` the stump's answers; `signs` is
// labels x rows.
Mix by_programme(std::span<const double> weights, std::span<const double> own, const Matrix& signs,
                 Index label, double rho, bool normalised);

// Half the logarithm of the odds of an edge r = 2 gamma, kept finite: gamma is at most
// 1/2 - 1/(2 rows). 0 where there is no edge to speak of.
double step_of(double gamma, Index rows);

// Labels whose signs agree on every row, or disagree on every row, are one helper: for each label
// the first of its group and whether it agrees with it.
struct Twins {
  std::vector<Id> first = {};
  std::vector<double> agrees = {};            // +1 or -1
  std::vector<std::vector<Id>> members = {};  // of the group that starts at a label; else empty
};
Twins find_twins(const Matrix& signs);

}  // namespace mulberry::mahr

// The reuse step of MAHR: how a label mixes its own stump with the answers of the other labels.
//
//   best_edge   the hypothesis with the largest edge alone: its own stump, or sign(H_k) or
//               -sign(H_k) of another label if that is better by more than `price`
//   clip        weights of all of them by a linear programme (hinge loss plus rho for each unit of
//               reuse), the sum cut to [-1, 1]
//   normalised  the weights of clip divided by their sum
//   none        its own stump
//
// The edge of a hypothesis is sum_i D_i y_i h_i, D summing to 1. With best_edge and clip the edge
// of the mix is never below the edge of the stump.
//
// That is for the Hamming loss. For the ranking loss, label l of row i is compared with every label
// j of the other kind: hinge losses max(0, 1 - y (h - sign(H_j))), so that being right counts twice
// if j is on the wrong side. Row weights D are kept and shared among the pairs of a row; the
// programme has right-hand sides 0 and 2, and best_edge takes the hypothesis with the cheapest
// mistakes.
#pragma once

#include <span>

#include "mulberry/core/matrix.hpp"
#include "mulberry/learners/mahr/rounds.hpp"

namespace mulberry::learners::mahr {

enum class Reuse { best_edge, clip, normalised, none };
enum class Loss { hamming, ranking };

// Stumps of the labels that have reused nothing so far, by label and round: they do not depend on
// the price of reuse, so boosters that differ in nothing else share them, one after another.
using OwnStumps = std::vector<std::vector<Stump>>;

struct Settings {
  Reuse reuse = Reuse::best_edge;
  Loss loss = Loss::hamming;
  double kappa = 0;  // price of reuse for best_edge, in units of the sampling error of an edge
  // best_edge: a helper must not say what the label itself says so far for every row, nor its
  // opposite. Without this a label spends rounds on repeating itself by way of its twins.
  bool must_differ = false;
  double rho = 0.1;  // price of reuse for clip and normalised
  StumpCriterion criterion = StumpCriterion::entropy;
  Index bins = 0;               // as StumpColumns
  OwnStumps* shared = nullptr;  // of a Booster that starts with no rounds
};

// Ties go to the stump, then to the lowest label. `edges` has one number per label; `label` is no
// candidate.
Mix best_edge(double own_edge, std::span<const double> edges, Index label, double price);

// By the linear programme. `weights` are D_i y_i of the rows, `own` the stump's answers; `signs` is
// labels x rows. `ahead`: the row of share_ahead for this label, for the ranking loss; otherwise
// empty.
Mix by_programme(std::span<const double> weights, std::span<const double> own, MatrixView signs,
                 std::span<const double> ahead, Index label, const Settings& settings);

// labels x rows: among the labels of a row that are of the other kind (yes for a no), the share
// whose sign is wrongly on this label's side; -1 if there is no such label.
Matrix share_ahead(MatrixView truth, MatrixView signs);

// The mixes of the labels that learn. `weighted` has a row D y for each of them, sizes summing to
// 1, `own` the answers of their stumps and `own_edges` their edges; `signs` and `truth` (0:
// missing) have a row for every label.
std::vector<Mix> choose_mixes(const Settings& settings, MatrixView weighted, MatrixView own,
                              std::span<const double> own_edges, MatrixView signs, MatrixView truth,
                              std::span<const Id> learning, const Context& ctx);
// Turns the answers of a stump into the answers of the mix.
void apply_mix(const Mix& mix, MatrixView signs, std::span<double> answers);

// Half the logarithm of the odds of an edge r = 2 gamma, kept finite: gamma is at most
// 1/2 - 1/(2 rows). 0 if there is practically no edge.
double step_of(double gamma, double rows);

}  // namespace mulberry::learners::mahr

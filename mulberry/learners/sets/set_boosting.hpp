// The arithmetic of boosting over label sets, apart from the classifiers: draws,
// errors, votes and weights of rows. See dsml.cpp for the algorithm.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/random.hpp"

namespace mulberry::learners {

// How many times each row is drawn, in as many draws as there are rows, with replacement and in
// proportion to `weights`.
std::vector<double> draw_counts(std::span<const double> weights, Random random);

// The share of `mass` on rows that are wrong.
double wrong_share(std::span<const double> mass, std::span<const std::uint8_t> wrong);

// A round is worse than chance if its error is above (classes - 1) / classes by more than rounding.
bool worse_than_chance(double error, Id classes);

// The weight of a round's vote, (ln((1 - e) / e) + ln(classes - 1)) / classes, never below 0; the
// error is first kept 1 / (2 rows) away from 0 and 1.
double vote_weight(double error, Id classes, double rows);

// weights_i *= exp(vote [wrong_i]) factor^(others_wrong_i), then scaled to sum 1.
void reweigh(std::vector<double>& weights, double vote, std::span<const std::uint8_t> wrong,
             double factor, std::span<const int> others_wrong);

}  // namespace mulberry::learners

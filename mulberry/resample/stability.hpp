// How firm a matrix of scores is: found again and again on resampled rows, what comes back?
#pragma once

#include <functional>
#include <span>

#include "mulberry/core/context.hpp"

namespace mulberry::resample {

enum class Resample {
  bootstrap,  // as many rows, drawn with replacement
  halves,     // a random half and then the other half: no row twice, no row in both
  folds       // the rows in as many random parts as repeats: all parts but one
};

struct Stability {
  Index repeats = 0;
  // Share of the repeats in which a score had the sign of the first one and at least the size asked
  // for; mean and deviation over the repeats in which it was known (NaN for fewer than two).
  Matrix agreement = {}, mean = {}, deviation = {};
};

// Folds need two repeats at least, and as many rows. `score_again` gives the scores found on some
// of the rows, in increasing order; NaN: not known. Cost: `repeats` calls, one after another.
Stability repeat_scores(
    MatrixView score, double least, Index rows, Index repeats, Resample resample,
    const std::function<Matrix(std::span<const Id> rows, const Context&)>& score_again,
    const Context& ctx);

}  // namespace mulberry::resample

// How stable a matrix of scores is: the scores are computed again on resampled rows and compared.
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
  // Share of the repeats in which a score had the sign of the original and at least the required
  // size; mean and deviation over the repeats in which it was known (NaN for fewer than two).
  Matrix agreement = {}, mean = {}, deviation = {};
};

// Folds need at least two repeats, and as many rows. `score_again` returns the scores from some of
// the rows, given in increasing order; NaN: not known. Cost: `repeats` calls, one after another.
Stability repeat_scores(
    MatrixView score, double least, Index rows, Index repeats, Resample resample,
    const std::function<Matrix(std::span<const Id> rows, const Context&)>& score_again,
    const Context& ctx);

}  // namespace mulberry::resample

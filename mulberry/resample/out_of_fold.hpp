// Out-of-fold scores: every row scored by a model that has not seen it. Knows no learner; takes a
// callable that trains on one part of the rows and scores the other.
#pragma once

#include <atomic>
#include <limits>
#include <span>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::resample {

// run(fold, f, ctx) returns one row of `columns` scores for each row of fold.test, in that order;
// folds may run at the same time. The result has `rows` rows: the mean over the folds that tested a
// row, NaN for a row that none did. The same bits for any number of threads.
template <class Run>
Matrix out_of_fold(std::span<const Fold> folds, Index rows, Index columns, const Context& ctx,
                   const Run& run) {
  std::vector<Matrix> scores(folds.size());
  std::atomic<Index> done = 0;
  parallel_for(ctx, static_cast<Index>(folds.size()), [&](Index f) {
    const auto k = static_cast<std::size_t>(f);
    scores[k] = run(folds[k], f, ctx.quiet());
    ctx.step(static_cast<double>(++done) / static_cast<double>(folds.size()));
  });
  Matrix out(rows, columns, 0.0);
  std::vector<Index> times(static_cast<std::size_t>(rows), 0);
  double* total = out.data();
  for (std::size_t f = 0; f < folds.size(); ++f) {
    MatrixView part = scores[f];
    MULBERRY_ASSERT(part.cols() == columns);
    MULBERRY_ASSERT(part.rows() == static_cast<Index>(folds[f].test.size()));
    for (Index k = 0; k < part.rows(); ++k) {
      const Id i = folds[f].test[static_cast<std::size_t>(k)];
      ++times[static_cast<std::size_t>(i)];
      for (Index l = 0; l < columns; ++l) total[i * columns + l] += part(k, l);
    }
  }
  for (Index i = 0; i < rows; ++i) {
    const Index count = times[static_cast<std::size_t>(i)];
    const double factor =
        count > 0 ? 1.0 / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
    for (Index l = 0; count != 1 && l < columns; ++l) total[i * columns + l] *= factor;
  }
  return out;
}

}  // namespace mulberry::resample

// Out-of-fold scores: every row scored by a model that has not seen it. Knows no learners; takes a
// callable that trains on one part of the rows and scores the other.
#pragma once

#include <atomic>
#include <limits>
#include <span>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::resample {

// run(fold, f, ctx) returns one row of `columns` scores for each row of fold.test, in that order;
// folds may run at the same time. The result has `rows` rows: the mean over the folds that tested a
// row, NaN for a row that none tested. The bits do not depend on the number of threads.
template <class Run>
Matrix out_of_fold(std::span<const Fold> folds, Index rows, Index columns, const Context& ctx,
                   const Run& run) {
  std::vector<Matrix> scores(folds.size());
  std::atomic<Index> done = 0;
  parallel_for(ctx, count_of(folds), [&](Index f) {
    const auto k = at(f);
    scores[k] = run(folds[k], f, ctx.quiet());
    ctx.step(static_cast<double>(++done) / static_cast<double>(folds.size()));
  });
  Matrix out(rows, columns, 0.0);
  std::vector<Index> times(at(rows), 0);
  double* total = out.data();
  for (std::size_t f = 0; f < folds.size(); ++f) {
    MatrixView part = scores[f];
    MULBERRY_ASSERT(part.cols() == columns);
    MULBERRY_ASSERT(part.rows() == count_of(folds[f].test));
    for (Index k = 0; k < part.rows(); ++k) {
      const Id i = folds[f].test[at(k)];
      ++times[at(i)];
      for (Index l = 0; l < columns; ++l) total[i * columns + l] += part(k, l);
    }
  }
  for (Index i = 0; i < rows; ++i) {
    const Index count = times[at(i)];
    const double factor =
        count > 0 ? 1.0 / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
    for (Index l = 0; count != 1 && l < columns; ++l) total[i * columns + l] *= factor;
  }
  return out;
}

}  // namespace mulberry::resample

// Calibration: from scores to probabilities, label by label. Learnt from scores of rows that the
// scoring model has not seen (out-of-fold). O(n log n) per label, parallel over labels.
//
//   platt     p = 1 / (1 + exp(a s + b)), by maximum likelihood on smoothed targets (Platt 1999, in
//             the numerically safe form of Lin, Lin and Weng, Machine Learning 2007); a <= 0, so
//             that a higher score is never less probable, unlike theirs, which may fall
//   isotonic  the non-decreasing function of least squared error (pool adjacent violators), linear
//             between its steps, constant outside the scores seen
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

enum class CalibrationMethod { platt, isotonic };

struct Calibration {
  CalibrationMethod method = CalibrationMethod::platt;
  std::vector<double> a = {}, b = {};  // of platt, one per label
  std::vector<Index> start = {};       // of isotonic: knots of label l are start[l] .. start[l + 1]
  std::vector<double> score = {}, probability = {};  // the knots, scores increasing

  Index labels() const;
  double apply(double value, Index label) const;
  Matrix apply(MatrixView scores, const Context& ctx) const;

  template <class V>
  void visit(V& v) {
    v("method", method, up_to(CalibrationMethod::isotonic));
    const bool steps = method == CalibrationMethod::isotonic;
    v("a", a, finite().length(steps ? 0 : v.outputs()));
    v("b", b, finite().length(steps ? 0 : v.outputs()));
    v("start", start, any_count().length(steps ? v.outputs() + 1 : 0));
    v("score", score, finite());
    v("probability", probability, finite().length(count_of(score)));
    v.require(!steps || are_offsets(start, score.size()), "start",
              "does not cut the knots into labels");
  }
};

// scores and truth: the same rows and labels; missing cells do not enter. A label without any
// observed cell gets probability 1/2 throughout. `weights`: of the rows, or empty: all 1; a row of
// weight 2 counts as two.
Calibration learn_calibration(MatrixView scores, const Labels& truth, CalibrationMethod method,
                              const Context& ctx, std::span<const double> weights = {});

}  // namespace mulberry::resample

#include "mulberry/resample/stability.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/statistics/summaries.hpp"

namespace mulberry::resample {
namespace {

std::vector<Id> draw(Index rows, Index repeat, Index repeats, Resample resample,
                     const Context& ctx) {
  std::vector<Id> out(at(rows));
  if (resample == Resample::bootstrap) {
    Random random = ctx.rng("stability.bootstrap", static_cast<std::uint64_t>(repeat));
    for (Id& i : out) i = static_cast<Id>(random.below(rows));
  } else if (resample == Resample::folds) {
    Random random = ctx.rng("stability.folds");
    std::iota(out.begin(), out.end(), 0);
    random.shuffle(std::span(out));
    const auto border = [&](Index part) { return out.begin() + part * rows / repeats; };
    out.erase(border(repeat), border(repeat + 1));
  } else {
    Random random = ctx.rng("stability.halves", static_cast<std::uint64_t>(repeat / 2));
    std::iota(out.begin(), out.end(), 0);
    random.shuffle(std::span(out));
    const auto half = out.begin() + static_cast<std::ptrdiff_t>(rows / 2);
    repeat % 2 == 0 ? out.erase(half, out.end()) : out.erase(out.begin(), half);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Stability repeat_scores(
    MatrixView score, double least, Index rows, Index repeats, Resample resample,
    const std::function<Matrix(std::span<const Id> rows, const Context&)>& score_again,
    const Context& ctx) {
  MULBERRY_ASSERT(resample != Resample::folds || (repeats >= 2 && repeats <= rows));
  std::vector<std::vector<double>> found(at(score.size()));
  const auto all = static_cast<double>(repeats);
  for (Index r = 0; r < repeats; ++r) {
    const auto done = static_cast<double>(r);
    const Matrix again =
        score_again(draw(rows, r, repeats, resample, ctx), ctx.part(done / all, (done + 1) / all));
    MULBERRY_ASSERT(again.rows() == score.rows() && again.cols() == score.cols());
    for (Index k = 0; k < score.size(); ++k) {
      const double v = again.data()[k];
      if (std::isfinite(v)) found[at(k)].push_back(v);
    }
  }
  const Index n = score.rows(), m = score.cols();
  Stability out{repeats, Matrix(n, m), Matrix(n, m), Matrix(n, m)};
  for (Index k = 0; k < score.size(); ++k) {
    const auto& values = found[at(k)];
    const double first = score.data()[k];
    const auto seen = std::count_if(values.begin(), values.end(), [&](double v) {
      return std::abs(v) >= least && v * first > 0;
    });
    out.agreement.data()[k] = repeats > 0 ? static_cast<double>(seen) / all : 0.0;
    out.mean.data()[k] = mean_of(values);
    out.deviation.data()[k] = deviation_of(values);
  }
  return out;
}

}  // namespace mulberry::resample

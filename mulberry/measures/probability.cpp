#include "mulberry/measures/probability.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::measures {
namespace {

constexpr double k_clip = 0x1p-52;  // keeps the log loss of a certain mistake finite: about 36

struct Bin {
  double cells = 0, probability = 0, positives = 0;
};

}  // namespace

Probability measure_probability(const Labels& truth, const Outcome& outcome, Index bins,
                                const Selection& wanted, const Context& ctx) {
  MatrixView scores = *outcome.scores;
  const Index n = truth.rows();
  RowRatio log_loss("log_loss", n), brier("brier_score", n);
  const bool with_log = wanted.has("log_loss");

  using Bins = std::vector<Bin>;
  const auto measure_rows = [&](Index begin, Index end) {
    Bins part(at(bins));
    for (Index i = begin; i < end; ++i) {
      ctx.check();
      const auto row = scores.row(i);
      const auto positive = truth.row(i), missing = truth.missing_row(i);
      auto yes = positive.begin();
      auto gap = missing.begin();
      double loss = 0, squares = 0;
      for (Index l = 0; l < truth.count(); ++l) {
        if (gap != missing.end() && *gap == l) {
          ++gap;
          continue;
        }
        const bool y = yes != positive.end() && *yes == l;
        if (y) ++yes;
        const double p = std::clamp(row[at(l)], 0.0, 1.0);
        if (with_log) loss -= std::log(std::clamp(y ? p : 1 - p, k_clip, 1 - k_clip));
        squares += (y ? 1 - p : p) * (y ? 1 - p : p);
        const Index b = std::min(bins - 1, static_cast<Index>(p * static_cast<double>(bins)));
        Bin& bin = part[at(b)];
        bin.cells += 1;
        bin.probability += p;
        bin.positives += y ? 1 : 0;
      }
      const auto observed = static_cast<double>(truth.count() - count_of(missing));
      log_loss.set(i, loss, observed);
      brier.set(i, squares, observed);
    }
    return part;
  };
  const Bins total =
      parallel_reduce(ctx, n, 256, Bins(at(bins)), measure_rows, [](Bins& sum, const Bins& p) {
        for (std::size_t b = 0; b < sum.size(); ++b) {
          sum[b].cells += p[b].cells;
          sum[b].probability += p[b].probability;
          sum[b].positives += p[b].positives;
        }
      });

  Probability out;
  double cells = 0, error = 0;
  for (const Bin& bin : total) {
    cells += bin.cells;
    error += std::abs(bin.probability - bin.positives);
  }
  out.calibration_error = cells > 0 ? plain_value("calibration_error", error / cells)
                                    : no_value("calibration_error", "no cell is observed");
  out.calibration_error.unobserved = brier.result().unobserved;
  if (with_log) out.rows.ratios.push_back(std::move(log_loss));
  if (wanted.has("brier_score")) out.rows.ratios.push_back(std::move(brier));
  return out;
}

}  // namespace mulberry::measures

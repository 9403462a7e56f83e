#include "mulberry/learners/rml/cut.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/resample/thresholds.hpp"

namespace mulberry::learners::rml {
namespace {

// As `threshold` has it by default: the positives with which a label is cut midway between its own
// best cut and one as strict as the others'.
constexpr double k_shrink = 10;

std::vector<double> column_of(MatrixView scores, Index label, std::span<const Id> rows) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const Id i : rows) out.push_back(scores(i, label));
  return out;
}

Matrix rows_of(MatrixView scores, std::span<const Id> rows) {
  Matrix out(count_of(rows), scores.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto from = scores.row(rows[k]);
    std::copy(from.begin(), from.end(), out.row(static_cast<Index>(k)).begin());
  }
  return out;
}

}  // namespace

Cut best_cut(const Cells& cells, std::span<const double> scores, const SetLoss& loss) {
  std::vector<Id> order(scores.size());
  std::iota(order.begin(), order.end(), Id{0});
  const auto score = [&](Id k) { return scores[at(k)]; };
  std::sort(order.begin(), order.end(),
            [&](Id a, Id b) { return score(a) != score(b) ? score(a) > score(b) : a < b; });
  Counts counts{.rows = cells.size(), .positives = cells.positives()};
  Cut out;
  for (std::size_t k = 0; k < order.size(); ++k) {
    ++(cells.truth[at(order[k])] != 0 ? counts.p : counts.q);
    const double here = score(order[k]);
    const double next = k + 1 < order.size() ? score(order[k + 1]) : here - std::abs(here) - 1;
    if (next < here && counts.value(loss) > out.value) {
      out = {.at = here + 0.5 * (next - here), .value = counts.value(loss)};
    }
  }
  return out;
}

std::vector<double> held_out_cuts(MatrixView scores, const Labels& y, const Settings& settings,
                                  const Context& ctx) {
  std::vector<double> out(at(y.count()), 0.0);
  const bool by_f = settings.loss.measure() != SetMeasure::hamming;
  resample::Thresholds shrunk;
  if (by_f) {
    shrunk = resample::learn_thresholds(scores, y,
                                        {.method = resample::CutMethod::macro_f,
                                         .cut = 0,
                                         .beta = std::sqrt(settings.loss.beta2()),
                                         .shrink = k_shrink},
                                        ctx);
  }
  std::vector<Id> all(at(scores.rows()));
  std::iota(all.begin(), all.end(), Id{0});
  for (Index l = 0; l < y.count(); ++l) {
    const Cells cells = observed_cells(y, l, all);
    const Index positives = cells.positives();
    if (positives == 0 || positives == cells.size()) continue;
    if (by_f) {
      if (std::isfinite(shrunk.cut[at(l)])) out[at(l)] = shrunk.cut[at(l)];
      continue;
    }
    const std::vector<double> column = column_of(scores, l, cells.rows);
    const Cut cut = best_cut(cells, column, settings.loss);
    if (cut.value > count_cells(cells, column, settings).value(settings.loss)) out[at(l)] = cut.at;
  }
  return out;
}

std::vector<Counts> counts_of_cuts(MatrixView scores, const Labels& y, std::span<const Fold> folds,
                                   const Settings& settings, const Context& ctx) {
  std::vector<Counts> out(at(y.count()));
  for (const Fold& fold : folds) {
    const std::vector<double> cuts =
        held_out_cuts(rows_of(scores, fold.train), take_rows(y, fold.train), settings, ctx);
    for (Index l = 0; l < y.count(); ++l) {
      const Cells test = observed_cells(y, l, fold.test);
      std::vector<double> column = column_of(scores, l, test.rows);
      for (double& score : column) score -= cuts[at(l)];
      out[at(l)] += count_cells(test, column, settings);
    }
  }
  return out;
}

Scorer hamming_scorer(const Inputs& inputs, const Cells& cells, Index label,
                      const Settings& settings, double cost, const Context& ctx) {
  Settings hamming = settings;
  hamming.loss = SetLoss(SetMeasure::hamming);
  hamming.ramp = false;
  Scorer out;
  train_column(inputs, cells, label, hamming, {&cost, 1}, ctx,
               [&](std::size_t, Scorer found) { out = std::move(found); });
  out.b -= best_cut(cells, column_scores(inputs, cells.rows, out), settings.loss).at;
  return out;
}

}  // namespace mulberry::learners::rml

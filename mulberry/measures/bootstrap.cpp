#include "mulberry/measures/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/math/statistics/summaries.hpp"
#include "mulberry/measures/decisions.hpp"
#include "mulberry/measures/hierarchy.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/measures/probability.hpp"
#include "mulberry/measures/ranking.hpp"
#include "mulberry/measures/sets.hpp"

namespace mulberry::measures {
namespace {

// Curves over many rows at once: a single row contributes nothing.
constexpr std::string_view k_whole[] = {
    "macro_auc",    "mean_average_precision", "micro_auc",
    "protocol_auc", "protocol_auc_per_image", "calibration_error"};

bool is_whole(const std::string& name) {
  return std::find(std::begin(k_whole), std::end(k_whole), name) != std::end(k_whole);
}

struct Draw {
  std::vector<Id> rows;         // drawn with replacement
  std::vector<double> weights;  // how often each row was drawn
};

Draw draw_rows(Index n, Index resample, const Context& ctx) {
  Random rng = ctx.rng("bootstrap", static_cast<std::uint64_t>(resample));
  Draw draw;
  draw.weights.resize(at(n));
  for (Index k = 0; k < n; ++k) {
    draw.rows.push_back(static_cast<Id>(rng.below(n)));
    draw.weights[at(draw.rows.back())] += 1;
  }
  return draw;
}

// The contributions of the rows, kept for all resamples.
class Contributions {
 public:
  Contributions(std::span<const std::string> names, const Labels& truth, const Outcome& outcome,
                const MeasureOptions& options, const Context& ctx)
      : truth_(truth), outcome_(outcome), options_(options), by_row_({}), whole_() {
    std::vector<std::string> by_row;
    for (const std::string& name : names) (is_whole(name) ? whole_ : by_row).push_back(name);
    by_row_ = Selection(std::move(by_row));
    if (outcome.decided != nullptr) {
      counts_ = row_counts(truth, *outcome.decided, ctx);
      parts_.push_back(measure_rows(counts_, options_, by_row_));
    }
    if (outcome.has_scores()) {
      parts_.push_back(measure_ranking(truth, outcome, options_, by_row_, ctx).rows);
    }
    if (by_row_.has_any("log_loss", "brier_score")) {
      parts_.push_back(measure_probability(truth, outcome, options_.bins, by_row_, ctx).rows);
    }
    if (by_row_.has_any("set_accuracy", "set_accuracy_all")) {
      parts_.push_back(measure_sets(truth, outcome, by_row_));
    }
    if (by_row_.has_any("hierarchical_precision", "hierarchical_recall", "hierarchical_f1")) {
      parts_.push_back(measure_hierarchy(truth, outcome, by_row_));
    }
  }

  std::vector<MeasureValue> of(const Draw& draw, const Context& ctx) const {
    std::vector<MeasureValue> out;
    for (const RowMeasures& part : parts_) {
      for (const UnitMean& mean : part.means) out.push_back(mean.result(draw.weights));
      for (const RowRatio& ratio : part.ratios) out.push_back(ratio.result(draw.weights));
    }
    const auto append = [&](std::vector<MeasureValue> more) {
      std::move(more.begin(), more.end(), std::back_inserter(out));
    };
    if (outcome_.decided != nullptr) {
      append(measure_total(total_of(counts_, draw.weights), options_, by_row_));
      append(measure_labels(label_counts(truth_, *outcome_.decided, ctx, draw.weights), options_,
                            by_row_));
    }
    if (!whole_.empty()) append(measured_again(draw, ctx));
    return out;
  }

 private:
  std::vector<MeasureValue> measured_again(const Draw& draw, const Context& ctx) const {
    const Labels truth = data::take_rows(truth_, draw.rows);
    Outcome outcome = {.probabilities = outcome_.probabilities};
    std::optional<Matrix> scores;
    std::optional<Features> top_scores;
    if (outcome_.scores != nullptr) {
      outcome.scores = &scores.emplace(take_rows(*outcome_.scores, draw.rows));
    } else {
      top_scores.emplace(data::take_rows(Features(*outcome_.top_scores), draw.rows));
      outcome.top_scores = &top_scores->sparse();
    }
    return measure_some(whole_, truth, outcome, options_, ctx);
  }

  const Labels& truth_;
  const Outcome& outcome_;
  const MeasureOptions& options_;
  Selection by_row_;
  std::vector<std::string> whole_;
  std::vector<CellCounts> counts_;
  std::vector<RowMeasures> parts_;
};

// The value of this name.
const MeasureValue& value_of(const std::vector<MeasureValue>& found, const std::string& name) {
  const auto it = std::find_if(found.begin(), found.end(),
                               [&](const MeasureValue& value) { return value.name == name; });
  MULBERRY_ASSERT(it != found.end());
  return *it;
}

// Every row as often as its weight says, if the names need that.
Draw weighted_rows(std::span<const std::string> names, std::span<const double> weights) {
  Draw draw;
  draw.weights.assign(weights.begin(), weights.end());
  const auto whole = std::find_if(names.begin(), names.end(), is_whole);
  if (whole == names.end()) return draw;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != std::round(weights[i]) || weights[i] > 1e6) {
      throw Error(Code::parameter,
                  "expected whole numbers of at most a million as weights of " + *whole +
                      ", found " + shortest(weights[i]),
                  "Round the weights, or choose a measure that averages over rows");
    }
    draw.rows.insert(draw.rows.end(), at(static_cast<Index>(weights[i])), static_cast<Id>(i));
  }
  return draw;
}

Interval interval_of(const MeasureValue& measured, std::vector<double> values, double level) {
  Interval out;
  out.measured = measured;
  const auto kept =
      std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  out.resamples_without = values.end() - kept;
  values.erase(kept, values.end());
  std::sort(values.begin(), values.end());
  out.low = sorted_quantile(values, (1 - level) / 2);
  out.high = sorted_quantile(values, (1 + level) / 2);
  out.deviation = deviation_of(values);
  return out;
}

}  // namespace

std::vector<Interval> bootstrap(std::span<const std::string> names, const Labels& truth,
                                const Outcome& outcome, const MeasureOptions& options,
                                const BootstrapOptions& how, const Context& ctx) {
  if (how.resamples < 2) {
    throw Error(Code::parameter,
                "expected at least 2 resamples, found " + std::to_string(how.resamples));
  }
  if (!(how.level > 0 && how.level < 1)) {
    throw Error(Code::parameter, "expected a level between 0 and 1, found " + shortest(how.level),
                "0.95 is the usual one");
  }
  const auto measured = measure_some(names, truth, outcome, options, ctx);
  // A resample may lack what the full data has: with the policy `error` it then has no value.
  MeasureOptions lenient = options;
  if (lenient.undefined == Undefined::error) lenient.undefined = Undefined::nan;
  const Contributions contributions(names, truth, outcome, lenient, ctx);

  std::vector<std::vector<double>> values(measured.size());
  for (auto& list : values) list.resize(at(how.resamples));
  parallel_for(ctx, how.resamples, [&](Index r) {
    const auto found = contributions.of(draw_rows(truth.rows(), r, ctx), ctx.quiet());
    for (std::size_t m = 0; m < measured.size(); ++m) {
      values[m][at(r)] = value_of(found, measured[m].name).value;
    }
  });
  std::vector<Interval> out;
  for (std::size_t m = 0; m < measured.size(); ++m) {
    out.push_back(interval_of(measured[m], std::move(values[m]), how.level));
  }
  return out;
}

std::vector<MeasureValue> measure_weighted(std::span<const std::string> names, const Labels& truth,
                                           const Outcome& outcome, const MeasureOptions& options,
                                           std::span<const double> weights, const Context& ctx) {
  const bool fits = static_cast<Index>(weights.size()) == truth.rows() &&
                    std::all_of(weights.begin(), weights.end(),
                                [](double w) { return std::isfinite(w) && w >= 0; });
  if (!fits || std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) {
    throw Error(Code::parameter,
                "expected one weight of at least 0 per row, not all of them 0, found " +
                    std::to_string(weights.size()) + " for " + std::to_string(truth.rows()) +
                    " rows");
  }
  // Says what is wrong with the names and the outcome, and which values there are.
  std::vector<MeasureValue> out = measure_some(names, truth, outcome, options, ctx);
  const Contributions contributions(names, truth, outcome, options, ctx);
  const auto found = contributions.of(weighted_rows(names, weights), ctx);
  for (MeasureValue& value : out) value = value_of(found, value.name);
  return out;
}

}  // namespace mulberry::measures

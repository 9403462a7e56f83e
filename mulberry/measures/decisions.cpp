#include "mulberry/measures/decisions.hpp"

#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::measures {
namespace {

// One walk along the sorted lists of a row (or label). weight_of(id) is the weight of a cell.
template <class Weight>
CellCounts count_cells(std::span<const Id> truth, std::span<const Id> missing,
                       std::span<const Id> decided, double total, const Weight& weight_of) {
  CellCounts counts;
  for (const Id id : missing) total -= weight_of(id);
  counts.observed = total;
  auto yes = truth.begin();
  auto gap = missing.begin();
  for (const Id id : decided) {
    while (gap != missing.end() && *gap < id) ++gap;
    if (gap != missing.end() && *gap == id) continue;
    for (; yes != truth.end() && *yes < id; ++yes) counts.fn += weight_of(*yes);
    if (yes != truth.end() && *yes == id) {
      counts.tp += weight_of(id);
      ++yes;
    } else {
      counts.fp += weight_of(id);
    }
  }
  for (; yes != truth.end(); ++yes) counts.fn += weight_of(*yes);
  return counts;
}

enum class Ratio { precision, recall, f1, fbeta };

struct Fraction {
  double above, below;
};

Fraction fraction(const CellCounts& c, double beta) {
  const double b2 = beta * beta;
  return {(1 + b2) * c.tp, (1 + b2) * c.tp + b2 * c.fn + c.fp};
}

Fraction fraction(Ratio ratio, const CellCounts& c, double beta) {
  switch (ratio) {
    case Ratio::precision:
      return {c.tp, c.tp + c.fp};
    case Ratio::recall:
      return {c.tp, c.tp + c.fn};
    case Ratio::f1:
      return fraction(c, 1);
    case Ratio::fbeta:
      break;
  }
  return fraction(c, beta);
}

struct Named {
  Ratio ratio;
  std::string_view name;
};
constexpr Named k_ratios[] = {{Ratio::precision, "precision"},
                              {Ratio::recall, "recall"},
                              {Ratio::f1, "f1"},
                              {Ratio::fbeta, "fbeta"}};

void set_fraction(UnitMean& mean, Index i, const Fraction& f, const Rule& rule) {
  if (f.below > 0) {
    mean.set(i, f.above / f.below);
  } else {
    mean.set_undefined(i, rule);
  }
}

// The ratio of each unit. empty: the rule for F if nothing is true or decided.
UnitMean mean_ratio(std::string_view name, const char* unit, Ratio ratio,
                    std::span<const CellCounts> units, const Rules& rules, double beta,
                    const Rule& empty_f) {
  UnitMean mean(name, unit, count_of(units));
  const bool is_f = ratio == Ratio::f1 || ratio == Ratio::fbeta;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const CellCounts& c = units[i];
    const auto at = static_cast<Index>(i);
    if (c.observed == 0) {
      mean.set_unobserved(at);
      continue;
    }
    const bool empty = c.tp + c.fp + c.fn == 0;
    const Rule& rule = !empty ? rules.ratio : is_f ? empty_f : rules.ratio_empty;
    set_fraction(mean, at, fraction(ratio, c, beta), rule);
  }
  return mean;
}

}  // namespace

std::vector<CellCounts> row_counts(const Labels& truth, const Labels& decided, const Context& ctx) {
  std::vector<CellCounts> out(at(truth.rows()));
  parallel_chunks(ctx, truth.rows(), 1024, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      out[at(i)] = count_cells(truth.row(i), truth.missing_row(i), decided.row(i),
                               static_cast<double>(truth.count()), [](Id) { return 1.0; });
    }
  });
  return out;
}

std::vector<CellCounts> label_counts(const Labels& truth, const Labels& decided, const Context& ctx,
                                     std::span<const double> weights) {
  double rows = static_cast<double>(truth.rows());
  if (!weights.empty()) {
    rows = 0;
    for (const double w : weights) rows += w;
  }
  const auto weight = [&](Id i) { return weights.empty() ? 1.0 : weights[at(i)]; };
  std::vector<CellCounts> out(at(truth.count()));
  parallel_chunks(ctx, truth.count(), 16, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      out[at(l)] =
          count_cells(truth.column(l), truth.missing_column(l), decided.column(l), rows, weight);
    }
  });
  return out;
}

CellCounts total_of(std::span<const CellCounts> counts, std::span<const double> weights) {
  CellCounts total;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    total.tp += weight * counts[i].tp;
    total.fp += weight * counts[i].fp;
    total.fn += weight * counts[i].fn;
    total.observed += weight * counts[i].observed;
  }
  return total;
}

double f_of(const CellCounts& counts, double beta, double empty) {
  const Fraction f = fraction(counts, beta);
  return f.below > 0 ? f.above / f.below : empty;
}

RowMeasures measure_rows(std::span<const CellCounts> rows, const MeasureOptions& options,
                         const Selection& wanted) {
  const Rules rules = rules_of(options);
  const auto n = count_of(rows);
  RowMeasures out;
  RowRatio hamming("hamming_loss", n);
  UnitMean subset("subset_accuracy", "row", n), jaccard("jaccard", "row", n);
  for (Index i = 0; i < n; ++i) {
    const CellCounts& c = rows[at(i)];
    hamming.set(i, c.errors(), c.observed);
    if (c.observed == 0) {
      subset.set_unobserved(i);
      jaccard.set_unobserved(i);
      continue;
    }
    subset.set(i, c.errors() == 0 ? 1 : 0);
    if (wanted.has("jaccard")) {
      set_fraction(jaccard, i, {c.tp, c.tp + c.errors()}, rules.jaccard_empty);
    }
  }
  if (wanted.has("hamming_loss")) out.ratios.push_back(std::move(hamming));
  if (wanted.has("subset_accuracy")) out.means.push_back(std::move(subset));
  if (wanted.has("jaccard")) out.means.push_back(std::move(jaccard));
  for (const auto& [ratio, suffix] : k_ratios) {
    const std::string name = "example_" + std::string(suffix);
    if (!wanted.has(name)) continue;
    out.means.push_back(
        mean_ratio(name, "row", ratio, rows, rules, options.beta, rules.example_f_empty));
  }
  return out;
}

std::vector<MeasureValue> measure_labels(std::span<const CellCounts> labels,
                                         const MeasureOptions& options, const Selection& wanted) {
  const Rules rules = rules_of(options);
  std::vector<MeasureValue> out;
  const auto macro = [&](Ratio ratio, std::string_view name) {
    return mean_ratio(name, "label", ratio, labels, rules, options.beta, rules.ratio_empty)
        .result();
  };
  for (const auto& [ratio, suffix] : k_ratios) {
    const std::string name = "macro_" + std::string(suffix);
    if (wanted.has(name)) out.push_back(macro(ratio, name));
  }
  constexpr std::string_view k_of_means = "macro_f1_of_means";
  if (wanted.has(k_of_means)) {
    const MeasureValue precision = macro(Ratio::precision, k_of_means);
    const MeasureValue recall = macro(Ratio::recall, k_of_means);
    const double p = precision.value, r = recall.value;
    MeasureValue value = std::isnan(p) ? precision : recall;
    if (!std::isnan(p) && !std::isnan(r)) value.value = p + r > 0 ? 2 * p * r / (p + r) : 0;
    value.undefined = std::max(precision.undefined, recall.undefined);
    out.push_back(value);
  }
  return out;
}

std::vector<MeasureValue> measure_total(const CellCounts& total, const MeasureOptions& options,
                                        const Selection& wanted) {
  const Rules rules = rules_of(options);
  std::vector<MeasureValue> out;
  for (const auto& [ratio, suffix] : k_ratios) {
    const std::string name = "micro_" + std::string(suffix);
    if (!wanted.has(name)) continue;
    out.push_back(
        mean_ratio(name, "data set", ratio, {&total, 1}, rules, options.beta, rules.ratio_empty)
            .result());
  }
  return out;
}

}  // namespace mulberry::measures

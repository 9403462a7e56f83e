// Measures of decided labels, from the counts of true and false positives of rows and labels.
#pragma once

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

// Counts over the observed cells of a row, of a label, or of everything; integers unless weighted.
struct CellCounts {
  double tp = 0, fp = 0, fn = 0, observed = 0;
  double errors() const { return fp + fn; }
};

std::vector<CellCounts> row_counts(const Labels& truth, const Labels& decided, const Context& ctx);
// With weights: row i counts weights[i] times.
std::vector<CellCounts> label_counts(const Labels& truth, const Labels& decided, const Context& ctx,
                                     std::span<const double> weights = {});
CellCounts total_of(std::span<const CellCounts> counts, std::span<const double> weights = {});

// F of counts, or `empty` if nothing is true or decided.
double f_of(const CellCounts& counts, double beta, double empty = 0);

// hamming_loss, subset_accuracy, jaccard, example_*.
RowMeasures measure_rows(std::span<const CellCounts> rows, const MeasureOptions& options,
                         const Selection& wanted);
// macro_*.
std::vector<MeasureValue> measure_labels(std::span<const CellCounts> labels,
                                         const MeasureOptions& options, const Selection& wanted);
// micro_*.
std::vector<MeasureValue> measure_total(const CellCounts& total, const MeasureOptions& options,
                                        const Selection& wanted);

}  // namespace mulberry::measures

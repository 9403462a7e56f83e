// Measures of decisions about labels that imply others, as in a hierarchy: a wrong label counts
// less if it is near the right one. Every true and every decided label stands for itself and all
// labels that it implies; then
//
//   hierarchical_precision = |true and decided| / |decided|,
//   hierarchical_recall    = |true and decided| / |true|,
//   hierarchical_f1        = 2 |true and decided| / (|true| + |decided|),
//
// each a ratio of sums over all rows (Kiritchenko, Matwin and Famili, "Learning and evaluation in
// the presence of class hierarchies", Canadian AI 2006; recommended by Silla and Freitas, "A survey
// of hierarchical classification across different application domains", 2011). Cells that are not
// observed are left out, unless a true label implies them.
#pragma once

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

RowMeasures measure_hierarchy(const Labels& truth, const Outcome& outcome, const Selection& wanted);

}  // namespace mulberry::measures

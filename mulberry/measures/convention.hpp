// Conventions of measures: what happens to equal scores and to rows and labels for which a measure
// has no value. A convention is a named choice of such rules; explicit policies override it.
//
//   sklearn  as scikit-learn if it has the measure, otherwise as `paper`
//   paper    as the published tables in the multi-label literature
//   mulan, meka, zhang  as in these toolkits (zhang: the MATLAB toolboxes of this literature)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::measures {

enum class Convention { sklearn, paper, mulan, meka, zhang };

// A row or label without a value counts as 0, as 1, not at all, makes the result NaN, or an Error.
enum class Undefined { zero, one, skip, nan, error };

// How equal scores are ranked. worst: every label of the group has its last rank (a tied pair is a
// full error in ranking loss); best: relevant labels first; average: expectation over the orders;
// first: the lower label index ranks first; last: the higher one.
enum class Ties { worst, best, average, first, last };

std::string_view name_of(Convention value);
std::string_view name_of(Undefined value);
std::string_view name_of(Ties value);
// Throw Error (parameter) with the nearest name.
Convention convention_of(std::string_view name);
Undefined undefined_of(std::string_view name);
Ties ties_of(std::string_view name);
std::vector<std::string> convention_names();

struct MeasureOptions {
  Convention convention = Convention::sklearn;
  // Applies to every 0/0 and to rows and labels without a value. A row that has all labels has a
  // value except in ranking loss and instance AUC, and is treated by the convention. macro_auc
  // always skips labels of one class.
  std::optional<Undefined> undefined = {};
  std::optional<Ties> ties = {};          // AUC over rows: first and last count 1/2
  double beta = 1.0;                      // of *_fbeta; must be positive
  Index k = 5;                            // of *_at_k; must be at least 1
  Index bins = 15;                        // of calibration_error
  std::vector<double> propensities = {};  // one per label (see propensities()), or empty
};

// What to do if a measure has no value.
struct Rule {
  enum Kind { natural, value, skip, nan, error };
  Kind kind = natural;
  double number = 0.0;  // for `value`
};

// Rows with no label, and rows with all labels.
struct RowRule {
  Rule none, all;
};

// Options resolved to one decision for every question a measure asks.
struct Rules {
  Ties ranking_loss_ties, coverage_ties, average_precision_ties, one_error_ties;
  Ties precision_ties, ndcg_ties, protocol_ties, instance_auc_ties;
  double auc_tie = 0.5;  // what a tied pair of rows counts
  RowRule ranking_loss, coverage, average_precision, one_error, instance_auc;
  double coverage_base = 1.0;  // subtracted from the rank
  Rule ratio;                  // 0/0 of precision, recall, F if something is true or predicted
  Rule ratio_empty;            // and if nothing is
  Rule example_f_empty, jaccard_empty;
  Rule at_k_none;             // precision_at_k, ndcg_at_k: rows without labels
  Rule average_precision_no;  // mean_average_precision: labels without positives
};

// Throws Error for options out of range.
Rules rules_of(const MeasureOptions& options);

}  // namespace mulberry::measures

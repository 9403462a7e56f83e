// Cross-validation: several learners compared on the same splits of one data set.
//
//   const mulberry::Comparison result = mulberry::cross_validate(
//       {"br_logistic", "ml_knn(k=10)"}, data,
//       {.splits = {.folds = 5}, .measures = {"macro_f1"}});
//   std::cout << result.learners[0].estimates[0].mean << "\n";
//
// Guarantees
// * Everything that learns (preprocessing, learner, thresholds within it) sees the training part of
//   a split only. The test part is used once, to measure.
// * Splits are stratified by label unless asked otherwise, and depend on the seed alone. Values are
//   the same bits for any number of threads; times are not.
// * A learner that does not exist or cannot use the data is an Error before anything is trained.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <mulberry/measures.hpp>

#include <string>
#include <vector>

namespace mulberry {

struct Split {
  std::vector<std::int32_t> train = {}, test = {};  // row numbers, increasing
};

struct SplitOptions {
  std::string method = "stratified";  // "random", "stratified", "stratified_pairs"
  std::int64_t folds = 10;
  std::int64_t repeats = 1;
  double holdout = 0;  // above 0: `repeats` splits with this share of the rows to test, no folds
  std::vector<std::int32_t> groups = {};  // per row; rows of one group stay on one side
};

// The splits themselves, for your own loops.
MULBERRY_API std::vector<Split> make_splits(const Labels& labels, const SplitOptions& options = {},
                                            const Context& context = Context(1));

struct CrossValidateOptions {
  SplitOptions splits = {};
  std::vector<std::string> measures = {};  // empty: the usual ones
  MeasureOptions measure = {};
  TrainOptions train = {};     // preprocessing; `init` must be null
  std::int64_t bootstrap = 0;  // resamples for intervals; 0: none
  double level = 0.95;         // of the intervals
};

// A measure over the splits; NaN where there is no value.
struct Estimate {
  double mean = 0;
  double deviation = 0;             // over the splits
  double low = 0, high = 0;         // bootstrap interval of the mean; NaN when not asked for
  std::vector<double> values = {};  // one per split
};

struct LearnerResult {
  std::string name = {};                 // as it was given
  std::string learner = {};              // with all parameters
  std::vector<Estimate> estimates = {};  // one per measure of the comparison
  Estimate fit_seconds = {}, predict_seconds = {};
  std::int64_t unconverged = 0;  // splits whose solver stopped before its tolerance
};

struct Comparison {
  std::string splits = {};  // "10 folds, stratified by label"
  std::vector<std::string> measures = {};
  std::vector<bool> higher_is_better = {};  // one per measure
  std::vector<LearnerResult> learners = {};
  std::string json = {};  // all of it, as `mulberry cv --json` prints it
};

MULBERRY_API Comparison cross_validate(const std::vector<std::string>& learners,
                                       const Dataset& data,
                                       const CrossValidateOptions& options = {},
                                       const Context& context = Context());

}  // namespace mulberry

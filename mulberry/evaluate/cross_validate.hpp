// Cross-validation: compares several learners on the same splits of one data set.
//
// Everything that learns (preprocessing, learner, thresholds within it) sees only the training part
// of a split; the test part is used once, to measure. Splits of one learner run in parallel, and
// learners one after another, so that each learner's peak memory can be measured. The measured
// values are the same for any number of threads.
#pragma once

#include <string>
#include <vector>

#include "mulberry/compare/scores.hpp"
#include "mulberry/evaluate/evaluate_split.hpp"

namespace mulberry::evaluate {

// A measure over the splits. NaN if there is no value.
struct Estimate {
  double mean = 0;
  double deviation = 0;             // over the splits, divided by their number minus one
  double low = 0, high = 0;         // bootstrap interval of the mean; NaN if not requested
  std::vector<double> values = {};  // one per split
  Index undefined = 0;              // rows or labels without a value, over all splits
};
// Splits without a value are left out.
Estimate summarise(std::vector<double> values);

struct LearnerResult {
  Spec spec = {};                        // with all parameters
  std::string name = {};                 // as it was given
  std::vector<Estimate> estimates = {};  // one per measure of the comparison
  Estimate fit_seconds = {}, predict_seconds = {};
  Index peak_memory = 0;  // bytes of the process while its splits ran
  Index unconverged = 0;  // splits whose solver stopped before its tolerance
  Index unfinished = 0;   // splits that the store does not have, if nothing was to be trained
};

struct Comparison {
  std::string data = {};  // name of the data set
  Index rows = 0, labels = 0;
  std::string splits = {};  // "10 folds, stratified"
  std::vector<SplitRows> split_rows = {};
  std::string convention = {};  // of the measures
  // Splits on one thread each are timed in CPU seconds; if there are fewer splits than threads,
  // they share all threads and wall-clock time is measured.
  std::string clock = {};
  double level = 0;  // of the intervals, 0: none
  std::vector<std::string> measures = {};
  std::vector<bool> higher_is_better = {};
  std::vector<LearnerResult> learners = {};

  // The learner with the best mean of measure m, the first of equals; -1 if none has a value.
  Index best(std::size_t m) const;
  bool is_best(std::size_t m, std::size_t learner) const;  // true for all of equals
  // The values of measure m, as significance tests take them.
  Scores scores(std::size_t m) const;
  // One per learner: the corrected resampled t-test against the best of measure m, with Holm's
  // correction over the learners; NaN for the best itself and where there is no test.
  std::vector<double> p_against_best(std::size_t m) const;
  std::string json() const;
};

// Throws Error before anything is trained if a learner does not exist or cannot use the data, or if
// no learner provides what a measure needs.
Comparison cross_validate(std::span<const CompleteSpec> specs, const Dataset& data,
                          const EvaluateOptions& options, const Context& ctx);

// A measure over splits, with its interval if the options ask for one.
Estimate estimate_of(const std::string& measure, std::span<const SplitResult> splits,
                     const EvaluateOptions& options);

}  // namespace mulberry::evaluate

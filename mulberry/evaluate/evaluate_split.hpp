// One learner on one split: what every comparison is made of.
//
// Everything that learns (preprocessing, learner, thresholds within it) sees only the training part
// of a split; the test part is used once, to measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mulberry/data/generate/hide.hpp"
#include "mulberry/data/preprocess/preprocess.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::evaluate {

class CellStore;

struct EvaluateOptions {
  SplitOptions split = {};
  bool holdout = false;                    // split.repeats hold-outs instead of k folds
  std::vector<std::string> measures = {};  // empty: usual_measures()
  std::vector<std::string> results = {};   // tables of the trained models to keep, by their ids
  MeasureOptions measure = {};
  // F-beta measures once for each of these, "macro_fbeta, beta 0.1", instead of measure.beta.
  std::vector<double> betas = {};
  PreprocessOptions preprocess = {};
  double flip = 0;                       // share of the labels of the training part to replace
  std::optional<HideOptions> hide = {};  // labels of the training part to hide, after that
  Index bootstrap = 0;                   // resamples for intervals; 0: none
  double level = 0.95;                   // of the intervals
  // Finished splits are kept here and taken from here. With `only_stored` nothing is trained:
  // splits that the store does not have stay empty.
  CellStore* store = nullptr;
  bool only_stored = false;
};

// The default measures, in this order, if they apply.
std::vector<std::string> usual_measures();
std::vector<std::string> wanted_measures(const EvaluateOptions& options);

bool depends_on_beta(const std::string& measure);
// "macro_fbeta, beta 0.1"
std::string name_at_beta(const std::string& measure, double beta);

// The splits that the options describe, and their name.
std::vector<Fold> make_splits(const Labels& y, const EvaluateOptions& options, const Context& ctx);
std::string describe_splits(const EvaluateOptions& options);

struct SplitResult {
  std::vector<MeasureValue> values = {};  // the requested measures that apply, then results
  Matrix resampled = {};                  // bootstrap resamples x values
  double fit_seconds = 0, predict_seconds = 0;
  bool converged = true;
  std::string chosen = {};    // the learner that a search on the training part chose, if any did
  std::string failure = {};   // why there are no values
  double search_seconds = 0;  // of that search
  Index peak_memory = 0;      // bytes of the process, 0: not measured
};

// The two parts, with labels of the training part replaced or hidden if the options say so.
struct FoldParts;
FoldParts evaluation_parts(const CompleteSpec& spec, const Dataset& data, const Fold& fold,
                           const EvaluateOptions& options, const Context& ctx);
SplitResult evaluate_split(const CompleteSpec& spec, const Dataset& data, const Fold& fold,
                           const EvaluateOptions& options, const Context& ctx);
// As above, on parts that evaluation_parts made for a learner of the same kind.
SplitResult evaluate_parts(const CompleteSpec& spec, const Dataset& data, const FoldParts& parts,
                           const Fold& fold, const EvaluateOptions& options, const Context& ctx);

// The measures on resamples of the test rows: resamples x values. `rows`: number of rows of the
// whole data. How often a row occurs in a resample depends on the seed and the row, so a row that
// several splits test has the same count in all of them.
Matrix resampled_values(std::span<const std::string> names, const Labels& truth,
                        const Outcome& outcome, const MeasureOptions& measure, const Fold& fold,
                        Index rows, Index resamples, const Context& ctx);

}  // namespace mulberry::evaluate

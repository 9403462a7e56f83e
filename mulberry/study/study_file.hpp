// Study: a comparison of learners over data sets, as a TOML file describes it
// (docs/experiments.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/rooms.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read_options.hpp"
#include "mulberry/evaluate/tune.hpp"

namespace mulberry::study {

// Where a data set comes from.
struct StudyData {
  std::string name = {};       // in tables
  std::string path = {};       // a file, or the name of a set
  std::string test_path = {};  // the test file of the official split, if it is named
  std::string generator = {};  // made up, instead of read
  GenerateOptions generate = {};
  std::uint64_t generate_seed = 0;
  ReadOptions read = {};
  bool swap = false;                   // official split: learn from the test file
  Index rows = 0;                      // only so many rows, from all over the file; 0: all
  std::vector<std::string> drop = {};  // features that are left out
  std::optional<PreprocessOptions> preprocess = {};  // for learners without their own
  Place where = {};
};

struct StudyLearner {
  std::string name = {};  // in tables
  Spec spec = {};
  std::optional<TuneOptions> tune = {};  // searched on each training part
  PreprocessOptions preprocess = {};
  bool own_preprocess = false;  // the learner says so itself
  // Of its F-beta measures; 0: that of the study. In a study with several betas the learner takes
  // part in the F-beta measures of this one only.
  double beta = 0;
  Place where = {};
};

enum class ProtocolKind { folds, holdout, train_rows, official };

struct StudyProtocol {
  ProtocolKind kind = ProtocolKind::folds;
  Index folds = 10, repeats = 1, train_rows = 0;
  double holdout = 0.25;
  SplitMethod method = SplitMethod::stratified;
  std::uint64_t seed = 0;
  std::vector<double> flipped = {};  // shares of the training labels to replace; empty: none
  std::vector<double> hidden = {};   // shares of the training labels to hide; empty: none
  HideMode hide_mode = HideMode::negative;
  std::string group = {};  // rows with the same value of this feature stay together
  Place where = {};
};

// What a cell may use; a cell that needs more ends, and that is its result.
struct StudyLimits {
  double cpu_seconds = 0;  // 0: no limit
  double memory_gb = 0;
  bool any() const { return cpu_seconds > 0 || memory_gb > 0; }
};

struct PublishedValue {
  std::string measure = {}, learner = {}, data = {};
  double value = 0, deviation = 0;  // 0: not published
};

// A sentence about differences from published values, or about the results if none are published;
// an empty name means any.
struct PublishedRemark {
  std::string measure = {}, learner = {}, data = {}, text = {};
};

// Learners with a number at the end of their names are drawn as curves over it.
struct StudyFigure {
  std::string axis = {};                    // its title; empty: the word before the number
  std::vector<std::string> per_label = {};  // curves whose number counts once for each label
};

struct Study {
  std::string path = {};
  std::string title = {}, text = {};
  std::vector<StudyData> data = {};
  std::vector<StudyLearner> learners = {};
  StudyProtocol protocol = {};
  std::vector<std::string> measures = {};  // empty: the usual ones
  std::vector<std::string> results = {};   // tables of the models
  MeasureOptions measure = {};
  std::vector<double> betas = {};  // of the F-beta measures; empty: measure.beta
  StudyFigure figure = {};
  StudyLimits limits = {};
  std::string source = {};  // of the published values: "Table 3"
  double within = 0.01;     // a published value counts as reached within this
  bool other_data = false;  // the published values are of other data: there is no better or worse
  bool costs = false;       // times and memory belong to the results
  std::vector<PublishedValue> published = {};
  std::vector<PublishedRemark> remarks = {};
};

enum class StudySize { full, quick };  // quick: with the [quick] section of the file

// Published values of this measure are seconds of training, which no machine has to agree with.
inline constexpr const char* k_fit_seconds = "fit_seconds";

// Throws Error (format, parameter, usage) with file and line.
Study parse_study(std::string_view text, const std::string& path, StudySize size = StudySize::full);
Study read_study(const std::string& path, StudySize size = StudySize::full);

// With another number of repeats. The splits that both have are the same. Throws Error (usage) for
// the official split, (parameter) for a number out of range.
Study with_repeats(Study study, Index repeats);

// A row of the tables: a data set with shares of its training labels wrong and hidden. "scene",
// "scene, 20 % hidden", or "scene, 40 % wrong, 20 % hidden".
struct StudySet {
  std::string name = {};
  std::size_t data = 0;  // in Study::data
  double flipped = 0, hidden = 0;
};
std::vector<StudySet> study_sets(const Study& study);

// "5 folds, stratified by label"
std::string describe_protocol(const StudyProtocol& protocol);

}  // namespace mulberry::study

// The data sets of a study: what the file says about them, and where they are found.
//
// `path` is a file, relative to the current folder or to the study, or the name of a set in the
// folder that the environment variable MULBERRY_DATA names: emotions is
// emotions/emotions.arff there, or the rows of emotions-train and then emotions-test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mulberry/resample/split.hpp"
#include "mulberry/study/study_file.hpp"
#include "mulberry/study/toml_tree.hpp"

namespace mulberry::study {

// The `data` of a study: a list of names and paths, or of tables.
std::vector<StudyData> data_from(const TomlValue& value);

PreprocessOptions preprocess_from(const TomlValue& value, const std::string& name);

struct LoadedData {
  Dataset data = {};
  std::optional<Fold> official = {};  // if it is wanted
};

// Missing features are kept: a learner that cannot take them says so in its cells.
struct LoadOptions {
  std::string study = {};  // path of the study: files are looked for next to it, too
  bool official = false;   // the training and the test file are wanted
};
LoadedData load_data(const StudyData& data, const LoadOptions& options);

// The rows of `first`, then those of `second`, which was read with the names of `first`.
Dataset append_rows(const Dataset& first, const Dataset& second);

}  // namespace mulberry::study

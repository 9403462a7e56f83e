#include "cli/split_options.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/resample/feature_groups.hpp"

namespace mulberry::cli {
std::vector<Option> split_options(const std::string& folds_fallback) {
  return {{.name = "folds", .value = "K", .help = "number of folds", .fallback = folds_fallback},
          {.name = "holdout", .value = "F", .help = "share of the rows in the test part"},
          {.name = "repeats",
           .value = "R",
           .help = "number of hold-outs, or of rounds of folds",
           .fallback = "1"},
          {.name = "stratify",
           .value = "none|1|2",
           .help = "balance nothing, single labels or pairs of labels",
           .fallback = "1"},
          {.name = "group",
           .value = "COLUMN",
           .help = "rows with the same value of this feature stay together"}};
}

SplitOptions split_options_from(const Args& args, const Dataset& data, Index folds) {
  if (args.has("holdout") && args.has("folds")) {
    throw Error(Code::usage, "expected --holdout or --folds, found both", "Choose one");
  }
  SplitOptions out;
  const std::string stratify = args.choice("stratify", "1");
  out.method = stratify == "none" ? SplitMethod::random
               : stratify == "1"  ? SplitMethod::stratified
                                  : SplitMethod::stratified_pairs;
  out.holdout = args.number("holdout", 0.25, 0.0001, 0.9999);
  out.repeats = args.integer("repeats", 1, 1, 10000);
  out.folds = args.integer("folds", folds, 2, std::max<Index>(2, data.rows()));
  if (args.has("group")) out.groups = feature_groups(data, args.text("group"));
  return out;
}

}  // namespace mulberry::cli

#include "cli/split_options.hpp"

#include <algorithm>
#include <unordered_map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::cli {
namespace {

// Group numbers from a feature column of the data.
std::vector<Id> groups_of(const Dataset& data, const std::string& column) {
  const auto found = std::find(data.feature_names.begin(), data.feature_names.end(), column);
  if (found == data.feature_names.end()) {
    throw Error(Code::usage, "there is no feature " + mulberry::quoted(column) + " to group by",
                did_you_mean(column, data.feature_names, "The group must be a numeric column"));
  }
  std::unordered_map<double, Id> number;
  std::vector<Id> out;
  for (Index i = 0; i < data.rows(); ++i) {
    const double value = data.x.at(i, found - data.feature_names.begin());
    out.push_back(number.emplace(value, static_cast<Id>(number.size())).first->second);
  }
  return out;
}

}  // namespace

std::vector<Option> split_options(const std::string& folds_fallback) {
  return {{.name = "folds", .value = "K", .help = "number of folds", .fallback = folds_fallback},
          {.name = "holdout", .value = "F", .help = "share of the rows in the test part"},
          {.name = "repeats",
           .value = "R",
           .help = "this many hold-outs, or rounds of folds",
           .fallback = "1"},
          {.name = "stratify",
           .value = "none|1|2",
           .help = "parts alike in no, single or pairs of labels",
           .fallback = "1"},
          {.name = "group", .value = "COLUMN", .help = "rows equal in this feature stay together"}};
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
  if (args.has("group")) out.groups = groups_of(data, args.text("group"));
  return out;
}

}  // namespace mulberry::cli

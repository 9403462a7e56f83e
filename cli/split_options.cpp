#include "cli/split_options.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::cli {
namespace {

// The columns that a feature of the file became: one, or one for each of its words.
std::pair<Index, Index> columns_of(const Dataset& data, const std::string& feature) {
  const auto& names = data.feature_names;
  const auto position = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  std::string first = feature;
  Index count = 1;
  if (const auto* words = data.nominal.find(feature); words != nullptr && words->size() > 1) {
    const bool one_hot = words->size() > 2 && data.nominal.coding == Nominal::one_hot;
    if (one_hot) count = static_cast<Index>(words->size());
    if (one_hot || words->size() == 2) first += "=" + (*words)[one_hot ? 0 : 1];
  }
  if (position(first) < count_of(names)) return {position(first), count};
  std::vector<std::string> known = names;
  known.insert(known.end(), data.nominal.names.begin(), data.nominal.names.end());
  throw Error(Code::usage, "there is no feature " + in_quotes(feature) + " to group by",
              did_you_mean(feature, known, "Name a feature of the data, not a label"));
}

// Group numbers from a feature of the data.
std::vector<Id> groups_of(const Dataset& data, const std::string& feature) {
  const auto [begin, count] = columns_of(data, feature);
  std::unordered_map<double, Id> number;
  std::vector<Id> out;
  for (Index i = 0; i < data.rows(); ++i) {
    double value = data.x.at(i, begin);
    for (Index v = 1; v < count; ++v) value += static_cast<double>(v + 1) * data.x.at(i, begin + v);
    if (std::isnan(value)) {
      throw Error(Code::data,
                  "expected a group in every row, found a missing value of " + in_quotes(feature) +
                      " in row " + std::to_string(i + 1),
                  "Fill it in, or remove the row");
    }
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
  if (args.has("group")) out.groups = groups_of(data, args.text("group"));
  return out;
}

}  // namespace mulberry::cli

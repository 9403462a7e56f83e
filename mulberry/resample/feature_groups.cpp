#include "mulberry/resample/feature_groups.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::resample {
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

}  // namespace

std::vector<Id> feature_groups(const Dataset& data, const std::string& feature) {
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

}  // namespace mulberry::resample

// The table of all measures, from which listing, lookup and error messages are made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::measures {

// What a measure needs from a prediction. `sets`: exclusive label sets; `rules`: what labels imply;
// `propensities`: scores, and how often each label occurs in training.
enum class Needs { decisions, scores, probabilities, sets, rules, propensities };

std::string_view name_of(Needs needs);  // "label decisions", "scores", ...

struct MeasureInfo {
  std::string_view name;
  std::string_view sentence;
  Needs needs;
  bool higher_is_better;
  double low, high;  // the range of values; infinite if it depends on the number of labels
};

std::span<const MeasureInfo> measure_table();
const MeasureInfo& measure_info(std::string_view name);  // Error with the nearest name
std::vector<std::string> measure_names();

}  // namespace mulberry::measures

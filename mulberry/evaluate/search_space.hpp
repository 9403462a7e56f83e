// Search spaces: which parameters of a learner a search varies, and over which values. They come
// from the ranges that learners declare, including nested learners; parameters that the spec sets
// stay fixed. A grid given by the user replaces the declared one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/params.hpp"
#include "mulberry/core/random.hpp"

namespace mulberry::evaluate {

struct SearchAxis {
  std::string name = {};                 // dotted for a nested learner: "base.C"
  std::vector<std::string> values = {};  // the values to choose from, or empty: a range
  double low = 0, high = 0;              // the range
  bool logarithmic = true, integer = false;

  // Values for a grid: all of `values`, or `count` points spread over the range, including its
  // ends.
  std::vector<std::string> grid(Index count) const;
  std::string draw(Random& random) const;
};

// The parameters of `spec` (resolved, not completed) that declare where to search.
std::vector<SearchAxis> declared_axes(const Spec& spec);

// "C=0.1,1,10; base.C=1,2": semicolons between parameters, commas between values; a comma within
// parentheses or brackets belongs to its value. Throws Error (usage, parameter) if a name is not a
// parameter of the learner or a value is not allowed.
std::vector<SearchAxis> parse_grid(std::string_view text, const Spec& spec);

// Whether a learner has a parameter; a dotted name reaches into the learner within it.
bool has_parameter(const Spec& spec, const std::string& name);

// Every combination, the first axis changing slowest. Throws Error if there are more than `most`.
std::vector<Spec> grid_specs(const Spec& spec, const std::vector<SearchAxis>& axes, Index points,
                             Index most);
// `count` draws, each from the stream "search" with its number; equal draws are kept once.
std::vector<Spec> random_specs(const Spec& spec, const std::vector<SearchAxis>& axes, Index count,
                               std::uint64_t seed);

}  // namespace mulberry::evaluate

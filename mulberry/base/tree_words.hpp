// The parameter of forests and boosted trees that says how they take nominal features.
#pragma once

#include "mulberry/core/params.hpp"

namespace mulberry::base {

enum class TreeWords { together, apart };

template <class Params>
auto words_field(TreeWords Params::* words) {
  return choice(
      "words", words,
      "columns of 0 and 1 of which every row has exactly one 1, as nominal features become: a "
      "cut is a set of them, or a single one",
      {"together", "apart"});
}

}  // namespace mulberry::base

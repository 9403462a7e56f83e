#include "mulberry/model/suitable_bases.hpp"

#include <vector>

#include "mulberry/core/text.hpp"

namespace mulberry::model {

std::string suitable_bases(bool (*suits)(const BaseLearner& base)) {
  std::vector<std::string> names;
  for (const BaseLearner& base : base_learners()) {
    if (suits(base)) names.push_back(base.id);
  }
  return "one of these as base: " + join(names, ", ");
}

}  // namespace mulberry::model

// The list of base learners, from list.inc. A line without its file does not link; a file without
// its line stops the configuration of the build.
#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry {

#define BASE(id) BaseLearner make_##id();
#include "mulberry/base/list.inc"
#undef BASE

std::span<const BaseLearner> base_learners() {
  static const std::vector<BaseLearner> all = [] {
    std::vector<BaseLearner> out = {
#define BASE(id) make_##id(),
#include "mulberry/base/list.inc"
#undef BASE
    };
    std::sort(out.begin(), out.end(),
              [](const BaseLearner& a, const BaseLearner& b) { return a.id < b.id; });
    return out;
  }();
  return all;
}

const BaseLearner& find_base(const std::string& id) {
  std::vector<std::string> names;
  for (const BaseLearner& base : base_learners()) {
    if (base.id == id) return base;
    names.push_back(base.id);
  }
  throw Error(Code::usage, "there is no base learner " + quoted(id),
              did_you_mean(id, names, "There are " + join(names, ", ")));
}

}  // namespace mulberry

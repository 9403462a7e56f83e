// The list of base learners, from list.inc. A line without its file does not link; a file without
// its line stops the configuration of the build; a record with another id than its line is a bug
// that every program meets at once.
#include <algorithm>

#include "mulberry/base/add_base.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::base {

#define BASE(id) BaseLearner make_##id();
#include "mulberry/base/list.inc"
#undef BASE

namespace {

void sort_by_id(std::vector<BaseLearner>& all) {
  std::sort(all.begin(), all.end(),
            [](const BaseLearner& a, const BaseLearner& b) { return a.id < b.id; });
}

std::vector<BaseLearner>& registry() {
  static std::vector<BaseLearner> all = [] {
    std::vector<BaseLearner> out;
    const auto add = [&](std::string_view id, BaseLearner base) {
      MULBERRY_ASSERT(base.id == id);
      out.push_back(std::move(base));
    };
#define BASE(id) add(#id, make_##id());
#include "mulberry/base/list.inc"
#undef BASE
    sort_by_id(out);
    return out;
  }();
  return all;
}

}  // namespace

void add_base(BaseLearner base) {
  for (const BaseLearner& other : registry()) MULBERRY_ASSERT(other.id != base.id);
  registry().push_back(std::move(base));
  sort_by_id(registry());
}

}  // namespace mulberry::base

namespace mulberry::model {

std::span<const BaseLearner> base_learners() { return base::registry(); }

const BaseLearner& find_base(const std::string& id) {
  std::vector<std::string> names;
  for (const BaseLearner& base : base_learners()) {
    if (base.id == id) return base;
    names.push_back(base.id);
  }
  throw Error(Code::usage, "there is no base learner " + in_quotes(id),
              did_you_mean(id, names, "There are " + join(names, ", ")));
}

}  // namespace mulberry::model

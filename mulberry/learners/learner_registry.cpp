// The list of learners and aliases, from list.inc; see base/base_registry.cpp for how list and
// files are kept in step. A record has the id of its line.
#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {

#define LEARNER(id) Learner make_##id();
#define ALIAS(id, spec)
#include "mulberry/learners/list.inc"
#undef LEARNER
#undef ALIAS

}  // namespace mulberry::learners

namespace mulberry::model {

std::span<const Learner> all_learners() {
  static const std::vector<Learner> all = [] {
    std::vector<Learner> out;
    const auto add = [&](std::string_view id, Learner learner) {
      MULBERRY_ASSERT(learner.id == id);
      out.push_back(std::move(learner));
    };
#define LEARNER(id) add(#id, learners::make_##id());
#define ALIAS(id, spec)
#include "mulberry/learners/list.inc"
#undef LEARNER
#undef ALIAS
    std::sort(out.begin(), out.end(),
              [](const Learner& a, const Learner& b) { return a.id < b.id; });
    return out;
  }();
  return all;
}

std::span<const Alias> all_aliases() {
  static const std::vector<Alias> all = {
#define LEARNER(id)
#define ALIAS(id, spec) Alias{#id, parse_spec(spec)},
#include "mulberry/learners/list.inc"
#undef LEARNER
#undef ALIAS
  };
  return all;
}

}  // namespace mulberry::model

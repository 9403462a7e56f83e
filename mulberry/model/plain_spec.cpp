#include "mulberry/model/plain_spec.hpp"

#include <algorithm>

#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::model {
namespace {

// Parameters of `spec` that differ from those of `usual`, which is complete.
Spec differing(const Spec& spec, const Spec& usual) {
  Spec out(spec.id);
  for (const auto& [name, value] : spec.params) {
    const SpecValue* const other = usual.find(name);
    if (other != nullptr && *other == value) continue;
    const auto* inner = std::get_if<Spec>(&value);
    if (inner == nullptr) {
      out.set(name, value);
      continue;
    }
    const auto bases = base_learners();
    const bool is_base =
        std::ranges::any_of(bases, [&](const BaseLearner& base) { return base.id == inner->id; });
    const Spec plain =
        is_base ? find_base(inner->id).complete(Spec(inner->id)) : complete_spec(Spec(inner->id));
    out.set(name, differing(*inner, plain));
  }
  return out;
}

}  // namespace

Spec without_defaults(const Spec& spec) {
  const Spec whole = complete_spec(spec);
  return differing(whole, complete_spec(Spec(whole.id)));
}

}  // namespace mulberry::model

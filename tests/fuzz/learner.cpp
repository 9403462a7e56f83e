#include "mulberry/model/learner.hpp"
#include "mulberry/core/spec.hpp"
#include "tests/fuzz/fuzz.hpp"

// A learner as a user writes it: parsed, completed with its parameters, and written again.
FUZZ_TARGET(learner) {
  using namespace mulberry::tests;
  fuzz::errors_are_fine([&] {
    const Spec spec = parse_spec(input);
    MULBERRY_ASSERT(parse_spec(spec.text()).text() == spec.text());
    const CompleteSpec complete(spec);
    MULBERRY_ASSERT(parse_spec(complete.spec().text()).text() == complete.spec().text());
    MULBERRY_ASSERT(CompleteSpec(complete.spec()).spec() == complete.spec());
    complete.tags();
  });
}

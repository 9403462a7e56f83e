#include "mulberry/study/study_file.hpp"

#include "mulberry/core/error.hpp"
#include "tests/fuzz/fuzz.hpp"

// The file of a study. The data that it names is not looked for.
FUZZ_TARGET(study) {
  using namespace mulberry;
  for (const auto size : {study::StudySize::full, study::StudySize::quick}) {
    tests::fuzz::errors_are_fine([&] {
      const study::Study found = study::parse_study(input, "fuzz.toml", size);
      MULBERRY_ASSERT(!found.learners.empty());
      MULBERRY_ASSERT(found.data.empty() == study::study_sets(found).empty());
    });
  }
}

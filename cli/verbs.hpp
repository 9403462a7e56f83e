// The verbs of the command line, one file each.
#pragma once

#include <vector>

#include "mulberry/core/rooms.hpp"

#include "cli/args.hpp"

namespace mulberry::cli {

Verb completion_verb();
Verb convert_verb();
Verb cv_verb();
Verb demo_verb();
Verb describe_verb();
Verb enhance_verb();
Verb fit_verb();
Verb generate_verb();
Verb hide_verb();
Verb inspect_verb();
Verb list_verb();
Verb missing_verb();
Verb predict_verb();
Verb relations_verb();
Verb report_verb();
Verb reproduce_verb();
Verb review_verb();
Verb run_verb();
Verb score_verb();
Verb split_verb();
Verb suspicious_verb();
Verb tradeoff_verb();
Verb tune_verb();

// All of them, in the order that `mulberry --help` shows.
const std::vector<Verb>& verbs();

}  // namespace mulberry::cli

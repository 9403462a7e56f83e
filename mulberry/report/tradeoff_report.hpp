// Trade-offs of precision and recall for people: a table of betas by learners, and a picture.
#pragma once

#include <string>

#include "mulberry/evaluate/tradeoff.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

// One row per beta, with the best value marked.
Table tradeoff_table(const Tradeoff& tradeoff);
std::string tradeoff_text(const Tradeoff& tradeoff, bool colours);
// One line per learner over the logarithm of beta; with several splits, a band of one deviation to
// each side.
std::string tradeoff_picture(const Tradeoff& tradeoff);

}  // namespace mulberry::report

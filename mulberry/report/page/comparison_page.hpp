// Reports of comparisons: learners on one data set, over values of a parameter, over several data
// sets, the trials of a search, and whole studies.
#pragma once

#include <span>
#include <string>

#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/sweep.hpp"
#include "mulberry/evaluate/tune.hpp"
#include "mulberry/report/page/page.hpp"
#include "mulberry/report/study/study_report.hpp"

namespace mulberry::report {

Page comparison_page(const Comparison& comparison);
Page sweep_page(const Sweep& sweep);
// `learner` and `data`: what was searched, for the heading.
Page tune_page(const TuneResult& result, const std::string& learner, const std::string& data);
// Verdict k belongs to scores k. `what`: the protocol in a few words.
Page sets_page(std::span<const Scores> scores, std::span<const Verdicts> verdicts,
               const std::string& what);
// `command` is what the reader types to get the same.
Page study_page(const Study& study, const StudyResults& results, std::span<const Verdicts> verdicts,
                const std::string& command);

}  // namespace mulberry::report

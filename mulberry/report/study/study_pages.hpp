// The results of a study as pages of documentation, in Markdown.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/compare/verdicts.hpp"
#include "mulberry/study/study_results.hpp"

namespace mulberry::report {

using namespace study;

struct PagePicture {
  std::string file = {};  // as the page refers to it
  std::string svg = {};
};

struct StudyPage {
  std::string text = {};
  std::vector<PagePicture> pictures = {};
};

// Which learner to choose: for each measure who leads and who is not behind, then ranks, values on
// each set, time and memory. `command` is what the reader types to get the same; `pictures` are the
// mean ranks of each measure, if they were drawn.
std::string results_page(const Study& study, const StudyResults& results,
                         std::span<const compare::Verdicts> verdicts, const std::string& command,
                         std::span<const std::string> pictures);

// A table or figure of a paper: published values next to ours, and what the tests say where there
// are three sets or more. Its pictures belong into the folder
// of the page.
StudyPage published_page(const Study& study, const StudyResults& results,
                         std::span<const compare::Verdicts> verdicts, const std::string& command);

// The line of such a page that says what was run, as columns: command, protocol, CPU time, how our
// values compare with the published ones. Empty if the page has none.
std::string summary_of_page(const std::string& page);

}  // namespace mulberry::report

// Values of a study as text: what its tables and pages have in common.
#pragma once

#include <string>

#include "mulberry/study/study_results.hpp"

namespace mulberry::report {

using namespace study;

// "0.1234 ± 0.0056", without the deviation if there is none; "-" for NaN.
std::string mean_text(double mean, double deviation);
// Of a cell; or how it ended.
std::string cell_text(const compare::ScoreCell& cell);
// Ours minus the published value.
std::string difference_text(const PublishedLine& line);
// "0.1234 ± 0.0056", or "590 s"
std::string published_value_text(const PublishedValue& value);
std::string our_value_text(const PublishedLine& line);
// The remarks of a study without published values, as paragraphs.
std::string general_remarks(const Study& study);
// Within a table of Markdown.
std::string markdown_cell(const std::string& text);

// "0.042 s"
std::string seconds_text(double seconds);
// "42 s", "12 min", "3.1 h"
std::string duration_text(double seconds);
// CPU time of all cells.
double total_seconds(const StudyResults& results);

// One paragraph per set, learner and table that the models show: its values with the largest size,
// each with its place.
std::string result_lines(const StudyResults& results);

}  // namespace mulberry::report

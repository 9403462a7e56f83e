// What `run` and `reproduce` share: options, running a study, showing what it found.
#pragma once

#include <string>
#include <vector>

#include "cli/args.hpp"
#include "mulberry/report/study_report.hpp"

namespace mulberry::cli {

std::vector<Option> study_options();

// Runs a study, or what the options say of it, with the cells in the folder `work`. `command` is
// what the user typed, for pages of documentation.
int execute_study(const Args& args, const Study& study, const std::string& work,
                  const std::string& command);

StudySize size_from(const Args& args);

}  // namespace mulberry::cli

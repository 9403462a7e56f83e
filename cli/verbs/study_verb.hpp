// What `run` and `reproduce` share: options, running a study, showing what it found.
#pragma once

#include <string>
#include <vector>

#include "cli/args.hpp"
#include "mulberry/report/study/study_pages.hpp"
#include "mulberry/report/study/study_report.hpp"

namespace mulberry::cli {

std::vector<Option> study_options();

// Runs a study, or what the options say of it, with the cells in the folder `work`. `command` is
// what the user typed, for pages of documentation.
int execute_study(const Args& args, const Study& study, const std::string& work,
                  const std::string& command);

StudySize size_from(const Args& args);

// With the number of repeats that the user asked for.
Study sized(const Args& args, Study study);

// Made if it is not there, before the work is done.
void require_folder(const std::string& folder);

// A study's page and its pictures, next to each other.
void write_page_files(const std::string& path, const StudyPage& page);

}  // namespace mulberry::cli

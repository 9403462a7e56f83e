// What a verb prints: text for people, or one of --json and --csv for programs.
#pragma once

#include <string>

#include "cli/args.hpp"

namespace mulberry::cli {

Option csv_option(std::string help);
// Throws Error if both --json and --csv are given.
void require_one_form(const Args& args);

}  // namespace mulberry::cli

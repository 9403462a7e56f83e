// The reference page of all learners, made from what each declares: docs/reference.md.
#pragma once

#include <string>

#include "mulberry/core/rooms.hpp"

namespace mulberry::cli {

std::string reference_page();  // Markdown

}  // namespace mulberry::cli

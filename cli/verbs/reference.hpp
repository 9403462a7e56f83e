// The reference page of all learners, docs/reference.md, generated from their declarations.
#pragma once

#include <string>

#include "mulberry/core/rooms.hpp"

namespace mulberry::cli {

std::string reference_page();  // Markdown

}  // namespace mulberry::cli

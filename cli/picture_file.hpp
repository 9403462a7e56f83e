// Pictures as files: what the ending of the name says. SVG is our own; PNG and PDF are made of it
// by rsvg-convert, a small program that many systems have or can install.
#pragma once

#include <string>

#include "cli/args.hpp"

namespace mulberry::cli {

// Call before the work is done: throws Error (usage) if the name ends in neither .svg, .png nor
// .pdf, or needs rsvg-convert where it is not installed. A name without an ending, or something
// that is no file, such as /dev/stdout, gets SVG.
void require_picture(const std::string& path);
// All or nothing, as write_whole_file.
void write_picture(const std::string& path, const std::string& svg);

Option picture_option(const std::string& help, const std::string& name = "picture");

}  // namespace mulberry::cli

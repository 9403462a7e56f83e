// The studies of the folder experiments/, compiled into the command by cmake/experiments.cmake.
#pragma once

#include <span>
#include <string>

#include "mulberry/core/rooms.hpp"

namespace mulberry::cli {

struct Experiment {
  std::string name = {};  // of the file, without .toml
  std::string text = {};
};

std::span<const Experiment> experiments();  // by name

}  // namespace mulberry::cli

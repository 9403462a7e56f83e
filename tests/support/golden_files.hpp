// The model files of all versions, which later versions must read.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/support/places.hpp"

namespace mulberry::tests {

inline std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(places::source() + "/tests/models")) {
    if (entry.path().extension() == ".mb") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace mulberry::tests

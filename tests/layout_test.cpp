// The folders of mulberry/ depend on each other in one direction only, and files stay short.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace {

const std::vector<std::string> k_order = {"core",  "data", "math",     "measures", "resample",
                                          "model", "base", "learners", "evaluate", "report"};

long rank_of(const std::string& folder) {
  return std::find(k_order.begin(), k_order.end(), folder) - k_order.begin();
}

std::vector<std::filesystem::path> sources() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(mulberry::places::source() + "/mulberry")) {
    const auto extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".hpp") out.push_back(entry.path());
  }
  return out;
}

// The first folder below mulberry/.
std::string room_of(const std::filesystem::path& file) {
  return *file.lexically_relative(mulberry::places::source() + "/mulberry").begin();
}

TEST(Layout, IncludesPointOneWay) {
  const auto files = sources();
  ASSERT_GT(files.size(), 50u);
  for (const auto& file : files) {
    const std::string folder = room_of(file);
    ASSERT_LT(rank_of(folder), static_cast<long>(k_order.size())) << file;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const std::string start = "#include \"mulberry/";
      if (line.rfind(start, 0) != 0) continue;
      const std::string target =
          line.substr(start.size(), line.find('/', start.size()) - start.size());
      EXPECT_LE(rank_of(target), rank_of(folder)) << file << ": " << line;
    }
  }
}

TEST(Layout, HeadersAreFreeOfHeavyIncludes) {
  for (const auto& file : sources()) {
    if (file.extension() != ".hpp") continue;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      for (const char* heavy : {"nlohmann", "<fmt/", "pugixml", "cblas", "Eigen"}) {
        EXPECT_FALSE(line.rfind("#include", 0) == 0 && line.find(heavy) != std::string::npos)
            << file << ": " << line;
      }
    }
  }
}

TEST(Layout, FilesAreShort) {
  for (const auto& file : sources()) {
    std::ifstream in(file);
    long lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    EXPECT_LE(lines, 800) << file;
  }
}

}  // namespace

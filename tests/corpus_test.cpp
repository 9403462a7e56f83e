// Replays the seeds (and past findings) of every fuzz target.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/places.hpp"

namespace mulberry::tests {
namespace {

TEST(Corpus, EveryTargetRunsItsSeeds) {
  ASSERT_FALSE(fuzz::targets().empty());
  for (const auto& [name, target] : fuzz::targets()) {
    int seeds = 0;
    const std::string folder = places::source() + "/tests/fuzz/corpus/" + name;
    ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      std::ifstream in(file.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      EXPECT_NO_THROW(target(bytes)) << file.path();
      ++seeds;
    }
    EXPECT_GT(seeds, 0) << folder;
  }
}

}  // namespace
}  // namespace mulberry::tests

// The examples of the command line print what is written next to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/process.hpp"

namespace mulberry::tests::contract {
namespace {

TEST(Examples, PrintWhatIsWrittenNextToThem) {
  const std::filesystem::path folder = places::source() + "/examples/commands";
  const std::string commands = std::filesystem::path(places::command()).parent_path();
  int scripts = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".sh") continue;
    const Scratch scratch;
    const std::string text = "cd '" + scratch.file("") + "' && export PATH='" + commands +
                             "':$PATH && set -eu && . '" + file.path().string() + "'";
    const Outcome outcome = Process(scratch, {"-c", text}, "/bin/bash").wait();
    EXPECT_EQ(outcome.code, 0) << file.path() << outcome.err;
    EXPECT_EQ(outcome.err, "") << file.path();
    auto expected = file.path();
    EXPECT_EQ(outcome.out, slurp(expected.replace_extension(".txt"))) << file.path();
    ++scripts;
  }
  EXPECT_GE(scripts, 5);
}

}  // namespace
}  // namespace mulberry::tests::contract

// A test of the command in a separate folder.
#pragma once

#include "tests/support/process.hpp"

namespace mulberry::tests::contract {

class CommandTest : public testing::Test {
 protected:
  Outcome ok(const std::vector<std::string>& words) const {
    Outcome outcome = run(scratch, words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome;
  }
  // A user's mistake: code 1, a message with these words, nothing on standard output.
  void wrong(const std::vector<std::string>& words, const std::string& message) const {
    const Outcome outcome = run(scratch, words);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  Scratch scratch;
};

}  // namespace mulberry::tests::contract

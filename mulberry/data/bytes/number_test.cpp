#include "mulberry/data/bytes/number.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"

namespace mulberry::data {
namespace {

void expect_agreement(const std::string& text) {
  double fast = 0;
  const bool known = fast_number(text, fast);
  const auto slow = parse_number(text);
  ASSERT_EQ(known, slow.has_value()) << text;
  if (known) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(fast), std::bit_cast<std::uint64_t>(*slow)) << text;
  }
}

TEST(FastNumber, AgreesWithParseNumberOnTheEdges) {
  for (const char* text : {"",
                           "0",
                           "-0",
                           "+1",
                           "1.",
                           ".5",
                           "-.5",
                           ".",
                           "-",
                           "1e5",
                           "1E-400",
                           "1e400",
                           "nan",
                           "inf",
                           "0x1",
                           "1a",
                           "1 ",
                           " 1",
                           "--1",
                           "1.2.3",
                           "1..2",
                           "00012",
                           "999999999999999",
                           "9999999999999999",
                           "0.000000000000001",
                           "123456789012345.6",
                           "-123456.789",
                           "1-",
                           "+-1",
                           "1e",
                           "1,"}) {
    expect_agreement(text);
  }
}

TEST(FastNumber, AgreesWithParseNumberOnRandomWords) {
  Random random(7, "words");
  for (int k = 0; k < 200000; ++k) {
    constexpr std::string_view letters = "0123456789012345678901234567890123456789..-+eE x";
    std::string text;
    const Index size = 1 + random.below(18);
    for (Index i = 0; i < size; ++i) {
      text += letters[at(random.below(count_of(letters)))];
    }
    expect_agreement(text);
  }
}

}  // namespace
}  // namespace mulberry::data

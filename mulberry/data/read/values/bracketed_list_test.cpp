#include "mulberry/data/read/values/bracketed_list.hpp"

#include <gtest/gtest.h>

namespace mulberry::data {
namespace {

using Names = std::vector<std::string>;

TEST(BracketedList, AsPythonJsonAndNumpyWriteThem) {
  for (const char* text : {"['sea', 'sun']", "[\"sea\",\"sun\"]", " {'sea', \"sun\"} ",
                           "('sea', 'sun')", "['sea' 'sun']", "['sea'\n 'sun',]"}) {
    EXPECT_EQ(bracketed_list(text), (Names{"sea", "sun"})) << text;
  }
  EXPECT_EQ(bracketed_list("('sea',)"), Names{"sea"});
  EXPECT_EQ(bracketed_list("[3, 14]"), (Names{"3", "14"}));
  EXPECT_EQ(bracketed_list("[\"it's\", 'a \\'b\\' \\\\']"), (Names{"it's", "a 'b' \\"}));
  EXPECT_EQ(bracketed_list("['a, b', 'c]']"), (Names{"a, b", "c]"}));
  for (const char* text : {"[]", "{}", "()", "set()", "[ ]"}) {
    EXPECT_EQ(bracketed_list(text), Names{}) << text;
  }
}

TEST(BracketedList, NamesInBracketsStayNames) {
  for (const char* text : {"", "[", "sea", "(sea)", "[sea, sun]", "['sea'", "['sea]", "['sea'}",
                           "['sea''sun']", "['sea'] x", "[1.5]", "['a\\n']", "['a\\'"}) {
    EXPECT_FALSE(bracketed_list(text)) << text;
  }
}

}  // namespace
}  // namespace mulberry::data

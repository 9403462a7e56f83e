#include "mulberry/data/detect.hpp"

#include <gtest/gtest.h>

namespace mulberry {
namespace {

TEST(DetectFormat, GoesByContent) {
  EXPECT_EQ(detect_format("% c\n\n@RELATION r\n"), Format::arff);
  EXPECT_EQ(detect_format("\xEF\xBB\xBF@relation r\r\n"), Format::arff);
  EXPECT_EQ(detect_format("PK\x03\x04..."), Format::npz);
  EXPECT_EQ(detect_format("3 10 4\n0,1 2:1\n"), Format::xmlrepo);
  EXPECT_EQ(detect_format("1,2 1:0.5 3:1\n"), Format::libsvm);
  EXPECT_EQ(detect_format(" 1:0.5\n0 2:1e-3 # c\n"), Format::libsvm);
  EXPECT_EQ(detect_format("# c\n1\n2 qid:3 1:2\n"), Format::libsvm);
  EXPECT_EQ(detect_format("a,b,c\n1,2,3\n"), Format::csv);
  EXPECT_EQ(detect_format("a:1,b c:2\n1,2\n"), Format::csv);
  EXPECT_EQ(detect_format("a\tb\tc\n1\t2\t3\n"), Format::tsv);
}

TEST(DetectFormat, AnEntryCutAtTheEndOfTheStartDoesNotMatter) {
  EXPECT_EQ(detect_format("1 1:0.5\n2 1:0.5 3:"), Format::libsvm);
  EXPECT_EQ(detect_format("1 1:0.5\n2 1:0.5 3"), Format::libsvm);
}

TEST(DetectFormat, ThreeNumbersAreAHeaderOnlyInTheFirstLine) {
  EXPECT_EQ(detect_format("1 2 3 4\n"), Format::csv);
  EXPECT_EQ(detect_format("3 10 4.5\n0,1 2:1\n"), Format::libsvm);
}

}  // namespace
}  // namespace mulberry

#include "mulberry/data/detect.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"

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

std::string refusal(std::string_view start) {
  try {
    refuse_other_kinds(start, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.where().text(), "f:1:1");
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }
  return "";
}

TEST(RefuseOtherKinds, SaysWhatTheFileIs) {
  EXPECT_EQ(refusal(std::string_view("MULBERRY\1\0\0\0", 12)),
            "expected a data set, found a model");
  EXPECT_EQ(refusal("BZh91AY&SY..."), "expected a data set, found bzip2 compression");
  EXPECT_EQ(refusal(std::string_view("\xFD"
                                     "7zXZ\0",
                                     6)),
            "expected a data set, found xz compression");
  EXPECT_EQ(refusal("\x93NUMPY\1"), "expected a data set, found a single NumPy array");
  EXPECT_EQ(refusal("<!doctype html>\n<html>"), "expected a data set, found a web page");
  EXPECT_EQ(refusal("\xEF\xBB\xBF<?xml version='1.0'?>"), "expected a data set, found XML");
  EXPECT_EQ(refusal("<labels>\n"), "expected a data set, found a label file");
  EXPECT_EQ(refusal("a,y\r1,0\r"), "expected lines that end with LF or CRLF, found CR alone");
}

TEST(RefuseOtherKinds, LetsDataPass) {
  for (const char* data : {"mulberry,apple\n1,0\n", "a,y\r\n1,0\r\n", "a,y\r", "PAR1,y\n1,0\n",
                           "@relation r\n", "0 1:1", "PK\x03\x04"}) {
    EXPECT_EQ(refusal(data), "") << data;
  }
}

}  // namespace
}  // namespace mulberry

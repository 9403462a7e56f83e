#include "mulberry/data/read/detect.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"

namespace mulberry::data {
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

// So that the right reader reports what is wrong with them.
TEST(DetectFormat, FaultyRowsOfLibsvmAreThatStill) {
  for (const char* start : {"0 1 :1\n", "0 1.5:1\n", "cat,dog 1:1 2:0.5\n", "0 -1:1\n"}) {
    EXPECT_EQ(detect_format(start), Format::libsvm) << start;
  }
  EXPECT_EQ(detect_format("# mulberry: labels=3\n0\n1,2\n"), Format::libsvm);
  EXPECT_EQ(detect_format("at 12:30,b\n1,2\n"), Format::csv);
}

TEST(DetectFormat, AnArchiveWithoutMembersIsOneStill) {
  EXPECT_EQ(detect_format("PK\x05\x06"), Format::npz);
}

TEST(DetectDelimiter, DividesHeaderAndFirstRowAlike) {
  EXPECT_EQ(detect_delimiter("a,1\tb,2\tl,3\n1\t2\t0\n"), '\t');
  EXPECT_EQ(detect_delimiter("a,1;b,2;l,3\r\n\r\n1;2;0\r\n"), ';');
  EXPECT_EQ(detect_delimiter("a,b,t\n1,2,x;y;z\n"), ',');
  EXPECT_EQ(detect_delimiter("\"a\n;;;\",l\n\"1\n\",0\n"), ',');
  EXPECT_EQ(detect_delimiter("a,b;l\n1\n"), ',');
  EXPECT_EQ(detect_delimiter("a;b;l"), ';');
  EXPECT_EQ(detect_delimiter(""), ',');
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
  EXPECT_EQ(refusal(std::string_view("MULBERRY\2\0\0\0", 12)),
            refusal(std::string_view("MULBERRY\1\0\0\0", 12)));
  EXPECT_EQ(refusal(std::string_view("MULBERRY\1\0\0\0", 12)),
            "expected a data set, found a model");
  EXPECT_EQ(refusal("BZh91AY&SY..."), "expected a data set, found bzip2 compression");
  EXPECT_EQ(refusal(std::string_view("\xFD"
                                     "7zXZ\0",
                                     6)),
            "expected a data set, found xz compression");
  EXPECT_EQ(refusal("\x93NUMPY\1"), "expected a data set, found a single NumPy array");
  EXPECT_EQ(refusal("PAR1\x15\x04"), "expected a data set, found Parquet");
  EXPECT_EQ(refusal(std::string_view("ARROW1\0\0\xFF", 9)),
            "expected a data set, found an Arrow file");
  EXPECT_EQ(refusal("<!doctype html>\n<html>"), "expected a data set, found a web page");
  EXPECT_EQ(refusal("\xEF\xBB\xBF<?xml version='1.0'?>"), "expected a data set, found XML");
  EXPECT_EQ(refusal("<labels>\n"), "expected a data set, found a label file");
  EXPECT_EQ(refusal("version https://git-lfs.example/spec/v1\noid sha256:0\nsize 12\n"),
            "expected a data set, found a Git LFS pointer in place of the file");
  EXPECT_EQ(refusal("/annex/objects/SHA256E-s12--0.csv\n"),
            "expected a data set, found a git-annex pointer in place of the file");
}

TEST(RefuseOtherKinds, BinaryFilesAndUtf16) {
  std::string noise =
      "\x7f"
      "ELF";
  for (int k = 0; k < 512; ++k) noise += static_cast<char>(k * 37 % 256);
  EXPECT_EQ(refusal(noise), "expected a data set, found a binary file");
  std::string wide;
  for (const char c : std::string_view("a,y\n1,0\n")) wide += std::string{c, '\0'};
  EXPECT_EQ(refusal(wide), "expected text in UTF-8, found UTF-16");
  EXPECT_EQ(refusal("\xFF\xFE" + wide), "expected text in UTF-8, found UTF-16");
  EXPECT_EQ(refusal("\x1f\x8b\x08"),
            "expected a data set, found a gzip file inside the compressed one");
  EXPECT_EQ(refusal(std::string_view("FEA1\0\0\0\0\1\0\0\0", 12)),
            "expected a data set, found a Feather file of version 1");
  EXPECT_EQ(refusal(std::string_view("a,y\n1,\0\n", 9)), "");  // the reader says where
}

TEST(RefuseOtherKinds, LetsDataPass) {
  for (const char* data :
       {"mulberry,apple\n1,0\n", "a,y\r\n1,0\r\n", "a,y\r", "a,y\r1,0\r", "PAR1,y\n1,0\n",
        "fea1,y\n1,0\n", "@relation r\n", "0 1:1", "PK\x03\x04"}) {
    EXPECT_EQ(refusal(data), "") << data;
  }
}

}  // namespace
}  // namespace mulberry::data

// Tables as spreadsheets save them, and what is said about files next to the data.
#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

Dataset read_text(const std::string& text) {
  const TemporaryFolder folder;
  return read_dataset(folder.put("a.csv", text), {.label_columns = {"lab"}});
}

TEST(Spreadsheets, ExcelNamesItsDelimiter) {
  for (const char* text :
       {"sep=;\r\nx;y;lab\r\n1;2;1\r\n3;4;0\r\n", "\xEF\xBB\xBFsep=|\nx|y|lab\n1|2|1\n3|4|0\n"}) {
    const Dataset data = read_text(text);
    EXPECT_EQ(data.feature_names, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(data.rows(), 2);
  }
  EXPECT_THROW(read_text("sep=;\n"), Error);
}

TEST(Spreadsheets, EmptyCellsAfterTheLastColumnAreLeftOut) {
  for (const char* text :
       {"x,lab,,\n1,1,,\n2,0,,\n", "x,lab\n1,1,\n2,0,\n", "x,lab,\n1,1\n2,0,\n"}) {
    const Dataset data = read_text(text);
    EXPECT_EQ(data.columns(), 1) << text;
    EXPECT_EQ(data.notes.size(), 1U) << text;
  }
  EXPECT_THROW(read_text("x,lab\n1,1,5\n"), Error);
  EXPECT_THROW(read_text("x,lab,\n1,1,5\n"), Error);
  EXPECT_THROW(read_text("x,,lab\n1,2,1\n"), Error);
}

TEST(Spreadsheets, LettersForYesAndNo) {
  EXPECT_EQ(read_text("x,lab\n1,Y\n2,n\n3,T\n").y, Labels(1, {{0}, {}, {0}}));
}

// The labels are named without it, but what only it knows would become features.
TEST(Spreadsheets, ALabelFileThatCannotBeReadIsMentioned) {
  const TemporaryFolder folder;
  folder.put("a.xml", "<labels><label name=\"l\"");
  const std::string path = folder.put(
      "a.arff",
      "@relation a\n@attribute x numeric\n@attribute l {0,1}\n@attribute m {0,1}\n@data\n1,0,1\n");
  const Dataset data = read_dataset(path, {.label_columns = {"l"}});
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_NE(data.notes[0].find("cannot be read"), std::string::npos) << data.notes[0];
  EXPECT_THROW(read_dataset(path), Error);
}

TEST(DetectFormat, ThousandsOfLabelsInTheFirstRow) {
  std::string labels = "100000";
  for (int l = 1; l < 20'000; ++l) labels += "," + std::to_string(100'000 + l);
  const std::string text = labels + " 1:0.5\n100000 2:1\n";
  EXPECT_EQ(detect_format(std::string_view(text).substr(0, 1 << 16)), Format::libsvm);
  EXPECT_EQ(detect_format("1,2,3\n4,5,6\n"), Format::csv);
}

}  // namespace
}  // namespace mulberry::data

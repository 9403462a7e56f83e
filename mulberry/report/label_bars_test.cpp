#include "mulberry/report/label_bars.hpp"

#include <gtest/gtest.h>

namespace mulberry::report {
namespace {

TEST(LabelBars, StrongestFirstAndGivenKept) {
  const LabelBars plain{.title = "row 1", .values = {-1, 0.5, 2, 0.5}};
  EXPECT_EQ(strongest_labels(plain, 10), (std::vector<Id>{2, 1, 3, 0}));
  EXPECT_EQ(strongest_labels(plain, 2), (std::vector<Id>{2, 1}));
  LabelBars with = plain;
  with.given = {1, 0, 0, 0};
  EXPECT_EQ(strongest_labels(with, 2), (std::vector<Id>{2, 0})) << "a given label is shown";
  EXPECT_EQ(strongest_labels(with, 1), (std::vector<Id>{0}));
}

TEST(LabelBars, DrawsEveryRowAndEscapesNames) {
  const LabelBars row{.title = "row 7", .values = {1.5, -0.25}, .given = {0, 1}};
  const std::string svg = label_bars("title", "note", {"a<b", "c"}, {row});
  EXPECT_EQ(svg.find("a<b"), std::string::npos);
  for (const char* part :
       {"row 7", "a&lt;b", "1.50", "-0.25", "c: -0.250, given", "title", "note"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace mulberry::report

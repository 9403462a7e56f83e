#include "mulberry/measures/hierarchy.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/measures/bootstrap.hpp"
#include "mulberry/measures/measures.hpp"

namespace mulberry::measures {
namespace {

double value(const char* name, const Labels& truth, const Labels& decided,
             const LabelRules& rules) {
  return measure(name, truth, {.decided = &decided, .rules = &rules}, {}, Context(1)).value;
}

// R.1.1 and R.1.2 are below R.1, which is below R: the example of the papers. A wrong sibling
// shares two of three labels.
TEST(HierarchicalMeasures, AWorkedExample) {
  const LabelRules rules{.parent = {-1, 0, 1, 1}};
  const Labels truth(4, {{2}}), decided(4, {{3}});
  EXPECT_DOUBLE_EQ(value("hierarchical_precision", truth, decided, rules), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value("hierarchical_recall", truth, decided, rules), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value("hierarchical_f1", truth, decided, rules), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value("hierarchical_recall", truth, Labels(4, {{1}}), rules), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value("hierarchical_precision", truth, Labels(4, {{1}}), rules), 1.0);
}

TEST(HierarchicalMeasures, SumsOverRowsAndCellsThatAreNotKnown) {
  const LabelRules rules{.implied = {{0, 1}}};
  const Labels truth(3, {{0}, {}, {2}}, {{}, {1, 2}, {1}});
  const Labels decided(3, {{1}, {0}, {1, 2}});
  // Row 1: true {0, 1}, decided {1}. Row 2: 0 is wrong, 1 is not known. Row 3: 1 is not known.
  EXPECT_DOUBLE_EQ(value("hierarchical_precision", truth, decided, rules), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value("hierarchical_recall", truth, decided, rules), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value("hierarchical_f1", truth, decided, rules), 4.0 / 6);
}

TEST(HierarchicalMeasures, WithoutRulesThereIsNone) {
  const Labels y(2, {{0}, {1}});
  const Outcome outcome{.decided = &y};
  EXPECT_THROW(measure("hierarchical_f1", y, outcome, {}, Context(1)), Error);
  const LabelRules only_groups{.exclusive = {{0, 1}}};
  EXPECT_FALSE(
      applies(measure_info("hierarchical_f1"), {.decided = &y, .rules = &only_groups}, {}));
  const LabelRules unknown{.implied = {{0, 7}}};
  EXPECT_THROW(measure("hierarchical_f1", y, {.decided = &y, .rules = &unknown}, {}, Context(1)),
               Error);
}

TEST(HierarchicalMeasures, HaveIntervals) {
  const LabelRules rules{.parent = {-1, 0}};
  const Labels truth(2, {{0, 1}, {0}, {}, {0, 1}}), decided(2, {{0}, {0, 1}, {0}, {0, 1}});
  const std::string names[] = {"hierarchical_f1"};
  const auto found =
      bootstrap(names, truth, {.decided = &decided, .rules = &rules}, {}, {}, Context(1));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(found[0].low, found[0].measured.value);
  EXPECT_GE(found[0].high, found[0].measured.value);
}

}  // namespace
}  // namespace mulberry::measures

// A label that is known from any source never becomes a feature by accident: it would tell learners
// the answer. Every way of naming labels is tried with every source of known labels.
#include "mulberry/data/read/roles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
namespace {

const std::vector<std::string> k_names = {"x", "y", "a", "b", "c", "s=u", "s=v", "tags", "word"};
const std::set<std::string> k_labels = {"a", "b", "c", "s=u", "s=v"};

struct Way {
  std::string name;
  ReadOptions options;
};

std::vector<Way> ways() {
  std::vector<Way> out = {{"nothing", {}},
                          {"prefix", {.label_prefix = "a"}},
                          {"columns", {.label_columns = {"a", "c"}}},
                          {"pattern", {.label_pattern = "a|b"}},
                          {"list", {.label_list = "tags"}}};
  std::vector<Way> all;
  for (const Way& way : out) {
    all.push_back(way);
    if (way.options.label_list.empty()) {
      for (const std::vector<std::string>& sets :
           {std::vector<std::string>{"s"}, {"word"}, {"s", "word"}, {"a"}}) {
        Way with_sets = way;
        with_sets.name += " and sets " + join(sets, ",");
        with_sets.options.label_sets = sets;
        all.push_back(with_sets);
      }
    }
  }
  return all;
}

LabelXml label_file() {
  LabelXml out{.path = "data.xml"};
  for (const std::string& label : k_labels) out.labels.push_back({.name = label});
  return out;
}

std::set<std::string> features(const Roles& roles, const std::vector<std::string>& names) {
  std::set<std::string> out;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (roles[j] == Role::feature) out.insert(names[j]);
  }
  return out;
}

void expect_no_label_among_features(const Roles& roles, const std::vector<std::string>& names,
                                    const std::string& what) {
  const auto found = features(roles, names);
  for (const std::string& label : k_labels) EXPECT_FALSE(found.contains(label)) << what << label;
  EXPECT_TRUE(found.contains("x")) << what;
}

TEST(Roles, LabelsOfTheLabelFileAreNeverFeatures) {
  for (const Way& way : ways()) {
    const LabelHints hints{.xml = label_file()};
    expect_no_label_among_features(choose_roles(k_names, way.options, hints), k_names,
                                   way.name + ": ");
  }
}

TEST(Roles, LabelsOfMekasHeaderAreNeverFeatures) {
  std::vector<std::string> first(k_labels.begin(), k_labels.end()),
      last = {"x", "y", "tags", "word"};
  first.insert(first.end(), last.begin(), last.end());
  last.insert(last.end(), k_labels.begin(), k_labels.end());
  for (const Way& way : ways()) {
    for (const Index count : {Index{5}, Index{-5}}) {
      const auto& names = count > 0 ? first : last;
      const Roles roles = choose_roles(names, way.options, {.count = count});
      expect_no_label_among_features(roles, names, way.name + ": ");
    }
  }
}

TEST(Roles, LabelsOfAModelAreNeverFeatures) {
  for (Way way : ways()) {
    for (const bool optional : {false, true}) {
      way.options.known_labels.assign(k_labels.begin(), k_labels.end());
      way.options.known_sets = {"s"};
      way.options.labels_optional = optional;
      expect_no_label_among_features(choose_roles(k_names, way.options), k_names, way.name + ": ");
    }
  }
}

TEST(Roles, OtherLabelsAreFeaturesIfTheUserSaysSo) {
  const ReadOptions options{.label_columns = {"a"}, .other_labels = OtherLabels::features};
  const auto found = features(choose_roles(k_names, options, {.xml = label_file()}), k_names);
  EXPECT_TRUE(found.contains("b") && found.contains("s=u"));
  EXPECT_FALSE(found.contains("a"));
}

TEST(Roles, ANoteNamesTheLabelsThatAreLeftOut) {
  const Roles roles = choose_roles(k_names, {.label_columns = {"a"}}, {.xml = label_file()});
  ASSERT_EQ(roles.notes.size(), 1u);
  EXPECT_EQ(spell(roles.notes[0], spelled_plainly),
            "the labels 'b', 'c', 's=u' and 1 more are neither labels nor features here "
            "(other_labels = features would make them features)");
  EXPECT_TRUE(choose_roles(k_names, {}, {.xml = label_file()}).notes.empty());
}

TEST(Roles, LabelsOfTheFileStayLabelsBesideSets) {
  const Roles roles = choose_roles(k_names, {.label_sets = {"word"}}, {.xml = label_file()});
  EXPECT_EQ(roles[8], Role::label_set);
  EXPECT_EQ(std::count(roles.of.begin(), roles.of.end(), Role::label), 5);
}

TEST(Roles, IgnoredColumns) {
  const Roles roles = choose_roles(k_names, {.label_columns = {"a", "b"}, .ignore = {"y", "b"}});
  EXPECT_EQ(roles[1], Role::ignored);
  EXPECT_EQ(roles[3], Role::ignored);
  EXPECT_EQ(roles[0], Role::feature);
  EXPECT_THROW(choose_roles(k_names, {.label_list = "tags", .ignore = {"tags"}}), Error);
  EXPECT_THROW(choose_roles(k_names, {.label_columns = {"a"}, .ignore = {"z"}}), Error);
}

class LabelFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.put(name, text);
  }
  tests::TemporaryFolder folder_;
};

TEST_F(LabelFiles, ASetOfTwoColumnsKeepsTheOtherLabelsOutOfTheFeatures) {
  write("photos.xml",
        "<labels><label name=\"sunset\"/><label name=\"night\"/>"
        "<label name=\"sea\"/></labels>");
  const std::string path = write("photos.arff",
                                 "@relation photos\n@attribute x numeric\n@attribute sunset {0,1}\n"
                                 "@attribute night {0,1}\n@attribute sea {0,1}\n@data\n"
                                 "1.5,1,0,1\n2.5,0,1,0\n");
  const Dataset data = read_dataset(path, {.label_sets = {"sunset", "night"}});
  EXPECT_EQ(data.feature_names, std::vector<std::string>{"x"});
  const Dataset one = read_dataset(path, {.label_columns = {"sea"}});
  EXPECT_EQ(one.feature_names, std::vector<std::string>{"x"});
  EXPECT_EQ(one.label_names, std::vector<std::string>{"sea"});
}

TEST_F(LabelFiles, AColumnThatRepeatsALabelOfTheListIsLeftOut) {
  const std::string text = "x,tags,red,blue,count\n1,red;count,1,0,3\n2,blue,0,1,1\n3,,0,0,2\n";
  const std::string path = write("tags.csv", text);
  const Dataset data = read_dataset(path, {.label_list = "tags"});
  // A count is no label, whatever its name.
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"x", "count"}));
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_NE(data.notes[0].find("'red', 'blue'"), std::string::npos);
  const Dataset all =
      read_dataset(path, {.label_list = "tags", .other_labels = OtherLabels::features});
  EXPECT_EQ(all.feature_names, (std::vector<std::string>{"x", "red", "blue", "count"}));
}

TEST_F(LabelFiles, IgnoredAttributesMayHaveAnyType) {
  const std::string path = write("d.arff",
                                 "@relation d\n@attribute x numeric\n@attribute when date\n"
                                 "@attribute note string\n@attribute l {0,1}\n@data\n"
                                 "1,'2024-01-01','any text',1\n{0 2,3 1}\n");
  const Dataset data = read_dataset(path, {.label_columns = {"l"}, .ignore = {"when", "note"}});
  EXPECT_EQ(data.feature_names, std::vector<std::string>{"x"});
  EXPECT_EQ(data.y.positives(), 2);
  const std::string table = write("d.csv", "x,note,l\n1,\"any, text\",1\n2,,0\n");
  EXPECT_EQ(read_dataset(table, {.label_columns = {"l"}, .ignore = {"note"}}).feature_names,
            std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace mulberry::data

#include "mulberry/data/label_rules.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "mulberry/core/error.hpp"
#include "mulberry/data/read/label_structure.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

const std::vector<std::string> k_names = {"dog", "pet", "animal", "day", "night"};

void expect_error(const std::function<void()>& f, Code code, std::string_view problem,
                  std::string_view remedy = "") {
  try {
    f();
    ADD_FAILURE() << "expected an error about " << problem;
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), code) << text;
    EXPECT_NE(text.find(problem), std::string::npos) << text;
    EXPECT_NE(text.find(remedy), std::string::npos) << text;
  }
}

LabelRules example() {
  LabelRules out{.parent = {1, 2, -1, -1, -1}};
  add_rules(out, {.exclusive = {{"night", "day"}}}, k_names, "--exclusive");
  return out;
}

TEST(LabelRules, ImpliedLabelsAreFollowed) {
  const LabelRules rules = example();
  EXPECT_EQ(rules.implications(), (std::vector<Implication>{{0, 1}, {1, 2}}));
  EXPECT_EQ(all_implied(rules, 5)[0], (std::vector<Id>{1, 2}));
  EXPECT_EQ(rules.exclusive, (std::vector<std::vector<Id>>{{3, 4}}));
  const Labels y(5, {{0}, {2, 3}, {}}, {{1}, {}, {2}});
  Index added = 0;
  EXPECT_EQ(with_implied(y, rules, &added), Labels(5, {{0, 1, 2}, {2, 3}, {}}, {{}, {}, {2}}));
  EXPECT_EQ(added, 2);
}

TEST(LabelRules, CirclesAreLabelsThatComeTogether) {
  LabelRules rules{.implied = {{0, 1}, {1, 0}}};
  EXPECT_EQ(all_implied(rules, 2), (std::vector<std::vector<Id>>{{1}, {0}}));
}

TEST(LabelRules, BrokenOnesAreCounted) {
  const Labels y(5, {{0}, {0, 1}, {0, 1, 2, 3, 4}, {3, 4}, {1}}, {{}, {2}, {}, {}, {}});
  const auto broken = broken_rules(y, example(), k_names);
  ASSERT_EQ(broken.size(), 3U);
  EXPECT_EQ(broken[0].text, "'dog' without 'pet'");
  EXPECT_EQ(broken[0].rows, 1);
  EXPECT_EQ(broken[0].first, 0);
  EXPECT_EQ(broken[1].text, "'pet' without 'animal'");
  EXPECT_EQ(broken[1].rows, 1);  // where it is not known, nothing is broken
  EXPECT_EQ(broken[1].first, 4);
  EXPECT_EQ(broken[2].text, "more than one of 'day', 'night'");
  EXPECT_EQ(broken[2].rows, 2);
  EXPECT_EQ(broken[2].first, 2);
}

TEST(LabelRules, AreRefusedForOtherLabels) {
  LabelRules rules;
  expect_error([&] { add_rules(rules, {.implied = {{"dgo", "pet"}}}, k_names, "--implies"); },
               Code::usage, "found 'dgo'", "dog");
  expect_error([&] { add_rules(rules, {.implied = {{"dog", "dog"}}}, k_names, "--implies"); },
               Code::usage, "'dog' twice");
  expect_error([&] { add_rules(rules, {.exclusive = {{"dog"}}}, k_names, "--exclusive"); },
               Code::usage, "at least two");
  EXPECT_EQ(add_rules(rules, {.implied = {{"dog", "fish"}, {"dog", "pet"}}}, k_names, "", true), 1);
  EXPECT_EQ(rules.implied.size(), 1U);
}

TEST(LabelRules, FollowTheirLabels) {
  const std::vector<std::string> other = {"night", "animal", "pet", "day"};
  const LabelRules moved = reordered(example(), k_names, other);
  EXPECT_EQ(moved.implications(), (std::vector<Implication>{{2, 1}}));
  EXPECT_EQ(moved.exclusive, (std::vector<std::vector<Id>>{{0, 3}}));
  // A dog is an animal although nobody speaks of pets any more.
  const std::vector<std::string> some = {"dog", "animal", "night"};
  const LabelRules left = reordered(example(), k_names, some);
  EXPECT_EQ(left.implications(), (std::vector<Implication>{{0, 1}}));
  EXPECT_TRUE(left.exclusive.empty());
}

TEST(LabelRules, FilesOfRules) {
  const NamedRules rules{.implied = {{"dog", "animal"}, {"a\"b", "ü"}}, .exclusive = {{"x", "y"}}};
  EXPECT_EQ(parse_rules(rules_text(rules), "r.json"), rules);
  for (const char* bad :
       {"", "[]", "{", "{\"implies\": 3}", "{\"implies\": [[\"a\"]]}", "{\"implies\": [[1, 2]]}",
        "{\"other\": []}", "{\"exclusive\": [\"a\"]}", "{\"exclusive\": [[\"a\", null]]}"}) {
    expect_error([&] { parse_rules(bad, "r.json"); }, Code::format, "expected", "Write rules as");
  }
}

// The same rules come back from every format: nested and in instructions, in arrays, next to it.
TEST(LabelRules, EveryFormatKeepsThem) {
  Dataset data{.x = Features(Matrix(3, 2, std::vector<double>{1, 2, 3, 4, 5, 6}))};
  data.feature_names = {"u", "v"};
  data.label_names = {"dog", "pet", "animal", "day", "night"};
  data.y = Labels(5, {{0, 1, 2}, {2, 3}, {4}});
  data.rules = example();
  data.rules.implied.push_back({3, 2});
  for (const char* name : {"a.arff", "a.csv", "b.tsv", "c.jsonl", "d.npz", "e.csv.gz"}) {
    const TemporaryFolder folder;
    write_dataset(data, folder.file(name));
    ReadOptions options;
    const bool columns = std::string(name).find("sv") != std::string::npos;
    if (columns || std::string(name).ends_with("jsonl")) options.label_count = -5;
    const Dataset read = read_dataset(folder.file(name), options);
    EXPECT_EQ(reordered(read.rules, read.label_names, data.label_names).implications(),
              data.rules.implications())
        << name;
    EXPECT_EQ(read.rules.exclusive.size(), 1U) << name;
  }
}

TEST(LabelRules, OptionsPathsAndImpliedLabels) {
  const TemporaryFolder folder;
  const std::string path =
      folder.put("a.csv", "x,tags\n1,animal/dog\n2,animal\n3,sky;animal/cat\n");
  const Dataset data = read_dataset(path, {.label_list = "tags",
                                           .rules = {.exclusive = {{"animal/dog", "animal/cat"}}},
                                           .label_paths = '/'});
  EXPECT_EQ(data.label_names,
            (std::vector<std::string>{"animal", "animal/cat", "animal/dog", "sky"}));
  EXPECT_EQ(data.rules.parent, (std::vector<Id>{-1, 0, 0, -1}));
  EXPECT_EQ(data.y, Labels(4, {{0, 2}, {0}, {0, 1, 3}}));

  // A parent that nobody names becomes a label.
  const std::string deep = folder.put("b.csv", "x,tags\n1,a/b/c\n2,d\n");
  const Dataset added = read_dataset(deep, {.label_list = "tags", .label_paths = '/'});
  EXPECT_EQ(added.label_names, (std::vector<std::string>{"a/b/c", "d", "a/b", "a"}));
  EXPECT_EQ(added.y, Labels(4, {{0, 2, 3}, {1}}));

  // The names of all levels of a path of 20,000 parts would take gigabytes.
  for (const int levels : {100, 101}) {
    std::string name = "a";
    for (int k = 1; k < levels; ++k) name += "/a";
    const std::string file = folder.put("deep.csv", "x,tags\n1," + name + "\n2,d\n");
    const ReadOptions paths{.label_list = "tags", .label_paths = '/'};
    if (levels > 100) {
      expect_error([&] { read_dataset(file, paths); }, Code::data, "found 101 in 'a/a");
    } else {
      EXPECT_EQ(read_dataset(file, paths).labels(), 101);
    }
  }

  // Columns of 0 and 1 stay what they are, unless asked.
  const std::string columns = folder.put("c.csv", "x,dog,animal\n1,1,0\n2,0,1\n");
  ReadOptions options{.label_count = -2, .rules = {.implied = {{"dog", "animal"}}}};
  EXPECT_EQ(read_dataset(columns, options).y, Labels(2, {{0}, {1}}));
  options.add_implied = true;
  EXPECT_EQ(read_dataset(columns, options).y, Labels(2, {{0, 1}, {1}}));
  expect_error([&] { read_dataset(columns, {.label_count = -2, .label_paths = '/'}); }, Code::usage,
               "found none with '/'");
}

}  // namespace
}  // namespace mulberry::data

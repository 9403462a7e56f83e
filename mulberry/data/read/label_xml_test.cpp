#include "mulberry/data/read/label_xml.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "mulberry/data/read/read.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

using Names = std::vector<std::string>;

Names names(const LabelXml& xml) {
  Names out;
  for (const auto& label : xml.labels) out.push_back(label.name);
  return out;
}

TEST(LabelXml, ReadsNamesEntitiesAndComments) {
  const LabelXml xml = parse_label_xml(
      "<?xml version=\"1.0\"?>\n<!-- <label name='no'/> -->\n<labels xmlns=\"u\">\n"
      "  <label name=\"a &amp; b\"></label>\n  <label other='1' name='&#x41;&#228;\"' "
      "/>\n</labels>\n",
      "f.xml");
  EXPECT_EQ(names(xml), (Names{"a & b", "A\xC3\xA4\""}));
  EXPECT_EQ(xml.labels[1].where.text(), "f.xml:5:3");
  EXPECT_FALSE(xml.nested());
}

TEST(LabelXml, KeepsTheHierarchy) {
  const LabelXml xml = parse_label_xml(
      "<labels><label name='a'><label name='b'/><label name='c'><label name='d'/></label></label>"
      "<label name='e'/></labels>",
      "f");
  std::vector<Id> parents;
  for (const auto& label : xml.labels) parents.push_back(label.parent);
  EXPECT_EQ(parents, (std::vector<Id>{-1, 0, 0, 2, -1}));
  EXPECT_TRUE(xml.nested());
}

TEST(LabelXml, ReadsLabelSets) {
  const LabelXml xml = parse_label_xml(
      "<?mulberry-set name='s&amp;' label=\"a\" label='b'?>\n<labels><label name='b'/>"
      "<label name='a'/><label name='c'/></labels>",
      "f");
  ASSERT_EQ(xml.sets.size(), 1u);
  EXPECT_EQ(xml.sets[0].name, "s&");
  EXPECT_EQ(xml.sets[0].labels, (Names{"a", "b"}));
}

TEST(LabelXml, NamesInLatin1BecomeUtf8) {
  EXPECT_EQ(names(parse_label_xml("<labels><label name='caf\xe9'/></labels>", "f")),
            (Names{"caf\xc3\xa9"}));
}

struct Trap {
  const char* name;
  const char* content;
  const char* place;
  const char* message;
};

void PrintTo(const Trap& trap, std::ostream* out) { *out << trap.name; }

class BadLabelXml : public testing::TestWithParam<Trap> {};

TEST_P(BadLabelXml, IsAnErrorAtItsPlace) {
  const Trap& trap = GetParam();
  try {
    parse_label_xml(trap.content, "f");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where().text(), std::string("f:") + trap.place) << error.what();
    EXPECT_NE(error.problem().find(trap.message), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadLabelXml,
    testing::Values(
        Trap{"empty", "\n", "1:1", "a <labels> element"},
        Trap{"no_label", "<labels>\n</labels>", "1:1", "at least one <label>"},
        Trap{"other_root", "<html></html>", "1:1", "expected <labels>, found <html>"},
        Trap{"two_roots", "<labels><label name='a'/></labels>\n<labels/>", "2:1", "nothing more"},
        Trap{"other_element", "<labels>\n<lable name='a'/></labels>", "2:1", "found <lable>"},
        Trap{"no_name", "<labels>\n <label/></labels>", "2:2", "without a name"},
        Trap{"empty_name", "<labels>\n<label name=''/></labels>", "2:1", "without a name"},
        Trap{"two_names", "<labels><label name='a' name='b'/></labels>", "1:25", "found two"},
        Trap{"repeated", "<labels><label name='a'/>\n<label name='a'/></labels>", "2:1",
             "'a' again after line 1"},
        Trap{"unquoted", "<labels><label name=a/></labels>", "1:21", "a value in quotes"},
        Trap{"no_equals", "<labels><label name/></labels>", "1:20", "expected '='"},
        Trap{"unclosed_quote", "<labels>\n<label name='a/></labels>", "2:13", "a closing quote"},
        Trap{"quote_over_tags", "<labels><label name=\"a><label name=\"b\"/></labels>", "1:21",
             "before '<'"},
        Trap{"unclosed_label", "<labels>\n<label name='a'>\n", "2:1", "expected </label>"},
        Trap{"unclosed_labels", "<labels>\n<label name='a'/>\n", "1:1", "expected </labels>"},
        Trap{"crossed", "<labels><label name='a'></labels></label>", "1:25", "found </labels>"},
        Trap{"unclosed_tag", "<labels\n", "1:1", "expected '>'"},
        Trap{"text", "<labels>\nhello<label name='a'/></labels>", "2:1", "found 'hello'"},
        Trap{"unclosed_comment", "<labels>\n<!-- a", "2:1", "'-->'"},
        Trap{"doctype", "<!DOCTYPE labels>\n<labels/>", "1:1", "entity declaration"},
        Trap{"entity", "<?xml version='1.0'?>\n<!DOCTYPE l [<!ENTITY a 'b'>]>\n", "2:1",
             "entity declaration"},
        Trap{"unknown_entity", "<labels>\n<label name='a&nbsp;b'/></labels>", "2:15", "'&nbsp;'"},
        Trap{"bare_ampersand", "<labels>\n<label name='a&b'/></labels>", "2:15", "&amp;"},
        Trap{"set_of_unknown",
             "<labels><label name='a'/></labels>\n<?mulberry-set name='s' label='b'?>", "2:1",
             "found 'b'"},
        Trap{"set_without_labels", "<labels>\n<?mulberry-set name='s'?><label name='a'/></labels>",
             "2:1", "a name and labels"},
        Trap{"label_of_two_sets",
             "<labels><label name='a'/></labels>\n<?mulberry-set name='s' label='a'?>\n"
             "<?mulberry-set name='t' label='a'?>",
             "3:1", "'a' again"},
        Trap{"set_twice",
             "<labels><label name='a'/><label name='b'/></labels><?mulberry-set name='s' "
             "label='a'?>\n<?mulberry-set name='s' label='b'?>",
             "2:1", "'s' again"},
        Trap{"set_with_other", "<?mulberry-set name='s' lable='a'?>", "1:25", "found 'lable'"},
        Trap{"unclosed_set", "<?mulberry-set name='s' label='a'", "1:1", "expected '?>'"},
        Trap{"set_cut_off", "<labels>\n<?mulberry-set name='s'\n\n<label name='a'/></labels>",
             "2:1", "expected '?>'"},
        Trap{"cut_off_after_value", "<labels>\n<label name='a'\n\n<label name='b'/></labels>",
             "2:1", "expected '>' at the end of <label"},
        Trap{"cut_off_after_element", "<labels>\n<label\n<label name='b'/></labels>", "2:1",
             "expected '>' at the end of <label"},
        Trap{"cut_off_after_name", "<labels>\n<label name\n<label name='b'/></labels>", "2:12",
             "expected '='"},
        Trap{"cut_off_after_equals", "<labels>\n<label name=\n<label name='b'/></labels>", "2:13",
             "a value in quotes"},
        Trap{"cut_off_in_value", "<labels>\n<label name='a\n<label name='b'/></labels>", "2:13",
             "before '<'"},
        Trap{"cut_off_closing", "<labels>\n<label name='a'></label\n</labels>", "2:17",
             "expected '>' after </label"},
        Trap{"lfs_pointer", "version https://git-lfs.example/spec/v1\noid sha256:0\nsize 1\n",
             "1:1", "expected a label file, found a Git LFS pointer"},
        Trap{"bad_character", "<labels>\n<label name='&#xD800;'/></labels>", "2:14", "'&#xD800;'"}),
    [](const auto& test) { return test.param.name; });

TEST(LabelXml, EveryPrefixIsClean) {
  const std::string content =
      "<?xml version='1.0'?>\n<!-- c -->\n<labels>\n<label name='a &lt;'><label "
      "name=\"b\"/></label>"
      "\n</labels>";
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_THROW(parse_label_xml(content.substr(0, size), "f"), Error) << size;
  }
  EXPECT_EQ(parse_label_xml(content, "f").labels.size(), 2U);
}

TEST(FindLabelXml, TakesTheLongestStem) {
  const TemporaryFolder folder;
  const auto found = [&](const char* data) {
    return find_label_xml(folder.file(data)).value_or("");
  };
  EXPECT_EQ(found("rcv1subset1.arff"), "");
  folder.put("rcv1.xml", "x");
  folder.put("rcv1subset.xml", "x");
  folder.put("rcv1subset2.xml", "x");
  folder.put("rcv1subset1.txt", "x");
  folder.put(".xml", "x");
  EXPECT_EQ(found("rcv1subset1.arff.gz"), folder.file("rcv1subset.xml"));
  EXPECT_EQ(found("rcv1subset2.arff"), folder.file("rcv1subset2.xml"));
  EXPECT_EQ(found("rcv1-train.arff.zst"), folder.file("rcv1.xml"));
  EXPECT_EQ(found("rcv.arff"), "");
}

const char* const k_data =
    "@relation 'r: -C 2'\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute c "
    "{0,1}\n@data\n1,0,1\n";

std::string problem(const std::string& path, const ReadOptions& options = {}) {
  try {
    read_dataset(path, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(FindLabelXml, AFolderIsNoLabelFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("d.xml"));
  EXPECT_EQ(find_label_xml(folder.file("d.arff")), std::nullopt);
}

TEST(LabelXml, LabelsKeepTheOrderOfTheDataAndTheirHierarchy) {
  const TemporaryFolder folder;
  folder.put("d.xml", "<labels><label name='b'><label name='a'/></label></labels>");
  const Dataset data = read_dataset(folder.put("d.arff", k_data));
  EXPECT_EQ(data.label_names, (Names{"a", "b"}));
  EXPECT_EQ(data.rules.parent, (std::vector<Id>{1, -1}));
}

TEST(LabelXml, AFlagBeatsTheFileAndTheDataAndThoseMustAgree) {
  const TemporaryFolder folder;
  const std::string path = folder.put("d.arff", k_data);
  const std::string other = folder.put("other.xml", "<labels><label name='c'/></labels>");
  EXPECT_EQ(read_dataset(path).label_names, (Names{"a", "b"}));
  const std::string beside = folder.put("d.xml", "<labels>\n<label name='c'/></labels>");
  EXPECT_NE(problem(path).find("which names others"), std::string::npos) << problem(path);
  EXPECT_EQ(problem(path).rfind(path + ":1:", 0), 0U) << problem(path);
  EXPECT_NE(problem(path).find(beside), std::string::npos) << problem(path);
  EXPECT_EQ(read_dataset(path, {.label_xml = other}).label_names, (Names{"c"}));
  EXPECT_EQ(read_dataset(path, {.label_count = -1}).label_names, (Names{"c"}));
  folder.put("d.xml", "not XML at all");
  EXPECT_EQ(read_dataset(path, {.label_count = -1}).label_names, (Names{"c"}));
  EXPECT_EQ(problem(path).rfind(beside + ":1:1:", 0), 0U) << problem(path);
}

TEST(LabelXml, AnUnknownLabelIsAnErrorAtItsLineInTheXml) {
  const TemporaryFolder folder;
  const std::string path = folder.put("d.arff", k_data);
  const std::string xml = folder.put("d.xml", "<labels>\n <label name='aa'/></labels>");
  EXPECT_EQ(problem(path).rfind(xml + ":2:2:", 0), 0U) << problem(path);
}

TEST(LabelXml, DataToPredictMayHaveNoneOfTheLabelsButNotSome) {
  const TemporaryFolder folder;
  const std::string path = folder.put("d.arff", "@relation r\n@attribute x numeric\n@data\n1\n");
  ReadOptions options;
  options.labels_optional = true;
  options.label_xml = folder.put("d.xml", "<labels><label name='a'/><label name='b'/></labels>");
  EXPECT_FALSE(read_dataset(path, options).has_labels);
  options.label_xml = folder.put("d.xml", "<labels><label name='x'/><label name='b'/></labels>");
  EXPECT_NE(problem(path, options).find("found 'b'"), std::string::npos) << problem(path, options);
}

}  // namespace
}  // namespace mulberry::data

// Traps in ARFF files: what must be read, and what must be refused.
#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

using Names = std::vector<std::string>;

Dataset read(const std::string& content, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  return read_dataset(folder.put("data.arff", content), options);
}

// A MEKA header on one line, with two labels first.
std::string two_labels(const std::string& rest) {
  return "@relation 'r: -C 2'\n@attribute a {0,1}\n@attribute b {0,1}\n" + rest;
}

// Two labels and two numbers, rows from line 7.
std::string with_rows(const std::string& rows) {
  return two_labels("@attribute x numeric\n@attribute y numeric\n@data\n" + rows);
}

std::vector<std::vector<double>> features(const Dataset& data) {
  const FixedMatrix dense = to_dense(data.x);
  std::vector<std::vector<double>> out;
  for (Index i = 0; i < dense.rows(); ++i) {
    out.emplace_back(dense.row(i).begin(), dense.row(i).end());
  }
  return out;
}

std::vector<std::vector<Id>> labels(const Dataset& data) {
  std::vector<std::vector<Id>> out;
  for (Index i = 0; i < data.rows(); ++i) {
    out.emplace_back(data.y.row(i).begin(), data.y.row(i).end());
  }
  return out;
}

using Rows = std::vector<std::vector<double>>;
using LabelRows = std::vector<std::vector<Id>>;

TEST(ReadArff, DenseRows) {
  const Dataset data = read(with_rows("1,0,1.5,-2\n0,1,.5,5.\n"));
  EXPECT_EQ(data.name, "r");
  EXPECT_EQ(data.feature_names, (Names{"x", "y"}));
  EXPECT_EQ(data.label_names, (Names{"a", "b"}));
  EXPECT_FALSE(data.x.is_sparse());
  EXPECT_EQ(features(data), (Rows{{1.5, -2}, {.5, 5}}));
  EXPECT_EQ(labels(data), (LabelRows{{0}, {1}}));
  EXPECT_EQ(data.attributes, 2);
}

TEST(ReadArff, SparseRowsStaySparseAndZerosAreNotStored) {
  const Dataset data = read(with_rows("{0 1, 2 1.5}\n{ }\n{}\n{1 1,2 0,3 1e-3}\n"));
  ASSERT_TRUE(data.x.is_sparse());
  EXPECT_EQ(data.x.stored(), 2);
  EXPECT_EQ(features(data), (Rows{{1.5, 0}, {0, 0}, {0, 0}, {0, 1e-3}}));
  EXPECT_EQ(labels(data), (LabelRows{{0}, {}, {}, {1}}));
}

TEST(ReadArff, DenseAndSparseRowsMix) {
  const Dataset data = read(with_rows("1,0,3,0\n{1 1,3 4}\n0,0,0,5\n"));
  ASSERT_TRUE(data.x.is_sparse());
  EXPECT_EQ(data.x.stored(), 3);
  EXPECT_EQ(features(data), (Rows{{3, 0}, {0, 4}, {0, 5}}));
  EXPECT_EQ(labels(data), (LabelRows{{0}, {1}, {}}));
}

TEST(ReadArff, OmittedSparseEntryIsTheFirstNominalValue) {
  const Dataset data = read(
      "@relation 'r: -C 1'\n@attribute y {1,0}\n@attribute z {1,0}\n@attribute k {p,q,r}\n"
      "@attribute t {no,yes}\n@data\n{}\n{0 0,1 0,2 r,3 yes}\n");
  EXPECT_EQ(labels(data), (LabelRows{{0}, {}}));
  EXPECT_EQ(data.feature_names, (Names{"z", "k=p", "k=q", "k=r", "t=yes"}));
  EXPECT_EQ(features(data), (Rows{{1, 1, 0, 0, 0}, {0, 0, 0, 1, 1}}));
  EXPECT_EQ(data.attributes, 3);
}

TEST(ReadArff, NominalFeaturesAsOrdinalCodes) {
  ReadOptions options;
  options.nominal = Nominal::ordinal;
  const Dataset data = read(
      two_labels("@attribute k {p,q,r}\n@attribute z {1,0}\n@data\n0,0,r,1\n0,0,p,0\n"), options);
  EXPECT_EQ(data.feature_names, (Names{"k", "z"}));
  EXPECT_EQ(features(data), (Rows{{2, 1}, {0, 0}}));
}

TEST(ReadArff, ManyNominalValuesMakeSparseFeatures) {
  std::string values = "v0";
  for (int k = 1; k < 500; ++k) values += ",v" + std::to_string(k);
  const Dataset data = read(two_labels("@attribute k {" + values + "}\n@data\n0,1,v7\n1,0,v499\n"));
  EXPECT_TRUE(data.x.is_sparse());
  EXPECT_EQ(data.columns(), 500);
  EXPECT_EQ(data.x.at(0, 7), 1);
  EXPECT_EQ(data.x.at(1, 499), 1);
  EXPECT_EQ(data.x.stored(), 2);
}

TEST(ReadArff, QuotesEscapesAndLiteralBareNames) {
  const Dataset data = read(
      "@relation 'r: -C 2'\n@attribute 'it\\'s' {0,1}\n@attribute \"say \\\"hi\\\"\" {0,1}\n"
      "@attribute TAG_m\\'usica numeric\n@attribute 50% numeric\n@attribute k{'a b',\"c,d\",'}'}\n"
      "@data\n1,0,1,2,'c,d'\n0,1,'3',4,\"}\"\n{2 5,4 'c,d'}\n");
  EXPECT_EQ(data.label_names, (Names{"it's", "say \"hi\""}));
  EXPECT_EQ(data.feature_names, (Names{"TAG_m\\'usica", "50%", "k=a b", "k=c,d", "k=}"}));
  EXPECT_EQ(features(data), (Rows{{1, 2, 0, 1, 0}, {3, 4, 0, 0, 1}, {5, 0, 0, 1, 0}}));
}

TEST(ReadArff, TabsTrailingCommasCommentsAndBlankLines) {
  const Dataset data = read(
      "% first\n\n@RELATION r % c\n@Attribute\ta\t{0, 1} % c\n@ATTRIBUTE b INTEGER\n"
      "  @attribute c Real\n%\n@DATA % c\n\n1\t2\t3\n % c\n0,2,3,\n1, 2 ,3 % c\n0,\t2,\t3\t\n{0 "
      "1,} %c\n",
      {.label_columns = {"a"}});
  EXPECT_EQ(data.rows(), 5);
  EXPECT_EQ(labels(data), (LabelRows{{0}, {}, {0}, {}, {0}}));
  EXPECT_EQ(features(data), (Rows{{2, 3}, {2, 3}, {2, 3}, {2, 3}, {0, 0}}));
}

TEST(ReadArff, CommentsNeedNoBlankBeforeThem) {
  const Dataset data = read(
      "@relation r\n@attribute a numeric\n@attribute c {x,50%}\n@attribute l {0,1}\n@data\n"
      "1,x,1%a comment\n2,50%,0% too\n{0 3}%as here\n",
      {.label_count = -1});
  EXPECT_EQ(data.rows(), 3);
  EXPECT_EQ(data.x.at(1, 1), 1);
  EXPECT_EQ(data.y.column(0).size(), 1u);
}

TEST(ReadArff, LineEndingsAndByteOrderMark) {
  std::string content = with_rows("1,0,1.5,-2\n0,1,.5,5.");
  const Dataset expected = read(content);
  EXPECT_EQ(expected.rows(), 2);
  std::string crlf = "\xEF\xBB\xBF";
  for (const char c : content) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  const Dataset data = read(crlf);
  EXPECT_EQ(data.x, expected.x);
  EXPECT_EQ(data.y, expected.y);
  EXPECT_EQ(data.label_names, expected.label_names);
}

TEST(ReadArff, LabelsAtTheEndAndAnywhere) {
  const std::string rest =
      "@attribute a numeric\n@attribute b {0,1}\n@attribute c {0,1}\n@data\n1,0,1\n";
  EXPECT_EQ(read("@relation 'r: -C -2'\n" + rest).label_names, (Names{"b", "c"}));
  EXPECT_EQ(read("@relation r: -c -1\n" + rest).label_names, (Names{"c"}));
  EXPECT_EQ(read("@relation 'r: -C -2 -split-number 5'\n" + rest, {.label_count = 1}).label_names,
            (Names{"a"}));
  EXPECT_EQ(read("@relation r\n" + rest, {.label_columns = {"c", "a"}}).label_names,
            (Names{"a", "c"}));
  EXPECT_EQ(read("@relation r\n" + rest, {.label_pattern = "[bc]"}).label_names, (Names{"b", "c"}));
  EXPECT_EQ(read("@relation r\n" + rest, {.label_prefix = "b"}).label_names, (Names{"b"}));
}

TEST(ReadArff, MissingLabelsAreKept) {
  const Dataset data = read(with_rows("?,1,1,2\n{0 ?,1 1}\n"));
  EXPECT_EQ(data.y.cell(0, 0), Cell::missing);
  EXPECT_EQ(data.y.cell(0, 1), Cell::positive);
  EXPECT_EQ(data.y.missing(), 2);
}

TEST(ReadArff, MissingFeaturesAreKeptWhenAskedFor) {
  ReadOptions options;
  options.keep_missing = true;
  const std::string head = two_labels(
      "@attribute x numeric\n@attribute k {p,q,r}\n@attribute z {0,1}\n@attribute t "
      "{no,yes}\n@data\n");
  const std::vector<std::vector<int>> missing = {
      {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1}, {1, 1, 1, 1, 1, 0}};
  const Dataset dense = read(head + "0,0,1,q,1,yes\n0,0,4,q,1,?\n0,0,?,?,?,yes\n", options);
  const Dataset sparse =
      read(head + "{2 1,3 q,4 1,5 yes}\n{2 4,3 q,4 1,5 ?}\n{2 ?,3 ?,4 ?,5 yes}\n", options);
  EXPECT_TRUE(sparse.x.is_sparse());
  for (const Dataset& data : {dense, sparse}) {
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 6; ++j) {
        EXPECT_EQ(std::isnan(data.x.at(i, j)), missing[at(i)][at(j)] == 1) << i << " " << j;
      }
    }
    ASSERT_EQ(data.nominal_columns.size(), 3u);
    EXPECT_EQ(data.nominal_columns[0].begin, 1);
    EXPECT_EQ(data.nominal_columns[0].size, 3);
    EXPECT_EQ(data.nominal_columns[2].begin, 5);
  }
}

TEST(ReadArff, WeightsAreNoFeature) {
  ReadOptions options;
  options.weight_column = "y";
  const Dataset data = read(with_rows("1,0,3,.5\n0,1,4,2\n"), options);
  EXPECT_EQ(data.feature_names, (Names{"x"}));
  EXPECT_EQ(data.weights, (std::vector<double>{.5, 2}));
}

TEST(ReadArff, LabelSetsFromNominalColumnsAndFromPrefixes) {
  ReadOptions options;
  options.label_sets = {"brand", "size"};
  const Dataset columns = read(
      "@relation r\n@attribute brand {audi,bmw}\n@attribute x numeric\n@attribute size {s,m,l}\n"
      "@data\nbmw,1,l\naudi,2,s\n{0 bmw}\n",
      options);
  EXPECT_EQ(columns.label_names, (Names{"brand=audi", "brand=bmw", "size=s", "size=m", "size=l"}));
  EXPECT_EQ(labels(columns), (LabelRows{{1, 4}, {0, 2}, {1, 2}}));
  EXPECT_EQ(columns.sets.members, (LabelRows{{0, 1}, {2, 3, 4}}));

  options.label_sets = {"c"};
  const std::string head =
      "@relation 'r: -C 3'\n@attribute c=u {0,1}\n@attribute c=v {0,1}\n@attribute d {0,1}\n"
      "@attribute x numeric\n@data\n1,0,1,2\n";
  const Dataset prefixes = read(head, options);
  EXPECT_EQ(prefixes.sets.names, (Names{"c"}));
  EXPECT_EQ(prefixes.sets.members, (LabelRows{{0, 1}}));
  EXPECT_THROW(read(head + "1,1,0,2\n", options), Error);
}

TEST(ReadArff, ListOfLabelsInAStringAttribute) {
  ReadOptions options;
  options.label_list = "tags";
  const Dataset data = read(
      "@relation r\n@attribute tags string\n@attribute x numeric\n@data\n'b;a',1\n'',2\n{1 3}\n"
      "{0 'a;c'}\n",
      options);
  EXPECT_EQ(data.label_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(labels(data), (LabelRows{{0, 1}, {}, {}, {0, 2}}));
}

TEST(ReadArff, DataToPredictMayLackLabels) {
  ReadOptions options;
  options.labels_optional = true;
  const Dataset data = read("@relation r\n@attribute x numeric\n@data\n1\n2\n", options);
  EXPECT_FALSE(data.has_labels);
  EXPECT_EQ(data.rows(), 2);
  EXPECT_EQ(data.y.rows(), 2);
  EXPECT_EQ(data.labels(), 0);
}

TEST(ReadArff, NoRowsIsAnEmptyDataSet) {
  const Dataset data = read(with_rows(""));
  EXPECT_EQ(data.rows(), 0);
  EXPECT_EQ(data.columns(), 2);
  EXPECT_EQ(data.labels(), 2);
}

TEST(ReadArff, FiltersAfterMekasOptionMakeItVoid) {
  const std::string rest = "@attribute a numeric\n@attribute b {0,1}\n@data\n1,0\n";
  const TemporaryFolder folder;
  folder.put("d.xml", "<labels><label name=\"b\"/></labels>");
  const Dataset data =
      read_dataset(folder.put("d.arff", "@relation 'r: -C 1-weka.filters.Reorder'\n" + rest));
  EXPECT_EQ(data.label_names, (Names{"b"}));
  EXPECT_EQ(data.notes.size(), 1U);
}

struct Trap {
  const char* name;
  std::string content;
  const char* place;    // line:column
  const char* message;  // part of it
  ReadOptions options = {};
};

void PrintTo(const Trap& trap, std::ostream* out) { *out << trap.name; }

class BadArff : public testing::TestWithParam<Trap> {};

TEST_P(BadArff, IsAnErrorAtItsPlace) {
  const Trap& trap = GetParam();
  try {
    read(trap.content, trap.options);
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string place =
        std::to_string(error.where().line) + ":" + std::to_string(error.where().column);
    EXPECT_EQ(place, trap.place) << error.what();
    EXPECT_NE(error.problem().find(trap.message), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    EXPECT_NE(error.where().file.find("data.arff"), std::string::npos) << error.what();
  }
}

const std::string k_tail = "@attribute x numeric\n@data\n";

INSTANTIATE_TEST_SUITE_P(
    Header, BadArff,
    testing::Values(
        Trap{"attribute_first", "@attribute x numeric\n@data\n1\n", "1:1", "expected @relation"},
        Trap{"no_relation_name", "@relation\n" + k_tail, "1:10", "the relation's name"},
        Trap{"two_relations", "@relation r\n@relation s\n", "2:1", "expected one @relation"},
        Trap{"text_after_relation", "@relation 'r' s\n", "1:15", "expected the end of the line"},
        Trap{"meka_without_number", "@relation 'r: -C'\n" + k_tail, "1:11", "after -C"},
        Trap{"meka_with_word", "@relation 'r: -C two'\n" + k_tail, "1:11", "found 'two'"},
        Trap{"meka_zero", "@relation 'r: -C 0'\n" + k_tail, "1:11", "found '0'"},
        Trap{"meka_too_many", "@relation 'r: -C -9'\n" + k_tail, "1:11", "at most 1 labels"},
        Trap{"unknown_keyword", "@relation r\n@attr x numeric\n", "2:1", "found '@attr'"},
        Trap{"row_in_header", "@relation r\n1,2,3\n", "2:1", "expected @attribute or @data"},
        Trap{"no_attributes", "@relation r\n@data\n1\n", "2:1", "before @data"},
        Trap{"no_data", "@relation r\n@attribute x numeric\n", "2:21", "expected @data"},
        Trap{"text_after_data", "@relation r\n" + k_tail.substr(0, 21) + "@data 5\n", "3:7",
             "after @data"},
        Trap{"no_name", "@relation r\n@attribute\n", "2:11", "the attribute's name"},
        Trap{"empty_name", "@relation r\n@attribute '' numeric\n", "2:12", "an empty one"},
        Trap{"no_type", "@relation r\n@attribute x\n", "2:13", "the attribute's type"},
        Trap{"unknown_type", "@relation r\n@attribute x float\n", "2:14", "found 'float'"},
        Trap{"name_with_blank", "@relation r\n@attribute my x numeric\n", "2:15", "found 'x'"},
        Trap{"relational", "@relation r\n@attribute x relational\n", "2:14", "a relational one"},
        Trap{"text_after_type", "@relation r\n@attribute x numeric 5\n", "2:22", "found '5'"},
        Trap{"unclosed_name", "@relation r\n@attribute 'x numeric\n", "2:12", "a closing quote"},
        Trap{"duplicate_name", "@relation r\n@attribute x real\n@attribute 'x' real\n", "3:12",
             "'x' again after line 2"},
        Trap{"unclosed_values", "@relation r\n@attribute x {0,1\n", "2:14", "expected '}'"},
        Trap{"no_values", "@relation r\n@attribute x {}\n", "2:14", "expected nominal values"},
        Trap{"empty_value", "@relation r\n@attribute x {0,,1}\n", "2:17", "a nominal value"},
        Trap{"repeated_value", "@relation r\n@attribute x {a,b,a}\n", "2:19", "'a' again"},
        Trap{"text_after_values", "@relation r\n@attribute x {a,b} c\n", "2:20", "found 'c'"},
        Trap{"text_after_quote", "@relation r\n@attribute x {'a'b}\n", "2:18", "',' or '}'"},
        Trap{"string", two_labels("@attribute s string\n@data\n0,1,x\n"), "4:12", "type string"},
        Trap{"date", two_labels("@attribute s date 'yyyy'\n@data\n0,1,x\n"), "4:12", "type date"},
        Trap{"date_as_label", "@relation 'r: -C 1'\n@attribute a date\n" + k_tail, "2:12",
             "type date"},
        Trap{"label_of_words", "@relation 'r: -C 1'\n@attribute a {in,out}\n" + k_tail, "2:12",
             "expected the values 0 and 1"},
        Trap{"label_of_one_value", "@relation 'r: -C 1'\n@attribute a {0}\n" + k_tail, "2:12",
             "found '0'"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Rows, BadArff,
    testing::Values(
        Trap{"too_few", with_rows("1,0,1,2\n 1,0,1\n"), "8:2",
             "4 values, one per attribute, found 3"},
        Trap{"too_many", with_rows("1,0,1,2,3\n"), "7:9", "found more"},
        Trap{"weight_after_a_row", with_rows("1,0,1,2,{3}\n"), "7:9", "found more"},
        Trap{"empty_value", with_rows("1,,1,2\n"), "7:3", "nothing before the comma"},
        Trap{"two_trailing_commas", with_rows("1,0,1,2,,\n"), "7:9", "found more"},
        Trap{"blanks_between", with_rows("1 0 1 2\n"), "7:1", "found '1 0 1 2'"},
        Trap{"word", with_rows("1,0,one,2\n"), "7:5", "expected a number for 'x', found 'one'"},
        Trap{"nan", with_rows("1,0,nan,2\n"), "7:5", "found 'nan'"},
        Trap{"infinity", with_rows("1,0,1,-inf\n"), "7:7", "found '-inf'"},
        Trap{"hexadecimal", with_rows("1,0,0x10,2\n"), "7:5", "found '0x10'"},
        Trap{"overflow", with_rows("1,0,1e999,2\n"), "7:5", "found '1e999'"},
        Trap{"trailing_letter", with_rows("1,0,1,2a\n"), "7:7", "found '2a'"},
        Trap{"percent", with_rows("1,0,1,50%\n"), "7:7", "found '50%'"},
        Trap{"outside_the_values", with_rows("1,2,1,2\n"), "7:3", "values of 'b', found '2'"},
        Trap{"quoted_question_mark", with_rows("1,'?',1,2\n"), "7:3", "found '?'"},
        Trap{"unclosed_quote", with_rows("1,0,'1,2\n"), "7:5", "a closing quote"},
        Trap{"text_after_quote", with_rows("1,0,'1'5,2\n"), "7:8", "after the closing quote"},
        Trap{"blank_after_quote", with_rows("1,0,'1' 5,2\n"), "7:9", "expected a comma"},
        Trap{"missing_feature", with_rows("1,0,?,2\n"), "7:5", "a value of 'x', found a missing"},
        Trap{"missing_sparse", with_rows("{2 ?}\n"), "7:2", "a value of 'x', found a missing"},
        Trap{"unclosed_row", with_rows("{0 1,2 3\n"), "7:1", "expected '}'"},
        Trap{"text_after_row", with_rows("{0 1} 5\n"), "7:7", "after '}', found '5'"},
        Trap{"weight_after_row", with_rows("{0 1}, {5}\n"), "7:6", "after '}'"},
        Trap{"dense_in_braces", with_rows("{1,0,1,2}\n"), "7:2", "an index, a blank and a value"},
        Trap{"index_too_large", with_rows("{0 1,4 1}\n"), "7:6", "an index below 4"},
        Trap{"index_huge", with_rows("{99999999999999999999 1}\n"), "7:2", "an index"},
        Trap{"index_negative", with_rows("{-1 1}\n"), "7:2", "found '-1 1'"},
        Trap{"index_repeated", with_rows("{2 1,2 1}\n"), "7:6", "found 2 after 2"},
        Trap{"index_decreasing", with_rows("{3 1, 2 1}\n"), "7:7", "found 2 after 3"},
        Trap{"sparse_without_value", with_rows("{2 }\n"), "7:4", "a number for 'x', found ''"},
        Trap{"sparse_without_comma", with_rows("{2 1 3 1}\n"), "7:6", "',' or '}'"},
        Trap{"nul", with_rows(std::string("1,0,1,2\n1,\0,1,2\n", 17)), "8:3", "a NUL byte"},
        Trap{"numeric_label",
             "@relation r\n@attribute a real\n" + k_tail + "1,2\n0.5,1\n",
             "6:1",
             "0 or 1 for the label 'a', found 0.5",
             {.label_columns = {"a"}}},
        Trap{"weight_zero",
             with_rows("1,0,1,0\n"),
             "7:7",
             "a positive weight",
             {.weight_column = "y"}},
        Trap{"weight_omitted", with_rows("{0 1}\n"), "7:1", "found 0", {.weight_column = "y"}},
        Trap{"weight_missing",
             with_rows("1,0,1,?\n"),
             "7:7",
             "expected a weight",
             {.weight_column = "y"}}),
    [](const auto& test) { return test.param.name; });

std::string problem(const std::string& content, const ReadOptions& options) {
  try {
    read(content, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadArff, OptionsThatFitNoColumnAreErrors) {
  const std::string content =
      "@relation r\n@attribute apple {0,1}\n@attribute x real\n@data\n1,2\n";
  const auto expect = [&](const ReadOptions& options, const char* message) {
    const std::string found = problem(content, options);
    EXPECT_NE(found.find(message), std::string::npos) << found;
  };
  expect({}, "which columns are labels");
  expect({.label_columns = {"aple"}}, "Did you mean 'apple'?");
  expect({.label_prefix = "z"}, "found none");
  expect({.label_pattern = "appl"}, "found none");
  expect({.label_pattern = "("}, "regular expression");
  expect({.label_count = 3}, "at most 2 labels");
  expect({.label_count = -3}, "at most 2 labels");
  expect({.label_count = 1, .label_prefix = "a"}, "one way of naming the labels");
  expect({.label_list = "tags"}, "label_list, found 'tags'");
  expect({.label_count = 1, .weight_column = "apple"}, "which is a label");
  expect({.label_count = 1, .label_sets = {"size"}}, "label_sets, found 'size'");
  expect({.label_sets = {"x"}}, "a nominal column for the label set");
}

// A truncated file is a smaller file or an error, never one with rows that it did not have.
void every_prefix_is_clean(const std::string& content, const ReadOptions& options = {}) {
  const Dataset whole = read(content, options);
  int good = 0, bad = 0;
  for (std::size_t size = 0; size < content.size(); ++size) {
    try {
      const Dataset part = read(content.substr(0, size), options);
      EXPECT_LE(part.rows(), whole.rows());
      EXPECT_EQ(part.label_names, whole.label_names);
      ++good;
    } catch (const Error& error) {
      EXPECT_FALSE(error.problem().empty());
      ++bad;
    }
  }
  EXPECT_GT(good, 0);
  EXPECT_GT(bad, 0);
}

TEST(ReadArff, EveryPrefixIsClean) {
  const std::string head =
      "% c\r\n@relation 'r: -C 2'\n@attribute 'a b' {0,1}\n@attribute b {1,0}\n@attribute x real\n"
      "@attribute k {u,'v w',z}\n@data\n";
  every_prefix_is_clean(head + "1,0,1.5e3,u\n\n0,1,-2,'v w' % c\n?,1,+3.,z,\n");
  every_prefix_is_clean(head + "{0 1,2 1.5e3}\n{ }\n{1 0, 3 'v w'} % c\n{0 ?,2 3}");
}

}  // namespace
}  // namespace mulberry::data

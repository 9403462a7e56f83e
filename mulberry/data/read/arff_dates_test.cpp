// Date attributes of ARFF: their patterns, their parts, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/read/values/date_pattern.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

Dataset read(const std::string& content, const ReadOptions& options) {
  const TemporaryFolder folder;
  return read_dataset(folder.put("data.arff", content), options);
}

const ReadOptions k_parts{.label_columns = {"l"}, .dates = Dates::parts};

std::string with_date(const std::string& type, const std::string& rows) {
  return "@relation r\n@attribute x numeric\n@attribute d " + type +
         "\n@attribute l {0,1}\n@data\n" + rows;
}

Values row(const Dataset& data, Index i) {
  const FixedMatrix dense = to_dense(data.x);
  return {dense.row(i).begin(), dense.row(i).end()};
}

TEST(ArffDates, BecomePartsInTheirPlace) {
  const Dataset data =
      read(with_date("date \"dd/MM/yyyy\"", "1,17/05/2024,1\n2,'01/01/1970',0\n"), k_parts);
  EXPECT_EQ(data.feature_names, (Names{"x", "d:year", "d:month", "d:day", "d:weekday", "d:days"}));
  EXPECT_EQ(row(data, 0), (Values{1, 2024, 5, 17, 4, 19860}));
  EXPECT_EQ(row(data, 1), (Values{2, 1970, 1, 1, 3, 0}));
  EXPECT_EQ(data.y.positives(), 1);
  ASSERT_EQ(data.forms.size(), 1u);
  EXPECT_TRUE(data.forms[0].day_first);
  EXPECT_FALSE(data.forms[0].times);
}

TEST(ArffDates, WithoutAPatternAreIso) {
  const Dataset data = read(
      with_date("date", "1,'2024-05-17T10:30:00',1\n2,2024-05-18,0\n3,\"2024-05-19 06:00\",0\n"),
      k_parts);
  EXPECT_EQ(data.feature_names.back(), "d:hour");
  EXPECT_EQ(row(data, 0), (Values{1, 2024, 5, 17, 4, 19860, 10.5}));
  EXPECT_EQ(row(data, 1), (Values{2, 2024, 5, 18, 5, 19861, 0}));
  EXPECT_EQ(row(data, 2), (Values{3, 2024, 5, 19, 6, 19862, 6}));
}

TEST(ArffDates, OfSparseRows) {
  const std::string text =
      with_date("date 'yyyy-MM-dd'", "{1 2024-05-17,2 1}\n{0 3,1 1970-01-01}\n");
  const Dataset data = read(text, k_parts);
  EXPECT_TRUE(data.x.is_sparse());
  EXPECT_EQ(row(data, 0), (Values{0, 2024, 5, 17, 4, 19860}));
  EXPECT_EQ(row(data, 1), (Values{3, 1970, 1, 1, 3, 0}));
  EXPECT_EQ(data.y.positives(), 1);
}

TEST(ArffDates, MayBeMissing) {
  ReadOptions options = k_parts;
  options.keep_missing = true;
  const Dataset data = read(with_date("date 'yyyy-MM-dd'", "1,?,1\n2,2024-05-17,0\n"), options);
  const Values first = row(data, 0);
  for (std::size_t j = 1; j < first.size(); ++j) EXPECT_TRUE(std::isnan(first[j]));
}

TEST(ArffDates, OfOtherKindsAreReadAsAModelKnowsThem) {
  const std::string rows = "1,17/05/2024,1\n";
  const Dataset train = read(with_date("date 'dd/MM/yyyy'", rows), k_parts);
  const ReadOptions options{.label_columns = {"l"}, .known_forms = train.forms};
  // Another pattern with times, a column of strings, and a table.
  const Dataset timed =
      read(with_date("date \"yyyy-MM-dd HH:mm\"", "1,\"2024-05-17 11:15\",1\n"), options);
  EXPECT_EQ(timed.feature_names, train.feature_names);
  EXPECT_EQ(row(timed, 0), row(train, 0));
  EXPECT_EQ(row(read(with_date("string", "1,2024-05-17,1\n"), options), 0), row(train, 0));
  const TemporaryFolder folder;
  const Dataset table = read_dataset(folder.put("d.csv", "x,d,l\n" + rows), options);
  EXPECT_EQ(row(table, 0), row(train, 0));
}

TEST(ArffDates, KeepTheHierarchyOfLabels) {
  const TemporaryFolder folder;
  folder.put("d.xml", "<labels><label name=\"a\"><label name=\"l\"/></label></labels>");
  const std::string path = folder.put(
      "d.arff",
      "@relation r\n@attribute d date 'yyyy-MM-dd'\n@attribute a {0,1}\n@attribute l {0,1}\n"
      "@data\n2024-05-17,1,1\n2024-05-17,0,1\n");
  const Dataset data = read_dataset(path, {.dates = Dates::parts});
  EXPECT_EQ(data.label_names, (Names{"a", "l"}));
  EXPECT_EQ(data.feature_names.size(), 5u);
}

struct BadDate {
  std::string type, rows, where, problem;
};

TEST(ArffDates, Refused) {
  for (const auto& [type, rows, where, problem] : std::vector<BadDate>{
           {"date 'yyyy-MM-dd'", "1,2024-02-30,1\n", "6:3", "found '2024-02-30'"},
           {"date 'yyyy-MM-dd'", "1,17/05/2024,1\n", "6:3", "written as 'yyyy-MM-dd'"},
           {"date 'yyyy-MM-dd'", "1,2024-05-17x,1\n", "6:3", "found '2024-05-17x'"},
           {"date 'yyyy-MM-dd'", "1,24-05-17,1\n", "6:3", "found '24-05-17'"},
           {"date 'yyyy-MM-dd'", "1,?,1\n", "6:3", "a missing one"},
           {"date 'yyyy-MM-dd'", "{0 1,2 1}\n", "6:1", "a sparse row without one"},
           {"date 'yyyy-MM-dd HH:mm'", "1,'2024-05-17 24:00',1\n", "6:3", "24:00"},
           {"date", "1,17/05/2024,1\n", "6:3", "2024-05-17T10:30:00"},
           {"date 'dd/MM/yy'", "1,17/05/24,1\n", "3:12", "two digits"},
           {"date 'yyyy'", "1,2024,1\n", "3:12", "exactly one year, month and day"},
           {"date 'yyyy-DDD'", "1,2024-001,1\n", "3:12", "the letter 'D'"},
           {"date \"yyyy-MM-dd'T\"", "1,2024-001,1\n", "3:12", "a quote that is not closed"},
           {"date 'yyyy-MM-dd'\n@attribute d:day numeric", "1,2024-05-17,3,1\n", "4:12",
            "also such a part"}}) {
    try {
      read(with_date(type, rows), k_parts);
      FAIL() << type << " " << rows;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
      EXPECT_EQ(std::to_string(error.where().line) + ":" + std::to_string(error.where().column),
                where)
          << error.what();
    }
  }
}

struct Written {
  std::string pattern, word;
  Values parts;
};

TEST(ArffDates, PatternsOfJava) {
  for (const auto& [pattern, word, parts] : std::vector<Written>{
           {"yyyyMMdd", "20240517", {2024, 5, 17, 4, 19860}},
           {"yyyyMMddHHmmss", "20240517103000", {2024, 5, 17, 4, 19860, 10.5}},
           {"d MMM yyyy", "7 jun 2024", {2024, 6, 7, 4, 19881}},
           {"EEEE, MMMM dd yyyy", "Friday, May 17 2024", {2024, 5, 17, 4, 19860}},
           {"yyyy-MM-dd'T'HH:mm:ss.SSS", "2024-05-17T00:00:01.800", {2024, 5, 17, 4, 19860, .0005}},
           {"M/d/yyyy h:mm a", "5/17/2024 12:30 AM", {2024, 5, 17, 4, 19860, .5}},
           {"M/d/yyyy h:mm a", "5/17/2024 1:30 pm", {2024, 5, 17, 4, 19860, 13.5}},
           {"yyyy-MM-dd HH:mm Z", "2024-05-17 06:00 +0200", {2024, 5, 17, 4, 19860, 6}},
           {"dd 'o''clock' MM yyyy", "17 o'clock 05 2024", {2024, 5, 17, 4, 19860}},
           {"yyyy/MM/dd kk", "2024/05/17 24", {2024, 5, 17, 4, 19860, 0}}}) {
    const DatePattern dates(pattern, {});
    const auto found = dates.values(word, dates.form("d"));
    ASSERT_TRUE(found) << pattern << " " << word;
    ASSERT_EQ(found->size(), parts.size()) << pattern;
    for (std::size_t k = 0; k < parts.size(); ++k) EXPECT_NEAR((*found)[k], parts[k], 1e-12);
  }
}

}  // namespace
}  // namespace mulberry::data

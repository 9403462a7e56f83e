// What tables of everyday life hold, and what becomes of it.
#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/read/values/missing_words.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
namespace {

using Names = std::vector<std::string>;

class Table : public testing::Test {
 protected:
  Dataset read(const std::string& text, const ReadOptions& options,
               const std::string& name = "t.csv") const {
    return read_dataset(folder_.put(name, text), options);
  }
  std::string error(const std::string& text, const ReadOptions& options) const {
    try {
      read(text, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  tests::TemporaryFolder folder_;
};

TEST_F(Table, ListsOfLabelsAsPythonWritesThem) {
  const Dataset data =
      read("a,tags\n1,\"['x', 'y z']\"\n2,[]\n3,\"['x']\"\n4,p;x\n", {.label_list = "tags"});
  EXPECT_EQ(data.label_names, (Names{"p", "x", "y z"}));
  EXPECT_EQ(data.y, Labels(3, {{1, 2}, {}, {1}, {0, 1}}));
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_NE(data.notes[0].find("Python"), std::string::npos) << data.notes[0];
}

TEST_F(Table, WordsForListsThatAreNotKnown) {
  const Dataset data =
      read("a,tags\n1,x\n2,\n3,NA\n4,?\n", {.label_list = "tags", .na_words = {"NA", "?"}});
  EXPECT_EQ(data.label_names, Names{"x"});
  EXPECT_EQ(data.y, Labels(1, {{0}, {}, {}, {}}, {{}, {}, {0}, {0}}));
}

TEST_F(Table, WordsForMissingNumbers) {
  const ReadOptions options{.label_columns = {"y"}, .keep_missing = true};
  const Dataset data =
      read("a,b,y\nNaN,1,0\n1,null,1\nNA,3,1\n2,None,0\n,N/A,1\n3,#N/A,1\n", options);
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  for (const Index i : {0, 2, 4}) EXPECT_TRUE(std::isnan(data.x.at(i, 0))) << i;
  for (const Index i : {1, 3, 4, 5}) EXPECT_TRUE(std::isnan(data.x.at(i, 1))) << i;
  EXPECT_EQ(data.x.at(5, 0), 3);
}

TEST_F(Table, NAIsAWordAmongWordsUnlessTheUserSaysOtherwise) {
  const std::string text = "country,y\nNA,1\nDE,0\nFR,1\nNA,0\n";
  const Dataset kept = read(text, {.label_columns = {"y"}});
  EXPECT_EQ(kept.feature_names, (Names{"country=DE", "country=FR", "country=NA"}));
  EXPECT_EQ(kept.x.at(0, 2), 1);  // read before the column was known to hold words
  const Dataset missing =
      read(text, {.label_columns = {"y"}, .na_words = {"NA"}, .keep_missing = true});
  EXPECT_EQ(missing.feature_names, (Names{"country=FR"}));
  EXPECT_TRUE(std::isnan(missing.x.at(0, 0)));
}

TEST_F(Table, AListWithAnotherSeparatorGetsANote) {
  const std::string text = "x,tags\n1,a|b\n2,a\n3,b\n";
  const Dataset whole = read(text, {.label_list = "tags"});
  EXPECT_EQ(whole.labels(), 3);
  ASSERT_EQ(whole.notes.size(), 1u);
  EXPECT_NE(whole.notes[0].find("'a|b' counts as one label"), std::string::npos);
  EXPECT_TRUE(read(text, {.label_list = "tags", .label_separator = '|'}).notes.empty());
  EXPECT_TRUE(read("x,tags\n1,a;b\n2,\"p, q\"\n", {.label_list = "tags"}).notes.empty());
  EXPECT_TRUE(read("x,tags\n1,a\n2,b\n", {.label_list = "tags"}).notes.empty());
}

TEST_F(Table, LabelsOfTruthWords) {
  const Dataset data = read("a,p,q\n1,True,yes\n2,False,no\n3,NaN,YES\n", {.label_count = -2});
  EXPECT_EQ(data.y.cell(0, 0), Cell::positive);
  EXPECT_EQ(data.y.cell(1, 0), Cell::negative);
  EXPECT_EQ(data.y.cell(2, 0), Cell::missing);
  EXPECT_EQ(data.y.cell(2, 1), Cell::positive);
  const Dataset arff =
      read("@relation 'r: -C 1'\n@attribute l {yes,no}\n@attribute x numeric\n@data\nyes,1\nno,2\n",
           {}, "t.arff");
  EXPECT_EQ(arff.y.cell(0, 0), Cell::positive);
  EXPECT_EQ(arff.y.cell(1, 0), Cell::negative);
}

TEST_F(Table, TheIndexOfPandasIsNoFeature) {
  const Dataset data = read(",a,y\n0,5,1\n1,6,0\n", {.label_columns = {"y"}});
  EXPECT_EQ(data.feature_names, Names{"a"});
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_NE(data.notes[0].find("no name"), std::string::npos);
  const Dataset ids =
      read(",a,y\nk,5,1\nl,6,0\n", {.label_columns = {"y"}, .id_column = "Unnamed: 0"});
  EXPECT_EQ(ids.ids, (Names{"k", "l"}));
}

TEST_F(Table, IdsAndTextsAreKeptApart) {
  const Dataset data = read("id,body,a,tags\n7,\"Hello, you\",1,x;y\n8,,2,\n",
                            {.label_list = "tags", .text = {"body"}, .id_column = "id"});
  EXPECT_EQ(data.feature_names, Names{"a"});
  EXPECT_EQ(data.id_name, "id");
  EXPECT_EQ(data.ids, (Names{"7", "8"}));
  ASSERT_EQ(data.texts.size(), 1u);
  EXPECT_EQ(data.texts[0].texts[0], "Hello, you");
  EXPECT_EQ(data.texts[0].texts[1], "");
  const Id second[] = {1};
  EXPECT_EQ(take_rows(data, second).ids, Names{"8"});
  EXPECT_EQ(take_rows(data, second).texts[0].texts[0], "");
  EXPECT_NE(
      error("a,y\n1,1\n", {.label_columns = {"y"}, .text = {"y"}}).find("without another use"),
      std::string::npos);
}

TEST_F(Table, StringAttributesAreText) {
  const Dataset data = read(
      "@relation r\n@attribute n string\n@attribute t string\n@attribute l {0,1}\n@data\n"
      "a,'some text',1\n{1 'it\\'s',2 1}\n?,?,0\n",
      {.label_columns = {"l"}, .text = {"t"}, .id_column = "n"}, "t.arff");
  EXPECT_EQ(data.ids, (Names{"a", "", ""}));
  EXPECT_EQ(data.texts[0].texts[0], "some text");
  EXPECT_EQ(data.texts[0].texts[1], "it's");
  EXPECT_EQ(data.texts[0].texts[2], "");
  EXPECT_EQ(data.columns(), 0);
}

TEST_F(Table, FreeTextIsRecognised) {
  std::string many = "body,y\n", few = many;
  for (int k = 0; k < 200; ++k) many += "word" + std::to_string(k) + " and more,1\n";
  for (int k = 0; k < 5; ++k) few += "this is note number " + std::to_string(k) + ",1\n";
  EXPECT_NE(error(many, {.label_columns = {"y"}}).find("text = body turns its words into features"),
            std::string::npos);
  const Dataset data = read(few, {.label_columns = {"y"}});
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_NE(spell(data.notes[0], spelled_plainly).find("looks like free text: text = body"),
            std::string::npos);
}

TEST_F(Table, DatesAreNotWords) {
  for (const char* date :
       {"2024-05-17", "17.05.2024", "5/17/24", "2024-05-17 10:00:00", "2024-05-17T10:00",
        "17 May 2024", "17-may-2024", "May 17, 2024", "Fri, 17. May 2024 10:30"}) {
    EXPECT_TRUE(is_date(date)) << date;
  }
  for (const char* word :
       {"1.2", "10-20", "red", "1.2.3", "192.168.0.1", "2024", "a-b-c", "", "1--2", "May",
        "May 2024", "march on", "1 2 March 2024", "10:30", "17 Mai 2024"}) {
    EXPECT_FALSE(is_date(word)) << word;
  }
}

TEST_F(Table, DatesWithNamesOfMonthsHaveParts) {
  const ReadOptions options{.label_columns = {"y"}, .dates = Dates::parts};
  const Dataset data = read("d,y\n17-May-2024,1\n2-jun-2024,0\n", options);
  EXPECT_EQ(data.columns(), 5);
  EXPECT_EQ(data.x.at(0, 1), 5);
  EXPECT_EQ(data.x.at(0, 4), 19860);
  EXPECT_EQ(data.x.at(1, 2), 2);
  const Dataset timed = read("d,y\n\"May 17, 2024 10:30\",1\n\"May 18, 2024 6:00\",0\n", options);
  EXPECT_EQ(timed.columns(), 6);
  EXPECT_EQ(timed.x.at(0, 5), 10.5);
}

TEST_F(Table, WordsThatTrainingLacksAreNoneOfThoseKnown) {
  ReadOptions options{.label_columns = {"y"}};
  options.known_nominal = {.names = {"c", "d"}, .values = {{"a", "b", "c"}, {"u", "v"}}};
  const std::string text = "c,d,y\na,v,1\nz,w,0\nz,u,1\n";
  const Dataset data = read(text, options);
  EXPECT_EQ(data.columns(), 4);
  for (const Index j : {0, 1, 2, 3}) EXPECT_EQ(data.x.at(1, j), 0) << j;
  ASSERT_EQ(data.notes.size(), 2u);
  EXPECT_NE(data.notes[0].find("'c' has 2 values"), std::string::npos) << data.notes[0];
  options.unseen = Unseen::error;
  EXPECT_NE(error(text, options).find("t.csv:3:1"), std::string::npos);
  options.unseen = Unseen::zero;
  options.known_nominal.coding = Nominal::ordinal;  // there is no code for none of them
  EXPECT_NE(error(text, options).find("t.csv:3:1"), std::string::npos);
}

TEST_F(Table, ManyWordsGiveANote) {
  std::string text = "c,y\n";
  for (int k = 0; k < 2400; ++k) text += "w" + std::to_string(k % 1200) + ",1\n";
  const Dataset data = read(text, {.label_columns = {"y"}});
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_NE(data.notes[0].find("1200 different words"), std::string::npos);
}

}  // namespace
}  // namespace mulberry::data

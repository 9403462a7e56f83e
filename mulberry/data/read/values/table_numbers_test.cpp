#include "mulberry/data/read/values/table_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

using Words = std::vector<std::string>;

double number(const char* text, char decimal, char thousands) {
  double value = 0;
  return written_number(text, decimal, thousands, value) ? value : std::nan("");
}

TEST(TableNumbers, DecimalCommasAndThousands) {
  EXPECT_EQ(number("1,5", ',', 0), 1.5);
  EXPECT_EQ(number("-1.234.567,25", ',', '.'), -1234567.25);
  EXPECT_EQ(number("12,345", '.', ','), 12345);
  EXPECT_EQ(number("2,5e-3", ',', 0), 2.5e-3);
  EXPECT_EQ(number("1 234,5", ',', ' '), 1234.5);
  // As spreadsheets of many languages write it: blanks that do not break a line, and narrow ones.
  for (const char* text : {"1\u00A0234", "1\u202F234", "1\u2009234", "1\240234"}) {
    EXPECT_EQ(number(text, '.', ' '), 1234) << text;
    EXPECT_TRUE(std::isnan(number(text, '.', ','))) << text;
  }
  for (const char* bad : {"1,23,456", "1,2345", "1234,567", ",123", "1,", "a,123", ""}) {
    EXPECT_TRUE(std::isnan(number(bad, '.', ','))) << bad;
  }
  EXPECT_TRUE(std::isnan(number("1.5", ',', 0)));
}

std::string unit(const Words& words, char decimal = '.', char thousands = 0) {
  return common_unit(words, decimal, thousands).value_or("none");
}

TEST(TableNumbers, UnitsThatAllValuesShare) {
  EXPECT_EQ(unit({"45%", "7.5 %", "-3%", "NA"}), "%");
  EXPECT_EQ(unit({"$1,200.50", "$900.00", "-$3"}), "$");
  EXPECT_EQ(unit({"1.200,50 €", "3 €"}, ',', '.'), "€");
  for (const Words& words : {Words{"45%", "$3"}, Words{"$1,200", "$900"}, Words{"45%", "some"},
                             Words{"$3", "3$"}, Words{"NA"}, Words{"%"}}) {
    EXPECT_EQ(unit(words), "none") << words[0];
  }
  double value = 0;
  EXPECT_TRUE(unit_number("-$1,200.50", "$", '.', 0, value));
  EXPECT_EQ(value, -1200.5);
  EXPECT_FALSE(unit_number("12", "%", '.', 0, value));
}

TEST(TableNumbers, MarksThatWouldMakeNumbers) {
  const auto remedy = [](const Words& words) {
    return spell(marks_remedy(words).value_or("none"), spelled_plainly);
  };
  const auto says = [&](const Words& words, const char* mark) {
    return remedy(words).find(mark) != std::string::npos;
  };
  const Words unclear = {"$1,200", "$900", "$85"};
  EXPECT_TRUE(says(unclear, "decimal") && says(unclear, "thousands")) << remedy(unclear);
  EXPECT_TRUE(says({"1,5"}, "decimal") && !says({"1,5"}, "thousands")) << remedy({"1,5"});
  EXPECT_TRUE(says({"1.200,5", "3,25"}, "thousands = '.'")) << remedy({"1.200,5", "3,25"});
  EXPECT_TRUE(says({"1,200.5", "3.25"}, "thousands = ','")) << remedy({"1,200.5", "3.25"});
  EXPECT_TRUE(says({"1 200", "3 250"}, "thousands = ' '")) << remedy({"1 200", "3 250"});
  EXPECT_TRUE(says({"1\u202F200", "3\u00A0250"}, "thousands = ' '"));
  EXPECT_EQ(remedy({"1,5", "2,5", "c"}), "none");
}

std::vector<double> parts(const Words& words, std::size_t of) {
  const auto form = date_form("d", words, {});
  return form ? date_values(words[of], *form).value_or(std::vector<double>())
              : std::vector<double>();
}

TEST(TableNumbers, PartsOfDates) {
  const Words iso = {"2024-02-29", "1970-01-01 06:30", "NaT"};
  const auto form = date_form("d", iso, {});
  ASSERT_TRUE(form && form->times && !form->day_first);
  EXPECT_EQ(date_part_names(*form).size(), 6U);
  EXPECT_EQ(parts(iso, 0), (std::vector<double>{2024, 2, 29, 3, 19782, 0}));  // a Thursday
  EXPECT_EQ(parts(iso, 1), (std::vector<double>{1970, 1, 1, 3, 0, 6.5}));
  EXPECT_TRUE(parts(iso, 2).empty());
  EXPECT_EQ(parts({"17.05.2024", "01.02.2024"}, 1)[1], 2);
  EXPECT_EQ(parts({"5/17/2024", "1/2/2024"}, 1)[1], 1);
  EXPECT_EQ(parts({"17/5/2024", "1/2/2024"}, 1)[1], 2);
  EXPECT_FALSE(date_form("d", Words{"2024-02-29", "later"}, {}));
  EXPECT_FALSE(date_form("d", Words{"2024-02-29 morning"}, {}));
  const std::vector<Words> bad = {{"1/2/2024"},                // which is the month?
                                  {"13/2/2024", "2/13/2024"},  // both
                                  {"1/13/24"},                 // which century?
                                  {"2023-02-29"},              // no such day
                                  {"2024-02-28", "2024-02-29", "2024-03-01", "later"}};
  for (const Words& words : bad) EXPECT_THROW(date_form("d", words, {}), Error) << words[0];
}

Dataset read_text(const std::string& text, ReadOptions options = {.label_columns = {"lab"}}) {
  const TemporaryFolder folder;
  return read_dataset(folder.put("a.csv", text), options);
}

std::string error_of(const std::string& text,
                     const ReadOptions& options = {.label_columns = {"lab"}}) {
  try {
    read_text(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TableNumbers, SemicolonsBomAndDecimalCommas) {
  const std::string text = "\xEF\xBB\xBFx;y;lab\n1,5;2;1\n2,25;3;0\n";
  EXPECT_NE(error_of(text).find("decimal"), std::string::npos) << error_of(text);
  const Dataset data = read_text(text, {.label_columns = {"lab"}, .decimal = ','});
  EXPECT_EQ(data.x.dense_row(1)[0], 2.25);
  EXPECT_EQ(data.feature_names[0], "x");
}

TEST(TableNumbers, WordsForMissingNumbersSayWhatToDo) {
  const std::string text = "x,lab\n1,1\nn.a.,0\n";
  EXPECT_NE(error_of(text).find("na"), std::string::npos) << error_of(text);
  ReadOptions options{.label_columns = {"lab"}, .na_words = {"n.a."}, .keep_missing = true};
  EXPECT_TRUE(std::isnan(read_text(text, options).x.dense_row(1)[0]));
}

TEST(TableNumbers, PercentMoneyDatesAndLettersForYes) {
  const Dataset data = read_text(
      "share,price,when,lab\n45%,$3.50,2024-03-01,Y\n50%,$4.00,2024-03-02,N\n"
      "7%,$1.00,2024-03-03,Y\n",
      {.label_columns = {"lab"}, .dates = Dates::parts});
  EXPECT_EQ(data.feature_names, (Words{"share", "price", "when:year", "when:month", "when:day",
                                       "when:weekday", "when:days"}));
  EXPECT_EQ(data.x.dense_row(2)[0], 7);
  EXPECT_EQ(data.x.dense_row(1)[4], 2);
  EXPECT_EQ(data.y, Labels(1, {{0}, {}, {0}}));
  EXPECT_EQ(data.notes.size(), 2U);  // what became of % and $
  EXPECT_NE(error_of("d,lab\n2024-03-01,1\n2024-03-02,0\n2024-03-03,1\n").find("parts"),
            std::string::npos);
  const std::string money = "p,lab\n\"$1,200\",1\n$900,0\n\"$2,300\",1\n";
  EXPECT_NE(error_of(money).find("thousands"), std::string::npos) << error_of(money);
  EXPECT_EQ(read_text(money, {.label_columns = {"lab"}, .thousands = ','}).x.dense_row(2)[0], 2300);
}

// A model knows how the columns were written: what one row cannot tell is known from the others.
TEST(TableNumbers, OtherDataIsReadLikeTheTrainingData) {
  ReadOptions options{.label_columns = {"lab"}, .dates = Dates::parts};
  const Dataset data = read_text(
      "when,share,lab\n17/5/2024 10:00,45%,1\n1/2/2024 11:30,50%,0\n3/4/2024 12:00,5%,1\n",
      options);
  ASSERT_EQ(data.forms.size(), 2U);
  options.known_forms = data.forms;
  options.known_features = std::make_shared<const std::unordered_set<std::string>>(
      data.feature_names.begin(), data.feature_names.end());
  const Dataset one = read_text("other,when,share,lab\nx,1/2/2024,7%,1\n", options);
  EXPECT_EQ(one.feature_names, data.feature_names);
  EXPECT_EQ(one.x.dense_row(0)[1], 2);  // February
  EXPECT_EQ(one.x.dense_row(0)[6], 7);
  for (const auto& [text, place] : std::vector<std::pair<std::string, std::string>>{
           {"when,share,lab\n1/2/2024,7%,1\n2/13/2024,7%,1\n", ":3:1:"},
           {"when,share,lab\n1/2/2024,7%,1\nsoon,7%,1\n", ":3:1:"},
           {"when,share,lab\n1/2/2024,7,1\n", ":2:10:"}}) {
    EXPECT_NE(error_of(text, options).find(place), std::string::npos) << error_of(text, options);
  }
  const Dataset plain = read_text("share,lab\n45,1\n50,0\n");
  ReadOptions numbers{.label_columns = {"lab"}};
  numbers.known_features = std::make_shared<const std::unordered_set<std::string>>(
      plain.feature_names.begin(), plain.feature_names.end());
  EXPECT_NE(error_of("share,lab\n45%,1\n", numbers).find("without a unit"), std::string::npos);
}

}  // namespace
}  // namespace mulberry::data

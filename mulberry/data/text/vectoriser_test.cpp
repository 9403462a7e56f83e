// Text to features. The expected words come from scikit-learn's TfidfVectorizer; the tests of
// the Python package compare the values with it.
#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/data/text/murmur.hpp"
#include "mulberry/data/text/text_step.hpp"
#include "mulberry/data/text/unicode.hpp"
#include "mulberry/data/text/vectoriser.hpp"

namespace mulberry::data {
namespace {

using Words = std::vector<std::string>;

Words words_of(const Words& rows, const TextOptions& options = {}) {
  const Vectoriser fitted = Vectoriser::fit(Texts(rows), options, Context());
  Words out;
  for (Index c = 0; c < fitted.columns(); ++c) out.push_back(fitted.term(c));
  return out;
}

std::string lowered(std::string_view text) {
  std::u32string points, low;
  append_code_points(text, points);
  lower_case(points, low);
  std::string out;
  for (const char32_t c : low) append_utf8(c, out);
  return out;
}

TEST(Unicode, LowerCaseAsInPython) {
  EXPECT_EQ(lowered("ÄÉ ẞ"), "äé ß");
  EXPECT_EQ(lowered("İ"), "i\u0307");                                // one character becomes two
  EXPECT_EQ(lowered("ΟΔΟΣ ΣΑΣ Σ"), "οδος σας σ");                    // final sigma
  EXPECT_EQ(lowered("ΑΣ\u0301. ΑΣ\u0301Β"), "ας\u0301. ασ\u0301β");  // marks do not count
  EXPECT_EQ(lowered("\U00010400"), "\U00010428");                    // beyond the first plane
}

TEST(Unicode, WordCharactersAsInPython) {
  for (const char32_t c : U"aZ9_éßΣ日テ½²٣Ⅷ\U0001D400") {
    EXPECT_TRUE(c == 0 || is_word_character(c)) << std::hex << static_cast<unsigned>(c);
  }
  for (const char32_t c : U" -'.\u0301\u0307\u200d😀€") {
    EXPECT_FALSE(c != 0 && is_word_character(c)) << std::hex << static_cast<unsigned>(c);
  }
}

TEST(Unicode, BytesThatAreNotUtf8AreReplaced) {
  std::u32string out;
  append_code_points("a\xFF\xC3(\xE2\x82", out);
  EXPECT_EQ(out, U"a\uFFFD\uFFFD(\uFFFD\uFFFD");
}

TEST(Text, WordsOfManyLanguages) {
  EXPECT_EQ(words_of({"İstanbul ΟΔΟΣ ΣΑΣ naïve", "日本語 テスト 12½ x_1 e\u0301te\u0301 😀😀 ²³",
                      "İstanbul a bc"}),
            (Words{"12½", "bc", "naïve", "stanbul", "te", "x_1", "²³", "οδος", "σας", "テスト",
                   "日本語"}));
  EXPECT_EQ(words_of({"Ab aB", "AB"}, {.lowercase = false}), (Words{"AB", "Ab", "aB"}));
}

TEST(Text, NgramsOfWordsAndCharacters) {
  EXPECT_EQ(words_of({"the cat, the dog"}, {.ngrams = "1-2"}),
            (Words{"cat", "cat the", "dog", "the", "the cat", "the dog"}));
  EXPECT_EQ(words_of({"one two three"}, {.ngrams = "2"}), (Words{"one two", "two three"}));
  EXPECT_EQ(words_of({"ab  \u2003c", "a"}, {.units = TextUnit::chars_in_words, .ngrams = "3-5"}),
            (Words{" a ", " ab", " ab ", " c ", "ab "}));
  EXPECT_EQ(words_of({"ab  \u2003c\tD"}, {.units = TextUnit::chars, .ngrams = "2-3"}),
            (Words{"\td", " c", " c\t", "ab", "ab ", "b ", "b c", "c\t", "c\td"}));
  for (const char* bad : {"0", "2-1", "a", "", "1-", "1-99"}) {
    EXPECT_THROW(words_of({"some words"}, {.ngrams = bad}), Error) << bad;
  }
}

TEST(Text, RareAndFrequentWordsAreLeftOut) {
  const Words rows = {"aa bb cc", "aa bb", "aa dd dd dd"};
  EXPECT_EQ(words_of(rows, {.min_df = 2}), (Words{"aa", "bb"}));
  EXPECT_EQ(words_of(rows, {.min_df = 0.5}), (Words{"aa", "bb"}));
  EXPECT_EQ(words_of(rows, {.max_df = 2}), (Words{"bb", "cc", "dd"}));
  EXPECT_EQ(words_of(rows, {.max_df = 0.4}), (Words{"cc", "dd"}));
  EXPECT_EQ(words_of(rows, {.max_features = 2}), (Words{"aa", "dd"}));
  EXPECT_THROW(words_of(rows, {.min_df = 4}), Error);
  EXPECT_THROW(words_of({"a b", "?"}), Error);
}

TEST(Text, WeightsByHand) {
  const Words rows = {"aa aa bb", "bb cc"};
  const auto value = [&](const TextOptions& options, Index i, Id j) {
    Csr x;
    Vectoriser::fit(Texts(rows), options, Context(), &x);
    return Features(x).at(i, j);
  };
  const double rare = std::log(3.0 / 2.0) + 1;  // in one of two rows; bb, in both, weighs 1
  EXPECT_DOUBLE_EQ(value({.norm = TextNorm::none}, 0, 0), 2 * rare);
  EXPECT_DOUBLE_EQ(value({.sublinear = true, .norm = TextNorm::none}, 0, 0),
                   (1 + std::log(2.0)) * rare);
  EXPECT_DOUBLE_EQ(value({.binary = true, .norm = TextNorm::none}, 0, 0), rare);
  EXPECT_DOUBLE_EQ(value({.idf = false, .norm = TextNorm::none}, 0, 0), 2);
  EXPECT_DOUBLE_EQ(value({}, 0, 1), 1 / std::sqrt(4 * rare * rare + 1));
}

TEST(Text, AppliedToTheTrainingRowsGivesTheSameBitsWithAnyThreads) {
  Words rows;
  for (int k = 0; k < 5000; ++k) {
    rows.push_back("word" + std::to_string(k % 37) + " Größe " + std::to_string(k % 11) + "0 " +
                   std::string(static_cast<std::size_t>(k % 7), 'q') + "x");
  }
  for (const TextUnit units : {TextUnit::words, TextUnit::chars, TextUnit::chars_in_words}) {
    for (const Index hash : {0, 64}) {
      Csr fitted;
      const Vectoriser text = Vectoriser::fit(
          Texts(rows), {.units = units, .ngrams = "1-3", .hash = hash}, Context(), &fitted);
      EXPECT_EQ(text.apply(Texts(rows), Context(1)), fitted);
      EXPECT_EQ(text.apply(Texts(rows), Context(3)), fitted);
    }
  }
}

TEST(Text, UnknownWordsCountNothing) {
  const Vectoriser text =
      Vectoriser::fit(Texts(Words{"red car", "blue car"}), {.ngrams = "1-2"}, Context());
  const Csr x = text.apply(Texts(Words{"green car", "red green car", ""}), Context());
  EXPECT_EQ(x.row(0).index.size(), 1u);
  EXPECT_EQ(x.row(1).index.size(), 2u);  // not "red car": a word is between
  EXPECT_EQ(x.row(2).index.size(), 0u);
}

TEST(Text, HashesOfScikitLearn) {
  EXPECT_EQ(murmur3("a"), 1009084850);
  EXPECT_EQ(murmur3("word"), -968174432);
  EXPECT_EQ(murmur3("two words"), 882559502);
  EXPECT_EQ(murmur3("é😀x"), 1829092036);
}

TEST(Text, ColumnsFollowTheOtherFeatures) {
  Dataset data{.x = Matrix(2, 1, std::vector<double>{5, 0})};
  data.texts = {{"t", Texts(Words{"red", "blue"})}, {"u", Texts(Words{"red", "red"})}};
  Features joined;
  const TextStep step = TextStep::fit(data, data.x, {}, Context(), joined);
  EXPECT_EQ(step.feature_names(), (Words{"t:blue", "t:red", "u:red"}));
  EXPECT_EQ(joined.cols(), 4);
  EXPECT_EQ(joined.at(0, 0), 5);
  EXPECT_EQ(joined.at(0, 2), 1);
  EXPECT_EQ(joined.at(1, 1), 1);
  EXPECT_EQ(joined.at(1, 3), 1);
  data.texts.pop_back();
  EXPECT_THROW(step.apply(data, data.x, Context()), Error);
}

}  // namespace
}  // namespace mulberry::data

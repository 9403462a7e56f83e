#include "mulberry/core/json_value.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace mulberry::core {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

// The same texts and values as the library that other documents use.
TEST(JsonValue, ReadsAndWritesAsTheLibraryDoes) {
  for (const char* text :
       {"null", "true", "false", "0", "-1", "12345678901234567890", "-9223372036854775808", "1e300",
        "0.1", "-0.0", "1.0", "2.5e-8", "\"\"", "\"a\\u0001\\n\\\"\\\\\\u00e9\"", "[]", "{}",
        "[1,[2,[3,\"x\"]],{\"a\":null}]",
        "{\"b\":1,\"a\":{\"d\":[true],\"c\":0.5},\"\":\"no name\"}"}) {
    const JsonValue value = JsonValue::parse(text);
    EXPECT_EQ(value.dump(true), nlohmann::json::parse(text).dump()) << text;
    EXPECT_EQ(value.dump(), nlohmann::ordered_json::parse(text).dump()) << text;
    EXPECT_EQ(JsonValue::parse(value.dump()).dump(), value.dump());
  }
}

// Any bytes.
TEST(JsonValue, WritesTextsAsTheLibraryDoes) {
  std::vector<std::string> texts = {"\x7f/\b\f\t\r\x1f",
                                    "\xed\xa0\x80",
                                    "\xf4\x90\x80\x80",
                                    "\xc0\x80",
                                    "\xe2\x82",
                                    "a\xf0\x9f\x98",
                                    "\xf0\x9f\x98\x80\xff\xe2\x28"};
  unsigned state = 1;
  for (int k = 0; k < 2000; ++k) {
    std::string text;
    for (int j = 0; j < 12; ++j) {
      state = state * 1664525U + 1013904223U;
      text += static_cast<char>(state >> 24U);
    }
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    EXPECT_EQ(JsonValue(text).dump(),
              nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

TEST(JsonValue, RefusesWhatTheLibraryRefuses) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\"}", "nul", "1 2", "\"\xff\"", "[1e999]", "'a'"}) {
    EXPECT_FALSE(nlohmann::json::accept(text)) << text;
    EXPECT_THROW(JsonValue::parse(text), JsonError) << text;
  }
}

TEST(JsonValue, IsBuiltInOrder) {
  JsonValue out = JsonValue::object();
  out.add("names", std::vector<std::string>{"b", "a"});
  out["rows"] = Index{3};
  out["share"] = 0.25;
  out["none"] = k_infinity;  // JSON has no such number
  out["rows"] = Index{4};
  out["bytes"] = std::string("\xff");
  EXPECT_EQ(out.dump(),
            "{\"names\":[\"b\",\"a\"],\"rows\":4,\"share\":0.25,\"none\":null,"
            "\"bytes\":\"\xef\xbf\xbd\"}");
  EXPECT_EQ(out.at("rows").whole(), 4);
  EXPECT_EQ(out.find("columns"), nullptr);
  EXPECT_THROW(out.at("columns"), JsonError);
  EXPECT_THROW(out.at("share").text(), JsonError);
}

TEST(JsonValue, KeepsWholeNumbersApart) {
  const JsonValue all = JsonValue::parse("[18446744073709551615,-1,7,2.0]");
  EXPECT_TRUE(all.items()[0].is_count());
  EXPECT_THROW(all.items()[0].whole(), JsonError);
  EXPECT_EQ(all.items()[0].count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(all.items()[1].is_count());
  EXPECT_EQ(all.items()[1].whole(), -1);
  EXPECT_EQ(all.items()[2].number(), 7.0);
  EXPECT_FALSE(all.items()[3].is_whole());
}

// As everywhere: the last of two members of one name.
TEST(JsonValue, TakesTheLastOfEqualNames) {
  EXPECT_EQ(JsonValue::parse("{\"a\":1,\"a\":2}").at("a").whole(), 2);
}

}  // namespace
}  // namespace mulberry::core

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
namespace {

using Names = std::vector<std::string>;

class JsonLines : public testing::Test {
 protected:
  Dataset read(const std::string& text, const ReadOptions& options) const {
    return read_dataset(folder_.put("t.jsonl", text), options);
  }
  tests::TemporaryFolder folder_;
};

const std::string k_rows =
    "{\"id\": 7, \"text\": \"a \\\"b\\\" \\u00e9\\ud83d\\ude00\\n\", \"labels\": [\"x\", \"y;z\"], "
    "\"price\": 3}\n\n"
    "{\"price\": -1.5e1, \"labels\": [], \"text\": null}\n"
    "{\"id\": \"k\", \"labels\": \"x\", \"price\": null}";
const ReadOptions k_options{
    .label_list = "labels", .text = {"text"}, .id_column = "id", .keep_missing = true};

TEST_F(JsonLines, RowsOfObjects) {
  const Dataset data = read(k_rows, k_options);
  EXPECT_EQ(data.rows(), 3);
  EXPECT_EQ(data.feature_names, Names{"price"});
  EXPECT_EQ(data.x.at(1, 0), -15);
  EXPECT_TRUE(std::isnan(data.x.at(2, 0)));
  EXPECT_EQ(data.ids, (Names{"7", "", "k"}));
  EXPECT_EQ(data.texts[0].texts[0], "a \"b\" \xC3\xA9\xF0\x9F\x98\x80\n");
  EXPECT_EQ(data.label_names, (Names{"x", "y;z"}));
  EXPECT_EQ(data.y.cell(0, 1), Cell::positive);
  EXPECT_EQ(data.y.cell(2, 0), Cell::positive);
  EXPECT_EQ(data.y.positives(), 3);
}

TEST_F(JsonLines, NullIsNoListOfLabels) {
  const Dataset data = read(
      "{\"a\": 1, \"l\": [\"x\", \"y\"]}\n{\"a\": 2, \"l\": []}\n{\"a\": 3, \"l\": null}\n"
      "{\"a\": 4}\n{\"a\": 5, \"l\": \"\"}\n{\"a\": 6, \"l\": NaN}\n",
      {.label_list = "l"});
  for (const Index i : {1, 4}) EXPECT_EQ(data.y.cell(i, 0), Cell::negative) << i;
  for (const Index i : {2, 3, 5}) {
    EXPECT_EQ(data.y.cell(i, 0), Cell::missing) << i;
    EXPECT_EQ(data.y.cell(i, 1), Cell::missing) << i;
  }
}

TEST_F(JsonLines, LabelsAsKeys) {
  const Dataset data = read("{\"a\": 1, \"l\": true, \"m\": 0}\n{\"a\": 2, \"l\": false}\n",
                            {.label_columns = {"l", "m"}});
  EXPECT_EQ(data.y.cell(0, 0), Cell::positive);
  EXPECT_EQ(data.y.cell(1, 0), Cell::negative);
  EXPECT_EQ(data.y.cell(1, 1), Cell::missing);
}

TEST_F(JsonLines, WrittenAndReadBack) {
  const Dataset data = read(k_rows, k_options);
  const std::string path = folder_.file("again.jsonl");
  write_dataset(data, path);
  ReadOptions options = k_options;
  const Dataset again = read_dataset(path, options);
  EXPECT_EQ(again.ids, data.ids);
  EXPECT_EQ(again.texts[0].texts, data.texts[0].texts);
  EXPECT_EQ(again.label_names, data.label_names);
  EXPECT_EQ(again.y, data.y);
  EXPECT_EQ(again.x.at(1, 0), -15);
}

TEST_F(JsonLines, MistakesHaveTheirPlace) {
  const std::pair<std::string, std::string> traps[] = {
      {"{\"a\": 1}\n{\"a\": 2", "2:8: expected a comma or }"},
      {"{\"a\": 1}\n[1]\n", "2:1: expected an object"},
      {"{\"a\": 1} x\n", "1:10: expected the end of the line"},
      {"{\"a\": 1, \"a\": 2}\n", "1:10: expected each key once"},
      {"{\"a\": 1}\n{\"b\": 1}\n", "2:2: expected the keys of the first object, found 'b'"},
      {"{\"a\": 1}\n{\"a\": 1, \"a\": 2}\n", "2:10: expected each key once"},
      {"{\"a\": one}\n", "1:7: expected a value"},
      {"{\"a\": .5}\n", "1:7: expected a value"},
      {"{\"a\": \"x\n", "1:7: expected a closing quote"},
      {"{\"a\": \"\\q\"}\n", "1:8: expected an escape"},
      {"{\"a\": \"\\u12g4\"}\n", "1:8: expected four hexadecimal digits"},
      {"{\"a\": {\"b\": 1}}\n", "1:7: expected a text, a number"},
      {"{\"a\": [1]}\n", "1:7: expected a text or a number for 'a', found a list"},
      {"{\"a\": 1}\n{\"a\": \"red\"}\n", "2:7: expected a number"},
      {"{a: 1}\n", "1:2: expected a key in double quotes"},
  };
  for (const auto& [text, message] : traps) {
    try {
      read(text, {.format = Format::jsonl, .labels_optional = true});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("t.jsonl:" + message), std::string::npos)
          << error.what();
    }
  }
}

TEST_F(JsonLines, OtherKindsAreNamed) {
  const auto refused = [&](const std::string& start) {
    try {
      refuse_other_kinds(start, "f");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(detect_format("{\"a\": 1}\n"), Format::jsonl);
  EXPECT_EQ(refused("{\"a\": 1}\n{\"a\": 2}\n"), "taken");
  for (const char* json :
       {"[{\"a\": 1}, {\"a\": 2}]", "[\n  {\"a\": 1}\n]", "{\n  \"a\": 1\n}\n"}) {
    EXPECT_NE(refused(json).find("jq -c"), std::string::npos) << json;
  }
  for (const char* columns :
       {"{\"a\":{\"0\":1},\"tags\":{\"0\":\"x\"}}", "{\n \"a\": {\"0\": 1}\n}\n"}) {
    EXPECT_NE(refused(columns).find("read_json('FILE')"), std::string::npos) << columns;
  }
  EXPECT_EQ(refused("{\"a\":{\"0\":1}}\n{\"a\":{\"0\":2}}\n"), "taken");  // its place is said
  EXPECT_NE(refused("PAR1\x15\x04").find("Parquet"), std::string::npos);
  EXPECT_NE(refused(std::string("PK\x03\x04") + std::string(26, 'x') + "[Content_Types].xml")
                .find("spreadsheet"),
            std::string::npos);
  EXPECT_NE(refused("\xD0\xCF\x11\xE0....").find("Excel"), std::string::npos);
  EXPECT_NE(refused("\x80\x04\x95....").find("pickle"), std::string::npos);
}

}  // namespace
}  // namespace mulberry::data

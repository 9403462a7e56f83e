// Structure between labels, and columns of dates, units and many words, on the command line: as a
// user meets them, from the table to the predictions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/command_test.hpp"

namespace mulberry::tests::contract {
namespace {

using Json = nlohmann::json;

class RulesCommands : public CommandTest {
 protected:
  std::string model = scratch.file("m.mb"), out = scratch.file("out.csv");
  std::string put(const std::string& name, const std::string& text) const {
    spill(scratch.file(name), text);
    return scratch.file(name);
  }
};

// Rows that break the rules, so that learners do, too.
std::string noisy_pets() {
  std::string text = "key,x,y,dog,animal,day,night\n";
  unsigned state = 1;
  const auto random = [&] {
    state = state * 1103515245U + 12345U;
    return (state >> 16) % 100U;
  };
  for (int i = 0; i < 200; ++i) {
    const unsigned x = random(), y = random();
    const bool dog = x > 40, animal = x > 70, day = y > 40, night = y < 60;
    text += "r" + std::to_string(i) + "," + std::to_string(x) + "," + std::to_string(y) + "," +
            (dog ? "1," : "0,") + (animal ? "1," : "0,") + (day ? "1," : "0,") +
            (night ? "1\n" : "0\n");
  }
  return text;
}

int broken(const std::string& predicted) {
  int count = 0;
  std::istringstream lines(predicted);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const char dog = line[line.size() - 7], animal = line[line.size() - 5],
               day = line[line.size() - 3], night = line[line.size() - 1];
    count += (dog == '1' && animal == '0') || (day == '1' && night == '1') ? 1 : 0;
  }
  return count;
}

TEST_F(RulesCommands, DecisionsObeyRulesThatWereDeclared) {
  const std::string data = put("pets.csv", noisy_pets());
  const std::vector<std::string> reading = {
      "--label-count", "-4", "--id", "key", "--implies", "dog:animal", "--exclusive", "day,night"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), reading.begin(), reading.end());
    return words;
  };
  ok(with({"fit", "br_logistic", data, "-o", model, "--quiet"}));
  ok({"predict", model, data, "-o", out});
  EXPECT_GT(broken(slurp(out)), 0);  // otherwise there is nothing to test
  ok({"predict", model, data, "-o", out, "--consistent"});
  EXPECT_EQ(broken(slurp(out)), 0);
  const std::string consistent = slurp(out);
  ok(with({"fit", "consistent(base=br_logistic)", data, "-o", scratch.file("c.mb"), "--quiet"}));
  ok({"predict", scratch.file("c.mb"), data, "-o", out});
  EXPECT_EQ(slurp(out), consistent);
  wrong({"predict", model, data, "-o", out, "--consistent", "--top", "2"}, "--consistent");

  const auto measured = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"score",           model,   data, "--measures",
                                      "hierarchical_f1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(ok(words).out)["measures"]["hierarchical_f1"].get<double>();
  };
  EXPECT_GT(measured({}), 0.3);
  EXPECT_NE(measured({}), measured({"--consistent"}));

  // The rules are in files that other commands write, whichever format.
  for (const std::string name : {"a.arff", "a.csv", "a.npz", "a.jsonl"}) {
    ok(with({"convert", data, scratch.file(name)}));
    std::vector<std::string> words = {"describe", scratch.file(name), "--json"};
    if (name == "a.csv") words.insert(words.end(), {"--label-count", "-4", "--ignore", "key"});
    if (name == "a.jsonl") words.insert(words.end(), {"--label-count", "-4", "--ignore", "key"});
    if (name == "a.arff") words.insert(words.end(), {"--ignore", "key"});
    const Json described = Json::parse(ok(words).out);
    EXPECT_EQ(described["implications"], 1) << name;
    EXPECT_EQ(described["exclusions"], 1) << name;
  }
  wrong(with({"fit", "br_logistic", data, "-o", model, "--implies", "dgo:animal"}), "found 'dgo'");
  wrong({"fit", "br_logistic", data, "--label-count", "-4", "--implies", "dog", "-o", model},
        "LABEL:LABEL");
}

TEST_F(RulesCommands, RowsThatBreakRulesAreNamed) {
  const std::string data = put("a.csv", "key,x,dog,animal\nk1,1,1,1\nk2,2,1,0\nk3,0,0,0\n");
  const Outcome shown =
      ok({"describe", data, "--label-count", "-2", "--id", "key", "--implies", "dog:animal"});
  EXPECT_NE(shown.out.find("'dog' without 'animal'"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("k2"), std::string::npos) << shown.out;
}

TEST_F(RulesCommands, NestedLabelFilesAreHierarchies) {
  put("a.xml",
      "<labels xmlns=\"http://mulan.sourceforge.net/labels\"><label name=\"animal\">"
      "<label name=\"dog\"></label></label><label name=\"house\"></label></labels>");
  const std::string data =
      put("a.arff",
          "@relation a\n@attribute x numeric\n@attribute animal {0,1}\n@attribute dog {0,1}\n"
          "@attribute house {0,1}\n@data\n1,1,1,0\n2,1,0,0\n0,0,0,1\n3,0,1,0\n");
  EXPECT_EQ(Json::parse(ok({"describe", data, "--json"}).out)["broken_rules"][0]["rows"], 1);
  ok({"fit", "consistent", data, "-o", model, "--quiet"});
  EXPECT_NE(ok({"inspect", model}).out.find("'dog' implies 'animal'"), std::string::npos);
  ok({"convert", data, scratch.file("b.arff")});
  EXPECT_NE(slurp(scratch.file("b.xml")).find("<label name=\"animal\">\n"), std::string::npos)
      << slurp(scratch.file("b.xml"));
}

// A few rows, none of them with a path: the model knows that labels are paths.
TEST_F(RulesCommands, ModelsRememberPaths) {
  const std::string data = put("a.csv", "x,tags\n1,a/b\n2,c\n3,a/b;c\n0,\n5,a\n4,c\n");
  ok({"fit", "consistent", data, "--label-list", "tags", "--label-paths", "/", "-o", model});
  ok({"score", model, put("few.csv", "x,tags\n2,c\n3,c\n"), "--measures", "micro_f1"});
  ok({"score", model, data, "--measures", "hierarchical_f1"});
}

TEST_F(RulesCommands, ModelsRememberDatesUnitsAndCommas) {
  const std::string data =
      put("german.csv",
          "Datum;Preis;Anteil;heiter;trocken\n17.05.2024;1.200,50 \u20ac;45%;1;0\n"
          "18.05.2024;900,00 \u20ac;50%;0;1\n01.06.2024;85,25 \u20ac;7,5%;1;1\n"
          "02.06.2024;12,00 \u20ac;8%;0;0\n");
  wrong({"fit", "br_logistic", data, "--label-count", "-2", "-o", model}, "--dates parts");
  wrong({"fit", "br_logistic", data, "--label-count", "-2", "--dates", "parts", "-o", model},
        "--decimal , and --thousands '.'");
  ok({"fit", "br_logistic", data, "--label-count", "-2", "--decimal", ",", "--thousands", ".",
      "--dates", "parts", "-o", model});
  const std::string one = put("one.csv", "Datum;Preis;Anteil\n03.04.2024;1.000,00 \u20ac;50%\n");
  ok({"predict", model, one, "-o", out, "--scores"});
  ok({"predict", model, data, "-o", out, "--scores"});
  ok({"score", model, data});
  const std::string bad = put("bad.csv", "Datum;Preis;Anteil\n03.04.2024;1000 USD;50%\n");
  wrong({"predict", model, bad, "-o", out}, "bad.csv:2:12");
}

TEST_F(RulesCommands, ColumnsOfManyWords) {
  std::string text = "city,x,tags\n";
  for (int i = 0; i < 400; ++i) {
    const int city = i * 7 % 40;
    text += "city" + std::to_string(city) + "," + std::to_string(i % 5) + "," +
            (city % 2 == 0 ? "north" : "south") + (i % 3 == 0 ? ";big" : "") + "\n";
  }
  const std::string data = put("cities.csv", text);
  ok({"fit", "br_logistic", data, "--label-list", "tags", "--target-words", "city", "-o", model});
  EXPECT_NE(ok({"inspect", model}).out.find("words          city (40"), std::string::npos);
  const std::string more = put("more.csv", "city,x\ncity2,1\ncity3,1\nnowhere,1\n");
  ok({"predict", model, more, "-o", out});
  EXPECT_EQ(slurp(out).substr(0, 28), "big,north,south\n0,1,0\n0,0,1\n");
  const Outcome compared = ok({"cv", "br_logistic", data, "--label-list", "tags", "--target-words",
                               "city", "--folds", "4", "--measures", "micro_f1", "--csv"});
  EXPECT_NE(compared.out.find("micro_f1"), std::string::npos);
  wrong({"convert", data, scratch.file("b.csv"), "--label-list", "tags", "--target-words", "city"},
        "--target-words");
  wrong({"predict", model, put("less.csv", "x\n1\n"), "-o", out}, "'city'");
}

}  // namespace
}  // namespace mulberry::tests::contract

// Change files from the command line: proposed by `missing` and `suspicious`, carried out by
// `convert --apply`.
#include <gtest/gtest.h>

#include <filesystem>

#include "mulberry/data/changes/apply_changes.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/support/process.hpp"

namespace mulberry::tests::contract {
namespace {

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(Changes, AreProposedAndApplied) {
  const Scratch scratch;
  const std::string data = scratch.file("hidden.arff"), file = scratch.file("changes.csv");
  const std::string corrected = scratch.file("corrected.arff"), log = scratch.file("log.csv");
  ASSERT_EQ(run(scratch, {"generate", "photos", "-o", scratch.file("photos.arff")}).code, 0);
  ASSERT_EQ(run(scratch, {"hide", scratch.file("photos.arff"), "--share", "0.3", "-o", data}).code,
            0);
  for (const std::string verb : {"missing", "suspicious"}) {
    const std::string before = verb == "missing" ? "0" : "1", after = verb == "missing" ? "1" : "0";
    ASSERT_EQ(run(scratch, {verb, "br_logistic", data, "--top", "30", "--changes", file}).code, 0);
    const Changes changes = read_changes(file);
    ASSERT_EQ(changes.entries.size(), 30u);
    const auto done =
        run(scratch, {"convert", data, "--apply", file, "-o", corrected, "--log", log});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.out.find(verb == "missing" ? "30 added" : "30 removed"), std::string::npos)
        << done.out;
    const Dataset read = read_dataset(corrected, {}), old = read_dataset(data, {});
    const auto cells = match_changes(changes, old);
    EXPECT_EQ(read.y, apply_changes(old.y, cells));
    EXPECT_NE(read.y, old.y);
    for (const CellChange& cell : cells) {
      EXPECT_EQ(cell_text(cell.from), before);
      EXPECT_EQ(cell_text(*cell.to), after);
    }
    const std::string lines = slurp(log);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 31) << lines;
    // A second time they do not fit, and nothing is written.
    const auto twice = run(scratch, {"convert", corrected, "--apply", file, "-o",
                                     scratch.file("x.arff"), "--log", scratch.file("x.csv")});
    EXPECT_EQ(twice.code, 1);
    EXPECT_NE(twice.err.find("applied already"), std::string::npos) << twice.err;
    EXPECT_FALSE(std::filesystem::exists(scratch.file("x.arff")));
    EXPECT_FALSE(std::filesystem::exists(scratch.file("x.csv")));
  }
}

TEST(Changes, KnowRowsByTheirIds) {
  const Scratch scratch;
  const std::string data = scratch.file("notes.csv"), file = scratch.file("changes.csv");
  const std::vector<std::string> how = {"--text", "body", "--label-list", "tags", "--id", "id"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), how.begin(), how.end());
    return run(scratch, words);
  };
  ASSERT_EQ(run(scratch, {"generate", "tagged-text", "--rows", "200", "-o", data}).code, 0);
  const auto found = with({"missing", "br_logistic", data, "--top", "4", "--changes", file});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(slurp(file).starts_with("id,label,from,to,chance\n")) << slurp(file);
  EXPECT_EQ(run(scratch, {"convert", data, "--label-list", "tags", "--text", "body", "--apply",
                          file, "-o", scratch.file("x.csv")})
                .code,
            1);
  const auto done = with({"convert", data, "--apply", file, "-o", scratch.file("y.csv")});
  EXPECT_EQ(done.code, 0) << done.err;
  // Ids that do not tell rows apart are refused before the work.
  put(data, "id,body,tags\n1,red car,a\n1,blue car,b\n2,green tree,a;b\n");
  const auto same = with({"missing", "br_logistic", data, "--changes", file});
  EXPECT_EQ(same.code, 1);
  EXPECT_NE(same.err.find("found '1' for rows 1 and 2"), std::string::npos) << same.err;
}

TEST(Changes, OfExclusiveSetsComeInPairs) {
  const Scratch scratch;
  const std::string data = scratch.file("cars.csv"), file = scratch.file("changes.csv");
  put(data, "size,brand\n1,audi\n2,bmw\n3,audi\n");
  const std::vector<std::string> words = {"convert", data, "--label-sets", "brand",
                                          "--apply", file, "-o",           scratch.file("out.csv")};
  put(file, "row,label,from,to,chance\n1,brand=audi,1,0,\n");
  const auto half = run(scratch, words);
  EXPECT_EQ(half.code, 1);
  EXPECT_NE(half.err.find("Change both labels of a set"), std::string::npos) << half.err;
  put(file, "row,label,from,to,chance\n1,brand=audi,1,0,\n1,brand=bmw,0,1,\n");
  EXPECT_EQ(run(scratch, words).code, 0);
  EXPECT_EQ(slurp(scratch.file("out.csv")), "size,brand\n1,bmw\n2,bmw\n3,audi\n");
}

TEST(Changes, MistakesAreUsageErrors) {
  const Scratch scratch;
  const std::string data = scratch.file("a.csv"), file = scratch.file("changes.csv");
  put(data, "x,y\n1,1\n2,0\n");
  put(file, "row,label,from,to,chance\n1,y,1,0,\n");
  const auto code = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"convert", data, "--label-count", "-1"};
    words.insert(words.end(), more.begin(), more.end());
    return run(scratch, words).code;
  };
  EXPECT_EQ(code({}), 1);
  EXPECT_EQ(code({scratch.file("b.csv"), "-o", scratch.file("c.csv")}), 1);
  EXPECT_EQ(code({scratch.file("b.csv"), "--log", scratch.file("l.csv")}), 1);
  EXPECT_EQ(code({scratch.file("b.csv"), "--apply", data}), 1);
  EXPECT_EQ(code({"-o", file, "--apply", file}), 1);
  EXPECT_EQ(code({"-o", scratch.file("b.csv"), "--apply", file, "--log", scratch.file("b.csv")}),
            1);
  EXPECT_FALSE(std::filesystem::exists(scratch.file("b.csv")));
  EXPECT_EQ(code({"-o", scratch.file("b.csv"), "--apply", file}), 0);
}

}  // namespace
}  // namespace mulberry::tests::contract

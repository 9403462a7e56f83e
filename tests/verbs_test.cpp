// Which verb takes which of the options that mean the same everywhere, and that no verb is missing
// from the table.
#include <map>
#include <set>
#include <sstream>

#include "tests/support/process.hpp"

namespace mulberry::tests::contract {
namespace {

using Names = std::set<std::string>;

// quiet: no notes; threads, seed: of what is computed; json, csv: what is printed.
const std::map<std::string, Names> k_takes = {
    {"demo", {"quiet", "threads", "seed"}},
    {"describe", {"quiet", "threads", "seed", "json", "csv"}},
    {"fit", {"quiet", "threads", "seed", "json"}},
    {"predict", {"quiet", "threads", "seed"}},
    {"score", {"quiet", "threads", "seed", "json", "csv"}},
    {"cv", {"quiet", "threads", "seed", "json", "csv"}},
    {"tune", {"quiet", "threads", "seed", "json", "csv"}},
    {"tradeoff", {"quiet", "threads", "seed", "json", "csv"}},
    {"run", {"quiet", "threads", "json", "csv"}},  // seeds stand in the study
    {"reproduce", {"quiet", "threads", "json", "csv"}},
    {"report", {"quiet", "threads", "seed"}},
    {"list", {"json"}},
    {"inspect", {"json"}},
    {"relations", {"quiet", "threads", "seed", "json", "csv"}},
    {"enhance", {"quiet", "threads", "seed", "json"}},
    {"convert", {"quiet"}},
    {"split", {"quiet", "threads", "seed"}},
    {"hide", {"quiet", "threads", "seed"}},
    {"missing", {"quiet", "threads", "seed", "json", "csv"}},
    {"suspicious", {"quiet", "threads", "seed", "json", "csv"}},
    {"review", {"quiet", "threads", "seed"}},
    {"generate", {"quiet", "seed"}},
    {"completion", {}}};

std::string help_of(const Scratch& scratch, const std::vector<std::string>& words) {
  const Outcome outcome = run(scratch, words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

// The verbs that `mulberry --help` lists.
Names listed_verbs(const std::string& help) {
  Names out;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    if (line.starts_with("  ") && !line.starts_with("   ") && words >> first && first != "mulberry")
      out.insert(first);
  }
  return out;
}

TEST(Verbs, TakeTheSameOptionsEverywhere) {
  const Scratch scratch;
  Names named;
  for (const auto& [verb, takes] : k_takes) named.insert(verb);
  for (const std::string& verb : listed_verbs(help_of(scratch, {"--help"}))) {
    EXPECT_TRUE(named.contains(verb)) << verb << ": add it to the table";
  }
  for (const auto& [verb, takes] : k_takes) {
    const std::string help = help_of(scratch, {verb, "--help"});
    for (const char* option : {"quiet", "threads", "seed", "json", "csv"}) {
      const std::string flag = "--" + std::string(option);
      const bool has =
          help.find(flag + " ") != std::string::npos || help.find(flag + "\n") != std::string::npos;
      EXPECT_EQ(has, takes.contains(option)) << verb << " " << flag;
    }
  }
}

TEST(Verbs, JsonAndCsvAreOneChoice) {
  const Scratch scratch;
  const std::string data = scratch.file("photos.arff");
  EXPECT_EQ(run(scratch, {"generate", "photos", "--rows", "30", "-o", data}).code, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"describe", data},
      {"score", data, data},
      {"cv", "br_logistic", data},
      {"tune", "br_logistic", data, "--measure", "micro_f1"},
      {"tradeoff", "br_logistic", data},
      {"relations", data},
      {"missing", "br_logistic", data},
      {"suspicious", "br_logistic", data}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.end(), {"--json", "--csv"});
    const Outcome outcome = run(scratch, words);
    EXPECT_EQ(outcome.code, 1) << words[0];
    EXPECT_NE(outcome.err.find("expected --json or --csv"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace mulberry::tests::contract

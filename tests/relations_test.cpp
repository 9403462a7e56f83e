// mulberry relations from data and from a model: the same arrows, in every form.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/command_test.hpp"

namespace mulberry::tests::contract {
namespace {

using Json = nlohmann::json;

class RelationsVerb : public CommandTest {
 protected:
  void SetUp() override {
    ok({"generate", "data-union", "--rows", "400", "-o", data});
    ok({"fit", "mahr", data, "-o", model, "--rounds", "15", "--kappa", "0", "--quiet"});
  }
  std::string data = scratch.file("union.arff"), model = scratch.file("union.mb");
};

TEST_F(RelationsVerb, DataAndModelSayTheSame) {
  const auto from_data =
      Json::parse(ok({"relations", data, "--learner", "mahr(rounds=15, kappa=0)", "--json"}).out);
  const auto from_model = Json::parse(ok({"relations", model, "--json"}).out);
  const auto from_both = Json::parse(ok({"relations", model, data, "--json"}).out);
  EXPECT_EQ(from_data["reuse_score"], from_model["reuse_score"]);
  EXPECT_EQ(from_data, from_both);
  EXPECT_FALSE(from_model.contains("phi"));
  EXPECT_EQ(from_data["phi"].size(), 5u);
  ASSERT_FALSE(from_data["arrows"].empty());
  // The union is learnt from its parts.
  EXPECT_GT(from_data["reuse_score"][0][1].get<double>() +
                from_data["reuse_score"][0][2].get<double>() +
                from_data["reuse_score"][0][3].get<double>(),
            0.2);
}

TEST_F(RelationsVerb, WritesPicturesAndCountsRepeats) {
  const std::string graph = scratch.file("g.svg"), picture = scratch.file("p.svg"),
                    dot = scratch.file("g.dot");
  const std::string text = ok({"relations", model, data, "--repeats", "3", "--graph", graph,
                               "--picture", picture, "--dot", dot})
                               .out;
  EXPECT_NE(text.find("of 3 repeats)"), std::string::npos) << text;
  EXPECT_NE(text.find("becomes"), std::string::npos);
  EXPECT_EQ(slurp(graph).substr(0, 4), "<svg");
  EXPECT_EQ(slurp(picture).substr(0, 4), "<svg");
  EXPECT_EQ(slurp(dot).substr(0, 7), "digraph");
  for (const std::string kind : {"folds", "halves"}) {
    const auto repeated = Json::parse(
        ok({"relations", model, data, "--repeats", "4", "--resample", kind, "--json"}).out);
    EXPECT_EQ(repeated["repeats"], 4);
  }
}

TEST_F(RelationsVerb, MistakesAreNamed) {
  wrong({"relations", model, "--repeats", "3"}, "expected data for --repeats");
  wrong({"relations", data, data}, "expected a model before the data");
  wrong({"relations", data, "--learner", "br_logistic"}, "reuse_score");
  wrong({"relations", model, "--learner", "mahr"}, "--learner");
  wrong({"relations", model, data, "--resample", "thirds"}, "bootstrap, folds or halves");
  wrong({"relations", model, data, "--repeats", "1", "--resample", "folds"}, "--repeats from 2");
  wrong({"relations", model, data, "--resample", "folds"}, "--repeats from 2");
}

}  // namespace
}  // namespace mulberry::tests::contract

// The parameters of every learner: errors name bad values, every choice works or is refused with a
// reason, and parameters do not clash with options of the command line.
#include <cmath>
#include <set>

#include "mulberry/core/text.hpp"
#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

void expect_named(const std::string& expression, const std::string& name) {
  try {
    complete_spec(parse_spec(expression));
    ADD_FAILURE() << "expected an error for " << expression;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

TEST(Parameters, EveryBadValueIsNamed) {
  for (const Learner& learner : all_learners()) {
    for (const ParamInfo& info : learner.params) {
      const auto with = [&](const std::string& value) {
        return learner.id + "(" + info.name + "=" + value + ")";
      };
      if (info.type != ParamType::text)
        expect_named(with("\"no such (value)\""), info.name == "base" ? "no such" : info.name);
      if (info.type != ParamType::number && info.type != ParamType::integer) continue;
      expect_named(with("nan"), info.name);
      expect_named(with("inf"), info.name);
      expect_named(with("1e400"), info.name);
      if (std::isfinite(info.range.low)) {
        expect_named(with(shortest(info.range.open ? info.range.low : info.range.low - 1)),
                     info.name);
      }
      if (info.range.high < 1e15) expect_named(with(shortest(info.range.high + 1)), info.name);
    }
  }
}

TEST(Parameters, MisspeltNamesSuggestTheNearest) {
  for (const Learner& learner : all_learners()) {
    if (learner.params.empty()) continue;
    const std::string name = learner.params.front().name;
    expect_named(learner.id + "(" + name + "x=1)", "'" + name + "'");
    expect_named(learner.id + "x", "'" + learner.id + "'");
  }
}

TEST(Parameters, DefaultsReadBackAsThemselves) {
  for (const std::string& text : learner_names()) {
    const Spec complete = complete_spec(parse_spec(text));
    EXPECT_EQ(complete_spec(complete).text(), complete.text());
    EXPECT_EQ(complete_spec(parse_spec(complete.text())).text(), complete.text());
  }
}

TEST(Parameters, EveryChoiceTrainsOrSaysWhyNot) {
  for (const Learner& learner : all_learners()) {
    for (const ParamInfo& info : learner.params) {
      std::vector<std::string> values = info.choices;
      if (info.type == ParamType::flag) values = {"true", "false"};
      for (const std::string& value : values) {
        const std::string text = learner.id + "(" + info.name + "=" + value + ")";
        const Dataset data = small_data(learner.id, 24);
        try {
          const TrainedModel model = fit_small(text, data);
          EXPECT_EQ(model.predict(data, Context(1)).scores.rows(), data.rows()) << text;
        } catch (const Error& error) {
          EXPECT_TRUE(error.code() == Code::unsupported || error.code() == Code::parameter)
              << text << ": " << error.what();
          EXPECT_FALSE(error.remedy().empty()) << text << ": " << error.what();
        }
      }
    }
  }
}

TEST(Parameters, EveryLearnerExplainsItself) {
  for (const Learner& learner : all_learners()) {
    EXPECT_FALSE(learner.summary.empty()) << learner.id;
    for (const ParamInfo& info : learner.params)
      EXPECT_FALSE(info.help.empty()) << learner.id << " " << info.name;
  }
  for (const BaseLearner& base : base_learners()) {
    EXPECT_FALSE(base.summary.empty()) << base.id;
    for (const ParamInfo& info : base.params)
      EXPECT_FALSE(info.help.empty()) << base.id << " " << info.name;
  }
}

TEST(Parameters, NamesDoNotClashWithOptionsOfFit) {
  const std::set<std::string> taken = {
      "output", "continue",  "threads",     "seed",       "quiet",        "json",
      "format", "scale",     "impute",      "tf-idf",     "delimiter",    "nominal",
      "help",   "label-xml", "label-count", "index-base", "weight-column"};
  for (const Learner& learner : all_learners()) {
    for (const ParamInfo& info : learner.params)
      EXPECT_FALSE(taken.contains(info.name)) << learner.id;
  }
}

}  // namespace
}  // namespace mulberry::tests::contract

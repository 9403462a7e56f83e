// The parameters of every learner and base learner, taken from the registry: each bad value, wrong
// type and unknown name has its own message, each choice works or says why not.
#include <cmath>
#include <set>

#include "mulberry/core/text.hpp"
#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

// Every parameter of every learner and base learner, as people give it.
struct Parameter {
  std::string owner;
  bool base = false;
  ParamInfo info;

  std::string with(const std::string& name, const std::string& value) const {
    const std::string own = owner + "(" + name + "=" + value + ")";
    return base ? "br(base=" + own + ")" : own;
  }
  std::string with(const std::string& value) const { return with(info.name, value); }
};

std::vector<Parameter> all_parameters() {
  std::vector<Parameter> out;
  for (const Learner& learner : all_learners()) {
    for (const ParamInfo& info : learner.params) out.push_back({learner.id, false, info});
  }
  for (const BaseLearner& base : base_learners()) {
    for (const ParamInfo& info : base.params) out.push_back({base.id, true, info});
  }
  return out;
}

bool is_number(const ParamInfo& info) {
  return info.type == ParamType::number || info.type == ParamType::integer;
}

// A number as the type wants it written.
std::string written(const ParamInfo& info, double value) {
  return info.type == ParamType::integer ? std::to_string(static_cast<Index>(value))
                                         : shortest(value);
}

// The message for a mistake; it must hold all of `words`.
std::string message_of(const std::string& expression, const std::vector<std::string>& words) {
  try {
    complete_spec(parse_spec(expression));
    ADD_FAILURE() << "expected an error for " << expression;
    return "";
  } catch (const Error& error) {
    for (const std::string& word : words) {
      EXPECT_NE(error.problem().find(word), std::string::npos)
          << expression << ": no " << word << " in " << error.problem();
    }
    EXPECT_FALSE(error.remedy().empty()) << expression;
    EXPECT_TRUE(error.code() == Code::parameter || error.code() == Code::usage) << expression;
    return error.problem();
  }
}

// What a bad value is told: which parameter, of whom, what it must be, and what it is.
std::string refused(const Parameter& one, const std::string& value) {
  return message_of(one.with(value), {"the parameter '" + one.info.name + "' of " + one.owner +
                                          " must be " + one.info.expected(),
                                      "got '" + value + "'"});
}

TEST(Parameters, ThereAreSome) { EXPECT_GT(all_parameters().size(), 150u); }

TEST(Parameters, EveryRangeEndsWhereItSays) {
  for (const Parameter& one : all_parameters()) {
    const Range& range = one.info.range;
    if (!is_number(one.info)) continue;
    const double step = one.info.type == ParamType::integer ? 1 : 1e-3;
    if (std::isfinite(range.low)) {
      const std::string at = written(one.info, range.low);
      const std::string below = written(one.info, range.low - step);
      std::set<std::string> messages = {refused(one, below)};
      if (range.open) {
        messages.insert(refused(one, at));
      } else {
        EXPECT_NO_THROW(complete_spec(parse_spec(one.with(at)))) << one.with(at);
      }
      EXPECT_EQ(messages.size(), range.open ? 2u : 1u);
    }
    if (std::isfinite(range.high)) {
      const std::string at = written(one.info, range.high);
      const std::string above =
          written(one.info, range.high + std::max(step, std::abs(range.high) / 8));
      EXPECT_NO_THROW(complete_spec(parse_spec(one.with(at)))) << one.with(at);
      const std::string message = refused(one, above);
      EXPECT_NE(message.find(" at most "), std::string::npos) << message;
    }
  }
}

// A value of another type, for every type of parameter.
TEST(Parameters, EveryWrongTypeIsNamed) {
  for (const Parameter& one : all_parameters()) {
    std::vector<std::string> values;
    switch (one.info.type) {
      case ParamType::flag:
        values = {"maybe", "2", "1.5"};
        break;
      case ParamType::integer:
        values = {"many", "2.5", "nan", "inf", "1e400", "true", "99999999999999999999"};
        break;
      case ParamType::number:
        values = {"many", "nan", "inf", "-inf", "1e400", "true", "1.5x"};
        break;
      case ParamType::choice:
        values = {"no_such_choice", "7", "none_of_them"};
        break;
      case ParamType::list:
        values = {"[1,x]", "many", "[nan]"};
        break;
      case ParamType::base:
      case ParamType::learner:
        message_of(one.with("no_such_learner"), {"no_such_learner", "'" + one.info.name + "'"});
        message_of(one.with("7"), {"7", "'" + one.info.name + "'"});
        continue;
      case ParamType::text:
        continue;  // what a text means is for the learner to say
    }
    std::set<std::string> messages;
    for (const std::string& value : values) {
      messages.insert(message_of(one.with("\"" + value + "\""),
                                 {"the parameter '" + one.info.name + "' of " + one.owner,
                                  one.info.expected(), "got '" + value + "'"}));
    }
    EXPECT_EQ(messages.size(), values.size()) << one.owner << " " << one.info.name;
  }
}

TEST(Parameters, EveryUnknownNameSuggestsTheNearest) {
  for (const Parameter& one : all_parameters()) {
    const std::string misspelt = one.info.name + "x";
    try {
      complete_spec(parse_spec(one.with(misspelt, "1")));
      ADD_FAILURE() << "expected an error for " << one.owner << " " << misspelt;
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find("'" + misspelt + "'"), std::string::npos) << error.what();
      EXPECT_NE(error.problem().find(one.owner), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().find("'" + one.info.name + "'"), std::string::npos) << error.what();
    }
  }
  for (const Learner& learner : all_learners()) {
    try {
      complete_spec(parse_spec(learner.id + "x"));
      ADD_FAILURE() << "expected an error for " << learner.id << "x";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("'" + learner.id + "'"), std::string::npos);
    }
  }
}

TEST(Parameters, EveryDefaultIsInItsRange) {
  for (const Parameter& one : all_parameters()) {
    const auto value = parse_number(one.info.fallback);
    if (!is_number(one.info) || !value) continue;
    EXPECT_TRUE(one.info.range.holds(*value)) << one.owner << " " << one.info.name;
    if (!std::isnan(one.info.range.search_low)) {
      EXPECT_TRUE(one.info.range.holds(one.info.range.search_low)) << one.owner;
      EXPECT_TRUE(one.info.range.holds(one.info.range.search_high)) << one.owner;
      EXPECT_LT(one.info.range.search_low, one.info.range.search_high) << one.owner;
    }
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

}  // namespace
}  // namespace mulberry::tests::contract

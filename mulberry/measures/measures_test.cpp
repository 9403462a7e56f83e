#include "mulberry/measures/measures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/measures/ranking.hpp"
#include "mulberry/measures/sets.hpp"

namespace mulberry::measures {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

Matrix matrix(const std::vector<std::vector<double>>& rows) {
  Matrix out(count_of(rows), count_of(rows.front()));
  for (Index i = 0; i < out.rows(); ++i) {
    std::copy(rows[at(i)].begin(), rows[at(i)].end(), out.row(i).begin());
  }
  return out;
}

// "1010": one character per label, '?' is missing.
Labels labels(const std::vector<std::string>& rows) {
  Matrix y(count_of(rows), count_of(rows.front()));
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index l = 0; l < y.cols(); ++l) {
      const char c = rows[at(i)][at(l)];
      y(i, l) = c == '?' ? k_nan : c - '0';
    }
  }
  return labels_from_dense(y);
}

Labels at_least(MatrixView scores, double cut) {
  std::vector<std::vector<Id>> rows(at(scores.rows()));
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index l = 0; l < scores.cols(); ++l) {
      if (scores(i, l) >= cut) rows[at(i)].push_back(static_cast<Id>(l));
    }
  }
  return {scores.cols(), rows};
}

MeasureValue value(std::string_view name, const Labels& y, const Outcome& outcome,
                   const MeasureOptions& options = {}) {
  return measure(name, y, outcome, options, Context());
}

MeasureOptions with(Convention convention) { return {.convention = convention}; }

TEST(Measures, GoldenExample) {
  const Labels y = labels({"1010", "0100", "1100", "0000", "1111"});
  const Matrix s = matrix(
      {{.9, .8, .3, .1}, {.2, .7, .7, .1}, {.4, .6, .5, .4}, {.1, .2, .3, .4}, {.9, .1, .2, .3}});
  const Labels p = at_least(s, 0.5);
  const Outcome outcome = {.scores = &s, .decided = &p};
  MeasureOptions paper = with(Convention::paper);
  const std::pair<const char*, double> expected[] = {{"hamming_loss", 0.4},
                                                     {"subset_accuracy", 0.2},
                                                     {"one_error", 0},
                                                     {"coverage", 1.3333333333},
                                                     {"coverage_normalized", 0.3333333333},
                                                     {"ranking_loss", 0.2638888889},
                                                     {"average_precision", 0.8888888889},
                                                     {"macro_f1", 0.3666666667},
                                                     {"micro_f1", 0.5},
                                                     {"example_f1", 0.6133333333},
                                                     {"macro_auc", 0.4791666667},
                                                     {"micro_auc", 0.6464646465},
                                                     {"protocol_auc", 0.6767676768},
                                                     {"protocol_auc_per_image", 0.8333333333}};
  for (const auto& [name, number] : expected) {
    EXPECT_NEAR(value(name, y, outcome, paper).value, number, 1e-10) << name;
  }
  EXPECT_EQ(value("one_error", y, outcome, paper).undefined, 2);
  paper.ties = Ties::best;
  EXPECT_NEAR(value("ranking_loss", y, outcome, paper).value, 0.1666666667, 1e-10);
  paper.ties = Ties::worst;
  EXPECT_NEAR(value("ranking_loss", y, outcome, paper).value, 0.3611111111, 1e-10);
}

TEST(Measures, RankingFixtureInEveryConvention) {
  const Labels y = labels({"1000", "0000", "1111", "0110"});
  const Matrix s = matrix({{.5, .5, .2, .1}, {.4, .3, .2, .1}, {.4, .3, .2, .1}, {.9, .8, .3, .4}});
  const Outcome outcome = {.scores = &s};
  struct Expected {
    Convention convention;
    double coverage, ranking_loss, average_precision, one_error;
    Index undefined_loss, undefined_coverage, undefined_precision, undefined_error;
  };
  // paper: rows 1 and 4 only. Row 1, lower index first: rank 1; row 4: ranks 2 and 4.
  const Expected table[] = {
      {Convention::sklearn, 2.5, (1.0 / 3 + 0.75) / 4, 0.75, 0.5, 2, 1, 1, 2},
      {Convention::paper, 1.5, (0.5 / 3 + 0.75) / 2, 0.75, 0.5, 2, 2, 2, 2},
      {Convention::mulan, 1.75, (1.0 / 3 + 0.75) / 4, 2.0 / 3, 0.75, 2, 1, 1, 1},
      {Convention::meka, 1.5, 0.2291666667, 0.75, 0.5, 2, 2, 1, 1},
      {Convention::zhang, 1.5, (1.0 / 3 + 0.75) / 2, 0.5, 0.5, 2, 1, 2, 2}};
  for (const Expected& e : table) {
    const auto options = with(e.convention);
    const auto near = [&](const char* name, double expected, Index undefined) {
      const MeasureValue found = value(name, y, outcome, options);
      EXPECT_NEAR(found.value, expected, 1e-10) << name << " " << name_of(e.convention);
      EXPECT_EQ(found.undefined, undefined) << name << " " << name_of(e.convention);
    };
    near("coverage", e.coverage, e.undefined_coverage);
    near("coverage_normalized", e.coverage / 4, e.undefined_coverage);
    near("ranking_loss", e.ranking_loss, e.undefined_loss);
    near("average_precision", e.average_precision, e.undefined_precision);
    near("one_error", e.one_error, e.undefined_error);
    near("instance_auc", 1 - (0.5 / 3 + 0.75) / 2, 2);
  }
}

TEST(Measures, DecisionFixtureInEveryConvention) {
  const Labels y = labels({"1100", "0000", "1000", "0000", "0110"});
  const Labels p = labels({"1000", "0000", "0000", "1000", "0110"});
  const Outcome outcome = {.decided = &p};
  struct Expected {
    Convention convention;
    double macro_f1, example_f1, jaccard, example_precision;
  };
  const Expected table[] = {{Convention::sklearn, 0.5416666667, 0.3333333333, 0.3, 0.4},
                            {Convention::paper, 0.5416666667, 0.5333333333, 0.5, 0.4},
                            {Convention::mulan, 0.7916666667, 0.5333333333, 0.5, 0.6},
                            {Convention::meka, 0.5416666667, 0.3333333333, 0.5, 0.4},
                            {Convention::zhang, 0.5416666667, 0.5333333333, 0.5, 0.4}};
  for (const Expected& e : table) {
    const auto options = with(e.convention);
    const auto at = [&](const char* name) { return value(name, y, outcome, options).value; };
    EXPECT_NEAR(at("macro_f1"), e.macro_f1, 1e-10) << name_of(e.convention);
    EXPECT_NEAR(at("example_f1"), e.example_f1, 1e-10) << name_of(e.convention);
    EXPECT_NEAR(at("jaccard"), e.jaccard, 1e-10) << name_of(e.convention);
    EXPECT_NEAR(at("example_precision"), e.example_precision, 1e-10) << name_of(e.convention);
  }
  EXPECT_NEAR(value("macro_f1_of_means", y, outcome).value, 0.5555555556, 1e-10);
  MeasureOptions options;
  options.undefined = Undefined::skip;
  EXPECT_NEAR(value("macro_f1", y, outcome, options).value, 0.7222222222, 1e-10);
  EXPECT_NEAR(value("example_f1", y, outcome, options).value, 0.4166666667, 1e-10);
  EXPECT_EQ(value("macro_f1", y, outcome, options).undefined, 1);
  options.undefined = Undefined::one;
  EXPECT_NEAR(value("example_precision", y, outcome, options).value, 0.8, 1e-10);
  options.undefined = Undefined::nan;
  EXPECT_TRUE(std::isnan(value("macro_f1", y, outcome, options).value));
  EXPECT_FALSE(value("macro_f1", y, outcome, options).reason.empty());
  options.undefined = Undefined::error;
  EXPECT_THROW(value("macro_f1", y, outcome, options), Error);
  EXPECT_NO_THROW(value("hamming_loss", y, outcome, options));
}

TEST(Measures, NothingLeftIsNanWithAReason) {
  const Labels y = labels({"00", "11"});
  const Matrix s = matrix({{.1, .2}, {.3, .4}});
  const MeasureValue found = value("ranking_loss", y, {.scores = &s}, with(Convention::paper));
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_EQ(found.undefined, 2);
  EXPECT_EQ(found.reason, "no row has a value");
}

TEST(Measures, MistakesAreNamed) {
  const Labels y = labels({"01", "10"});
  const Matrix bad = matrix({{.1, .2}, {.3, k_nan}}), small = matrix({{.1, .2}});
  const auto problem = [&](std::string_view name, const Outcome& outcome) -> std::string {
    try {
      value(name, y, outcome);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(problem("coverage", {.scores = &bad}).find("row 2, column 2"), std::string::npos);
  EXPECT_NE(problem("coverage", {.scores = &small}).find("2 x 2"), std::string::npos);
  EXPECT_NE(problem("rankin_loss", {.scores = &bad}).find("'ranking_loss'"), std::string::npos);
  EXPECT_NE(problem("macro_f1", {.scores = &bad}).find("label decisions"), std::string::npos);
  EXPECT_NE(problem("log_loss", {.scores = &bad}).find("probabilities"), std::string::npos);
  EXPECT_THROW(convention_of("scikit"), Error);
  EXPECT_EQ(convention_of("Mulan"), Convention::mulan);
  EXPECT_THROW(value("ndcg_at_k", y, {.scores = &bad}, {.k = 0}), Error);
}

TEST(Measures, Propensities) {
  const Labels training = labels({"100", "110", "100", "101"});
  const std::vector<double> q = propensities(training);
  const double c = (std::log(4.0) - 1) * std::pow(2.5, 0.55);
  EXPECT_DOUBLE_EQ(q[0], 1 / (1 + c * std::pow(5.5, -0.55)));
  EXPECT_DOUBLE_EQ(q[1], 1 / (1 + c * std::pow(2.5, -0.55)));
  const Labels y = labels({"110", "001", "000"});
  const Matrix s = matrix({{3, 2, 1}, {3, 2, 1}, {3, 2, 1}});
  MeasureOptions options = {.k = 1, .propensities = {0.5, 0.25, 0.2}};
  // Found: label 0 of row 1 (2). Possible: label 1 of row 1 (4) and label 2 of row 2 (5).
  EXPECT_DOUBLE_EQ(value("propensity_precision_at_k", y, {.scores = &s}, options).value, 2.0 / 9);
  EXPECT_EQ(value("propensity_precision_at_k", y, {.scores = &s}, options).undefined, 1);
}

TEST(Measures, Probabilities) {
  const Labels y = labels({"10", "0?"});
  const Matrix s = matrix({{.75, 0}, {.5, .1}});
  const Outcome outcome = {.scores = &s, .probabilities = true};
  EXPECT_NEAR(value("log_loss", y, outcome).value, -(std::log(.75) + std::log(.5)) / 3, 1e-15);
  EXPECT_DOUBLE_EQ(value("brier_score", y, outcome).value, (.0625 + .25) / 3);
  EXPECT_DOUBLE_EQ(value("calibration_error", y, outcome).value, (.25 + .5) / 3);
  const Matrix wrong = matrix({{.75, 0}, {1.5, .1}});
  EXPECT_THROW(value("log_loss", y, {.scores = &wrong, .probabilities = true}), Error);
}

TEST(Measures, LabelSets) {
  const LabelSets sets = {{"size", "colour"}, {{0, 1}, {2, 3, 4}}};
  const Labels y = labels({"10100", "01010", "??001", "10001"});
  const Labels p = labels({"10100", "10010", "10001", "10110"});
  const Outcome outcome = {.decided = &p, .sets = &sets};
  const auto values = measure_all(y, outcome, {}, Context());
  const auto find = [&](const std::string& name) {
    for (const MeasureValue& v : values) {
      if (v.name == name) return v;
    }
    return MeasureValue{};
  };
  EXPECT_DOUBLE_EQ(find("set_accuracy:size").value, 2.0 / 3);
  EXPECT_EQ(find("set_accuracy:size").unobserved, 1);
  EXPECT_DOUBLE_EQ(find("set_accuracy:colour").value, 3.0 / 4);
  EXPECT_DOUBLE_EQ(find("set_accuracy_all").value, 1.0 / 3);
  const Matrix counts = confusion(y, outcome, 1);
  EXPECT_EQ(counts, matrix({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 1}}));
  const Labels twice = labels({"11100"}), q = labels({"10100"});
  EXPECT_THROW(value("set_accuracy_all", twice, {.decided = &q, .sets = &sets}), Error);
}

TEST(Measures, TheTableIsWhatIsComputed) {
  const LabelSets sets = {{"a"}, {{0, 1}}};
  const Labels y = labels({"10", "01", "10"});
  const Matrix s = matrix({{.9, .2}, {.3, .4}, {.1, .6}});
  const Labels p = at_least(s, 0.5);
  const LabelRules rules = {.implied = {{0, 1}}};
  const Outcome outcome = {
      .scores = &s, .decided = &p, .sets = &sets, .rules = &rules, .probabilities = true};
  const MeasureOptions options = {.propensities = {.5, .5}};
  const auto values = measure_all(y, outcome, options, Context());
  ASSERT_EQ(values.size(), measure_table().size());
  for (std::size_t m = 0; m < values.size(); ++m) {
    const MeasureInfo& info = measure_table()[m];
    EXPECT_EQ(values[m].name.substr(0, values[m].name.find(':')), info.name);
    EXPECT_EQ(values[m].higher_is_better, info.higher_is_better);
    EXPECT_GE(values[m].value, info.low) << info.name;
    EXPECT_LE(values[m].value, info.high) << info.name;
  }
}

}  // namespace
}  // namespace mulberry::measures

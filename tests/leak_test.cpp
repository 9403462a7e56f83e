// On labels that are pure noise an honest evaluation reports chance level. These tests run complete
// cross-validation, tuning with outer folds and learnt thresholds on such labels, and apply the
// same check to pipelines that cheat, which must fail it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/data/preprocess/impute.hpp"
#include "mulberry/data/preprocess/target_words.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/tune.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/resample/thresholds.hpp"
#include "mulberry/study/runner.hpp"
#include "mulberry/study/study_results.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::tests {
namespace {

constexpr Index k_rows = 240, k_labels = 6;
constexpr double k_share = 0.35;  // of rows that have a label

// Features and labels that are independent of each other.
Dataset noise(Index features, std::uint64_t seed) {
  Random random(seed, "leak_test");
  Matrix x(k_rows, features), y(k_rows, k_labels);
  for (Index i = 0; i < k_rows; ++i) {
    for (Index j = 0; j < features; ++j) x(i, j) = random.normal();
    for (Index l = 0; l < k_labels; ++l) y(i, l) = random.chance(k_share) ? 1 : 0;
  }
  Dataset out{.name = "noise", .x = Features(x), .y = labels_from_dense(y)};
  for (Index l = 0; l < k_labels; ++l) out.label_names.push_back("l" + std::to_string(l));
  return out;
}

EvaluateOptions options_for(const std::string& measure) {
  EvaluateOptions out;
  out.split.folds = 5;
  out.measures = {measure};
  return out;
}

Estimate cross_validated(const Spec& spec, const Dataset& data, const std::string& measure) {
  const std::vector<CompleteSpec> specs = {CompleteSpec(spec)};
  return cross_validate(specs, data, options_for(measure), Context(2, 1)).learners[0].estimates[0];
}

TuneResult tuned(const Dataset& data, Index bootstrap) {
  TuneOptions options;
  options.measure = "macro_auc";
  options.search = Search::grid;
  options.axes = parse_grid("base.C=0.001,0.1,10", "br_logistic");
  options.outer = 5;
  options.evaluate = options_for("macro_auc");
  options.evaluate.split.folds = 3;
  options.evaluate.bootstrap = bootstrap;
  return tune("br_logistic", data, options, Context(2, 1));
}

// The results of a pipeline on several sets of noise: their mean and its standard error.
struct Reported {
  double mean, error;
};

template <class Pipeline>
Reported over_noise(const Pipeline& pipeline) {
  constexpr std::uint64_t k_sets = 10;
  std::vector<double> values;
  for (std::uint64_t seed = 0; seed < k_sets; ++seed) values.push_back(pipeline(seed));
  const Estimate e = summarise(values);
  return {e.mean, e.deviation / std::sqrt(static_cast<double>(k_sets))};
}

// Four standard errors: bad luck once in ten thousand.
testing::AssertionResult above(const Reported& r, double chance) {
  const bool is = r.mean > chance + 4 * r.error;
  return (is ? testing::AssertionSuccess() : testing::AssertionFailure())
         << r.mean << " with standard error " << r.error << ", chance " << chance;
}

// The area under the curve of uninformative scores.
constexpr double k_chance_auc = 0.5;
// Uninformative decisions have precision k_share for any recall, so their F1 is at most the F1 of
// assigning every label.
constexpr double k_chance_f1 = 2 * k_share / (1 + k_share);

// The features most correlated with each label, chosen on the rows given.
Dataset select_features(const Dataset& data, std::span<const Id> rows, Index a_label) {
  const FixedMatrix x = to_dense(data.x), y = to_dense(data.y);
  std::vector<Id> chosen;
  for (Index l = 0; l < data.labels(); ++l) {
    std::vector<std::pair<double, Id>> strength;
    for (Index j = 0; j < data.columns(); ++j) {
      double sum = 0;
      for (const Id i : rows) sum += x(i, j) * (y(i, l) - k_share);
      strength.emplace_back(-std::abs(sum), static_cast<Id>(j));
    }
    std::sort(strength.begin(), strength.end());
    for (Index k = 0; k < a_label; ++k) {
      chosen.push_back(strength[static_cast<std::size_t>(k)].second);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  Dataset out = data;
  out.x = take_columns(data.x, chosen);
  return out;
}

TEST(Leak, CrossValidationIsAtChance) {
  EXPECT_FALSE(above(over_noise([](std::uint64_t seed) {
                       return cross_validated("br_logistic", noise(30, seed), "macro_auc").mean;
                     }),
                     k_chance_auc));
}

// The intervals that a user sees: most of them hold the chance level, as 95 % intervals should.
TEST(Leak, ReportedIntervalsHoldTheChanceLevel) {
  int by_cv = 0, by_tuning = 0, by_cuts = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Dataset data = noise(30, seed);
    EvaluateOptions options = options_for("macro_auc");
    options.bootstrap = 200;
    const std::vector<CompleteSpec> specs = {"br_logistic"};
    const Estimate cv =
        cross_validate(specs, data, options, Context(2, 1)).learners[0].estimates[0];
    by_cv += cv.low <= k_chance_auc && k_chance_auc <= cv.high ? 1 : 0;
    const Estimate outer = *tuned(data, 200).outer;
    by_tuning += outer.low <= k_chance_auc && k_chance_auc <= outer.high ? 1 : 0;
    options.measures = {"macro_f1"};
    const std::vector<CompleteSpec> cuts = {CompleteSpec(parse_spec("threshold(cut=macro_f)"))};
    by_cuts += cross_validate(cuts, data, options, Context(2, 1)).learners[0].estimates[0].low <=
                       k_chance_f1
                   ? 1
                   : 0;
  }
  EXPECT_GE(by_cv, 7);
  EXPECT_GE(by_tuning, 7);
  EXPECT_GE(by_cuts, 7);
}

TEST(Leak, FeaturesChosenOnAllRowsAreCaught) {
  EXPECT_TRUE(above(over_noise([](std::uint64_t seed) {
                      const Dataset data = noise(300, seed);
                      std::vector<Id> all(k_rows);
                      std::iota(all.begin(), all.end(), 0);
                      const Dataset leaky = select_features(data, all, 5);
                      return cross_validated("br_logistic", leaky, "macro_auc").mean;
                    }),
                    k_chance_auc));
}

// A column of many words, most of them rare, that say nothing about the labels.
Dataset noisy_words(std::uint64_t seed) {
  Dataset out = noise(2, seed);
  Random random(seed, "leak_test words");
  std::vector<std::string> words;
  for (Index i = 0; i < k_rows; ++i) words.push_back("w" + std::to_string(random.below(80)));
  out.words.push_back({"city", Texts(words)});
  return out;
}

TEST(Leak, SharesOfLabelsByWordAreAtChance) {
  EXPECT_FALSE(above(over_noise([](std::uint64_t seed) {
                       return cross_validated("br_logistic", noisy_words(seed), "macro_auc").mean;
                     }),
                     k_chance_auc));
}

TEST(Leak, SharesOfLabelsFromAllRowsAreCaught) {
  EXPECT_TRUE(above(over_noise([](std::uint64_t seed) {
                      Dataset data = noisy_words(seed);
                      Features joined;
                      const auto step = TargetWords::fit(data, data.x, Context(1), joined);
                      data.x = step.apply(data, data.x);
                      data.words.clear();
                      return cross_validated("br_logistic", data, "macro_auc").mean;
                    }),
                    k_chance_auc));
}

// One test row has no known labels, so its features can change the results only through the values
// with which other rows are filled.
TEST(Leak, FillValuesDoNotDependOnTestRows) {
  const auto with_value = [](double value) {
    Dataset data = noise(3, 1);
    Matrix x(to_dense(data.x)), y = to_dense(data.y);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    for (Index i = 0; i < k_rows; i += 3) x(i, 0) = missing;
    x(1, 0) = value;
    for (Index l = 0; l < k_labels; ++l) y(1, l) = missing;
    data.x = std::move(x);
    data.y = labels_from_dense(y);
    return data;
  };
  Fold fold;
  for (Id i = 0; i < k_rows; ++i) (i < 60 ? fold.test : fold.train).push_back(i);
  EvaluateOptions options = options_for("log_loss");
  const auto reported = [&](const Dataset& data) {
    return evaluate_split("br_logistic", data, fold, options, Context(1)).values.at(0).value;
  };
  const auto filled_from_all = [](Dataset data) {
    data.x = fill_missing(data.x, fill_values(data.x, {}, {}, Context()));
    return data;
  };
  const Dataset small = with_value(0), large = with_value(1e6);
  EXPECT_NE(reported(filled_from_all(small)), reported(filled_from_all(large)))
      << "the check itself does not notice a leak";
  options.preprocess.impute = Impute::mean;
  EXPECT_EQ(reported(small), reported(large));
}

TEST(Leak, TuningWithOuterFoldsIsAtChance) {
  EXPECT_FALSE(
      above(over_noise([](std::uint64_t seed) { return tuned(noise(30, seed), 0).outer->mean; }),
            k_chance_auc));
}

// A study on noise: a search within each cell, labels hidden from training rows, preprocessing.
TEST(Leak, StudiesAreAtChance) {
  const study::Study file = study::parse_study(
      "data = [\"noise\"]\n[learners.tuned]\nlearner = \"br_logistic\"\ntune = {measure = "
      "\"macro_auc\", grid = \"C=0.001,0.1,10\", folds = 3}\npreprocess = {scale = "
      "\"standardise\", drop_constant = true}\n[learners.cuts]\nlearner = "
      "\"threshold(cut=macro_f)\"\n[protocol]\nfolds = 5\nseed = 1\nhide = [0, 0.4]\n[measures]\n"
      "names = [\"macro_auc\", \"macro_f1\"]\n",
      "noise.toml");
  const auto reported = [&](std::uint64_t seed, std::size_t measure, std::size_t learner,
                            std::size_t set) {
    const TemporaryFolder folder;
    const CellStore store(folder.path());
    const study::Plan plan = study::make_plan(file, {{.data = noise(30, seed)}}, Context(2));
    study::run_cells(plan, store, {}, Context(2));
    return compare::mean(study::collect(plan, store).scores[measure].sets[set].cells[learner]);
  };
  for (const std::size_t set : {0U, 1U}) {
    EXPECT_FALSE(above(over_noise([&](std::uint64_t seed) { return reported(seed, 0, 0, set); }),
                       k_chance_auc));
    EXPECT_FALSE(above(over_noise([&](std::uint64_t seed) { return reported(seed, 1, 1, set); }),
                       k_chance_f1));
  }
}

// The best of many small models is chosen on the very rows that are then reported.
TEST(Leak, TheWinnerOfASearchOnItsOwnRowsIsCaught) {
  EXPECT_TRUE(above(over_noise([](std::uint64_t seed) {
                      const Dataset data = noise(30, seed);
                      double best = 0;
                      for (Id first = 0; first < 30; first += 3) {
                        Dataset part = data;
                        const std::vector<Id> columns = {first, first + 1, first + 2};
                        part.x = take_columns(data.x, columns);
                        best =
                            std::max(best, cross_validated("br_logistic", part, "macro_auc").mean);
                      }
                      return best;
                    }),
                    k_chance_auc));
}

TEST(Leak, LearntThresholdsAreNotAboveChance) {
  for (const char* cut : {"macro_f", "scut", "micro_f"}) {
    const Spec spec = parse_spec(std::string("threshold(cut=") + cut + ")");
    EXPECT_FALSE(above(over_noise([&](std::uint64_t seed) {
                         return cross_validated(spec, noise(30, seed), "macro_f1").mean;
                       }),
                       k_chance_f1))
        << cut;
  }
}

// Cuts learnt from the scores of the test rows and judged by the same rows.
TEST(Leak, ThresholdsLearntOnTheTestRowsAreCaught) {
  EXPECT_TRUE(above(
      over_noise([](std::uint64_t seed) {
        const Dataset data = noise(30, seed);
        const Context ctx(2, 1);
        std::vector<double> values;
        for (const Fold& fold : make_splits(data.y, options_for("macro_f1"), ctx)) {
          const Dataset train = take_rows(data, fold.train);
          const Dataset test = take_rows(data, fold.test);
          const Matrix scores =
              fit_learner("br_logistic", view_of(train), ctx)->predict({.x = &test.x}, ctx).scores;
          const Labels decided =
              learn_thresholds(scores, test.y, {.method = CutMethod::macro_f}, ctx)
                  .apply(scores, ctx);
          values.push_back(measure("macro_f1", test.y, {.decided = &decided}, {}, ctx).value);
        }
        return summarise(values).mean;
      }),
      k_chance_f1));
}

}  // namespace
}  // namespace mulberry::tests

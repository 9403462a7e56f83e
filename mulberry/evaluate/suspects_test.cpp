#include "mulberry/evaluate/suspects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/generate/hide.hpp"

namespace mulberry::evaluate {
namespace {

TEST(Suspects, WorkedExample) {
  // Row 0 has labels 0 and 1, row 1 has label 2 and does not know label 0, row 2 has none.
  const Labels y(3, {{0, 1}, {2}, {}}, {{}, {0}, {}});
  const Matrix scores(3, 3, std::vector<double>{2, 4, 3.5, 1, -1, 0.5, 0, 3, 0});
  const Matrix chances(3, 3, std::vector<double>{.9, .8, .5, .5, .1, .7, .1, .6, .1});
  const auto missing = rank_suspects(y, scores, chances, SuspectKind::missing);
  ASSERT_EQ(missing.size(), 6U);
  // Chances .6, .5, .5, .1, .1, .1; row 2 has no labels, so the mean of all its scores is used.
  const double gaps[] = {2, 0.5, 0.5, -1, -1, -1.5};
  const Id rows[] = {2, 0, 1, 2, 2, 1}, labels[] = {1, 2, 0, 0, 2, 1};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_DOUBLE_EQ(missing[k].gap, gaps[k]);
    EXPECT_EQ(missing[k].row, rows[k]);
    EXPECT_EQ(missing[k].label, labels[k]);
    EXPECT_EQ(missing[k].score, scores(rows[k], labels[k]));
    EXPECT_EQ(missing[k].chance, chances(rows[k], labels[k]));
  }
  const auto suspicious = rank_suspects(y, scores, chances, SuspectKind::suspicious);
  ASSERT_EQ(suspicious.size(), 3U);
  EXPECT_EQ(suspicious[0].row, 1);
  EXPECT_EQ(suspicious[0].label, 2);
  EXPECT_DOUBLE_EQ(suspicious[0].gap, 1.5);  // 0.5 + 1: the unknown cell is no other label
  EXPECT_DOUBLE_EQ(suspicious[1].gap, 0.5);  // 4 - 3.5
  EXPECT_DOUBLE_EQ(suspicious[2].gap, -1.5);

  const Labels truth(3, {{0, 1}, {0, 2}, {1}});
  const Recovery found = judge_suspects(missing, truth, SuspectKind::missing, {1, 3, 100});
  EXPECT_EQ(found.wrong, 2);
  EXPECT_EQ(found.candidates, 6);
  EXPECT_EQ(found.at, (std::vector<Index>{1, 3}));
  EXPECT_EQ(found.found, (std::vector<Index>{1, 2}));
  EXPECT_DOUBLE_EQ(found.precision(1), 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.random(), 2.0 / 6);
  EXPECT_DOUBLE_EQ(found.area, 7.5 / 8);  // of eight pairs one is a tie
  // Cells that are unknown in the truth do not count: here the first, the third and the fifth.
  const Labels partial(3, {{0, 1}, {2}, {}}, {{}, {0}, {1, 2}});
  const Recovery rest = judge_suspects(missing, partial, SuspectKind::missing, {1, 3, 4});
  EXPECT_EQ(rest.wrong, 0);
  EXPECT_EQ(rest.candidates, 3);
  EXPECT_EQ(rest.at, (std::vector<Index>{1, 3}));
  EXPECT_FALSE(is_wrong(missing[0], partial, SuspectKind::missing).has_value());
  EXPECT_EQ(is_wrong(missing[0], truth, SuspectKind::missing), true);
  EXPECT_EQ(is_wrong(missing[1], partial, SuspectKind::missing), false);
  const Recovery none = judge_suspects(suspicious, truth, SuspectKind::suspicious, {1});
  EXPECT_EQ(none.wrong, 0);
  EXPECT_TRUE(std::isnan(none.area));
}

TEST(Suspects, FindWhatWasHiddenAndWhatWasFlipped) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = 300;
  options.labels = 8;
  options.cardinality = 3;
  options.noise = 0.05;
  Dataset data = generate("linear", options, Context(1, 1));
  const Labels truth = data.y;
  for (const char* learner : {"br_logistic", "mlr_gl(C=0.1)"}) {
    const Scale scale = learner[0] == 'b' ? Scale::probability : Scale::margin;
    data.y = hide_labels(truth, {.share = 0.3}, Context(1, 2));
    const Matrix scores =
        out_of_fold_scores(CompleteSpec(parse_spec(learner)), data, {}, 5, Context(2, 3));
    const Recovery missing = judge_suspects(
        rank_suspects(data.y, scores, label_chances(data.y, scores, scale, Context()),
                      SuspectKind::missing),
        truth, SuspectKind::missing, {50});
    EXPECT_EQ(missing.wrong, truth.positives() - data.y.positives()) << learner;
    EXPECT_GT(missing.precision(0), 2 * missing.random()) << learner;
    EXPECT_GT(missing.area, 0.75) << learner;

    data.y = flip_labels(truth, 0.3, Context(1, 2));
    const Matrix again =
        out_of_fold_scores(CompleteSpec(parse_spec(learner)), data, {}, 5, Context(2, 3));
    const Recovery suspicious =
        judge_suspects(rank_suspects(data.y, again, label_chances(data.y, again, scale, Context()),
                                     SuspectKind::suspicious),
                       truth, SuspectKind::suspicious, {50});
    EXPECT_GT(suspicious.wrong, 100) << learner;
    EXPECT_GT(suspicious.precision(0), 1.5 * suspicious.random()) << learner;
    EXPECT_GT(suspicious.area, 0.75) << learner;
  }
}

TEST(Suspects, ChancesFollowTheScoresOfFewLabels) {
  for (const Index labels : {1, 2}) {
    Matrix scores(40, labels);
    std::vector<std::vector<Id>> yes(40);
    for (Index i = 0; i < 40; ++i) {
      for (Id l = 0; l < labels; ++l) {
        scores(i, l) = static_cast<double>((7 * i) % 40);
        if ((7 * i + l) % 40 > 25) yes[at(i)].push_back(l);
      }
    }
    const Matrix chances = label_chances(Labels(labels, yes), scores, Scale::margin, Context());
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < 40; ++j) {
        EXPECT_EQ(chances(i, 0) < chances(j, 0), scores(i, 0) < scores(j, 0));
      }
    }
    EXPECT_LT(*std::min_element(chances.values().begin(), chances.values().end()), 0.1);
    EXPECT_GT(*std::max_element(chances.values().begin(), chances.values().end()), 0.9);
  }
}

// With many labels, the scale and shift of a row hardly matter.
TEST(Suspects, ChancesOfManyLabelsAreMeasuredByTheRow) {
  constexpr Index k_labels = 2000;
  Random rng(1, "suspects");
  Matrix scores(12, k_labels);
  std::vector<std::vector<Id>> yes(12);
  for (Index i = 0; i < 12; ++i) {
    for (Id l = 0; l < k_labels; ++l) {
      const double z = rng.normal();
      scores(i, l) = z * (i == 0 ? 5 : 1) - (i == 1 ? 5 : 0);
      if (rng.chance(1 / (1 + std::exp(-3 * z)))) yes[at(i)].push_back(l);
    }
  }
  const Matrix chances = label_chances(Labels(k_labels, yes), scores, Scale::margin, Context());
  std::vector<double> mean;
  for (Index i = 0; i < 12; ++i) {
    const auto row = chances.row(i);
    mean.push_back(std::accumulate(row.begin(), row.end(), 0.0) / k_labels);
  }
  for (const std::size_t i : {0U, 1U}) EXPECT_NEAR(mean[i], mean[2], 0.1);
}

// Platt's sigmoid of the log odds returns the probability if that is right.
TEST(Suspects, ChancesOfGoodProbabilitiesAreThese) {
  Random rng(2, "suspects");
  Matrix scores(4000, 1);
  std::vector<std::vector<Id>> yes(4000);
  for (Index i = 0; i < 4000; ++i) {
    scores(i, 0) = std::pow(10, -3 * rng.uniform(0, 1));
    if (rng.chance(scores(i, 0))) yes[at(i)].push_back(0);
  }
  const Matrix chances = label_chances(Labels(1, yes), scores, Scale::probability, Context());
  for (Index i = 0; i < 4000; ++i) {
    if (scores(i, 0) > 0.99) continue;  // for which few rows are available
    EXPECT_NEAR(chances(i, 0), scores(i, 0), 0.05);
  }
}

TEST(Suspects, EqualScoresSayNothing) {
  const Matrix chances =
      label_chances(Labels(2, {{0}, {1}, {0}}), Matrix(3, 2, 5.0), Scale::margin, Context());
  for (Index l = 0; l < 2; ++l) {
    for (Index i = 1; i < 3; ++i) EXPECT_EQ(chances(i, l), chances(0, l));
  }
}

// A model that had seen its own rows would know every label by heart.
TEST(Suspects, NoRowIsJudgedByItsOwnModel) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = 60;
  options.labels = 4;
  options.noise = 1;
  const Dataset data = generate("linear", options, Context(1, 1));
  const Matrix scores =
      out_of_fold_scores(CompleteSpec(parse_spec("br(base=tree)")), data, {}, 60, Context(1, 1));
  Index agree = 0;
  for (Index i = 0; i < 60; ++i) {
    for (Index l = 0; l < 4; ++l) {
      agree += (scores(i, l) >= 0.5) == (data.y.cell(i, l) == Cell::positive) ? 1 : 0;
    }
  }
  EXPECT_LT(agree, 200);
  const Dataset one = take_rows(data, std::vector<Id>{0});
  EXPECT_THROW(out_of_fold_scores(CompleteSpec(parse_spec("br_logistic")), one, {}, 5, Context()),
               Error);
}

}  // namespace
}  // namespace mulberry::evaluate

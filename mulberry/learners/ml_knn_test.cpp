#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "tests/support/places.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

Matrix scores_of(const Dataset& train, const Dataset& test, const std::string& spec,
                 int threads = 1) {
  const auto model = fit_learner(CompleteSpec(parse_spec(spec)), view_of(train), Context(threads));
  return model->predict(view_of(test), Context(threads)).scores;
}

Dataset make_data(Index n, std::uint64_t stream, double missing) {
  Random random(21, "ml_knn_test", stream);
  Matrix x(n, 3);
  std::vector<std::vector<Id>> positives, hidden;
  for (Index i = 0; i < n; ++i) {
    for (double& v : x.row(i)) v = random.normal();
    std::vector<Id> has, lacks;
    for (Id l = 0; l < 4; ++l) {
      if (random.chance(missing)) {
        lacks.push_back(l);
      } else if (x(i, l % 3) + random.normal() > 0.3 * l) {
        has.push_back(l);
      }
    }
    positives.push_back(has);
    hidden.push_back(lacks);
  }
  Dataset out;
  out.x = Features(std::move(x));
  out.y = Labels(4, positives, hidden);
  out.label_names = {"a", "b", "c", "d"};
  return out;
}

// The formulas of the paper, one cell at a time, with all distances sorted for each row.
double reference(const Dataset& train, std::span<const double> query, Index own, Id label, Index k,
                 double s) {
  const FixedMatrix x = to_dense(train.x);
  const Index n = x.rows();
  const auto count = [&](std::span<const double> from, Index except) {
    std::vector<std::pair<double, Index>> near;
    for (Index t = 0; t < n; ++t) {
      if (t == except) continue;
      double sum = 0;
      for (Index j = 0; j < x.cols(); ++j) {
        const double gap = from[at(j)] - x(t, j);
        sum += gap * gap;
      }
      near.emplace_back(sum, t);
    }
    std::sort(near.begin(), near.end());
    Index c = 0;
    for (Index e = 0; e < k; ++e) {
      c += train.y.cell(near[at(e)].second, label) == Cell::positive ? 1 : 0;
    }
    return c;
  };
  const Index mine = count(query, own);
  double with = 0, without = 0, same_with = 0, same_without = 0;
  for (Index i = 0; i < n; ++i) {
    const Cell cell = train.y.cell(i, label);
    if (cell == Cell::missing) continue;
    const bool same = count(x.row(i), i) == mine;
    (cell == Cell::positive ? with : without) += 1;
    if (same) (cell == Cell::positive ? same_with : same_without) += 1;
  }
  const double bins = s * static_cast<double>(k + 1);
  const double prior = (s + with) / (2 * s + with + without);
  const double yes = prior * (s + same_with) / (bins + with);
  const double no = (1 - prior) * (s + same_without) / (bins + without);
  return yes / (yes + no);
}

TEST(MlKnn, AgainstTheFormulas) {
  for (const double missing : {0.0, 0.2}) {
    const Dataset train = make_data(60, 0, missing), test = make_data(15, 1, 0.0);
    const Matrix got = scores_of(train, test, "ml_knn(k=5, smoothing=0.5)");
    Dataset sparse = train;
    sparse.x = Features(to_sparse(train.x));
    EXPECT_EQ(scores_of(sparse, test, "ml_knn(k=5, smoothing=0.5)", 2), got);
    for (Index i = 0; i < 15; ++i) {
      for (Id l = 0; l < 4; ++l) {
        EXPECT_NEAR(got(i, l), reference(train, test.x.dense().row(i), -1, l, 5, 0.5), 1e-12);
      }
    }
  }
}

// Six points on a line at 0, 1, 2, 10, 11, 12; the first two and the fourth have the label; k = 2.
// Neighbours with the label: row 0: {1, 2} 1, row 1: {0, 2} 1, row 2: {1, 0} 2, row 3: {4, 5} 0,
// row 4: {3, 5} 1, row 5: {4, 3} 1. So kappa_1 = (1, 2, 0), kappa_0 = (0, 2, 1), p = 4 / 8.
TEST(MlKnn, WorkedExample) {
  Dataset train;
  train.x = Features(Matrix(6, 1, std::vector<double>{0, 1, 2, 10, 11, 12}));
  train.y = Labels(1, {{0}, {0}, {}, {0}, {}, {}});
  train.label_names = {"a"};
  Dataset test = train;
  test.x = Features(Matrix(3, 1, std::vector<double>{0.4, 11.6, 10.4}));
  test.y = Labels(1, {{}, {}, {}});
  const Matrix got = scores_of(train, test, "ml_knn(k=2)");
  EXPECT_NEAR(got(0, 0), (1.0 / 6) / (1.0 / 6 + 2.0 / 6), 1e-12);  // two neighbours have it
  EXPECT_NEAR(got(1, 0), (2.0 / 6) / (2.0 / 6 + 1.0 / 6), 1e-12);  // none has it
  // One has it: 3 / 6 against 3 / 6, and a tie means no.
  EXPECT_EQ(got(2, 0), std::nextafter(0.5, 0.0));
  EXPECT_TRUE(decide({.scores = got, .scale = Scale::probability}).row(2).empty());
}

TEST(MlKnn, FewRowsAndOneClass) {
  Dataset train = make_data(4, 2, 0.0);
  train.y = Labels(4, {{0, 1}, {0}, {0, 1}, {0}}, {{3}, {3}, {3}, {3}});
  const Matrix got = scores_of(train, train, "ml_knn");  // k falls to 3
  EXPECT_EQ(got(0, 0), 1) << "all rows have it";
  EXPECT_EQ(got(0, 2), 0) << "no row has it";
  EXPECT_EQ(got(0, 3), 0) << "nothing is known";
  EXPECT_GT(got(0, 1), 0);
  EXPECT_LT(got(0, 1), 1);
  Dataset one = make_data(1, 3, 0.0);
  EXPECT_EQ(scores_of(one, one, "ml_knn").rows(), 1);
}

// The paper gives, for ten-fold cross-validation on yeast with k = 10, Hamming loss 0.194 +- 0.010,
// ranking loss 0.167 +- 0.016, average precision 0.765 +- 0.021, one-error 0.230 +- 0.030.
TEST(MlKnn, PublishedFiguresOnYeast) {
  const std::string path = places::real_data() + "/yeast/yeast.arff.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; set MULBERRY_DATA";
  const Dataset data = read_dataset(path);
  std::vector<Id> order(at(data.rows()));
  std::iota(order.begin(), order.end(), 0);
  Context(1, 1).rng("folds").shuffle(std::span(order));
  const std::vector<std::string> names = {"hamming_loss", "ranking_loss", "average_precision",
                                          "one_error"};
  std::vector<double> means(names.size());
  for (std::size_t fold = 0; fold < 10; ++fold) {
    std::vector<Id> in, out;
    for (std::size_t k = 0; k < order.size(); ++k) (k % 10 == fold ? out : in).push_back(order[k]);
    const Dataset test = take_rows(data, out);
    const Matrix scores = scores_of(take_rows(data, in), test, "ml_knn", 2);
    const Labels decided = decide({.scores = scores, .scale = Scale::probability});
    const auto values =
        measure_some(names, test.y, {.scores = &scores, .decided = &decided}, {}, Context());
    for (std::size_t m = 0; m < names.size(); ++m) means[m] += values[m].value / 10;
  }
  EXPECT_NEAR(means[0], 0.194, 0.003);
  EXPECT_NEAR(means[1], 0.167, 0.003);
  EXPECT_NEAR(means[2], 0.765, 0.005);
  EXPECT_NEAR(means[3], 0.230, 0.01);
}

}  // namespace
}  // namespace mulberry::learners

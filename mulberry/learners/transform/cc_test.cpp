#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/transform/chain.hpp"
#include "mulberry/model/fitted_learner.hpp"
#include "tests/support/trained.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

Dataset data_of(std::uint64_t seed, Index rows = 80) {
  return generate("linear", {.rows = rows, .features = 4, .labels = 5, .noise = 0.5},
                  Context(1, seed));
}

// The definition: a separate data set for each link, with the labels before it as features.
Matrix slow_chain(const std::string& base, const std::vector<Id>& order, const Dataset& train,
                  const Dataset& test) {
  Matrix scores(test.rows(), train.labels());
  Dataset grown = train, tested = test;
  for (const Id label : order) {
    Dataset one = grown;
    one.y = take_labels(train.y, std::vector<Id>{label});
    const Prediction p = predicted("br(base=" + base + ")", one, tested);
    const Labels decided = decide(p);
    Matrix truth(train.rows(), 1), fed(test.rows(), 1);
    for (Index i = 0; i < train.rows(); ++i) {
      truth(i, 0) = train.y.cell(i, label) == Cell::positive ? 1 : 0;
    }
    for (Index i = 0; i < test.rows(); ++i) {
      scores(i, label) = p.scores(i, 0);
      fed(i, 0) = decided.cell(i, 0) == Cell::positive ? 1 : 0;
    }
    grown.x = append_columns(grown.x, truth);
    tested.x = append_columns(tested.x, fed);
  }
  return scores;
}

void expect_near(const Matrix& found, const Matrix& expected, double within) {
  ASSERT_EQ(found.rows(), expected.rows());
  for (Index i = 0; i < found.rows(); ++i) {
    for (Index l = 0; l < found.cols(); ++l) {
      EXPECT_NEAR(found(i, l), expected(i, l), within) << i << ' ' << l;
    }
  }
}

// Linear links add up their parts in another order when asked.
TEST(ClassifierChain, EqualsItsDefinition) {
  const Dataset train = data_of(1), test = data_of(2);
  for (const std::string base : {"logistic", "linear_svm", "tree", "prior"}) {
    const Prediction p = predicted("cc(base=" + base + ")", train, test);
    expect_near(p.scores, slow_chain(base, {0, 1, 2, 3, 4}, train, test),
                base == "tree" || base == "prior" ? 0 : 1e-12);
  }
}

// Sparse and dense features, missing cells, weights, labels of one class, and more labels than the
// panels of the solver have lanes: all links at once are what each of them is alone, with a copy of
// the features and labels before it, to the last bit.
TEST(ClassifierChain, LinksTrainedTogetherAreThoseTrainedAlone) {
  Dataset train =
      generate("linear", {.rows = 120, .features = 6, .labels = 19, .noise = 0.5}, Context(1, 21));
  Dataset test =
      generate("linear", {.rows = 40, .features = 6, .labels = 19, .noise = 0.5}, Context(1, 22));
  Matrix y(to_dense(train.y));
  for (Index i = 0; i < y.rows(); ++i) {
    y(i, 3) = 0;
    y(i, 11) = 1;
    y(i, (5 * i) % 19) = std::numeric_limits<double>::quiet_NaN();
  }
  train.y = labels_from_dense(y);
  std::vector<double> weights;
  for (Index i = 0; i < train.rows(); ++i)
    weights.push_back(0.5 + 0.25 * static_cast<double>(i % 4));
  for (const std::string base : {"logistic", "logistic(bias=free, class_weight=balanced)",
                                 "linear_svm", "linear_svm(loss=squared)", "tree"}) {
    for (const bool sparse : {true, false}) {
      const Features x = sparse ? Features(to_sparse(train.x)) : train.x;
      const Features asked = sparse ? Features(to_sparse(test.x)) : test.x;
      const Spec given = parse_spec(base), spec = find_base(given.id).complete(given);
      const Context ctx(2, 1);
      const std::vector<Id> order = chain_order(ChainOrder::random, 19, ctx);
      const Chain chain(spec, order, x, train.y, weights, ctx);
      const Features joined = append_labels(x, take_labels(train.y, order), weights);
      EXPECT_EQ(joined.is_sparse(), sparse);
      const Features joined_test = append_labels(asked, take_labels(test.y, order), {});
      for (Index j = 0; j < 19; ++j) {
        std::vector<Id> seen(at(x.cols() + j));
        std::iota(seen.begin(), seen.end(), 0);
        const FittedLabels alone(spec, take_columns(joined, seen),
                                 take_labels(train.y, std::span(&order[at(j)], 1)), weights, ctx);
        const Features one = take_columns(joined_test, seen);
        EXPECT_EQ(chain.link_scores(j, one, ctx), alone.scores(one, ctx)) << base << j;
      }
      expect_near(chain.scores(asked, ctx), chain.scores_by_link(asked, ctx), 1e-10);
    }
  }
}

TEST(ClassifierChain, LabelsFollowTheFeaturesAsColumns) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Matrix x(3, 2, std::vector<double>{1, 0, 0, 2, 0, 0});
  const Labels y =
      labels_from_dense(Matrix(3, 3, std::vector<double>{1, nan, 0, 0, 1, nan, nan, 0, 0}));
  const Matrix joined(3, 5,
                      std::vector<double>{1, 0, 1, 0.25, 0,  //
                                          0, 2, 0, 1, 0,     //
                                          0, 0, 0.5, 0, 0});
  const std::vector<double> weights = {1, 1, 3};
  EXPECT_EQ(to_dense(append_labels(Features(Matrix(x)), y, weights)), joined);
  EXPECT_EQ(append_labels(Features(to_sparse(Features(Matrix(x)))), y, weights),
            Features(to_sparse(Features(Matrix(joined)))));
}

TEST(ClassifierChain, RandomOrdersComeFromTheSeed) {
  const Dataset train = data_of(3), test = data_of(4);
  const std::vector<Id> order = chain_order(ChainOrder::random, 5, Context(1, 9));
  EXPECT_NE(order, chain_order(ChainOrder::label, 5, Context(1, 9)));
  EXPECT_NE(order, chain_order(ChainOrder::random, 5, Context(1, 10)));
  expect_near(predicted("cc(order=random)", train, test, 9).scores,
              slow_chain("logistic", order, train, test), 1e-12);
}

TEST(ClassifierChain, TheFirstLabelIsThatOfBinaryRelevance) {
  const Dataset train = data_of(5), test = data_of(6);
  const Matrix chain = predicted("cc", train, test).scores;
  const Matrix alone = predicted("br_logistic", train, test).scores;
  for (Index i = 0; i < test.rows(); ++i) EXPECT_NEAR(chain(i, 0), alone(i, 0), 1e-6);
}

// By hand: a constant feature, rows with exactly one of three labels, 4 to 4 to 2. Each label alone
// is in fewer than half of the rows; the chain says no to the first, hence 4 of 6 to the second,
// hence 0 to the third.
TEST(ClassifierChain, WorkedExample) {
  Dataset data;
  data.x = Matrix(10, 1, 0.0);
  data.y = Labels(3, {{0}, {0}, {0}, {0}, {1}, {1}, {1}, {1}, {2}, {2}});
  data.has_labels = true;
  const Dataset test = take_rows(data, std::vector<Id>{0});
  const Prediction p = predicted("cc(base=tree(prune=false))", data, test);
  EXPECT_DOUBLE_EQ(p.scores(0, 0), 0.4);
  EXPECT_DOUBLE_EQ(p.scores(0, 1), 4.0 / 6.0);
  EXPECT_DOUBLE_EQ(p.scores(0, 2), 0.0);
  EXPECT_EQ(decide(p), Labels(3, {{1}}));
  EXPECT_EQ(decide(predicted("br(base=tree(prune=false))", data, test)), Labels(3, {{}}));
}

TEST(ClassifierChain, AMissingCellEntersLaterLinksAsTheRate) {
  const Dataset test = data_of(8);
  Dataset train = data_of(7);
  Matrix y(to_dense(train.y));
  double sum = 0;
  for (Index i = 20; i < 80; ++i) sum += y(i, 0);
  for (Index i = 0; i < 20; ++i) y(i, 0) = std::numeric_limits<double>::quiet_NaN();
  train.y = take_labels(labels_from_dense(y), std::vector<Id>{0, 1});
  Matrix column(80, 1);
  for (Index i = 0; i < 80; ++i) column(i, 0) = i < 20 ? sum / 60 : y(i, 0);
  Dataset second = train, tested = test;
  second.x = append_columns(train.x, column);
  second.y = take_labels(train.y, std::vector<Id>{1});
  const Prediction p = predicted("cc", train, test);
  const Labels decided = decide(p);
  Matrix fed(80, 1);
  for (Index i = 0; i < 80; ++i) fed(i, 0) = decided.cell(i, 0) == Cell::positive ? 1 : 0;
  tested.x = append_columns(test.x, fed);
  const Matrix expected = predicted("br_logistic", second, tested).scores;
  for (Index i = 0; i < 80; ++i) EXPECT_EQ(p.scores(i, 1), expected(i, 0));
}

}  // namespace
}  // namespace mulberry::learners

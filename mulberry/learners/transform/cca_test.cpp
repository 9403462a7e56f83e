#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/transform/canonical_directions.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

Dataset make_data(Index rows, Index features, std::uint64_t seed = 4) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = features;
  options.labels = 4;
  options.cardinality = 1.5;
  return generate("linear", options, Context(1, seed));
}

Matrix scores_of(const std::string& spec, const Dataset& train, const Dataset& test) {
  return fit_learner(CompleteSpec(parse_spec(spec)), view_of(train), Context(2))
      ->predict(view_of(test), Context(2))
      .scores;
}

// Labels minus the mean of the known cells, 0 elsewhere.
Matrix centred(const Labels& y) {
  Matrix out(to_dense(y));
  for (Index l = 0; l < out.cols(); ++l) {
    double sum = 0, known = 0;
    for (Index i = 0; i < out.rows(); ++i) {
      if (std::isnan(out(i, l))) continue;
      sum += out(i, l);
      ++known;
    }
    for (Index i = 0; i < out.rows(); ++i) {
      out(i, l) = std::isnan(out(i, l)) ? 0 : out(i, l) - sum / known;
    }
  }
  return out;
}

// The two steps by hand: projections, then binary relevance on them.
TEST(Cca, IsBinaryRelevanceOnProjections) {
  for (const bool gaps : {false, true}) {
    Dataset train = make_data(60, 7);
    const Dataset test = make_data(15, 7, 5);
    if (gaps) {
      Matrix y(to_dense(train.y));
      for (Index i = 0; i < 60; i += 3) y(i, i % 4) = std::nan("");
      train.y = labels_from_dense(y);
    }
    const CanonicalDirections found =
        canonical_directions(train.x, centred(train.y), 0.02, Context(1));
    ASSERT_EQ(found.directions.rows(), 4);
    const auto projected = [&](Dataset data) {
      data.x = linear_scores(data.x, found.directions, found.offset, Context(1));
      data.feature_names.clear();
      return data;
    };
    for (const std::string base : {"linear_svm(C=3)", "logistic"}) {
      const Matrix got = scores_of("cca(ridge=0.02, base=" + base + ")", train, test);
      const Matrix expected = scores_of("br(base=" + base + ")", projected(train), projected(test));
      for (Index k = 0; k < got.size(); ++k) {
        EXPECT_NEAR(got.data()[k], expected.data()[k], 1e-9);
      }
    }
  }
}

// More features than rows, most of them noise: the directions are found from products of rows.
TEST(Cca, ManyFeaturesFewRows) {
  Dataset data = make_data(40, 3);
  Random random(2, "cca_test");
  Matrix x(40, 300);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 300; ++j) x(i, j) = j < 3 ? data.x.at(i, j) : 0.1 * random.normal();
  }
  data.x = std::move(x);
  data.feature_names.clear();
  const auto model = fit_learner(CompleteSpec(parse_spec("cca")), view_of(data), Context(1));
  const Labels decided = decide(model->predict(view_of(data), Context(1)));
  EXPECT_LT(measure("hamming_loss", data.y, {.decided = &decided}, {}, Context()).value, 0.02);
  const Result correlations = model->results().back();
  EXPECT_EQ(correlations.id, "correlations");
  EXPECT_EQ(correlations.values.rows(), 4);
  for (Index k = 0; k < 4; ++k) {
    EXPECT_GT(correlations.values(k, 0), 0.9);
    EXPECT_LT(correlations.values(k, 0), 1);
  }
}

TEST(Cca, ScaleAndShiftOfAllFeaturesDoNotMatter) {
  const Dataset data = make_data(50, 5);
  Dataset moved = data;
  Matrix x(to_dense(data.x));
  for (Index k = 0; k < x.size(); ++k) x.data()[k] = 3 + 250 * x.data()[k];
  moved.x = std::move(x);
  const Matrix a = scores_of("cca(base=logistic)", data, data);
  const Matrix b = scores_of("cca(base=logistic)", moved, moved);
  for (Index k = 0; k < a.size(); ++k) EXPECT_NEAR(a.data()[k], b.data()[k], 1e-6);
}

}  // namespace
}  // namespace mulberry::learners

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

Dataset small_set(Index rows = 30, std::uint64_t seed = 3) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 4;
  options.labels = 3;
  return generate("linear", options, Context(1, seed));
}

std::unique_ptr<Model> fit(const std::string& text, const Dataset& data) {
  return fit_learner(CompleteSpec(parse_spec(text)), view_of(data), Context(2, 1));
}

Matrix scores(const Model& model, const Dataset& data) {
  return model.predict(view_of(data), Context(2, 1)).scores;
}

void expect_near(MatrixView a, MatrixView b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (Index c = 0; c < a.size(); ++c) ASSERT_NEAR(a.data()[c], b.data()[c], tolerance) << c;
}

Dataset without_row(const Dataset& data, Index row) {
  std::vector<Id> rows;
  for (Index i = 0; i < data.rows(); ++i) {
    if (i != row) rows.push_back(static_cast<Id>(i));
  }
  return take_rows(data, rows);
}

const Result& result(const std::vector<Result>& all, const std::string& id) {
  for (const Result& r : all) {
    if (r.id == id) return r;
  }
  throw std::runtime_error("no result " + id);
}

// The kernel has a fixed width: it must not depend on which rows there are.
TEST(Ridge, HeldOutScoresAreThoseOfRefits) {
  const Dataset data = small_set();
  for (const std::string kernel : {"kernel=rbf,width=0.3", "kernel=linear", "kernel=polynomial"}) {
    const auto model = fit("ridge(" + kernel + ")", data);
    const double alpha = result(model->results(), "penalties").values(0, 0);
    ASSERT_NE(model->held_out(), nullptr);
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", alpha);
    for (Index i = 0; i < data.rows(); ++i) {
      const auto other = fit("ridge(" + kernel + ",alpha=" + number + ")", without_row(data, i));
      const Matrix all = scores(*other, data);
      for (Index l = 0; l < 3; ++l) {
        ASSERT_NEAR((*model->held_out())(i, l), all(i, l), 1e-7) << kernel << ' ' << i;
      }
    }
  }
}

// The choice is the one that refits would make.
TEST(Ridge, ChoosesThePenaltyWithTheLeastLeftOutError) {
  const Dataset data = small_set();
  const auto model = fit("ridge(width=0.3,penalties=4)", data);
  const Matrix tried = result(model->results(), "search").values;
  ASSERT_EQ(tried.rows(), 4);
  Index best = 0;
  for (Index k = 0; k < 4; ++k) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", tried(k, 1));
    double error = 0;
    for (Index i = 0; i < data.rows(); ++i) {
      const Matrix all = scores(
          *fit(std::string("ridge(width=0.3,alpha=") + number + ")", without_row(data, i)), data);
      for (Index l = 0; l < 3; ++l) {
        const double y = data.y.cell(i, l) == Cell::positive ? 1 : -1;
        error += (all(i, l) - y) * (all(i, l) - y);
      }
    }
    EXPECT_NEAR(tried(k, 2), error / static_cast<double>(data.rows() * 3), 1e-8);
    if (tried(k, 2) < tried(best, 2)) best = k;
  }
  for (Index k = 0; k < 4; ++k) EXPECT_EQ(tried(k, 3), k == best ? 1 : 0);
  EXPECT_EQ(result(model->results(), "penalties").values(0, 0), tried(best, 1));
}

TEST(Ridge, ChoosesByAnyMeasure) {
  const Dataset data = small_set(60);
  for (const std::string name : {"average_precision", "hamming_loss"}) {
    const auto model = fit("ridge(measure=" + name + ",penalties=6)", data);
    const Matrix tried = result(model->results(), "search").values;
    double best = tried(0, 2);
    const bool higher = name == "average_precision";
    for (Index k = 0; k < 6; ++k)
      best = higher ? std::max(best, tried(k, 2)) : std::min(best, tried(k, 2));
    for (Index k = 0; k < 6; ++k) {
      if (tried(k, 3) == 1) {
        EXPECT_EQ(tried(k, 2), best);
      }
    }
    // It was measured on the scores that the model hands to threshold.
    const Matrix& kept = *model->held_out();
    const Labels decided = decide({.scores = kept, .scale = Scale::margin});
    EXPECT_NEAR(measure(name, data.y, {.scores = &kept, .decided = &decided}, {}, Context()).value,
                best, 1e-12);
  }
  EXPECT_THROW(fit("ridge(measure=brier)", data), Error);
  EXPECT_THROW(fit("ridge(measure=average_precision,per_label=true)", data), Error);
  EXPECT_THROW(fit("ridge(alpha=1,per_label=true)", data), Error);
}

TEST(Ridge, AWidthIsChosenWithThePenalty) {
  const Dataset data = small_set(60);
  const auto model = fit("ridge(gamma=auto,penalties=3)", data);
  const Matrix tried = result(model->results(), "search").values;
  ASSERT_EQ(tried.rows(), 5 * 3);
  Index best = 0, chosen = -1;
  for (Index k = 0; k < tried.rows(); ++k) {
    if (tried(k, 2) < tried(best, 2)) best = k;
    if (tried(k, 3) == 1) chosen = k;
  }
  EXPECT_EQ(chosen, best);
  EXPECT_EQ(result(model->results(), "kernel").values(0, 0), tried(best, 0));
  EXPECT_THROW(fit("ridge(gamma=auto,width=0.5)", data), Error);
  EXPECT_THROW(fit("ridge(gamma=wide)", data), Error);
  EXPECT_EQ(scores(*fit("ridge(gamma=0.5,alpha=1)", data), data),
            scores(*fit("ridge(width=0.5,alpha=1)", data), data));
  EXPECT_NEAR(tried(14, 0) / tried(0, 0), 16, 1e-9) << "from wide to narrow";
  EXPECT_THROW(fit("ridge(kernel=linear,gamma=auto)", data), Error);
}

// Each label is the regression on the rows where it is known.
TEST(Ridge, MissingCellsLeaveTheProblemOfTheirLabel) {
  Dataset data = small_set();
  Matrix y = to_dense(data.y);
  for (Index i = 0; i < 30; i += 4) y(i, 1) = std::nan("");
  for (Index i = 1; i < 30; i += 3) y(i, 2) = std::nan("");
  data.y = labels_from_dense(y);
  for (const std::string text :
       {"ridge(width=0.3,alpha=0.5)", "ridge(kernel=linear,alpha=2)",
        "ridge(width=0.3,per_label=true)", "ridge(kernel=linear,per_label=true)"}) {
    const auto model = fit(text, data);
    const Matrix all = scores(*model, data);
    const bool path = text.find("alpha") == std::string::npos;
    for (Index l = 0; l < 3; ++l) {
      std::vector<Id> rows;
      for (Index i = 0; i < 30; ++i) {
        if (data.y.cell(i, l) != Cell::missing) rows.push_back(static_cast<Id>(i));
      }
      Dataset own = take_rows(data, rows);
      const Id label[] = {static_cast<Id>(l)};
      own.y = take_labels(own.y, label);
      own.label_names = {"one"};
      // A regression by itself would try other penalties: compare at the one that was chosen.
      char number[40];
      std::snprintf(number, sizeof number, "%.17g",
                    result(model->results(), "penalties").values(l, 0));
      const std::string alone =
          path ? text.substr(0, text.find("per_label")) + "alpha=" + number + ")" : text;
      const Matrix expected = scores(*fit(alone, own), data);
      for (Index i = 0; i < 30; ++i) {
        ASSERT_NEAR(all(i, l), expected(i, 0), 1e-7) << text << ' ' << i << ' ' << l;
        if (path && data.y.cell(i, l) == Cell::missing) {
          ASSERT_NEAR((*model->held_out())(i, l), all(i, l), 1e-9) << "not learnt from";
        }
      }
    }
  }
}

// A chain learns each label by itself: there need not be any known cell in its problem.
TEST(Ridge, ALabelWithoutCellsIsNotPredicted) {
  for (const Index known : {0, 2}) {
    Dataset data = small_set();
    Matrix y = to_dense(data.y);
    for (Index i = 0; i < 30; ++i) {
      for (Index l = known; l < 3; ++l) y(i, l) = std::nan("");
    }
    data.y = labels_from_dense(y);
    for (const std::string text : {"ridge", "ridge(kernel=linear)", "ridge(landmarks=5)",
                                   "ridge(alpha=1)", "ridge(gamma=auto)", "ridge(measure=macro_f1)",
                                   "cc(base=ridge)", "cc(base=ridge(kernel=linear))",
                                   "br(base=ridge(landmarks=5))", "threshold(base=ridge)"}) {
      const Matrix all = scores(*fit(text, data), data);
      for (Index i = 0; i < 30; ++i) {
        for (Index l = known; l < 3; ++l) ASSERT_LT(all(i, l), 0) << text << ' ' << i << ' ' << l;
      }
    }
  }
}

TEST(Ridge, WeightTwoIsTwoRowsAtAGivenPenalty) {
  const Dataset data = small_set();
  std::vector<double> weights(30, 1.0);
  std::vector<Id> rows;
  for (Id i = 0; i < 30; ++i) {
    if (i % 3 == 0) weights[at(i)] = 2;
    rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
  }
  Dataset heavy = data;
  heavy.weights = weights;
  for (const std::string text : {"ridge(width=0.3,alpha=0.5)", "ridge(kernel=linear,alpha=2)"}) {
    expect_near(scores(*fit(text, heavy), data), scores(*fit(text, take_rows(data, rows)), data),
                1e-9);
  }
}

TEST(Ridge, AllRowsAsLandmarksAreTheKernel) {
  const Dataset data = small_set();
  expect_near(scores(*fit("ridge(width=0.3,alpha=0.1,landmarks=30)", data), data),
              scores(*fit("ridge(width=0.3,alpha=0.1)", data), data), 1e-6);
  const auto few = fit("ridge(width=0.3,landmarks=10)", data);
  EXPECT_EQ(result(few->results(), "kernel").values(0, 1), 10);
  EXPECT_NE(few->held_out(), nullptr);
}

TEST(Ridge, APrecomputedKernelIsTheKernel) {
  const Dataset data = small_set();
  Dataset values = data;
  Matrix k(30, 30);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j) {
      double d = 0;
      for (Index c = 0; c < 4; ++c) d += std::pow(data.x.at(i, c) - data.x.at(j, c), 2);
      k(i, j) = std::exp(-0.3 * d);
    }
  }
  values.x = std::move(k);
  values.feature_names.clear();
  expect_near(scores(*fit("ridge(kernel=precomputed)", values), values),
              scores(*fit("ridge(width=0.3)", data), data), 1e-9);
  EXPECT_THROW(fit("br(base=ridge(kernel=precomputed))", values), Error);
}

TEST(Ridge, AsABaseItIsTheLearner) {
  const Dataset data = small_set();
  EXPECT_EQ(scores(*fit("br(base=ridge)", data), data), scores(*fit("ridge", data), data));
}

}  // namespace
}  // namespace mulberry::learners

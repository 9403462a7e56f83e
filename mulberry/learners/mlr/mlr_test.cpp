#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/generate/hide.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "tests/support/places.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

Dataset made_up(Index rows = 120, Index labels = 5) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 6;
  options.labels = labels;
  options.cardinality = 0.4 * static_cast<double>(labels);
  return generate("linear", options, Context(1, 3));
}

Dataset positive_features(Index rows) {
  Dataset out = made_up(rows);
  Matrix x(to_dense(out.x));
  for (Index k = 0; k < x.size(); ++k) x.data()[k] = std::abs(x.data()[k]);
  out.x = std::move(x);
  return out;
}

std::unique_ptr<Model> fit(const std::string& spec, const View& view,
                           const Context& ctx = Context(1, 1)) {
  return fit_learner(CompleteSpec(parse_spec(spec)), view, ctx);
}

Matrix scores(const std::string& spec, const Dataset& data) {
  return fit(spec, view_of(data))->predict(view_of(data), Context()).scores;
}

const Result& find_result(const std::vector<Result>& results, const std::string& id) {
  for (const Result& r : results) {
    if (r.id == id) return r;
  }
  throw std::runtime_error("no result " + id);
}

double largest_difference(MatrixView a, MatrixView b) {
  double out = 0;
  for (Index k = 0; k < a.size(); ++k) out = std::max(out, std::abs(a.data()[k] - b.data()[k]));
  return out;
}

double protocol_area(const Labels& truth, const Matrix& scores) {
  return measure("protocol_auc", truth, {.scores = &scores}, {}, Context()).value;
}

TEST(Mlr, ScoresOfARowSumToZero) {
  const Dataset data = made_up();
  for (const char* spec : {"mlr_gl", "mlr_gl(mode=exact, C=0.1)", "mlr_l1", "mlr_l1(mode=exact)",
                           "mlr_gl(kernel=linear)", "mlr_l1(landmarks=20)"}) {
    const Matrix found = scores(spec, data);
    double size = 0;
    for (Index i = 0; i < found.rows(); ++i) {
      const auto row = found.row(i);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 0, 1e-9) << spec;
      size = std::max(size, std::abs(row[0]));
    }
    EXPECT_GT(size, 0.1) << spec;
  }
}

TEST(Mlr, AllRowsAsLandmarksAreTheKernel) {
  const Dataset data = made_up(60);
  for (const std::string id : {"mlr_gl", "mlr_l1"}) {
    EXPECT_LT(largest_difference(scores(id, data), scores(id + "(landmarks=60)", data)), 1e-6);
    EXPECT_GT(largest_difference(scores(id, data), scores(id + "(landmarks=5)", data)), 1e-2);
  }
}

TEST(Mlr, PrecomputedValuesAreTheKernel) {
  const Dataset data = made_up(80);
  Dataset given = data;
  Matrix values(80, 80);
  KernelBlocks({.kind = KernelKind::linear}, data.x, data.x).fill(0, 0, blas::block(values));
  given.x = std::move(values);
  given.feature_names.clear();
  std::vector<Id> some(50);
  std::iota(some.begin(), some.end(), Id{15});
  std::vector<Id> keep, other;
  const View part = part_of(view_of(data), some, keep),
             given_part = part_of(view_of(given), some, other);
  for (const std::string id : {"mlr_gl", "mlr_l1"}) {
    const Matrix expected =
        fit(id + "(kernel=linear)", part)->predict(view_of(data), Context()).scores;
    const Matrix found =
        fit(id + "(kernel=precomputed)", given_part)->predict(view_of(given), Context()).scores;
    EXPECT_LT(largest_difference(found, expected), 1e-8);
  }
  // One fold sees only its own rows and columns.
  const auto searched = fit("mlr_gl(kernel=precomputed, C=auto)", view_of(given));
  const auto plain = fit("mlr_gl(kernel=linear, C=auto)", view_of(data));
  EXPECT_LT(largest_difference(find_result(searched->results(), "search").values,
                               find_result(plain->results(), "search").values),
            1e-8);
}

TEST(Mlr, ChoosesWhatScoresBestOutOfFold) {
  const Dataset data = made_up(150);
  const auto model = fit("mlr_gl(C=auto, eta=auto)", view_of(data));
  const auto results = model->results();
  const Result& search = find_result(results, "search");
  ASSERT_EQ(search.values.rows(), 4 * 6);  // eta of 1.1, 1.5, 2, and half of the five labels
  Index best = -1, followed = 0;
  for (Index k = 0; k < search.values.rows(); ++k) {
    const double area = search.values(k, 0);
    if (std::isnan(area)) continue;  // fell behind on the first fold
    ++followed;
    if (best < 0 || area > search.values(best, 0)) best = k;
  }
  ASSERT_GT(followed, 1);
  EXPECT_LT(followed, search.values.rows());
  EXPECT_GT(search.values(best, 0), 0.8);
  MatrixView training = find_result(results, "training").values;
  const std::string chosen = "C=" + find_result(results, "search").row_names[at(best)].substr(2);
  const auto space = chosen.find(" eta=");
  const auto fixed = fit(
      "mlr_gl(" + chosen.substr(0, space) + ", " + chosen.substr(space + 1) + ")", view_of(data));
  EXPECT_EQ(model->predict(view_of(data), Context()).scores,
            fixed->predict(view_of(data), Context()).scores);
  const Matrix again = find_result(fixed->results(), "training").values;
  for (const Index k : {0, 1, 2, 3}) EXPECT_EQ(again(0, k), training(0, k));
  EXPECT_EQ(find_result(fit("mlr_l1(C=auto)", view_of(data))->results(), "search").values.rows(),
            6);
}

TEST(Mlr, IndefiniteKernelsWorkInBothModes) {
  const Dataset data = positive_features(60);
  const auto paper = fit("mlr_gl(kernel=modified_chi2)", view_of(data));
  EXPECT_GT(protocol_area(data.y, paper->predict(view_of(data), Context()).scores), 0.7);
  EXPECT_EQ(find_result(paper->results(), "training").values(0, 6), 0);
  const auto exact = fit("mlr_gl(kernel=modified_chi2, mode=exact)", view_of(data));
  EXPECT_TRUE(exact->summary().converged);
  EXPECT_LE(exact->summary().gap, 1e-3);
  const double jitter = find_result(exact->results(), "training").values(0, 6);
  // The reported amount makes the kernel matrix positive definite, and slightly less does not.
  const Kernel kernel{.kind = KernelKind::modified_chi2,
                      .gamma = find_result(exact->results(), "kernel").values(0, 0)};
  Matrix k(60, 60);
  KernelBlocks(kernel, data.x, data.x).fill(0, 0, blas::block(k));
  const double smallest = blas::symmetric_eigen(k).values.front();
  EXPECT_NEAR(jitter, std::max(0.0, -smallest) + 1e-8, 1e-9);
}

TEST(Mlr, HalvedLabelsStillRank) {
  const Dataset data = made_up(300, 8);
  Dataset fewer = data;
  fewer.y = hide_labels(data.y, {.share = 0.5}, Context(1, 2));
  ASSERT_LT(fewer.y.positives(), data.y.positives());
  EXPECT_GT(protocol_area(data.y, scores("mlr_gl(C=0.1, eta=4)", fewer)), 0.85);
}

TEST(Mlr, UnknownCellsAreNotNegatives) {
  const Dataset data = made_up(200);
  Dataset hidden = data, unknown = data;
  hidden.y = hide_labels(data.y, {.share = 0.5, .mode = HideMode::negative}, Context(1, 2));
  unknown.y = hide_labels(data.y, {.share = 0.5, .mode = HideMode::missing}, Context(1, 2));
  EXPECT_GT(protocol_area(data.y, scores("mlr_l1", unknown)),
            protocol_area(data.y, scores("mlr_l1", hidden)));
}

TEST(Mlr, PredictsTheTopOrThePositive) {
  const Dataset data = made_up(50);
  const auto top = fit("mlr_gl(top=2)", view_of(data));
  const Prediction found = top->predict(view_of(data), Context());
  ASSERT_TRUE(found.decided);
  const Labels positive = decide(fit("mlr_gl", view_of(data))->predict(view_of(data), Context()));
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(found.decided->row(i).size(), 2U);
    const auto row = found.scores.row(i);
    const double least = *std::min_element(row.begin(), row.end());
    for (const Id l : found.decided->row(i)) EXPECT_GT(row[at(l)], least);
    for (Id l = 0; l < 5; ++l) {
      EXPECT_EQ(positive.cell(i, l) == Cell::positive, row[at(l)] > 0);
    }
  }
}

TEST(Mlr, SaysWhatItCannotDo) {
  const Dataset data = made_up(40);
  for (const char* spec :
       {"mlr_gl(mode=exact, eta=2)", "mlr_gl(mode=exact, eta=auto)",
        "mlr_gl(precision=single, landmarks=5)", "mlr_gl(kernel=linear, precision=single)",
        "mlr_gl(landmarks=5, kernel=precomputed)", "mlr_gl(mode=exact, memory=0)",
        "mlr_gl(kernel=polynomial, degree=1, coef0=-1000)"}) {
    try {
      fit(spec, view_of(data));
      ADD_FAILURE() << spec;
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty()) << error.what();
    }
  }
}

TEST(Mlr, OneLabelCannotBeRanked) {
  const Dataset data = made_up(20, 1);
  EXPECT_THROW(fit("mlr_gl", view_of(data)), Error);
  EXPECT_THROW(fit("mlr_l1", view_of(data)), Error);
}

TEST(Mlr, MemoryAndPrecisionChangeOnlyRounding) {
  const Dataset data = made_up(150);
  const Matrix expected = scores("mlr_gl", data);
  EXPECT_LT(largest_difference(scores("mlr_gl(memory=0)", data), expected), 1e-9);
  EXPECT_LT(largest_difference(scores("mlr_gl(memory=1e-4)", data), expected), 1e-4);
  EXPECT_LT(largest_difference(scores("mlr_gl(precision=single)", data), expected), 1e-3);
  EXPECT_LT(largest_difference(scores("mlr_gl(precision=single, memory=0)", data), expected), 1e-9);
}

Dataset real_data(const std::string& name, const std::string& file) {
  const std::string at = places::real_data() + "/" + name + "/";
  if (!std::filesystem::exists(at + file)) return {};
  ReadOptions options;
  options.label_xml = at + name + ".xml";
  return read_dataset(at + file, options);
}

TEST(Mlr, CertifiesRealData) {
  const Dataset data = real_data("emotions", "emotions-train.arff");
  if (data.rows() == 0) GTEST_SKIP() << "set MULBERRY_DATA to the folder of data sets";
  for (const char* spec : {"mlr_gl(mode=exact, C=1)", "mlr_l1(mode=exact, C=1)"}) {
    const Summary summary = fit(spec, view_of(data))->summary();
    EXPECT_TRUE(summary.converged) << spec;
    EXPECT_LE(summary.gap, 1e-3) << spec;
    EXPECT_GE(summary.gap, 0) << spec;
  }
}

TEST(Mlr, TheGridOfEtaEndsAtHalfTheLabels) {
  for (const Index labels : {2, 3, 5, 8}) {
    const Dataset data = made_up(60, labels);
    const auto results = fit("mlr_gl(C=auto, eta=auto)", view_of(data))->results();
    const std::string last = find_result(results, "search").row_names.back();
    const double most = std::stod(last.substr(last.find("eta=") + 4));
    EXPECT_DOUBLE_EQ(most, std::max(1.1, static_cast<double>(labels) / 2)) << last;
  }
}

TEST(Mlr, CostsAreSearchedWithLandmarksToo) {
  const Dataset data = made_up(100);
  const auto all = fit("mlr_gl(C=auto, landmarks=100)", view_of(data))->results();
  const auto kernel = fit("mlr_gl(C=auto)", view_of(data))->results();
  const Matrix &a = find_result(all, "search").values, &b = find_result(kernel, "search").values;
  ASSERT_EQ(a.rows(), b.rows());
  for (Index k = 0; k < a.rows(); ++k) {
    if (std::isnan(b(k, 0))) continue;  // fell behind on the first fold
    EXPECT_NEAR(a(k, 0), b(k, 0), 0.02) << k;
  }
}

// Candidates are compared after ten sweeps at most, and after fewer where the user says so.
TEST(Mlr, TheSearchTakesFewSweeps) {
  const Dataset data = made_up(80);
  const auto tried = [&](const std::string& sweeps) {
    const auto model = fit("mlr_gl(C=auto, sweeps=" + sweeps + ")", view_of(data));
    const auto results = model->results();
    std::vector<double> out;
    for (const double v : find_result(results, "search").values.values()) {
      out.push_back(std::isnan(v) ? -1 : v);
    }
    return out;
  };
  EXPECT_EQ(tried("10"), tried("200"));
  EXPECT_NE(tried("1"), tried("10"));
}

}  // namespace
}  // namespace mulberry::learners

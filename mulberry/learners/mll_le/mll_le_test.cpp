#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/learners/mll_le/problem.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

Dataset worked_example() {
  Dataset out;
  out.x = Features(Matrix(5, 2, std::vector<double>{0, 0, 1, 0, 0, 1, 1, 1, 2, 1}));
  out.y = Labels(2, {{0}, {0}, {1}, {1}, {0, 1}});
  out.label_names = {"a", "b"};
  return out;
}

Dataset draw(Index n, std::uint64_t stream, double missing = 0) {
  Random random(5, "mll_le_test", stream);
  Matrix x(n, 4);
  std::vector<std::vector<Id>> positives(at(n)), hidden = positives;
  for (Index i = 0; i < n; ++i) {
    for (double& v : x.row(i)) v = random.normal();
    for (Id l = 0; l < 3; ++l) {
      const auto k = at(i);
      if (random.chance(missing)) {
        hidden[k].push_back(l);
      } else if (x(i, l) + 0.5 * random.normal() > 0.2) {
        positives[k].push_back(l);
      }
    }
  }
  Dataset out;
  out.x = Features(std::move(x));
  out.y = Labels(3, positives, hidden);
  out.label_names = {"a", "b", "c"};
  return out;
}

std::unique_ptr<Model> fit(const std::string& text, const Dataset& data, int threads = 1) {
  return fit_learner(CompleteSpec(parse_spec(text)), view_of(data), Context(threads, 4));
}

Matrix result(const Model& model, const std::string& id) {
  for (const Result& r : model.results()) {
    if (r.id == id) return r.values;
  }
  ADD_FAILURE() << "no result " << id;
  return {};
}

Matrix scores(const Model& model, const Dataset& data) {
  return model.predict(view_of(data), Context()).scores;
}

void expect_near(MatrixView a, MatrixView b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (Index c = 0; c < a.size(); ++c) ASSERT_NEAR(a.data()[c], b.data()[c], tolerance) << c;
}

constexpr const char* k_example =
    "mll_le(width=0.5,k=2,alpha=0.1,beta=1,gamma=0.5,delta=0.01,tolerance=1e-11,";

// What makes a model trivial is named, not only that it is.
TEST(MllLe, AWeightThatMakesTheModelConstantIsNamed) {
  const Dataset data = draw(60, 1);
  const std::pair<const char*, const char*> cases[] = {
      {"alpha=1e9", "alpha=1"},
      {"delta=1e9", "delta=1"},
      {"gamma=1e9", "gamma=1"},
      {"beta=1e-9", "beta=1e-09"},
      {"eps=5", "eps=5"},
      {"alpha=1e9, eps=0", "alpha=1"},
      {"gamma=1e9, eps=0", "gamma=1"},
      {"alpha=1e9, regressor=kernel_ridge", "alpha=1"}};
  for (const auto& [weights, named] : cases) {
    const auto remarks = fit("mll_le(" + std::string(weights) + ")", data)->summary().remarks;
    ASSERT_EQ(remarks.size(), 1u) << weights;
    EXPECT_NE(remarks[0].find(named), std::string::npos) << weights << ": " << remarks[0];
  }
  EXPECT_TRUE(fit("mll_le", data)->summary().remarks.empty());
}

TEST(MllLe, WorkedExample) {
  const Dataset data = worked_example();
  const std::pair<const char*, double> cases[] = {
      {"eps=0)", 3.9734124815}, {"eps=0.1)", 3.8717989751}, {"eps=0.5)", 3.5916983239}};
  for (const auto& [end, objective] : cases) {
    const auto model = fit(k_example + std::string(end), data);
    EXPECT_NEAR(model->summary().objective, objective, 1e-9);
    EXPECT_LT(model->summary().gap, 1e-9);
    EXPECT_TRUE(model->summary().converged);
  }
  const auto model = fit(k_example + std::string("eps=0)"), data);
  const Matrix u = result(*model, "numerical_labels");
  EXPECT_NEAR(u(0, 0), 0.6193919526, 1e-9);
  EXPECT_NEAR(u(0, 1), -0.6009694012, 1e-9);
  const auto ridge = fit(
      "mll_le(width=0.5,k=2,gamma=0.5,delta=0.01,regressor=kernel_ridge,tolerance=1e-11)", data);
  expect_near(result(*ridge, "numerical_labels"), u, 1e-12);
  // Far from all rows only the constants are left.
  Dataset far = data;
  far.x = Features(Matrix(1, 2, 1e6));
  const Matrix constants = scores(*model, far);
  EXPECT_NEAR(constants(0, 0), 0.3284422992, 1e-9);
  EXPECT_NEAR(constants(0, 1), 0.2536908197, 1e-9);
}

TEST(MllLe, ModesAgree) {
  for (const double missing : {0.0, 0.2}) {
    const Dataset data = draw(60, 1, missing), other = draw(30, 2);
    for (const char* manifold : {"lle", "laplacian"}) {
      const std::string rest = std::string("manifold=") + manifold + ",eps=0.3";
      const auto joint = fit("mll_le(tolerance=1e-9," + rest + ")", data);
      const auto irwls =
          fit("mll_le(mode=irwls,tolerance=1e-9,max_iterations=5000," + rest + ")", data);
      EXPECT_NEAR(joint->summary().objective, irwls->summary().objective,
                  1e-6 * joint->summary().objective);
      expect_near(scores(*joint, other), scores(*irwls, other), 5e-3);
    }
  }
}

// All rows for sets of the size that papers use; landmarks where rows and labels ask for them.
TEST(MllLe, LandmarksByRowsAndLabels) {
  mll_le::Shape shape;
  shape.kernel.memory = 16;
  EXPECT_EQ(mll_le::landmarks_for(shape, 1500, 14), 0);
  EXPECT_EQ(mll_le::landmarks_for(shape, 4880, 159), 0);
  EXPECT_EQ(mll_le::landmarks_for(shape, 4500, 374), 0);
  EXPECT_EQ(mll_le::landmarks_for(shape, 10000, 20), 0);
  EXPECT_EQ(mll_le::landmarks_for(shape, 8000, 500), 1000);
  EXPECT_EQ(mll_le::landmarks_for(shape, 20000, 24), 1000);
  EXPECT_EQ(mll_le::landmarks_for(shape, 12920, 983), 1000);
  EXPECT_EQ(mll_le::usual_tolerance(4500, 374), 1e-6);
  EXPECT_EQ(mll_le::usual_tolerance(12920, 983), 1e-3);
  shape.landmarks = 0;
  EXPECT_EQ(mll_le::landmarks_for(shape, 12920, 983), 0);
}

TEST(MllLe, AllRowsAsLandmarksAreTheKernel) {
  const Dataset data = draw(50, 3), other = draw(30, 4);
  const auto exact = fit("mll_le(landmarks=0,tolerance=1e-9)", data);
  const auto thin = fit("mll_le(landmarks=50,tolerance=1e-9)", data);
  EXPECT_NEAR(exact->summary().objective, thin->summary().objective,
              1e-6 * exact->summary().objective);
  expect_near(scores(*exact, other), scores(*thin, other), 1e-4);
  // A kernel that does not fit its memory gets landmarks without being asked, here all rows.
  const auto tight = fit("mll_le(memory=0,tolerance=1e-9)", data);
  EXPECT_EQ(scores(*tight, other),
            scores(*fit("mll_le(landmarks=1000,tolerance=1e-9)", data), other));
  EXPECT_NE(scores(*tight, other), scores(*exact, other));
  const auto few = fit("mll_le(landmarks=20)", data);
  EXPECT_EQ(result(*few, "kernel")(0, 1), 20);
  const auto truth = other.y;
  const Matrix few_scores = scores(*few, other), all_scores = scores(*exact, other);
  const auto precision = [&](const Matrix& s) {
    return measure("average_precision", truth, {.scores = &s}, {}, Context()).value;
  };
  EXPECT_NEAR(precision(few_scores), precision(all_scores), 0.05);
}

TEST(MllLe, PrecomputedKernelIsTheKernel) {
  const Dataset data = draw(40, 5);
  const FixedMatrix x = to_dense(data.x);
  Matrix kernel(40, 40);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 40; ++j) {
      double d2 = 0;
      for (Index c = 0; c < 4; ++c) d2 += std::pow(x(i, c) - x(j, c), 2);
      kernel(i, j) = std::exp(-0.3 * d2);
    }
  }
  Dataset values = data;
  values.x = Features(kernel);
  const auto a = fit("mll_le(width=0.3,manifold=none)", data);
  const auto b = fit("mll_le(kernel=precomputed,manifold=none)", values);
  expect_near(scores(*a, data), scores(*b, values), 1e-9);
}

TEST(MllLe, NeighboursPredictTheirMean) {
  const Dataset data = draw(30, 6);
  const auto model = fit("mll_le(regressor=knn,k=4,tolerance=1e-10)", data);
  const Matrix u = result(*model, "numerical_labels");
  const FixedMatrix x = to_dense(data.x);
  const Dataset other = draw(10, 7);
  const Matrix found = scores(*model, other);
  const FixedMatrix queries = to_dense(other.x);
  for (Index q = 0; q < 10; ++q) {
    std::vector<std::pair<double, Index>> near;
    for (Index i = 0; i < 30; ++i) {
      double d2 = 0;
      for (Index c = 0; c < 4; ++c) d2 += std::pow(x(i, c) - queries(q, c), 2);
      near.emplace_back(d2, i);
    }
    std::sort(near.begin(), near.end());
    for (Index l = 0; l < 3; ++l) {
      double mean = 0;
      for (std::size_t k = 0; k < 4; ++k) mean += u(near[k].second, l) / 4;
      EXPECT_NEAR(found(q, l), mean, 1e-12);
    }
  }
}

TEST(MllLe, MissingCellsAreGuessedFromTheRest) {
  Dataset data = draw(80, 8);
  Matrix y(to_dense(data.y));
  std::vector<std::pair<Index, double>> hidden;
  for (Index i = 0; i < 80; i += 4) {
    hidden.emplace_back(i, y(i, 0));
    y(i, 0) = std::nan("");
  }
  data.y = labels_from_dense(y);
  const Matrix u = result(*fit("mll_le", data), "numerical_labels");
  Index right = 0;
  for (const auto& [i, truth] : hidden) right += (u(i, 0) > 0) == (truth > 0) ? 1 : 0;
  EXPECT_GE(right, 15) << "of 20";
}

TEST(MllLe, SearchTriesOneWeightAfterTheOther) {
  const Dataset data = draw(60, 9);
  const auto model = fit("mll_le(alpha=auto,eps=auto,passes=1)", data);
  const Matrix tried = result(*model, "search"), used = result(*model, "settings");
  // The start, then alpha and eps to both sides of it at least.
  ASSERT_GE(tried.rows(), 5);
  EXPECT_EQ(tried(0, 0), 0.1);
  EXPECT_EQ(tried(0, 4), 0.1);
  EXPECT_EQ(tried(1, 0), 1);
  Index best = 0, narrowest = 0, widest = 0;
  for (Index r = 0; r < tried.rows(); ++r) {
    narrowest += tried(r, 4) == 0.01;  // both ends of what eps may be
    widest += tried(r, 4) == 1;
    if (tried(r, 5) > tried(best, 5)) best = r;
    EXPECT_EQ(tried(r, 1), 1) << "beta was given";
    EXPECT_EQ(tried(r, 2), 1) << "gamma was given";
  }
  EXPECT_GE(narrowest, 1);
  EXPECT_GE(widest, 1);
  EXPECT_EQ(tried(best, 6), 1);
  for (Index c = 0; c < 5; ++c) EXPECT_EQ(used(0, c), tried(best, c));
  EXPECT_EQ(tried, result(*fit("mll_le(alpha=auto,eps=auto,passes=1)", data, 8), "search"));

  const Matrix losses =
      result(*fit("mll_le(alpha=auto,passes=1,select=ranking_loss)", data), "search");
  for (Index r = 0; r < losses.rows(); ++r) {
    if (losses(r, 6) == 0) continue;
    for (Index s = 0; s < losses.rows(); ++s) EXPECT_LE(losses(r, 5), losses(s, 5));
  }
}

// Held-out precision of one setting, by hand: the folds of the search, whole fits.
TEST(MllLe, SearchMeasuresHeldOutRows) {
  const Dataset data = draw(60, 10);
  const Matrix tried = result(*fit("mll_le(gamma=auto,passes=1,width=0.2)", data), "search");
  const Spec spec = complete_spec(parse_spec("mll_le(gamma=0.1,width=0.2)"));
  const Matrix held = held_out_scores(CompleteSpec(spec), view_of(data), 3, Context(1, 4));
  const double expected =
      measure("average_precision", data.y, {.scores = &held}, {}, Context()).value;
  for (Index r = 0; r < tried.rows(); ++r) {
    if (tried(r, 2) == 0.1) {
      EXPECT_NEAR(tried(r, 5), expected, 5e-3);
      return;
    }
  }
  ADD_FAILURE() << "0.1 was not tried";
}

TEST(MllLe, RefusesWhatMakesNoSense) {
  const Dataset data = draw(20, 11);
  for (const char* text : {"mll_le(beta=0,delta=0)", "mll_le(regressor=kernel_ridge,eps=0.5)",
                           "mll_le(manifold=none,gamma=2)", "mll_le(regressor=knn,alpha=2)",
                           "mll_le(regressor=knn,mode=irwls)", "mll_le(mode=irwls,landmarks=5)",
                           "mll_le(select=coverage)", "mll_le(alpha=0)", "mll_le(eps=-1)",
                           "mll_le(kernel=precomputed)", "mll_le(landmarks=0,memory=0.000001)"}) {
    EXPECT_THROW(fit(text, data), Error) << text;
  }
  const Matrix nothing = result(*fit("mll_le(beta=0)", data), "numerical_labels");
  for (const double v : nothing.values()) EXPECT_EQ(v, 0);
}

TEST(MllLe, FewRows) {
  const Dataset data = draw(20, 12);
  for (const Index n : {1, 2, 3}) {
    std::vector<Id> rows(at(n));
    std::iota(rows.begin(), rows.end(), Id{0});
    const Dataset few = take_rows(data, rows);
    for (const char* text : {"mll_le", "mll_le_auto", "mll_le(regressor=knn)",
                             "mll_le(manifold=laplacian)", "mll_le(mode=irwls)", "msvr"}) {
      const Matrix found = scores(*fit(text, few), data);
      for (const double v : found.values()) EXPECT_TRUE(std::isfinite(v)) << text << " " << n;
    }
  }
}

}  // namespace
}  // namespace mulberry::learners

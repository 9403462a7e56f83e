#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mulberry/data/generate.hpp"
#include "mulberry/learners/joint_stumps.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry {
namespace {

Dataset made(Index rows, std::uint64_t seed) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 4;
  options.labels = 3;
  return generate("linear", options, Context(1, seed));
}

std::unique_ptr<Model> fitted(const std::string& spec, const Dataset& data) {
  return fit_learner(parse_spec(spec), view_of(data), Context(1));
}

Matrix scores_of(const Model& model, const Dataset& data) {
  return model.predict(view_of(data), Context(1)).scores;
}

// All cuts of all columns, lowest first.
template <class Use>
void for_all_cuts(const Matrix& x, const Use& use) {
  for (Index j = 0; j < x.cols(); ++j) {
    std::set<double> values;
    for (Index i = 0; i < x.rows(); ++i) values.insert(x(i, j));
    for (auto v = values.begin(); std::next(v) != values.end(); ++v)
      use(j, *v + (*std::next(v) - *v) / 2);
  }
}

// AdaBoost.MH as it is defined, cut by cut and cell by cell.
Matrix reference_mh(const Dataset& data, Index rounds, double* bound) {
  const Matrix x = to_dense(data.x), y = to_dense(data.y);
  const Index n = x.rows(), labels = y.cols();
  const double e = 1 / static_cast<double>(n * labels);
  Matrix d(n, labels, e), scores(n, labels);
  *bound = 1;
  for (Index t = 0; t < rounds; ++t) {
    double best = 1e9, best_cut = 0;
    Index best_column = 0;
    const auto weights = [&](Index j, double cut, Index l, bool right, bool yes) {
      double out = 0;
      for (Index i = 0; i < n; ++i) {
        if ((x(i, j) > cut) == right && (y(i, l) == 1) == yes) out += std::as_const(d)(i, l);
      }
      return out;
    };
    for_all_cuts(x, [&](Index j, double cut) {
      double z = 0;
      for (Index l = 0; l < labels; ++l) {
        for (const bool right : {false, true}) {
          z += 2 * std::sqrt(weights(j, cut, l, right, true) * weights(j, cut, l, right, false));
        }
      }
      if (z < best - 1e-11) {
        best = z;
        best_column = j;
        best_cut = cut;
      }
    });
    Matrix next = d;
    double z = 0;
    for (Index l = 0; l < labels; ++l) {
      for (const bool right : {false, true}) {
        const double c = 0.5 * std::log((weights(best_column, best_cut, l, right, true) + e) /
                                        (weights(best_column, best_cut, l, right, false) + e));
        for (Index i = 0; i < n; ++i) {
          if ((x(i, best_column) > best_cut) != right) continue;
          scores(i, l) += c;
          next(i, l) *= std::exp(y(i, l) == 1 ? -c : c);
          z += std::as_const(next)(i, l);
        }
      }
    }
    for (Index i = 0; i < n; ++i) {
      for (double& v : next.row(i)) v /= z;
    }
    d = next;
    *bound *= z;
  }
  return scores;
}

TEST(AdaBoostMh, EqualsItsDefinition) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Dataset data = made(25, seed);
    double bound = 0;
    const Matrix expected = reference_mh(data, 6, &bound);
    const auto model = fitted("adaboost_mh(rounds=6)", data);
    const Matrix found = scores_of(*model, data);
    for (Index k = 0; k < found.size(); ++k)
      ASSERT_NEAR(found.data()[k], expected.data()[k], 1e-9) << seed;
    EXPECT_NEAR(model->summary().objective, bound, 1e-9);
  }
}

TEST(AdaBoostMh, HammingLossStaysBelowItsBound) {
  const Dataset data = made(80, 4);
  const Matrix y = to_dense(data.y);
  for (const Index rounds : {1, 5, 40}) {
    const auto model = fitted("adaboost_mh(rounds=" + std::to_string(rounds) + ")", data);
    const Matrix scores = scores_of(*model, data);
    double wrong = 0;
    for (Index k = 0; k < y.size(); ++k) wrong += (scores.data()[k] > 0) != (y.data()[k] == 1);
    const double bound = model->summary().objective;
    EXPECT_LE(wrong / static_cast<double>(y.size()), bound);
    EXPECT_LT(bound, 1);
  }
}

// AdaBoost.MR over explicit pairs of labels.
Matrix reference_mr(const Dataset& data, Index rounds, double* bound) {
  const Matrix x = to_dense(data.x), y = to_dense(data.y);
  const Index n = x.rows(), labels = y.cols();
  struct Pair {
    Index row, no, yes;
    double weight;
  };
  std::vector<Pair> pairs;
  double rows = 0;
  for (Index i = 0; i < n; ++i) {
    const auto count = pairs.size();
    for (Index k = 0; k < labels; ++k) {
      for (Index l = 0; l < labels; ++l) {
        if (y(i, k) == 0 && y(i, l) == 1) pairs.push_back({i, k, l, 1});
      }
    }
    for (std::size_t p = count; p < pairs.size(); ++p)
      pairs[p].weight = 1 / static_cast<double>(pairs.size() - count);
    rows += pairs.size() > count ? 1 : 0;
  }
  for (Pair& pair : pairs) pair.weight /= rows;
  Matrix scores(n, labels);
  *bound = 1;
  for (Index t = 0; t < rounds; ++t) {
    double best = -1, best_cut = 0;
    Index best_column = 0;
    const auto u_of = [&](Index j, double cut) {
      Matrix u(2, labels);
      for (const Pair& pair : pairs) {
        const Index branch = x(pair.row, j) > cut ? 1 : 0;
        u(branch, pair.yes) += pair.weight;
        u(branch, pair.no) -= pair.weight;
      }
      return u;
    };
    for_all_cuts(x, [&](Index j, double cut) {
      double r = 0;
      const Matrix u = u_of(j, cut);
      for (const double v : u.values()) r += 0.5 * std::abs(v);
      if (r > best + 1e-11) {
        best = r;
        best_column = j;
        best_cut = cut;
      }
    });
    const Matrix chosen = u_of(best_column, best_cut);
    const double r = std::min(best, 1 - 1 / static_cast<double>(2 * n));
    const double alpha = 0.5 * std::log((1 + r) / (1 - r));
    *bound *= std::sqrt(1 - r * r);
    const auto h = [&](Index i, Index l) {
      const double v = chosen(x(i, best_column) > best_cut ? 1 : 0, l);
      return std::abs(v) < 1e-15 ? 0.0 : v > 0 ? 1.0 : -1.0;
    };
    double total = 0;
    for (Pair& pair : pairs) {
      pair.weight *= std::exp(-0.5 * alpha * (h(pair.row, pair.yes) - h(pair.row, pair.no)));
      total += pair.weight;
    }
    for (Pair& pair : pairs) pair.weight /= total;
    for (Index i = 0; i < n; ++i) {
      for (Index l = 0; l < labels; ++l) scores(i, l) += alpha * h(i, l);
    }
  }
  return scores;
}

TEST(AdaBoostMr, EqualsItsDefinitionOverPairs) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Dataset data = made(25, seed);
    double bound = 0;
    const Matrix expected = reference_mr(data, 6, &bound);
    const auto model = fitted("adaboost_mr(rounds=6)", data);
    const Matrix found = scores_of(*model, data);
    for (Index k = 0; k < found.size(); ++k)
      ASSERT_NEAR(found.data()[k], expected.data()[k], 1e-9) << seed;
    EXPECT_NEAR(model->summary().objective, bound, 1e-9);
  }
}

TEST(AdaBoostMr, RankingLossStaysBelowItsBound) {
  const Dataset data = made(80, 6);
  const Matrix y = to_dense(data.y);
  const auto model = fitted("adaboost_mr(rounds=40)", data);
  const Matrix scores = scores_of(*model, data);
  double loss = 0, rows = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    double wrong = 0, pairs = 0;
    for (Index k = 0; k < y.cols(); ++k) {
      for (Index l = 0; l < y.cols(); ++l) {
        if (y(i, k) != 1 || y(i, l) != 0) continue;
        ++pairs;
        wrong += scores(i, k) <= scores(i, l);
      }
    }
    if (pairs == 0) continue;
    ++rows;
    loss += wrong / pairs;
  }
  EXPECT_LE(loss / rows, model->summary().objective);
  EXPECT_LT(model->summary().objective, 0.5);
}

}  // namespace
}  // namespace mulberry

#include "mulberry/math/linear/linear.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/linear/factored_newton.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linear.h>  // liblinear

#include <cmath>
#include <numeric>

#include "tests/support/linear_objective.hpp"

namespace mulberry::math {
namespace {

struct Example {
  Features x;
  std::vector<std::int8_t> y = {};
  std::vector<double> cost = {};
};

// Noisy linear data; `density` of the cells are not zero.
Example make_example(Index n, Index d, double density, std::uint64_t stream) {
  Random random(3, "linear_test", stream);
  Matrix x(n, d);
  std::vector<double> truth(at(d));
  for (double& v : truth) v = random.normal();
  Example out;
  for (Index i = 0; i < n; ++i) {
    double score = 0.3 + random.normal();
    for (Index j = 0; j < d; ++j) {
      if (!random.chance(density)) continue;
      x(i, j) = random.normal();
      score += x(i, j) * truth[at(j)];
    }
    out.y.push_back(score > 0 ? 1 : -1);
    out.cost.push_back(random.chance(0.1) ? 0.0 : random.uniform(0.2, 2.0));
  }
  out.x = Features(std::move(x));
  return out;
}

LinearOptions exact(Loss loss, Bias bias) {
  return {.loss = loss, .bias = bias, .tolerance = loss == Loss::logistic ? 1e-7 : 1e-9};
}

double objective_of(const Example& e, const LinearOptions& options, const LinearResult& r) {
  return tests::reference::linear_objective(e.x, e.y, e.cost, options, r.w, r.b);
}

// liblinear knows one cost for all rows; its solution is evaluated by our objective.
double liblinear_objective(const Example& e, const LinearOptions& options, double cost) {
  const auto n = at(e.x.rows());
  const auto d = static_cast<int>(e.x.cols());
  const bool bias = options.bias == Bias::regularised;
  std::vector<std::vector<feature_node>> rows(n);
  std::vector<feature_node*> pointers;
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) {
    for (int j = 0; j < d; ++j) {
      const double v = e.x.at(static_cast<Index>(i), j);
      if (v != 0) rows[i].push_back({j + 1, v});
    }
    if (bias) rows[i].push_back({d + 1, 1.0});
    rows[i].push_back({-1, 0.0});
    pointers.push_back(rows[i].data());
    y.push_back(e.y[i]);
  }
  problem data{};
  data.l = static_cast<int>(n);
  data.n = bias ? d + 1 : d;
  data.y = y.data();
  data.x = pointers.data();
  data.bias = bias ? 1.0 : -1.0;
  parameter how{};
  how.solver_type = options.loss == Loss::logistic ? L2R_LR
                    : options.loss == Loss::hinge  ? L2R_L1LOSS_SVC_DUAL
                                                   : L2R_L2LOSS_SVC;
  how.eps = 1e-8;
  how.C = cost;
  set_print_string_function([](const char*) {});
  ::model* const trained = train(&data, &how);
  std::vector<double> w(trained->w, trained->w + d);
  double b = bias ? trained->w[d] : 0.0;
  if (trained->label[0] < 0) {  // its scores are for the class it saw first
    for (double& v : w) v = -v;
    b = -b;
  }
  ::model* owned = trained;
  free_and_destroy_model(&owned);
  return tests::reference::linear_objective(e.x, e.y, e.cost, options, w, b);
}

TEST(Linear, LiblinearFindsNothingBetter) {
  for (const auto& [n, d, density] : {std::tuple{150, 12, 1.0}, {120, 60, 0.1}, {40, 90, 0.5}}) {
    Example e = make_example(n, d, density, static_cast<std::uint64_t>(d));
    for (const double cost : {0.1, 1.0}) {
      std::fill(e.cost.begin(), e.cost.end(), cost);
      for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
        for (const Bias bias : {Bias::regularised, Bias::none}) {
          const LinearOptions options = exact(loss, bias);
          const LinearResult got = solve_linear(e.x, e.y, e.cost, options, Context());
          const double ours = objective_of(e, options, got);
          const double theirs = liblinear_objective(e, options, cost);
          EXPECT_TRUE(got.certificate.converged);
          EXPECT_NEAR(ours, got.certificate.objective, 1e-9 * ours);
          EXPECT_LE(ours, theirs * (1 + 1e-8));
          EXPECT_NEAR(ours, theirs, 3e-6 * theirs);  // it stops after 1000 passes
          EXPECT_LE(ours - theirs, got.certificate.gap + 1e-12 * ours);
        }
      }
    }
  }
}

// No random direction leads down, and the bound on the optimum is not above the objective.
TEST(Linear, NothingNearIsBetterAndTheGapHolds) {
  const Example e = make_example(80, 10, 0.6, 1);
  for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
    for (const Bias bias : {Bias::regularised, Bias::free, Bias::none}) {
      const LinearOptions options = exact(loss, bias);
      const LinearResult best = solve_linear(e.x, e.y, e.cost, options, Context());
      const double objective = objective_of(e, options, best);
      EXPECT_TRUE(best.certificate.converged);
      EXPECT_NEAR(objective, best.certificate.objective, 1e-10 * objective);
      if (bias == Bias::none) {
        EXPECT_EQ(best.b, 0);
      }
      Random random(4, "directions");
      for (int k = 0; k < 200; ++k) {
        LinearResult near = best;
        const double size = std::pow(10.0, -random.uniform(0, 4));
        for (double& v : near.w) v += size * random.normal();
        if (bias != Bias::none) near.b += size * random.normal();
        EXPECT_GE(objective_of(e, options, near), objective * (1 - 2e-9));
      }
      LinearOptions rough = options;
      rough.tolerance = 0.1;
      const LinearResult early = solve_linear(e.x, e.y, e.cost, rough, Context());
      EXPECT_LE(objective_of(e, options, early) - objective, early.certificate.gap + 1e-9);
    }
  }
}

// Columns in units from 0.01 to 1,000, as in raw measurements, some of them far from 0, and more
// columns than rows: coordinate descent does not get there.
TEST(Linear, ScalesOfFeaturesDoNotMatter) {
  for (const auto& [n, d] : {std::pair<Index, Index>{200, 8}, {30, 60}}) {
    Example e = make_example(n, d, 1, 17);
    Matrix x(to_dense(e.x));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) {
        x(i, j) = (x(i, j) + (j % 3 == 0 ? 5 : 0)) * std::pow(10.0, static_cast<double>(j % 6) - 2);
      }
    }
    e.x = Features(std::move(x));
    for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
      for (const Bias bias : {Bias::regularised, Bias::none}) {
        LinearOptions options{.loss = loss, .bias = bias, .tolerance = 1e-3};
        const LinearResult found = solve_linear(e.x, e.y, e.cost, options, Context());
        EXPECT_TRUE(found.certificate.converged) << n << ' ' << static_cast<int>(loss);
        const double objective = objective_of(e, options, found);
        EXPECT_NEAR(objective, found.certificate.objective, 1e-9 * objective);
        EXPECT_LE(found.certificate.gap, 1e-3 * objective);
        options.tolerance = 1e-4;
        const LinearResult best = solve_linear(e.x, e.y, e.cost, options, Context());
        EXPECT_TRUE(best.certificate.converged);
        EXPECT_LE(best.certificate.objective, objective * (1 + 1e-4));
        EXPECT_GE(best.certificate.objective, objective - found.certificate.gap);
      }
    }
  }
}

// Features in any units, large costs, more rows than columns and the reverse, and a bias that is
// free: coordinate descent and the method of multipliers stall on most of these.
TEST(Linear, EveryGapIsProven) {
  for (const auto& [n, d, density] :
       {std::tuple{160, 12, 1.0}, {160, 50, 0.2}, {50, 160, 0.3}, {60, 50, 1.0}}) {
    for (const bool scaled : {false, true}) {
      Example e = make_example(n, d, density, static_cast<std::uint64_t>(n + d));
      if (scaled) {
        Matrix x(to_dense(e.x));
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < d; ++j) x(i, j) *= std::pow(10.0, static_cast<double>(j % 5) - 1);
        }
        e.x = Features(std::move(x));
      }
      if (density < 1) e.x = Features(to_sparse(e.x));
      for (const double cost : {1e-3, 1.0, 1e3}) {
        std::fill(e.cost.begin(), e.cost.end(), cost);
        for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
          for (const Bias bias : {Bias::regularised, Bias::free, Bias::none}) {
            SCOPED_TRACE(fmt::format("{} x {}, scaled {}, C {}, loss {}, bias {}", n, d, scaled,
                                     cost, static_cast<int>(loss), static_cast<int>(bias)));
            LinearOptions options{.loss = loss, .bias = bias, .tolerance = 1e-3};
            const LinearResult rough = solve_linear(e.x, e.y, e.cost, options, Context());
            // Where the hinges of rows bend by C over the width of their corner times the squares of
            // features, rounding errors hide more than that.
            const bool steep = scaled && cost == 1e3 && loss == Loss::hinge;
            const double tight = steep ? 3e-4 : 1e-6;
            options.tolerance = tight;
            const LinearResult best = solve_linear(e.x, e.y, e.cost, options, Context());
            for (const LinearResult* r : {&rough, &best}) {
              const double objective = objective_of(e, options, *r);
              EXPECT_TRUE(r->certificate.converged);
              EXPECT_NEAR(r->certificate.objective, objective,
                          1e-8 * objective + 1e-14 * cost * static_cast<double>(n));
            }
            const double found = rough.certificate.objective, least = best.certificate.objective;
            EXPECT_LE(rough.certificate.gap, 1e-3 * found);
            EXPECT_LE(best.certificate.gap, tight * least);
            // The bounds of both hold for the objectives of both.
            EXPECT_GE(least, found - rough.certificate.gap - 1e-9 * found);
            EXPECT_GE(found, least - best.certificate.gap - 1e-9 * found);
          }
        }
      }
    }
  }
}

// One row in twelve is positive: at times no row is near its corner, and the bias has no curvature.
TEST(Linear, AFreeBiasOfRareLabelsIsFound) {
  for (std::uint64_t stream = 0; stream < 40; ++stream) {
    Example e = make_example(48, 70, 0.1, 100 + stream);
    std::fill(e.cost.begin(), e.cost.end(), 1.0);
    for (std::size_t i = 0; i < e.y.size(); ++i) e.y[i] = i % 12 == 0 ? 1 : -1;
    e.x = Features(to_sparse(e.x));
    const LinearOptions options{.loss = Loss::hinge, .bias = Bias::free, .tolerance = 1e-3};
    LinearResult r =
        solve_by_factored_newton({.x = e.x,
                                  .count = 1,
                                  .fill =
                                      [&](Index, std::span<std::int8_t> y, std::span<double> cost) {
                                        std::copy(e.y.begin(), e.y.end(), y.begin());
                                        std::copy(e.cost.begin(), e.cost.end(), cost.begin());
                                      }},
                                 {}, options, Context())[0];
    EXPECT_TRUE(r.certificate.converged) << stream;
    EXPECT_NEAR(r.certificate.objective, objective_of(e, options, r), 1e-9);
  }
}

// Along the bias, which has no penalty to lean on.
TEST(Linear, AFreeBiasIsAsGoodAsAnyOther) {
  Example e = make_example(70, 6, 1, 23);
  std::fill(e.cost.begin(), e.cost.end(), 100.0);
  for (std::size_t i = 0; i < e.y.size(); ++i) e.y[i] = i % 10 == 0 ? e.y[i] : std::int8_t{-1};
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    const LinearOptions options{.loss = loss, .bias = Bias::free, .tolerance = 1e-5};
    const LinearResult r = solve_linear(e.x, e.y, e.cost, options, Context());
    ASSERT_TRUE(r.certificate.converged);
    LinearResult other = r;
    for (int k = -1000; k <= 1000; ++k) {
      other.b = r.b + 2e-3 * k;
      EXPECT_GE(objective_of(e, options, other) * (1 + 1e-9),
                r.certificate.objective - r.certificate.gap);
    }
  }
}

TEST(Linear, ByHand) {
  // Two points at -1 and +1, hinge without bias: the optimum is w = 1 for any C >= 1/2, and
  // w = 2 C below.
  const Features x(Matrix(2, 1, std::vector<double>{1, -1}));
  const std::vector<std::int8_t> y = {1, -1};
  const LinearOptions options = exact(Loss::hinge, Bias::none);
  const auto at = [&](double c) {
    return solve_linear(x, y, std::vector<double>{c, c}, options, Context()).w[0];
  };
  EXPECT_NEAR(at(5), 1, 1e-6);
  EXPECT_NEAR(at(0.2), 0.4, 1e-6);
  // Squared hinge: w = 2 C sum (1 - w), so w = 4 C / (1 + 4 C).
  const LinearOptions squared = exact(Loss::squared_hinge, Bias::none);
  EXPECT_NEAR(solve_linear(x, y, std::vector<double>{1, 1}, squared, Context()).w[0], 0.8, 2e-5);
  // Logistic with a free bias and no feature: the log of the odds.
  const Features none(Matrix(4, 0));
  const LinearResult odds =
      solve_linear(none, std::vector<std::int8_t>{1, 1, 1, -1}, std::vector<double>(4, 1.0),
                   exact(Loss::logistic, Bias::free), Context());
  EXPECT_NEAR(odds.b, std::log(3.0), 1e-6);
}

TEST(Linear, SparseEqualsDense) {
  Example e = make_example(100, 30, 0.2, 2);
  Example sparse = e;
  sparse.x = Features(to_sparse(e.x));
  for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
    const LinearOptions options = exact(loss, Bias::regularised);
    const LinearResult a = solve_linear(e.x, e.y, e.cost, options, Context());
    const LinearResult b = solve_linear(sparse.x, e.y, e.cost, options, Context());
    EXPECT_NEAR(a.b, b.b, 1e-4);
    EXPECT_NEAR(a.certificate.objective, b.certificate.objective, 1e-8 * a.certificate.objective);
  }
}

TEST(Linear, CostsAreCopiesOfRows) {
  const Example e = make_example(60, 5, 1.0, 3);
  const std::vector<double> twice(60, 2.0), once(120, 1.0);
  std::vector<Id> rows;
  std::vector<std::int8_t> y;
  for (Id i = 0; i < 60; ++i) {
    for (int copy = 0; copy < 2; ++copy) {
      rows.push_back(i);
      y.push_back(e.y[at(i)]);
    }
  }
  const Features doubled = take_rows(e.x, rows);
  for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
    for (const Bias bias : {Bias::regularised, Bias::free}) {
      const LinearOptions options = exact(loss, bias);
      const LinearResult a = solve_linear(e.x, e.y, twice, options, Context());
      const LinearResult b = solve_linear(doubled, y, once, options, Context());
      EXPECT_NEAR(a.certificate.objective, b.certificate.objective, 1e-8 * a.certificate.objective);
    }
  }
}

// A problem's bits must not depend on threads, lanes or neighbours.
TEST(Linear, ManyProblemsGiveTheBitsOfOne) {
  const Example base = make_example(90, 21, 0.4, 4);
  const auto fill = [&](Index k, std::span<std::int8_t> y, std::span<double> cost) {
    Random random(5, "many", static_cast<std::uint64_t>(k));
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = random.chance(0.3) ? static_cast<std::int8_t>(-base.y[i]) : base.y[i];
      cost[i] = random.uniform();
    }
  };
  for (const Features& x : {base.x, Features(to_sparse(base.x))}) {
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
      const LinearOptions options = {.loss = loss, .tolerance = 1e-3};
      const LinearProblems problems{.x = x, .count = 21, .fill = fill};
      const auto one = solve_linear(problems, options, Context(1));
      for (const int threads : {2, 8, 32}) {
        const auto many = solve_linear(problems, options, Context(threads));
        for (std::size_t k = 0; k < one.size(); ++k) {
          EXPECT_EQ(one[k].w, many[k].w);
          EXPECT_EQ(one[k].b, many[k].b);
        }
      }
    }
  }
}

// Problem k sees the first columns of x: in any panel the bits of a problem over a copy of them.
TEST(Linear, ColumnsThatAProblemDoesNotSeeAreNotThere) {
  const Example e = make_example(90, 21, 0.4, 12);
  const std::vector<Index> columns = {21, 3, 0, 4, 4, 12, 13, 1, 14, 9, 20, 21, 15, 7, 2};
  for (const bool sparse : {true, false}) {
    const Features x = sparse ? Features(to_sparse(e.x)) : e.x;
    const auto fill = [&](Index k, std::span<std::int8_t> y, std::span<double> cost) {
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = (i + at(k)) % 5 == 0 ? static_cast<std::int8_t>(-e.y[i]) : e.y[i];
      }
      std::copy(e.cost.begin(), e.cost.end(), cost.begin());
    };
    for (const Loss loss : {Loss::logistic, Loss::squared_hinge, Loss::hinge}) {
      for (const Bias bias : {Bias::regularised, Bias::free, Bias::none}) {
        const LinearOptions options = {.loss = loss, .bias = bias, .tolerance = 1e-4};
        for (const int threads : {1, 3}) {
          const auto together =
              solve_linear({.x = x, .count = count_of(columns), .fill = fill, .columns = columns},
                           options, Context(threads));
          for (std::size_t k = 0; k < columns.size(); ++k) {
            std::vector<Id> seen(at(columns[k]));
            std::iota(seen.begin(), seen.end(), 0);
            const Features part = take_columns(x, seen);
            const auto own = [&](Index, std::span<std::int8_t> y, std::span<double> cost) {
              fill(static_cast<Index>(k), y, cost);
            };
            const auto alone =
                solve_linear({.x = part, .count = 1, .fill = own}, options, Context(1));
            EXPECT_EQ(together[k].w, alone[0].w) << columns[k];
            EXPECT_EQ(together[k].b, alone[0].b) << columns[k];
            EXPECT_EQ(together[k].certificate.objective, alone[0].certificate.objective);
          }
        }
      }
    }
  }
}

TEST(Linear, SmallAndOddProblems) {
  for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
    for (const Bias bias : {Bias::regularised, Bias::none}) {
      const LinearOptions options = exact(loss, bias);
      // No row, a row of cost 0, a row of zeros, one class only.
      const auto empty = solve_linear(Matrix(0, 3), {}, {}, options, Context());
      EXPECT_EQ(empty.w, std::vector<double>(3, 0.0));
      EXPECT_TRUE(empty.certificate.converged);
      const std::vector<std::int8_t> up = {1};
      const auto unused =
          solve_linear(Matrix(1, 2, 7.0), up, std::vector<double>{0}, options, Context());
      EXPECT_EQ(unused.w, std::vector<double>(2, 0.0));
      const auto zeros = solve_linear(Matrix(1, 2), up, std::vector<double>{1}, options, Context());
      EXPECT_EQ(zeros.w, std::vector<double>(2, 0.0));
      EXPECT_TRUE(zeros.certificate.converged);
      const auto one =
          solve_linear(Matrix(1, 1, 2.0), up, std::vector<double>{1}, options, Context());
      EXPECT_GT(one.w[0], 0);
      EXPECT_TRUE(one.certificate.converged);
    }
  }
}

TEST(Linear, StopsWhenAsked) {
  const Example e = make_example(50, 5, 1.0, 6);
  std::stop_source stop;
  stop.request_stop();
  for (const Loss loss : {Loss::logistic, Loss::hinge}) {
    EXPECT_THROW(solve_linear(e.x, e.y, e.cost, exact(loss, Bias::regularised),
                              Context().with_stop(stop.get_token())),
                 std::exception);
  }
}

TEST(Linear, SaysWhenItRanOutOfIterations) {
  const Example e = make_example(80, 10, 1.0, 7);
  for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
    LinearOptions options = exact(loss, Bias::regularised);
    options.max_iterations = 1;
    const LinearResult r = solve_linear(e.x, e.y, e.cost, options, Context());
    EXPECT_FALSE(r.certificate.converged);
    EXPECT_EQ(r.certificate.iterations, 1);
    EXPECT_GT(r.certificate.gap, 0);
  }
}

}  // namespace
}  // namespace mulberry::math

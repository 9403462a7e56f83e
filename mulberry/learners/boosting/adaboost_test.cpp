#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/boosting/joint_rounds.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

Dataset made(Index rows, std::uint64_t seed) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 4;
  options.labels = 3;
  return generate("linear", options, Context(1, seed));
}

std::unique_ptr<Model> fitted(const std::string& spec, const Dataset& data) {
  return fit_learner(CompleteSpec(parse_spec(spec)), view_of(data), Context(1));
}

Matrix scores_of(const Model& model, const Dataset& data) {
  return model.predict(view_of(data), Context(1)).scores;
}

// All cuts of all columns, lowest first.
template <class Use>
void for_all_cuts(MatrixView x, const Use& use) {
  for (Index j = 0; j < x.cols(); ++j) {
    std::set<double> values;
    for (Index i = 0; i < x.rows(); ++i) values.insert(x(i, j));
    for (auto v = values.begin(); std::next(v) != values.end(); ++v)
      use(j, *v + (*std::next(v) - *v) / 2);
  }
}

// AdaBoost.MH by its definition, cut by cut and cell by cell.
Matrix reference_mh(const Dataset& data, Index rounds, double* bound) {
  const FixedMatrix x = to_dense(data.x), y = to_dense(data.y);
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
        if ((x(i, j) > cut) == right && (y(i, l) == 1) == yes) out += d(i, l);
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
          z += next(i, l);
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
  const FixedMatrix y = to_dense(data.y);
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
  const FixedMatrix x = to_dense(data.x), y = to_dense(data.y);
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
  const FixedMatrix y = to_dense(data.y);
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

TEST(BoostedStumps, ContinuingIsTheSameAsNotStopping) {
  const Dataset data = made(60, 7);
  for (const std::string id : {"adaboost_mh", "adaboost_mr", "adtboost_mh"}) {
    const auto half = fitted(id + "(rounds=4)", data);
    const auto rest = fit_learner(CompleteSpec(parse_spec(id + "(rounds=5)")), view_of(data),
                                  Context(1), half.get());
    const auto whole = fitted(id + "(rounds=9)", data);
    const Matrix a = scores_of(*rest, data), b = scores_of(*whole, data);
    for (Index k = 0; k < a.size(); ++k) ASSERT_NEAR(a.data()[k], b.data()[k], 1e-9) << id;
    EXPECT_NEAR(rest->summary().objective, whole->summary().objective, 1e-9);
    EXPECT_EQ(rest->summary().rounds, whole->summary().rounds);
  }
}

TEST(JointStumps, SearchAmongSomeRowsIsSearchInThoseRows) {
  Random random(3, "joint.test");
  int searched = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 2 + random.below(30), labels = 1 + random.below(6);
    const Index width = 2 * padded_labels(labels);
    Matrix x(n, 3), vectors(n, width);
    std::vector<char> inside(at(n), 0);
    std::vector<Id> rows;
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = random.normal();
      x(i, 1) = static_cast<double>(random.below(5)) - 2;  // zeros in the middle
      x(i, 2) = random.chance(0.2)   ? std::numeric_limits<double>::quiet_NaN()
                : random.chance(0.5) ? 0.0
                                     : random.uniform();
      for (Index l = 0; l < labels; ++l)
        vectors(i, random.chance(0.5) ? l : padded_labels(labels) + l) = random.uniform();
      if (!random.chance(0.6)) continue;
      inside[at(i)] = 1;
      rows.push_back(static_cast<Id>(i));
    }
    const Features part = take_rows(Features(x), rows);
    Matrix part_vectors(count_of(rows), width);
    for (std::size_t k = 0; k < rows.size(); ++k)
      std::copy_n(vectors.row(rows[k]).begin(), width,
                  part_vectors.row(static_cast<Index>(k)).begin());
    const auto among = best_joint_split(StumpColumns(x, 0, Context(1)), vectors,
                                        JointCriterion::half_z, inside, Context(2));
    const auto alone = best_joint_split(StumpColumns(part, 0, Context(1)), part_vectors,
                                        JointCriterion::half_z, {}, Context(1));
    ASSERT_NEAR(among.value, alone.value, 1e-12);
    if (alone.column < 0) continue;  // a cut outside all values changes nothing
    ++searched;
    ASSERT_EQ(among.column, alone.column);
    for (std::size_t k = 0; k < among.left.size(); ++k) {
      ASSERT_NEAR(among.left[k], alone.left[k], 1e-12);
      ASSERT_NEAR(among.missing[k], alone.missing[k], 1e-12);
    }
  }
  EXPECT_GT(searched, 40);
}

// Round by round, as the search through all columns with weights that are computed afresh each
// time. Words that rows have or lack (some twice, one in nearly every row), numbers, missing
// values.
TEST(AdaBoostMh, KeptSumsChooseTheSameStumps) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Random random(7, "kept_sums", seed);
    const Index n = 150, d = 30, labels = 7;
    Matrix x(n, d);
    std::vector<std::vector<Id>> positives(at(n));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) {
        const double share = j == 4 ? 0.95 : 0.03 + 0.02 * static_cast<double>(j % 10);
        x(i, j) = random.chance(share) ? (j == 5 ? -2.0 : 1.0) : 0.0;
      }
      x(i, 7) = x(i, 6);
      x(i, 8) = random.normal();
      x(i, 9) = random.chance(0.1) ? std::numeric_limits<double>::quiet_NaN() : x(i, 9);
      for (Index l = 0; l < labels; ++l) {
        const bool likely = x(i, 2 * l + 10) + x(i, l) > 0;
        if (random.chance(likely ? 0.7 : 0.1)) positives[at(i)].push_back(static_cast<Id>(l));
      }
    }
    Dataset data;
    data.x = Features(x);
    data.y = Labels(labels, positives);
    const Compact compact(view_of(data));
    const StumpColumns columns(data.x, 0, Context(1));
    CellWeights plain(compact, Matrix(n, labels));
    JointRounds rounds(columns, compact, Matrix(n, labels), Context(1));
    for (int t = 0; t < 150; ++t) {
      const JointSplit expected =
          best_joint_split(columns, plain.vectors(), JointCriterion::half_z, {}, Context(1));
      const JointSplit found = rounds.best_split(Context(2));
      // A side without any yes leaves 1e-17 of it, and its square root.
      ASSERT_NEAR(found.value, expected.value, 1e-8) << t;
      ASSERT_EQ(found.column, expected.column) << t;
      ASSERT_EQ(found.cut, expected.cut) << t;
      const Sums answers[] = {plain.answers(expected.left), plain.answers(expected.right),
                              plain.answers(expected.missing)};
      const Sums same[] = {rounds.answers(found.left), rounds.answers(found.right),
                           rounds.answers(found.missing)};
      for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t l = 0; l < same[b].size(); ++l)
          ASSERT_NEAR(same[b][l], answers[b][l], 1e-8) << t;
      }
      const double z = plain.update(training_branches(columns, expected), answers, {});
      ASSERT_NEAR(rounds.update(found, same, Context(2)), z, 1e-9) << t;
    }
  }
}

// The tree by its definition: every precondition with every cut, cell by cell.
Matrix reference_adt(const Dataset& data, Index rounds, double* bound, int* nested) {
  const FixedMatrix x = to_dense(data.x), y = to_dense(data.y);
  const Index n = x.rows(), labels = y.cols();
  const double e = 1 / static_cast<double>(n * labels);
  Matrix d(n, labels, e), scores(n, labels);
  std::vector<std::vector<bool>> preconditions = {std::vector<bool>(at(n), true)};
  *bound = 1;
  *nested = 0;
  const auto weight = [&](const std::vector<bool>& rows, Index l, double truth) {
    double out = 0;
    for (Index i = 0; i < n; ++i) {
      if (rows[at(i)] && y(i, l) == truth) out += d(i, l);
    }
    return out;
  };
  const auto apply = [&](const std::vector<std::vector<bool>>& branches) {
    Matrix next = d;
    for (const auto& rows : branches) {
      for (Index l = 0; l < labels; ++l) {
        const double c = 0.5 * std::log((weight(rows, l, 1) + e) / (weight(rows, l, 0) + e));
        for (Index i = 0; i < n; ++i) {
          if (!rows[at(i)]) continue;
          scores(i, l) += c;
          next(i, l) *= std::exp(y(i, l) == 1 ? -c : c);
        }
      }
    }
    double z = 0;
    for (const double v : next.values()) z += v;
    for (Index i = 0; i < n; ++i) {
      for (double& v : next.row(i)) v /= z;
    }
    d = next;
    *bound *= z;
  };
  apply({preconditions[0]});
  for (Index t = 0; t < rounds; ++t) {
    double best = 1e9;
    std::vector<std::vector<bool>> chosen;
    std::size_t from = 0;
    for (std::size_t p = 0; p < preconditions.size(); ++p) {
      for_all_cuts(x, [&](Index j, double cut) {
        std::vector<std::vector<bool>> branches(2, std::vector<bool>(at(n)));
        double z = 0;
        for (Index i = 0; i < n; ++i) {
          const auto k = at(i);
          if (preconditions[p][k]) {
            branches[x(i, j) > cut ? 1 : 0][k] = true;
          } else {
            for (Index l = 0; l < labels; ++l) z += d(i, l);
          }
        }
        for (const auto& rows : branches) {
          for (Index l = 0; l < labels; ++l)
            z += 2 * std::sqrt(weight(rows, l, 1) * weight(rows, l, 0));
        }
        if (z >= best - 1e-11) return;
        best = z;
        chosen = branches;
        from = p;
      });
    }
    *nested += from > 0;
    apply(chosen);
    for (const auto& rows : chosen) preconditions.push_back(rows);
  }
  return scores;
}

TEST(AdtBoostMh, EqualsItsDefinition) {
  int all_nested = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Dataset data = made(22, seed);
    double bound = 0;
    int nested = 0;
    const Matrix expected = reference_adt(data, 5, &bound, &nested);
    all_nested += nested;
    const auto model = fitted("adtboost_mh(rounds=5)", data);
    const Matrix found = scores_of(*model, data);
    for (Index k = 0; k < found.size(); ++k)
      ASSERT_NEAR(found.data()[k], expected.data()[k], 1e-9) << seed;
    EXPECT_NEAR(model->summary().objective, bound, 1e-9);
    EXPECT_EQ(model->summary().rounds, 6);
  }
  EXPECT_GT(all_nested, 0);
}

TEST(AdtBoostMh, HammingLossStaysBelowItsBound) {
  const Dataset data = made(80, 5);
  const FixedMatrix y = to_dense(data.y);
  const auto model = fitted("adtboost_mh(rounds=20)", data);
  const Matrix scores = scores_of(*model, data);
  double wrong = 0;
  for (Index k = 0; k < y.size(); ++k) wrong += (scores.data()[k] > 0) != (y.data()[k] == 1);
  EXPECT_LE(wrong / static_cast<double>(y.size()), model->summary().objective);
  EXPECT_LT(model->summary().objective, 0.6);
}

}  // namespace
}  // namespace mulberry::learners

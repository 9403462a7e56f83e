#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/learners/sets/set_boosting.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/model/model_file.hpp"
#include "mulberry/resample/split.hpp"
#include "tests/support/places.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

using Columns = std::vector<std::vector<Id>>;  // of each set, the class of every row

Dataset made_sets(std::vector<Index> sizes, Index rows, std::uint64_t seed = 1,
                  double dependence = 0.7, double noise = 0.4) {
  return generate("label-sets",
                  {.rows = rows,
                   .features = 6,
                   .noise = noise,
                   .set_sizes = std::move(sizes),
                   .dependence = dependence},
                  Context(1, seed));
}

Columns truth_of(const Dataset& data) {
  Columns out;
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    out.push_back(classes_of(data.y, data.sets, s));
  }
  return out;
}

std::unique_ptr<Model> fit_spec(const std::string& spec, const Dataset& data, int threads = 1) {
  return fit_learner(CompleteSpec(parse_spec(spec)), view_of(data), Context(threads));
}

// The result called `id`; an empty matrix if there is none.
Matrix result_of(const Model& model, const std::string& id) {
  for (const Result& result : model.results()) {
    if (result.id == id) return result.values;
  }
  return {};
}

// --- The algorithm written out slowly, for any number of sets. ---

struct Slow {
  std::string base;
  Index rounds = 10;
  double B = 1.05;
  bool reuse = true;
  std::string labels = "pred";
  bool draws = true;
};

Matrix joined(MatrixView x, const std::vector<std::pair<std::vector<Id>, Id>>& others) {
  Index width = x.cols();
  for (const auto& [classes, count] : others) width += count;
  Matrix out(x.rows(), width);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) out(i, j) = x(i, j);
    Index first = x.cols();
    for (const auto& [classes, count] : others) {
      out(i, first + classes[at(i)]) = 1;
      first += count;
    }
  }
  return out;
}

class SlowClassifier {
 public:
  SlowClassifier(const Slow& how, MatrixView x, const std::vector<Id>& y, Id classes,
                 const std::vector<double>& mass) {
    std::vector<Id> rows, targets;
    std::vector<double> weights;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto copies = how.draws ? static_cast<int>(mass[i]) : 1;
      for (int c = 0; c < copies; ++c) {
        rows.push_back(static_cast<Id>(i));
        targets.push_back(y[i]);
        weights.push_back(how.draws ? 1.0 : mass[i]);
      }
    }
    model_ =
        FittedClassifier(parse_spec(how.base),
                         {take_rows(Features(x), rows), targets, classes, weights}, Context(1));
  }
  std::vector<Id> predict(MatrixView x) const {
    const Matrix scores = model_.scores(Features(x), Context(1));
    std::vector<Id> out;
    for (Index i = 0; i < x.rows(); ++i) {
      const auto row = scores.row(i);
      out.push_back(row.size() == 1
                        ? (row[0] > 0.5 ? 1 : 0)
                        : static_cast<Id>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    return out;
  }

 private:
  FittedClassifier model_;
};

// Votes of the slow form on the training rows, rows x labels; errors come back by round and rank.
Matrix slow_votes(const Slow& how, const Dataset& data, std::vector<std::vector<double>>& errors) {
  MatrixView x = data.x.dense();
  const Columns y = truth_of(data);
  const std::size_t sets = y.size();
  std::vector<std::size_t> order(sets);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return data.sets.members[a].size() < data.sets.members[b].size();
  });
  const auto classes = [&](std::size_t s) { return static_cast<Id>(data.sets.members[s].size()); };
  const auto n = at(x.rows());
  std::vector<std::vector<double>> w(sets, std::vector<double>(n, 1 / static_cast<double>(n)));
  Matrix votes(x.rows(), data.labels());
  std::vector<double> total(sets, 0.0);
  for (Index t = 0; t < how.rounds; ++t) {
    std::vector<std::vector<double>> mass(sets);
    for (std::size_t r = 0; r < sets; ++r) {
      const std::size_t s = order[r];
      if (how.draws) {
        mass[s] = draw_counts(
            w[s], Context(1).rng("dsml.draws", static_cast<std::uint64_t>(t), sets - 1 - r));
      } else {
        for (const double v : w[s]) mass[s].push_back(v * static_cast<double>(n));
      }
    }
    Columns newest(sets);
    // All other sets in the order of ranks, as far as they have an answer.
    const auto others = [&](const Columns& answers, std::size_t own) {
      std::vector<std::pair<std::vector<Id>, Id>> out;
      for (const std::size_t s : order) {
        if (how.reuse && s != own && !answers[s].empty()) {
          out.emplace_back(answers[s], classes(s));
        }
      }
      return out;
    };
    if (how.reuse) {
      for (std::size_t r = 0; r + 1 < sets; ++r) {
        const std::size_t s = order[r];
        const Matrix z = joined(x, others(newest, s));
        newest[s] = SlowClassifier(how, z, y[s], classes(s), mass[s]).predict(z);
      }
    }
    const Columns raw = newest;
    std::vector<std::pair<std::size_t, SlowClassifier>> finals;
    Columns measured(sets);
    for (std::size_t r = sets; r-- > 0;) {
      const std::size_t s = order[r];
      Columns seen = newest;
      if (how.labels != "pred") {
        seen = raw;
        seen[s] = y[s];
        for (const auto& [other, h] : finals)
          seen[other] = h.predict(joined(x, others(seen, other)));
      }
      finals.emplace_back(
          s, SlowClassifier(how, joined(x, others(seen, s)), y[s], classes(s), mass[s]));
      newest[s] = finals.back().second.predict(joined(x, others(newest, s)));
      measured[s] = how.labels == "true" ? finals.back().second.predict(joined(x, others(seen, s)))
                                         : newest[s];
    }
    std::vector<double> alpha(sets);
    auto& round_errors = errors.emplace_back();
    for (std::size_t s = 0; s < sets; ++s) {
      double e = 0;
      for (std::size_t i = 0; i < n; ++i) {
        e += measured[s][i] != y[s][i] ? mass[s][i] / static_cast<double>(n) : 0.0;
      }
      round_errors.push_back(e);
      e = std::max(e, 0.5 / static_cast<double>(n));
      alpha[s] = (std::log((1 - e) / e) + std::log(classes(s) - 1.0)) / classes(s);
      total[s] += alpha[s];
      for (std::size_t i = 0; i < n; ++i) {
        const Id label = data.sets.members[s][at(newest[s][i])];
        votes(static_cast<Index>(i), label) += alpha[s];
      }
    }
    for (std::size_t s = 0; s < sets; ++s) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (measured[s][i] != y[s][i]) w[s][i] *= std::exp(alpha[s]);
        for (std::size_t o = 0; o < sets; ++o) {
          if (o != s && measured[o][i] != y[o][i]) w[s][i] *= how.B;
        }
        sum += w[s][i];
      }
      for (double& v : w[s]) v /= sum;
    }
  }
  for (std::size_t s = 0; s < sets; ++s) {
    for (const Id l : data.sets.members[s]) {
      for (Index i = 0; i < x.rows(); ++i) votes(i, l) /= total[s];
    }
  }
  return votes;
}

void expect_same(const Slow& how, const std::vector<Index>& sizes) {
  const Dataset data = made_sets(sizes, 120, 3, 0.7, 0.9);
  std::vector<std::vector<double>> errors;
  const Matrix slow = slow_votes(how, data, errors);
  std::string spec = "dsml(rounds=" + std::to_string(how.rounds) + ",base=" + how.base +
                     ",B=" + std::to_string(how.B);
  if (!how.reuse) spec += ",reuse=false";
  spec += ",reuse_labels=" + how.labels;
  if (!how.draws) spec += ",fit=weights";
  const auto model = fit_spec(spec + ")", data);
  ASSERT_EQ(model->summary().rounds, how.rounds) << spec;
  const Matrix got_errors = result_of(*model, "errors");
  for (std::size_t t = 0; t < errors.size(); ++t) {
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      EXPECT_NEAR(got_errors(static_cast<Index>(t), static_cast<Index>(s)), errors[t][s], 1e-9)
          << spec << " round " << t;
    }
  }
  const Matrix fast = model->predict(view_of(data), Context(1)).scores;
  for (Index i = 0; i < data.rows(); ++i) {
    for (Index l = 0; l < data.labels(); ++l) EXPECT_NEAR(fast(i, l), slow(i, l), 1e-9) << spec;
  }
}

const std::string k_stump = "tree(max_depth=2, prune=false)";

TEST(Dsml, AgainstTheSlowFormForTwoSets) {
  expect_same({.base = k_stump, .rounds = 6}, {4, 3});
  expect_same({.base = k_stump, .rounds = 6, .B = 1.5}, {3, 4});
  expect_same({.base = k_stump, .rounds = 6}, {3, 3});
  expect_same({.base = k_stump, .rounds = 6, .draws = false}, {4, 3});
  expect_same({.base = k_stump, .rounds = 5, .labels = "true", .draws = false}, {4, 3});
  expect_same({.base = k_stump, .rounds = 5, .labels = "training", .draws = false}, {4, 3});
  expect_same({.base = k_stump, .rounds = 5, .reuse = false}, {4, 3});
}

TEST(Dsml, AgainstTheSlowFormForOneThreeAndFourSets) {
  expect_same({.base = k_stump, .rounds = 4}, {3});
  expect_same({.base = k_stump, .rounds = 4}, {2, 4, 3});
  expect_same({.base = k_stump, .rounds = 4, .labels = "true"}, {3, 2, 3});
  expect_same({.base = k_stump, .rounds = 4, .labels = "training"}, {3, 2, 3});
  expect_same({.base = k_stump, .rounds = 3, .draws = false}, {2, 3, 2, 4});
}

// One boosted classifier of two classes: half the log odds as vote, wrong rows up by e^vote.
std::vector<int> ada_boost_votes(const Dataset& data, std::size_t s, Index rounds) {
  const std::vector<Id> y = classes_of(data.y, data.sets, s);
  const auto n = at(data.rows());
  std::vector<double> w(n, 1 / static_cast<double>(n)), sum(n, 0.0);
  for (Index t = 0; t < rounds; ++t) {
    std::vector<double> mass;
    for (const double v : w) mass.push_back(v * static_cast<double>(n));
    const FittedClassifier h(parse_spec(k_stump), {data.x, y, 2, mass}, Context(1));
    const Matrix scores = h.scores(data.x, Context(1));
    double e = 0;
    std::vector<bool> wrong;
    for (std::size_t i = 0; i < n; ++i) {
      const bool yes = scores(static_cast<Index>(i), 0) > 0.5;
      wrong.push_back(yes != (y[i] == 1));
      if (wrong.back()) e += w[i];
    }
    const double alpha = 0.5 * std::log((1 - e) / e);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += (scores(static_cast<Index>(i), 0) > 0.5 ? 1 : -1) * alpha;
      if (wrong[i]) w[i] *= std::exp(alpha);
      total += w[i];
    }
    for (double& v : w) v /= total;
  }
  std::vector<int> out;
  for (const double v : sum) out.push_back(v > 0 ? 1 : 0);
  return out;
}

TEST(Dsml, TwoBinarySetsWithoutReuseAreAdaBoostTwice) {
  const Dataset data = made_sets({2, 2}, 200, 5, 0.5, 0.9);
  const auto model = fit_spec("dsml(reuse=false,B=1,fit=weights,base=" + k_stump + ")", data);
  ASSERT_EQ(model->summary().rounds, 10);
  const Labels decided = *model->predict(view_of(data), Context(1)).decided;
  for (std::size_t s = 0; s < 2; ++s) {
    const std::vector<int> expected = ada_boost_votes(data, s, 10);
    const std::vector<Id> got = classes_of(decided, data.sets, s);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]) << s << ' ' << i;
  }
}

TEST(Dsml, WithoutReuseASetRunsAsItDoesAlone) {
  const Dataset both = made_sets({4, 3}, 150);
  Dataset alone = both;
  alone.y = take_labels(both.y, both.sets.members[0]);
  alone.label_names.resize(4);
  alone.sets = {{"set1"}, {both.sets.members[0]}};
  for (const char* how : {"", ",fit=weights"}) {
    const std::string spec = "dsml(reuse=false,B=1,base=" + k_stump + how + ")";
    const auto two = fit_spec(spec, both), one = fit_spec(spec, alone);
    const Matrix a = two->predict(view_of(both), Context(1)).scores;
    const Matrix b = one->predict(view_of(alone), Context(1)).scores;
    for (Index i = 0; i < 150; ++i) {
      for (Index l = 0; l < 4; ++l) EXPECT_EQ(a(i, l), b(i, l));
    }
  }
}

TEST(Dsml, ARowOfWeightTwoIsTwoRows) {
  Dataset weighted = made_sets({4, 3}, 150), repeated = weighted;
  std::vector<Id> rows;
  for (Id i = 0; i < 150; ++i) {
    weighted.weights.push_back(1 + i % 3);
    for (Id copy = 0; copy <= i % 3; ++copy) rows.push_back(i);
  }
  repeated.x = take_rows(weighted.x, rows);
  repeated.y = take_rows(weighted.y, rows);
  const std::string spec = "dsml(rounds=4,fit=weights,base=logistic(C=0.1,tolerance=1e-9))";
  const Matrix a = fit_spec(spec, weighted)->predict(view_of(weighted), Context(1)).scores;
  const Matrix b = fit_spec(spec, repeated)->predict(view_of(weighted), Context(1)).scores;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index l = 0; l < a.cols(); ++l) EXPECT_NEAR(a(i, l), b(i, l), 1e-6) << i << " " << l;
  }
}

TEST(Dsml, OneRoundIsTheChainOfThreeClassifiers) {
  const Dataset data = made_sets({4, 3}, 150);
  const Columns y = truth_of(data);
  const auto model = fit_spec("dsml(rounds=1,fit=weights,base=logistic)", data);
  const Slow how{.base = "logistic", .draws = false};
  const std::vector<double> mass(150, 1.0);
  MatrixView x = data.x.dense();
  const std::vector<Id> raw = SlowClassifier(how, x, y[1], 3, mass).predict(x);
  const Matrix with_b = joined(x, {{raw, 3}});
  const std::vector<Id> a = SlowClassifier(how, with_b, y[0], 4, mass).predict(with_b);
  const Matrix with_a = joined(x, {{a, 4}});
  const std::vector<Id> b = SlowClassifier(how, with_a, y[1], 3, mass).predict(with_a);
  const Labels decided = *model->predict(view_of(data), Context(1)).decided;
  EXPECT_EQ(classes_of(decided, data.sets, 0), a);
  EXPECT_EQ(classes_of(decided, data.sets, 1), b);
}

TEST(Dsml, SwappedSetsGiveTheSameModel) {
  const Dataset data = made_sets({4, 3}, 150);
  Dataset swapped = data;
  const std::vector<Id> order = {4, 5, 6, 0, 1, 2, 3};
  swapped.y = take_labels(data.y, order);
  swapped.sets = {{"set2", "set1"}, {{0, 1, 2}, {3, 4, 5, 6}}};
  for (const std::string base : {"rbf_network(centres=10)", k_stump.c_str()}) {
    const std::string spec = "dsml(base=" + base + ")";
    const Matrix a = fit_spec(spec, data)->predict(view_of(data), Context(1)).scores;
    const Matrix b = fit_spec(spec, swapped)->predict(view_of(swapped), Context(1)).scores;
    for (Index i = 0; i < 150; ++i) {
      for (std::size_t l = 0; l < 7; ++l) {
        EXPECT_EQ(b(i, static_cast<Index>(l)), a(i, order[l]));
      }
    }
  }
}

TEST(Dsml, VotesAreSharesAndOneLabelOfEachSetIsDecided) {
  const Dataset data = made_sets({4, 3, 2}, 150);
  const Prediction prediction =
      fit_spec("dsml(base=rbf_network(centres=15))", data)->predict(view_of(data), Context(1));
  EXPECT_EQ(prediction.scale, Scale::votes);
  require_label_sets(*prediction.decided, data.sets);
  const Labels by_scores = decide({.scores = prediction.scores, .scale = Scale::votes}, &data.sets);
  EXPECT_EQ(by_scores, *prediction.decided);
  for (Index i = 0; i < 150; ++i) {
    for (const auto& members : data.sets.members) {
      double sum = 0;
      for (const Id l : members) sum += prediction.scores(i, l);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

// Features that give the classes away: no errors, all rounds, votes of half an error.
TEST(Dsml, AlwaysRightNeverStops) {
  Dataset data = made_sets({3, 2}, 60);
  data.x = to_dense(data.y);
  const auto model = fit_spec("dsml(B=1,base=tree)", data);
  EXPECT_EQ(model->summary().rounds, 10);
  EXPECT_TRUE(model->summary().converged);
  const Matrix errors = result_of(*model, "errors"), votes = result_of(*model, "votes");
  for (Index t = 0; t < 10; ++t) {
    EXPECT_EQ(errors(t, 0), 0);
    EXPECT_NEAR(votes(t, 0), vote_weight(0, 3, 60), 1e-12);
  }
  EXPECT_EQ(*model->predict(view_of(data), Context(1)).decided, data.y);
}

// `prior` answers with the most frequent class. Balanced classes keep it exactly at chance, which
// does not stop.
TEST(Dsml, ChanceItselfDoesNotStop) {
  Dataset data = made_sets({2, 2}, 40);
  std::vector<std::vector<Id>> rows;
  for (Id i = 0; i < 40; ++i) rows.push_back({i % 2, 2 + i / 2 % 2});
  data.y = Labels(4, rows);
  const auto model = fit_spec("dsml(fit=weights,base=prior)", data);
  EXPECT_EQ(model->summary().rounds, 10);
  const Matrix votes = result_of(*model, "votes");
  for (Index t = 0; t < 10; ++t) EXPECT_EQ(votes(t, 0), 0) << t;
  // All votes have weight 0: every round counts alike.
  const Matrix scores = model->predict(view_of(data), Context(1)).scores;
  EXPECT_NEAR(scores(0, 0) + scores(0, 1), 1, 1e-12);
}

TEST(Dsml, AWeakFirstRoundVotesAlone) {
  // What `prior` learns from the rows drawn may be the rarer class of all rows: with an error on
  // all rows some seed is worse than chance at once.
  bool stopped = false;
  for (std::uint64_t seed = 0; seed < 30 && !stopped; ++seed) {
    Dataset data = made_sets({2, 2}, 21);
    std::vector<std::vector<Id>> rows;
    for (Id i = 0; i < 21; ++i) rows.push_back({i % 2, 2 + i / 2 % 2});
    data.y = Labels(4, rows);
    const auto model = fit_learner(CompleteSpec(parse_spec("dsml(base=prior,error=weighted)")),
                                   view_of(data), Context(1, seed));
    const Matrix votes = result_of(*model, "votes");
    if (model->summary().converged) {
      EXPECT_LE(model->summary().rounds, 10);
      continue;
    }
    stopped = true;
    EXPECT_EQ(model->summary().rounds, 1);
    EXPECT_EQ(votes(0, 0), 1);
    EXPECT_EQ(votes(0, 1), 1);
    require_label_sets(*model->predict(view_of(data), Context(1)).decided, data.sets);
  }
  EXPECT_TRUE(stopped);
}

TEST(Dsml, ASetOfOneClassIsConstant) {
  Dataset data = made_sets({3, 2}, 60);
  Dataset wider = data;
  std::vector<std::vector<Id>> rows;
  for (Index i = 0; i < 60; ++i) {
    rows.emplace_back(data.y.row(i).begin(), data.y.row(i).end());
    rows.back().push_back(5);
  }
  wider.y = Labels(6, rows);
  wider.sets.names.push_back("only");
  wider.sets.members.push_back({5});
  wider.label_names.push_back("only=c1");
  const std::string spec = "dsml(base=rbf_network(centres=10))";
  const Matrix a = fit_spec(spec, data)->predict(view_of(data), Context(1)).scores;
  const Matrix b = fit_spec(spec, wider)->predict(view_of(wider), Context(1)).scores;
  for (Index i = 0; i < 60; ++i) {
    EXPECT_EQ(b(i, 5), 1);
    for (Index l = 0; l < 5; ++l) EXPECT_EQ(a(i, l), b(i, l));
  }
}

TEST(Dsml, ClassesThatNeverOccurAreNeverPredicted) {
  Dataset data = made_sets({4, 3}, 100);
  std::vector<std::vector<Id>> rows;
  for (Index i = 0; i < 100; ++i) {
    rows.push_back({data.y.row(i)[0] % 2, data.y.row(i)[1]});  // classes 2 and 3 are gone
  }
  data.y = Labels(7, rows);
  for (const char* spec :
       {"dsml", "dsml(shared_centres=false)", "independent", "co_occurrence", "label_stacking"}) {
    const auto model = fit_spec(spec, data);
    const Labels decided = *model->predict(view_of(made_sets({4, 3}, 300, 9)), Context(1)).decided;
    EXPECT_TRUE(decided.column(2).empty()) << spec;
    EXPECT_TRUE(decided.column(3).empty()) << spec;
  }
}

TEST(Dsml, SameBitsOnAnyNumberOfThreads) {
  const Dataset data = made_sets({5, 3}, 3000);
  for (const char* spec :
       {"dsml(rounds=3)", "dsml(rounds=2,shared_centres=false)", "dsml(rounds=2,base=tree)",
        "independent", "co_occurrence", "label_stacking"}) {
    const Matrix one = fit_spec(spec, data, 1)->predict(view_of(data), Context(1)).scores;
    for (const int threads : {2, 8}) {
      EXPECT_EQ(one, fit_spec(spec, data, threads)->predict(view_of(data), Context(threads)).scores)
          << spec << " on " << threads;
    }
  }
}

std::string problem_of(const std::string& spec, const Dataset& data) {
  try {
    fit_spec(spec, data);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Dsml, MistakesAreNamed) {
  Dataset data = made_sets({3, 2}, 30);
  EXPECT_NE(problem_of("dsml(B=0.9)", data).find("'B'"), std::string::npos);
  EXPECT_NE(problem_of("dsml(rounds=0)", data).find("'rounds'"), std::string::npos);
  EXPECT_NE(problem_of("dsml(base=tree,shared_centres=true)", data).find("rbf_network"),
            std::string::npos);
  const std::vector<Id> first = {0};
  EXPECT_NE(problem_of("dsml", take_rows(data, first)).find("at least 2"), std::string::npos);
  Dataset loose = data;
  loose.sets.names.pop_back();
  loose.sets.members.pop_back();
  EXPECT_NE(problem_of("dsml", loose).find("exactly one label set"), std::string::npos);
  Dataset twice = data;
  std::vector<std::vector<Id>> rows;
  for (Index i = 0; i < 30; ++i) rows.emplace_back(data.y.row(i).begin(), data.y.row(i).end());
  rows[16] = {0, 1, 3};
  twice.y = Labels(5, rows);
  EXPECT_NE(problem_of("dsml", twice).find("row 17"), std::string::npos);
  Dataset none = data;
  none.sets = {};
  EXPECT_NE(problem_of("dsml", none).find("label sets"), std::string::npos);
}

double all_right(const std::string& spec, const Dataset& train, const Dataset& test) {
  const Labels decided =
      decide(fit_spec(spec, train)->predict(view_of(test), Context(1)), &test.sets);
  double right = 0;
  for (Index i = 0; i < test.rows(); ++i) {
    const auto a = decided.row(i), b = test.y.row(i);
    right += std::equal(a.begin(), a.end(), b.begin(), b.end()) ? 1 : 0;
  }
  return right / static_cast<double>(test.rows());
}

// Five seeds of two and of three sets with little noise: DSML gains over independent classifiers
// when the sets depend on each other and does not lose when they do not. With much noise it does
// lose; docs/reproduction.md has the figures.
// rounds=auto is what fitting each fold for every number of rounds finds.
TEST(Dsml, RoundsAreChosenByHeldOutRows) {
  Dataset data = made_sets({4, 3}, 90);
  data.weights.assign(90, 1.0);
  for (std::size_t i = 0; i < 90; i += 4) data.weights[i] = 2;
  for (const std::string base : {"base=rbf_network(centres=8)", "base=stump"}) {
    const auto model = fit_spec("dsml(rounds=auto, " + base + ")", data);
    const Matrix search = result_of(*model, "rounds_search");
    ASSERT_EQ(search.rows(), 100);
    const Context ctx(1);
    const auto folds = k_folds(data.y, {.folds = 3}, ctx);
    const Columns truth = truth_of(data);
    Index best = 0;
    for (const Index rounds : {1, 2, 7, 40}) {
      double right = 0, total = 0;
      for (const auto& fold : folds) {
        std::vector<Id> train_rows, test_rows;
        const View whole = view_of(data);
        const View seen = part_of(whole, fold.train, train_rows);
        View test = part_of(whole, fold.test, test_rows);
        const auto one = fit_learner(
            CompleteSpec(parse_spec("dsml(" + base + ", rounds=" + std::to_string(rounds) + ")")),
            seen, ctx);
        const Labels decided = decide(one->predict(test, ctx));
        for (std::size_t k = 0; k < fold.test.size(); ++k) {
          const Id i = fold.test[k];
          const double weight = data.weights[at(i)];
          total += weight;
          bool all = true;
          for (std::size_t s = 0; s < truth.size(); ++s) {
            const Id label = data.sets.members[s][at(truth[s][at(i)])];
            all = all && decided.cell(static_cast<Index>(k), label) == Cell::positive;
          }
          if (all) right += weight;
        }
      }
      EXPECT_NEAR(search(rounds - 1, 0), right / total, 1e-12) << base << rounds;
    }
    for (Index t = 1; t < 100; ++t) {
      if (search(t, 0) > search(best, 0)) best = t;
    }
    const auto plain =
        fit_spec("dsml(" + base + ", rounds=" + std::to_string(best + 1) + ")", data);
    EXPECT_EQ(model->predict(view_of(data), Context(1)).scores,
              plain->predict(view_of(data), Context(1)).scores);
  }
  EXPECT_THROW(fit_spec("dsml(rounds=0)", data), Error);
}

TEST(Dsml, GainsOnDependentSetsAndDoesNotLoseOnOthers) {
  for (const std::vector<Index>& sizes : {std::vector<Index>{6, 3}, std::vector<Index>{5, 4, 3}}) {
    for (const double dependence : {0.6, 0.0}) {
      std::vector<double> gains;
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Dataset all = made_sets(sizes, 3000, seed, dependence, 0.2);
        std::vector<Id> first(1500), second(1500);
        std::iota(first.begin(), first.end(), 0);
        std::iota(second.begin(), second.end(), 1500);
        const Dataset train = take_rows(all, first), test = take_rows(all, second);
        const std::string base = "(base=rbf_network(centres=40))";
        gains.push_back(all_right("dsml" + base, train, test) -
                        all_right("independent" + base, train, test));
      }
      const double mean = std::accumulate(gains.begin(), gains.end(), 0.0) / 5;
      EXPECT_GT(mean, dependence > 0 ? 0.01 : -0.005) << sizes.size() << " sets";
    }
  }
}

TEST(LabelSetLearners, LoadAsTheyWereSaved) {
  const Dataset data = made_sets({4, 3, 2}, 80);
  const std::string path = testing::TempDir() + "/label_set_learner.model";
  for (const char* text : {"dsml(rounds=2)", "dsml(rounds=2,base=tree)", "dsml(reuse=false)",
                           "independent", "co_occurrence(base=tree)", "label_stacking"}) {
    const Spec spec = complete_spec(parse_spec(text));
    const auto model = fit_learner(CompleteSpec(spec), view_of(data), Context(1));
    ModelFileWriter file;
    ArchiveWriter writer(file);
    model->write(writer);
    file.save(path, "{}");
    const ModelFileReader stored(path);
    ArchiveReader reader(stored, {data.columns(), data.labels()});
    const auto loaded = find_learner(spec.id).load(spec, reader);
    const Prediction a = model->predict(view_of(data), Context(1));
    const Prediction b = loaded->predict(view_of(data), Context(1));
    EXPECT_EQ(a.scores, b.scores) << text;
    EXPECT_EQ(*a.decided, *b.decided) << text;
  }
  std::filesystem::remove(path);
}

// Five folds by row number. The paper reports a gain of 1.8 points over independent classifiers on
// its own form of this data; here 2 points and 0.90 are asked for.
TEST(Dsml, FrequencyGender) {
  const std::string path = places::real_data() + "/voice/frequency-gender.arff.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; set MULBERRY_DATA";
  const Dataset data = read_dataset(path, {.label_count = -7, .label_sets = {"freq", "gender"}});
  double dsml = 0, independent = 0;
  for (Id fold = 0; fold < 5; ++fold) {
    std::vector<Id> train, test;
    for (Id i = 0; i < static_cast<Id>(data.rows()); ++i) {
      (i % 5 == fold ? test : train).push_back(i);
    }
    const Dataset known = take_rows(data, train), fresh = take_rows(data, test);
    dsml += all_right("dsml", known, fresh) / 5;
    independent += all_right("independent", known, fresh) / 5;
  }
  EXPECT_GE(dsml, 0.90);
  EXPECT_GE(dsml, independent + 0.02);
}

// The same data without some labels: a row loses its label of a set with probability `share`.
Dataset without_some(const Dataset& data, double share, std::size_t only_set, bool all_sets) {
  Dataset out = data;
  Random random(9, "without some");
  std::vector<std::vector<Id>> positives(at(data.rows())), missing(positives);
  for (Index i = 0; i < data.rows(); ++i) {
    for (std::size_t s = 0; s < data.sets.size(); ++s) {
      const bool hide = random.chance(share) && (all_sets || s == only_set);
      for (const Id l : data.sets.members[s]) {
        const auto row = data.y.row(i);
        if (hide) {
          missing[at(i)].push_back(l);
        } else if (std::find(row.begin(), row.end(), l) != row.end()) {
          positives[at(i)].push_back(l);
        }
      }
    }
    std::sort(positives[at(i)].begin(), positives[at(i)].end());
    std::sort(missing[at(i)].begin(), missing[at(i)].end());
  }
  out.y = Labels(data.labels(), positives, missing);
  return out;
}

double right_share(const Model& model, const Dataset& data) {
  const Prediction found = model.predict(view_of(data), Context(1));
  const Labels yes = decide(found, &data.sets);
  double right = 0, all = 0;
  for (Index i = 0; i < data.rows(); ++i) {
    for (const Id l : data.y.row(i)) {
      const auto row = yes.row(i);
      right += std::find(row.begin(), row.end(), l) != row.end() ? 1 : 0;
      ++all;
    }
  }
  return right / all;
}

// Without reuse and with B = 1 the sets do not see each other: what is missing in one of them
// changes nothing in the other.
TEST(DsmlMissing, AMissingLabelCountsInItsOwnSetOnly) {
  const Dataset data = made_sets({4, 3}, 200), fewer = without_some(data, 0.4, 1, false);
  const std::string spec =
      "dsml(base=logistic,reuse=false,B=1,fit=weights,error=weighted,rounds=3)";
  const auto whole = fit_spec(spec, data), part = fit_spec(spec, fewer);
  const Prediction a = whole->predict(view_of(data), Context(1)),
                   b = part->predict(view_of(data), Context(1));
  double moved = 0;
  for (Index i = 0; i < data.rows(); ++i) {
    for (const Id l : data.sets.members[0]) EXPECT_EQ(a.scores(i, l), b.scores(i, l));
    for (const Id l : data.sets.members[1]) moved += std::abs(a.scores(i, l) - b.scores(i, l));
  }
  EXPECT_GT(moved, 0);
}

TEST(DsmlMissing, LearnsFromWhatIsKnown) {
  const Dataset data = made_sets({4, 3}, 600), test = made_sets({4, 3}, 600, 1);
  const Dataset fewer = without_some(data, 0.5, 0, true);
  const double whole = right_share(*fit_spec("dsml", data), test),
               part = right_share(*fit_spec("dsml", fewer), test);
  EXPECT_GT(whole, 0.6);
  EXPECT_GT(part, whole - 0.15);
}

TEST(DsmlMissing, WhatNeedsEveryLabelSaysSo) {
  const Dataset fewer = without_some(made_sets({4, 3}, 60), 0.3, 0, true);
  EXPECT_THROW(fit_spec("dsml(reuse_labels=true)", fewer), Error);
  EXPECT_THROW(fit_spec("dsml(base=rbf_network(centres=auto))", fewer), Error);
  Dataset none = without_some(made_sets({4, 3}, 60), 1, 1, false);
  EXPECT_THROW(fit_spec("dsml", none), Error) << "no label of a set at all";
}

}  // namespace
}  // namespace mulberry::learners

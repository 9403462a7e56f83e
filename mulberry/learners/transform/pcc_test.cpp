#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/transform/chain_inference.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

// The message names every base learner that the learner would take.
void expect_named_bases(const std::string& id, const char* refused,
                        bool (*suits)(const BaseLearner&)) {
  std::string message;
  try {
    CompleteSpec(parse_spec(id + "(" + refused + ")")).tags();
  } catch (const Error& error) {
    message = error.what();
  }
  const auto list = message.find("as base: ");
  ASSERT_NE(list, std::string::npos) << id << ": " << message;
  const std::vector<std::string> names = split(message.substr(list + 9), ',');
  std::vector<std::string> expected;
  for (const BaseLearner& base : base_learners()) {
    if (suits(base)) expected.push_back((expected.empty() ? "" : " ") + base.id);
  }
  EXPECT_EQ(names, expected) << id;
  EXPECT_GT(names.size(), 1U);
}

TEST(Pcc, BasesThatWouldDoAreNamed) {
  const auto probabilities = [](const BaseLearner& base) {
    return base.scale == Scale::probability;
  };
  expect_named_bases("pcc", "base=linear_svm", probabilities);
  expect_named_bases("clr", "votes=soft, base=linear_svm",
                     [](const BaseLearner& base) { return base.scale != Scale::margin; });
  expect_named_bases("mss_boost", "base=msvr",
                     [](const BaseLearner& base) { return base.tags.weights; });
}

Dataset data_of(std::uint64_t seed, Index rows) {
  return generate("linear", {.rows = rows, .features = 3, .labels = 4, .noise = 0.8},
                  Context(1, seed));
}

Chain chain_of(const Dataset& data, const std::vector<Id>& order) {
  const Spec base = find_base("logistic").complete("logistic");
  return {base, order, data.x, data.y, {}, Context()};
}

// P(set | row) by the product along the chain, one set at a time.
double probability(const Chain& chain, const Features& row, const std::vector<bool>& set) {
  double out = 1;
  Matrix before(1, 0);
  for (Index j = 0; j < chain.size(); ++j) {
    const double yes = chain.link_scores(j, row, before, Context())(0, 0);
    const bool holds = set[at(chain.order()[at(j)])];
    out *= holds ? yes : 1 - yes;
    std::vector<double> longer(before.values().begin(), before.values().end());
    longer.push_back(holds ? 1 : 0);
    before = Matrix(1, j + 1, std::move(longer));
  }
  return out;
}

std::vector<bool> set_number(int bits, Index labels) {
  std::vector<bool> out;
  for (Index l = 0; l < labels; ++l) out.push_back((bits >> l & 1) != 0);
  return out;
}

TEST(ProbabilisticChain, EqualsTheSumOverAllSets) {
  const Dataset data = data_of(1, 60), test = data_of(2, 10);
  const Chain chain = chain_of(data, {2, 0, 3, 1});
  const ChainPosterior found = chain_posterior(chain, test.x, 0, Context(2));
  for (Id i = 0; i < 10; ++i) {
    const Features row = take_rows(test.x, std::vector<Id>{i});
    std::vector<double> marginal(4, 0.0);
    double total = 0, best = -1;
    std::vector<bool> likeliest;
    for (int bits = 0; bits < 16; ++bits) {
      const std::vector<bool> set = set_number(bits, 4);
      const double p = probability(chain, row, set);
      total += p;
      for (std::size_t l = 0; l < 4; ++l) marginal[l] += set[l] ? p : 0;
      if (p > best) {
        best = p;
        likeliest = set;
      }
    }
    EXPECT_NEAR(total, 1, 1e-12);
    for (Index l = 0; l < 4; ++l) {
      EXPECT_NEAR(found.marginals(i, l), marginal[at(l)], 1e-12);
      EXPECT_EQ(found.mode.cell(i, l) == Cell::positive, likeliest[at(l)]);
    }
  }
}

TEST(ProbabilisticChain, SamplesComeNearTheExactMarginals) {
  const Dataset data = data_of(3, 60), test = data_of(4, 15);
  const Chain chain = chain_of(data, {0, 1, 2, 3});
  const ChainPosterior exact = chain_posterior(chain, test.x, 0, Context());
  const ChainPosterior drawn = chain_posterior(chain, test.x, 4000, Context(1, 5));
  const ChainPosterior again = chain_posterior(chain, test.x, 4000, Context(2, 5));
  EXPECT_EQ(drawn.marginals, again.marginals);
  EXPECT_EQ(drawn.mode, again.mode);
  // Four deviations of a mean of 4000 draws; the first label needs no draw at all.
  for (Index i = 0; i < 15; ++i) {
    EXPECT_EQ(drawn.marginals(i, 0), exact.marginals(i, 0));
    for (Index l = 1; l < 4; ++l) {
      EXPECT_NEAR(drawn.marginals(i, l), exact.marginals(i, l), 4 * 0.5 / std::sqrt(4000.0));
    }
  }
}

// The samples, one at a time with the same random numbers: the mode is the set drawn most often.
TEST(ProbabilisticChain, TheSampledModeIsTheMostFrequentSample) {
  const Dataset data = data_of(5, 60), test = data_of(6, 8);
  const Chain chain = chain_of(data, {3, 1, 0, 2});
  const Context ctx(1, 11);
  const Index samples = 101;
  const ChainPosterior drawn = chain_posterior(chain, test.x, samples, ctx);
  for (Id i = 0; i < 8; ++i) {
    const Features row = take_rows(test.x, std::vector<Id>{i});
    std::vector<int> count(16, 0);
    std::vector<double> marginal(4, 0.0);
    for (Index s = 0; s < samples; ++s) {
      Random draws = ctx.rng("chain sample", static_cast<std::uint64_t>(s));
      std::vector<double> before;
      std::size_t bits = 0;
      for (Index j = 0; j < 4; ++j) {
        const double yes = chain.link_scores(j, row, Matrix(1, j, before), ctx)(0, 0);
        const Id label = chain.order()[at(j)];
        marginal[at(label)] += yes / static_cast<double>(samples);
        before.push_back(draws.uniform() < yes ? 1 : 0);
        if (before.back() == 1) bits |= std::size_t{1} << label;
      }
      ++count[bits];
    }
    std::size_t mode = 0;
    for (const Id l : drawn.mode.row(i)) mode |= std::size_t{1} << l;
    EXPECT_EQ(count[mode], *std::max_element(count.begin(), count.end()));
    for (Index l = 0; l < 4; ++l) {
      EXPECT_NEAR(drawn.marginals(i, l), marginal[at(l)], 1e-12);
    }
  }
}

TEST(ProbabilisticChain, OneLabelIsLogisticRegression) {
  Dataset data = data_of(7, 50);
  data.y = take_labels(data.y, std::vector<Id>{2});
  const Context ctx(1, 1);
  const Matrix a = fit_learner("pcc", view_of(data), ctx)->predict(view_of(data), ctx).scores;
  const Matrix b =
      fit_learner("br_logistic", view_of(data), ctx)->predict(view_of(data), ctx).scores;
  for (Index i = 0; i < 50; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-12);
}

TEST(ProbabilisticChain, DrawsOnlyBeyondTheExactLabels) {
  const Dataset data = data_of(8, 40);
  const Context ctx(1, 1);
  const auto scores = [&](const std::string& text) {
    return fit_learner(CompleteSpec(parse_spec(text)), view_of(data), ctx)
        ->predict(view_of(data), ctx)
        .scores;
  };
  EXPECT_EQ(scores("pcc(exact_labels=4, samples=3)"), scores("pcc"));
  EXPECT_NE(scores("pcc(exact_labels=3, samples=3)"), scores("pcc"));
}

TEST(ProbabilisticChain, NeedsProbabilities) {
  const Dataset data = data_of(9, 20);
  try {
    check_learner(CompleteSpec(parse_spec("pcc(base=linear_svm)")), view_of(data));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::parameter);
    EXPECT_NE(error.remedy().find("logistic"), std::string::npos);
  }
}

}  // namespace
}  // namespace mulberry::learners

// The parts of the forest: leaves by hand, scores of rows out of bag by their definition,
// importance of features whose influence is known, and what other learners do with left-out scores.
#include "mulberry/base/forest/forest_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/trees/forest_pieces.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Label 0 is x0 > 0, label 1 is x1 > 0.5, label 2 is both; five more features mean nothing.
Dataset two_features(Index rows, double noise, std::uint64_t seed) {
  Random draws(seed, "two features");
  Dataset out;
  Matrix x(rows, 7);
  std::vector<std::vector<Id>> labels(at(rows));
  for (Index i = 0; i < rows; ++i) {
    for (double& v : x.row(i)) v = draws.normal();
    const bool truth[] = {x(i, 0) > 0, x(i, 1) > 0.5, x(i, 0) > 0 && x(i, 1) > 0.5};
    for (Id l = 0; l < 3; ++l) {
      if (truth[l] != draws.chance(noise)) labels[at(i)].push_back(l);
    }
  }
  out.x = std::move(x);
  out.y = Labels(3, labels);
  out.label_names = {"a", "b", "c"};
  return out;
}

const Result* find(const std::vector<Result>& results, const std::string& id) {
  for (const Result& result : results) {
    if (result.id == id) return &result;
  }
  return nullptr;
}

TEST(Forest, OneTreeOnAllRowsHasTheSharesOfItsLeaves) {
  // The cut at 2.5 parts {a}, {a, b} from {}, {b}: leaves of two rows each.
  Dataset data;
  data.x = Matrix(4, 1, std::vector<double>{1, 2, 3, 4});
  data.y = Labels(2, {{0}, {0, 1}, {}, {1}});
  const FittedLearner model(CompleteSpec(parse_spec("forest(trees=1,sample=all,max_leaves=2)")),
                            view_of(data), Context());
  const Matrix scores = model.predict(view_of(data), Context()).scores;
  EXPECT_EQ(scores, Matrix(4, 2, std::vector<double>{1, 0.5, 1, 0.5, 0, 0.5, 0, 0.5}));
}

TEST(Forest, WeightsOfRowsAreWeightsOfLeaves) {
  Dataset data;
  data.x = Matrix(4, 1, std::vector<double>{1, 1, 1, 1});
  data.y = Labels(1, {{0}, {}, {}, {}});
  data.weights = {3, 1, 1, 1};
  const FittedLearner model(CompleteSpec(parse_spec("forest(sample=all)")), view_of(data),
                            Context());
  EXPECT_DOUBLE_EQ(model.predict(view_of(data), Context()).scores.values()[0], 0.5);
}

TEST(Forest, MissingCellsLeaveTheirShareToTheOthers) {
  Dataset data;
  data.x = Matrix(4, 1, std::vector<double>{1, 1, 1, 1});
  data.y = Labels(2, {{0}, {}, {1}, {1}}, {{}, {}, {0}, {0}});
  const FittedLearner model(CompleteSpec(parse_spec("forest(trees=3,sample=all)")), view_of(data),
                            Context());
  const Matrix scores = model.predict(view_of(data), Context()).scores;
  EXPECT_DOUBLE_EQ(scores.values()[0], 0.5);
  EXPECT_DOUBLE_EQ(scores.values()[1], 0.5);
}

TEST(Forest, GrownToPurityKnowsItsTrainingRows) {
  const Dataset data = two_features(300, 0.2, 1);
  for (const char* text : {"forest(sample=all)", "forest(sample=all,cuts=random)",
                           "forest(sample=all,targets=each)"}) {
    const FittedLearner model(CompleteSpec(parse_spec(text)), view_of(data), Context(2));
    EXPECT_EQ(decide(model.predict(view_of(data), Context())), data.y) << text;
  }
}

TEST(Forest, EachLabelByItselfIsBinaryRelevance) {
  const Dataset data = two_features(200, 0.1, 2);
  const FittedLearner one(CompleteSpec(parse_spec("forest(targets=each,trees=20)")), view_of(data),
                          Context());
  const FittedLearner two(CompleteSpec(parse_spec("br(base=forest(trees=20))")), view_of(data),
                          Context());
  EXPECT_EQ(one.predict(view_of(data), Context()).scores,
            two.predict(view_of(data), Context()).scores);
}

void expect_same(const Matrix& found, const Matrix& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (Index k = 0; k < found.size(); ++k) {
    const double a = found.values()[at(k)], b = expected.values()[at(k)];
    ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << k;
  }
}

TEST(Forest, ContinuedOnTheSameRowsIsTheForestOfOneTraining) {
  Dataset data = two_features(120, 0.1, 6);
  const Dataset other = two_features(80, 0.1, 7);
  Matrix y = to_dense(data.y);
  for (Index i = 0; i < 120; i += 5) y(i, 1) = std::nan("");
  data.y = labels_from_dense(y);
  const Context ctx(2, 4);
  for (const std::string targets : {"all", "each"}) {
    const auto spec = [&](int trees) {
      return CompleteSpec(parse_spec("forest(importance=label,targets=" + targets +
                                     ",trees=" + std::to_string(trees) + ")"));
    };
    const auto whole = fit_learner(spec(9), view_of(data), ctx);
    const auto first = fit_learner(spec(4), view_of(data), ctx);
    const auto grown = fit_learner(spec(5), view_of(data), ctx, first.get());
    EXPECT_EQ(grown->predict(view_of(data), ctx).scores, whole->predict(view_of(data), ctx).scores);
    EXPECT_EQ(grown->summary().rounds, whole->summary().rounds);
    const std::vector<Result> one = whole->results(), two = grown->results();
    // Out of bag as well, and in a third training.
    const Result *measured = find(one, "out_of_bag"), *again = find(two, "out_of_bag");
    ASSERT_TRUE(measured != nullptr && again != nullptr);
    EXPECT_EQ(again->row_names, measured->row_names);
    EXPECT_EQ(again->values, measured->values);
    expect_same(*grown->held_out(), *whole->held_out());
    const auto third = fit_learner(spec(2), view_of(data), ctx, grown.get());
    expect_same(*third->held_out(), *fit_learner(spec(11), view_of(data), ctx)->held_out());
    for (const char* id : {"importance", "importance_by_label"}) {
      const Result *expected = find(one, id), *found = find(two, id);
      ASSERT_TRUE(expected != nullptr && found != nullptr) << id;
      for (Index k = 0; k < expected->values.size(); ++k) {
        EXPECT_NEAR(found->values.data()[k], expected->values.data()[k], 1e-12) << id;
      }
    }
    // On other rows: the mean of all trees.
    const auto more = fit_learner(spec(12), view_of(other), ctx, first.get());
    EXPECT_EQ(more->summary().rounds, 4 * first->summary().rounds);
    // Which of these rows the first trees have seen is not known: the later ones speak for
    // themselves. So with another seed.
    const auto seeded = fit_learner(spec(5), view_of(data), Context(2, 5), first.get());
    for (const auto& [model, trees] : {std::pair{more.get(), 12}, std::pair{seeded.get(), 5}}) {
      const std::vector<Result> results = model->results();
      const Result* part = find(results, "out_of_bag");
      ASSERT_NE(part, nullptr);
      EXPECT_EQ(part->row_names.back(), "trees");
      EXPECT_EQ(part->values(part->values.rows() - 1, 0), trees);
    }
  }
}

TEST(Forest, OnlyTheSameLabelsAndTargetsAreContinued) {
  const Dataset data = two_features(40, 0.1, 8);
  const auto first =
      fit_learner(CompleteSpec(parse_spec("forest(trees=2)")), view_of(data), Context());
  EXPECT_THROW(fit_learner(CompleteSpec(parse_spec("forest(targets=each)")), view_of(data),
                           Context(), first.get()),
               Error);
  Dataset fewer = data;
  fewer.y = take_labels(data.y, std::vector<Id>{0, 1});
  EXPECT_THROW(
      fit_learner(CompleteSpec(parse_spec("forest")), view_of(fewer), Context(), first.get()),
      Error);
}

// Weights decide what is drawn: a row of weight 0.5 is drawn half as often as one of weight 1.
TEST(Forest, TreesDrawRowsByWeight) {
  const Dataset data = two_features(200, 0.1, 9);
  std::vector<double> weights;
  for (Index i = 0; i < 200; ++i) weights.push_back(i % 2 == 0 ? 0.1 : 4.0);
  ForestParams params;
  params.trees = 20;
  ForestBags bags(20, 200);
  const ForestTarget target = all_labels(data.y);
  const Forest forest(data.x, std::span(&target, 1), weights, params, Context(1, 5), &bags);
  double light = 0, heavy = 0;
  for (Index t = 0; t < 20; ++t) {
    for (Id i = 0; i < 200; ++i) (i % 2 == 0 ? light : heavy) += bags.has(t, i) ? 1 : 0;
  }
  // 1 - exp(-200 w / 410) of the rows of weight w, of 2000 each: 95 and 1716.
  EXPECT_NEAR(light, 95, 40);
  EXPECT_NEAR(heavy, 1716, 60);
}

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), at(a.size()) * sizeof(double)) == 0;
}

// Pieces of any sizes make the forest of one training: trees, importance and left-out scores.
TEST(Forest, PiecesAreTheForestOfOneTraining) {
  Dataset data = two_features(120, 0.1, 4);
  for (Index i = 0; i < 120; ++i) data.weights.push_back(i % 3 == 0 ? 0.5 : 2.0);
  const View view = view_of(data);
  const Context ctx(1, 11);
  for (const char* text :
       {"forest(trees=7,oob=scores,importance=label)", "forest(trees=7,targets=each)",
        "forest(trees=7,importance=permutation,label_weights=variance)",
        "forest(trees=7,sample=all,cuts=random,importance=none)"}) {
    const Spec spec = complete_spec(parse_spec(text));
    const std::unique_ptr<Model> expected = find_learner("forest").fit(view, spec, ctx, nullptr);
    const std::vector<ForestPiece> pieces = {grow_forest_piece(view, spec, 0, 1, ctx),
                                             grow_forest_piece(view, spec, 1, 4, ctx),
                                             grow_forest_piece(view, spec, 5, 2, ctx)};
    const std::unique_ptr<Model> found = forest_of_pieces(view, spec, pieces, ctx);
    EXPECT_TRUE(same_bits(found->predict(view, ctx).scores, expected->predict(view, ctx).scores));
    const std::vector<Result> a = found->results(), b = expected->results();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_TRUE(same_bits(a[k].values, b[k].values)) << text << ", " << a[k].id;
    }
    EXPECT_THROW(forest_of_pieces(view, spec, std::span(pieces).first(2), ctx), Error);
  }
}

TEST(Forest, PiecesOfOtherDataAreRefused) {
  const Dataset data = two_features(120, 0.1, 4), other = two_features(200, 0.1, 4);
  const Spec spec = complete_spec(parse_spec("forest(trees=3)"));
  const ForestPiece piece = grow_forest_piece(view_of(data), spec, 0, 3, Context());
  EXPECT_THROW(forest_of_pieces(view_of(other), spec, std::span(&piece, 1), Context()), Error);
  const Spec labels = complete_spec(parse_spec("forest(trees=3,targets=each)"));
  EXPECT_THROW(forest_of_pieces(view_of(data), labels, std::span(&piece, 1), Context()), Error);
}

TEST(Forest, OutOfBagIsTheMeanOfTheTreesThatHaveNotSeenTheRow) {
  const Dataset data = two_features(60, 0.1, 3);
  const Compact compact(view_of(data));
  ForestParams params;
  params.trees = 3;
  ForestBags bags(3, 60);
  const ForestTarget target = all_labels(data.y);
  const Forest forest(data.x, std::span(&target, 1), {}, params, Context(1, 5), &bags);
  const FittedLearner model(CompleteSpec(parse_spec("forest(trees=3,oob=scores)")), view_of(data),
                            Context(1, 5));
  ASSERT_NE(model.held_out(), nullptr);
  const std::vector<Result> results = model.results();
  const Result* stored = find(results, "oob_scores");
  ASSERT_NE(stored, nullptr);
  Index never = 0;
  for (Id i = 0; i < 60; ++i) {
    double sum[3] = {}, count = 0;
    for (Index t = 0; t < 3; ++t) {
      if (bags.has(t, i)) continue;
      ++count;
      const Id leaf = forest.trees().leaf(t, data.x.dense_row(i).data());
      forest.visit_leaf(leaf, [&](Id l, double share) { sum[l] += share; });
    }
    never += count == 0 ? 1 : 0;
    for (Index l = 0; l < 3; ++l) {
      const double found = (*model.held_out())(i, l);
      if (count == 0) {
        EXPECT_TRUE(std::isnan(found));
      } else {
        EXPECT_DOUBLE_EQ(found, sum[l] / count);
        EXPECT_EQ(stored->values(i, l), found);
      }
    }
  }
  EXPECT_GT(never, 0);
  const Result* measured = find(results, "out_of_bag");
  ASSERT_NE(measured, nullptr);
  EXPECT_EQ(measured->values(0, 0), static_cast<double>(60 - never));
}

// An honest estimate: close to the loss on new rows, far from that on training rows.
TEST(Forest, OutOfBagMeasuresForetellNewRows) {
  const Dataset train = two_features(600, 0.15, 4), test = two_features(4000, 0.15, 5);
  const FittedLearner model("forest", view_of(train), Context(2));
  const auto loss = [&](const Dataset& data) {
    const Prediction p = model.predict(view_of(data), Context(2));
    return measures::measure("brier_score", data.y, {.scores = &p.scores, .probabilities = true},
                             {}, Context())
        .value;
  };
  const std::vector<Result> results = model.results();
  const Result* found = find(results, "out_of_bag");
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->row_names.back(), "brier_score");
  const double estimate = found->values(found->values.rows() - 1, 0);
  EXPECT_NEAR(estimate, loss(test), 0.015);
  EXPECT_LT(loss(train), 0.5 * estimate);
}

TEST(Forest, ImportanceIsOfTheFeaturesThatMatter) {
  const Dataset data = two_features(500, 0.05, 6);
  for (const char* kind : {"gain", "label", "permutation"}) {
    const FittedLearner model(
        CompleteSpec(parse_spec(std::string("forest(trees=40,importance=") + kind + ")")),
        view_of(data), Context(2));
    const std::vector<Result> results = model.results();
    const Result* total = find(results, "importance");
    ASSERT_NE(total, nullptr) << kind;
    const Result* by_label = find(results, "importance_by_label");
    EXPECT_EQ(by_label != nullptr, std::string(kind) != "gain");
    for (Index j = 2; j < 7; ++j) {
      EXPECT_GT(total->values(0, 0), 3 * total->values(j, 0)) << kind << " " << j;
      EXPECT_GT(total->values(1, 0), 3 * total->values(j, 0)) << kind << " " << j;
      if (by_label == nullptr) continue;
      EXPECT_GT(by_label->values(0, 0), 3 * by_label->values(j, 0)) << kind;
      EXPECT_GT(by_label->values(1, 1), 3 * by_label->values(j, 1)) << kind;
    }
    if (by_label == nullptr) continue;
    EXPECT_GT(by_label->values(0, 0), 3 * by_label->values(1, 0)) << kind;
    EXPECT_GT(by_label->values(1, 1), 3 * by_label->values(0, 1)) << kind;
    for (Index j = 0; j < 7; ++j) {  // labels share the total
      double sum = 0;
      for (Index l = 0; l < 3; ++l) sum += by_label->values(j, l);
      EXPECT_NEAR(sum, total->values(j, 0), 1e-9);
    }
  }
}

// Rare labels are told apart first when all labels weigh the same.
TEST(Forest, LabelWeightsDecideWhatIsSplitFirst) {
  const Index n = 1000;
  Dataset data;
  Matrix x(n, 2);
  std::vector<std::vector<Id>> labels(at(n));
  Random draws(7, "rare");
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = draws.normal();
    x(i, 1) = i < 20 ? 1 : 0;
    if ((x(i, 0) > 0) != draws.chance(0.1)) labels[at(i)].push_back(0);
    if (i < 20) labels[at(i)].push_back(1);
  }
  data.x = std::move(x);
  data.y = Labels(2, labels);
  const auto score = [&](const char* weights) {
    const FittedLearner model(
        CompleteSpec(parse_spec(
            std::string("forest(trees=1,sample=all,columns=2,max_leaves=2,label_weights=") +
            weights + ")")),
        view_of(data), Context());
    return model.predict(view_of(data), Context()).scores(0, 1);
  };
  EXPECT_LT(score("equal"), 0.1);
  EXPECT_EQ(score("variance"), 1);
}

TEST(Forest, ThresholdAndCalibratedLearnFromRowsOutOfBag) {
  const Dataset data = two_features(200, 0.1, 8);
  const FittedLearner forest("forest", view_of(data), Context(1, 3));
  EXPECT_EQ(held_out_scores(forest, "forest", view_of(data), 5, Context(1, 3)), *forest.held_out());
  // With one tree some rows are never left out, and folds take over.
  const CompleteSpec small(parse_spec("forest(trees=1)"));
  const FittedLearner tree(small, view_of(data), Context(1, 3));
  EXPECT_EQ(held_out_scores(tree, small, view_of(data), 5, Context(1, 3)),
            held_out_scores(small, view_of(data), 5, Context(1, 3)));
  int fits = 0;
  const Context ctx = Context(1, 3).with_progress([&](double, double) { ++fits; });
  const FittedLearner cut(CompleteSpec(parse_spec("threshold(base=forest,cut=macro_f)")),
                          view_of(data), ctx);
  EXPECT_LT(fits, 150);  // 100 trees once, not six times
}

const Result* result_named(const std::vector<Result>& results, const std::string& id) {
  for (const Result& result : results) {
    if (result.id == id) return &result;
  }
  return nullptr;
}

// A forest for each label by binary relevance knows what one learner of all of them knows.
TEST(Forest, BinaryRelevanceHasScoresOutOfBag) {
  Dataset data = two_features(150, 0.1, 11);
  Matrix cells = to_dense(data.y);
  for (Index k = 0; k < cells.size(); k += 7) cells.data()[k] = k_nan;
  const Labels partly = labels_from_dense(cells);
  for (const Labels& y : {data.y, partly}) {
    data.y = y;
    const Context ctx(2, 3);
    const CompleteSpec relevance(parse_spec("br(base=forest(trees=30))"));
    const FittedLearner br(relevance, view_of(data), ctx);
    const FittedLearner forest(CompleteSpec(parse_spec("forest(trees=30,targets=each)")),
                               view_of(data), ctx);
    ASSERT_NE(br.held_out(), nullptr);
    EXPECT_EQ(*br.held_out(), *forest.held_out());
    const std::vector<Result> first = br.results(), second = forest.results();
    const Result* const one = result_named(first, "out_of_bag");
    const Result* const other = result_named(second, "out_of_bag");
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->values, other->values);
    EXPECT_EQ(one->row_names, other->row_names);
    // Nothing is trained for cuts and calibration.
    EXPECT_EQ(held_out_scores(br, relevance, view_of(data), 5, ctx), *br.held_out());
    const auto scores = [&](const char* text) {
      const FittedLearner model(CompleteSpec(parse_spec(text)), view_of(data), ctx);
      return model.predict(view_of(data), ctx).scores;
    };
    EXPECT_EQ(scores("calibrated(base=br(base=forest(trees=30)))"),
              scores("calibrated(base=forest(trees=30,targets=each))"));
  }
  // Trees that have seen all rows leave it to folds, and chains do not ask.
  for (const char* text : {"br(base=forest(trees=5,sample=all))", "cc(base=forest(trees=5))"}) {
    const FittedLearner model(CompleteSpec(parse_spec(text)), view_of(data), Context());
    EXPECT_EQ(model.held_out(), nullptr) << text;
    EXPECT_EQ(result_named(model.results(), "out_of_bag"), nullptr) << text;
  }
}

TEST(Forest, SidesOfMissingFeaturesAreLearnt) {
  Dataset data = two_features(400, 0, 9);
  Matrix x(to_dense(data.x));
  std::vector<std::vector<Id>> labels(400);
  for (Index i = 0; i < 400; ++i) {
    if (i % 3 == 0) x(i, 0) = k_nan;
    if (i % 3 == 0 || x(i, 0) > 0) labels[at(i)].push_back(0);
  }
  data.x = std::move(x);
  data.y = Labels(1, labels);
  const FittedLearner model("forest", view_of(data), Context(2));
  Matrix rows(2, 7, 0.1);
  rows(0, 0) = k_nan;
  rows(1, 0) = -1;
  const Features features(std::move(rows));
  const Matrix scores = model.predict({.x = &features}, Context()).scores;
  EXPECT_GT(scores(0, 0), 0.7);
  EXPECT_LT(scores(1, 0), 0.3);
}

}  // namespace
}  // namespace mulberry::learners

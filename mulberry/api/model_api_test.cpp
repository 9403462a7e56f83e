// Learning through the public headers.
#include <gtest/gtest.h>
#include <mulberry/mulberry.hpp>

#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

#include "tests/support/temporary_folder.hpp"

namespace mulberry::api {
namespace {

// The Error that a call throws.
Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::internal, "nothing was thrown"};
}

std::vector<double> scores_of(const Prediction& prediction) {
  return {prediction.scores().begin(), prediction.scores().end()};
}

const Dataset& photos() {
  static const Dataset data = generate("photos", {.rows = 200});
  return data;
}

TEST(LearnersApi, ListsAndCompletes) {
  EXPECT_GT(list_learners().size(), 20u);
  EXPECT_GT(list_base_learners().size(), 3u);
  EXPECT_EQ(describe_learner("ecc").id, "ecc");
  const Error error = error_of([] { describe_learner("eccc"); });
  EXPECT_NE(std::string(error.what()).find("ecc"), std::string::npos) << error.what();
  EXPECT_EQ(complete_learner("br_svm(C=2)").rfind("br(base=linear_svm(", 0), 0u);
  EXPECT_EQ(error_of([] { complete_learner("ecc(chains=-1)"); }).code(), ErrorCode::parameter);
  EXPECT_EQ(error_of([] { complete_learner("ecc(chains="); }).code(), ErrorCode::usage);
}

TEST(ModelApi, SavedAndLoadedPredictsTheSameBits) {
  const tests::TemporaryFolder folder;
  const Model model =
      train("ecc(chains=3, base=logistic)", photos(), {.scale = "standardise"}, Context(2, 5));
  model.save(folder.file("m.mb"));
  const Model loaded = Model::load(folder.file("m.mb"));
  EXPECT_EQ(loaded.learner(), model.learner());
  EXPECT_EQ(loaded.label_names(), photos().label_names());
  EXPECT_EQ(loaded.columns(), photos().columns());
  EXPECT_EQ(loaded.summary().rows, 200);
  EXPECT_EQ(scores_of(loaded.predict(photos())), scores_of(model.predict(photos(), Context(2))));

  photos().write(folder.file("p.csv"));
  EXPECT_EQ(loaded.read(folder.file("p.csv")).label_names(), photos().label_names());
}

TEST(ModelApi, ArraysAndDataSetsAgree) {
  const Model model = train("br_logistic", photos());
  const std::vector<double> expected = scores_of(model.predict(photos()));
  const DenseRows dense = photos().features().dense();
  EXPECT_EQ(scores_of(model.predict(dense)), expected);

  std::vector<double> wide;
  std::vector<std::int64_t> start = {0};
  std::vector<std::int32_t> index;
  std::vector<double> value;
  for (std::int64_t i = 0; i < dense.rows; ++i) {
    for (std::int64_t j = 0; j < dense.cols; ++j) {
      wide.push_back(dense.values[i * dense.cols + j]);
      index.push_back(static_cast<std::int32_t>(j));
      value.push_back(wide.back());
    }
    wide.push_back(1e9);
    start.push_back(static_cast<std::int64_t>(index.size()));
  }
  EXPECT_EQ(scores_of(model.predict(DenseRows{.values = wide.data(),
                                              .rows = dense.rows,
                                              .cols = dense.cols,
                                              .stride = dense.cols + 1})),
            expected);
  const auto sparse = scores_of(model.predict(SparseRows{.rows = dense.rows,
                                                         .cols = dense.cols,
                                                         .start = start.data(),
                                                         .index = index.data(),
                                                         .value = value.data()}));
  ASSERT_EQ(sparse.size(), expected.size());
  for (std::size_t k = 0; k < sparse.size(); ++k) EXPECT_NEAR(sparse[k], expected[k], 1e-9);
  EXPECT_EQ(error_of([&] {
              model.predict(DenseRows{.values = dense.values, .rows = 1, .cols = 3});
            }).code(),
            ErrorCode::data);
}

TEST(ModelApi, ResultsGoToTheCallersMemory) {
  const Prediction prediction = train("br_logistic", photos()).predict(photos());
  ASSERT_EQ(prediction.scale(), Scale::probability);
  std::vector<double> scores(prediction.scores().size()), probabilities(scores.size());
  std::vector<std::int8_t> decisions(scores.size());
  copy_scores(prediction, scores);
  copy_probabilities(prediction, probabilities);
  copy_decisions(prediction, decisions);
  EXPECT_EQ(scores, scores_of(prediction));
  EXPECT_EQ(scores, probabilities);
  for (std::size_t k = 0; k < scores.size(); ++k) EXPECT_EQ(decisions[k], scores[k] >= 0.5);
  EXPECT_THROW(copy_scores(prediction, {scores.data(), 3}), Error);

  const Prediction margins = train("br_svm", photos()).predict(photos());
  EXPECT_EQ(margins.scale(), Scale::margin);
  const Error error = error_of([&] { margins.probabilities(); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_NE(error.remedy().find("calibrated"), std::string::npos);
}

// A model that keeps its training rows keeps the memory that they are in.
TEST(ModelApi, BorrowedTrainingRowsOutliveTheDataSet) {
  const DenseRows from = photos().features().dense();
  auto memory =
      std::make_shared<std::vector<double>>(from.values, from.values + from.rows * from.cols);
  const std::weak_ptr<std::vector<double>> watched = memory;
  std::optional<Model> model;
  {
    const Dataset data(
        {.features = Features::borrow(
             DenseRows{.values = memory->data(), .rows = from.rows, .cols = from.cols}, memory),
         .labels = photos().labels()});
    model = train("ml_knn(k=3)", data, {}, Context(1));
  }
  memory.reset();
  const auto expected = scores_of(train("ml_knn(k=3)", photos(), {}, Context(1)).predict(from));
  EXPECT_EQ(scores_of(model->predict(from)), expected);
  model.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(ModelApi, MistakesAreErrorsWithANextStep) {
  EXPECT_EQ(error_of([] { train("no_such_learner", photos()); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { train("br", photos(), {.scale = "biggest"}); }).code(),
            ErrorCode::parameter);
  EXPECT_EQ(error_of([] { train("br", photos(), {}, Context(0)); }).code(), ErrorCode::parameter);
  const tests::TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { Model::load(folder.file("absent.mb")); }).code(), ErrorCode::io);
  const std::string wrong = folder.put("wrong.mb", std::string(200, 'x'));
  const Error error = error_of([&] { Model::load(wrong); });
  EXPECT_EQ(error.code(), ErrorCode::model_file);
  EXPECT_NE(error.place().find("wrong.mb"), std::string::npos) << error.what();
  EXPECT_EQ(name_of(error.code()), "model_file");
}

TEST(ModelApi, ManyThreadsMayPredictAtOnce) {
  const Model model = train("ml_knn", photos());
  const std::vector<double> expected = scores_of(model.predict(photos()));
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        if (scores_of(model.predict(photos())) != expected) ++wrong;
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ContextApi, StopsAndReports) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(train("br_logistic", photos(), {}, Context(2).with_stop(stop.get_token())),
               Cancelled);

  // The same context serves two calls, and each begins at 0.
  double last = 0;
  int calls = 0, falls = 0;
  const Context context = Context(2).with_progress([&](const Progress& now) {
    falls += now.fraction < last ? 1 : 0;
    last = now.fraction;
    ++calls;
  });
  for (int run = 0; run < 2; ++run) {
    last = calls = 0;
    train("ecc(chains=20)", photos(), {}, context);
    EXPECT_GT(calls, 0);
    EXPECT_LE(last, 1);
  }
  EXPECT_EQ(falls, 0);
  EXPECT_EQ(Context(3, 9).with_seed(4).seed(), 4u);
  EXPECT_EQ(Context(3, 9).threads(), 3);
}

TEST(ContextApi, WhatACallbackThrowsComesOut) {
  const Context context = Context(2).with_progress([](const Progress&) { throw 7; });
  EXPECT_THROW(train("ecc(chains=5)", photos(), {}, context), int);
}

TEST(MeasuresApi, OwnArraysAndPredictionsAgree) {
  const Prediction prediction = train("br_logistic", photos()).predict(photos());
  const Labels truth = photos().labels(), decided = prediction.decisions();
  const std::vector<std::string> names = {"macro_f1", "ranking_loss", "log_loss"};
  const auto known = list_measures();
  ASSERT_GT(known.size(), 20u);
  std::vector<std::string> some;
  for (const MeasureInfo& info : known) {
    if (std::find(names.begin(), names.end(), info.name) != names.end()) some.push_back(info.name);
  }
  ASSERT_GE(some.size(), 2u);
  const auto values = score(truth, prediction, some);
  const auto same = score(
      truth,
      Outcome{.scores = prediction.scores().data(), .decisions = &decided, .probabilities = true},
      some);
  const auto aligned = score(train("br_logistic", photos()), photos(), some);
  ASSERT_EQ(values.size(), some.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(values[k].value, same[k].value) << some[k];
    EXPECT_EQ(values[k].value, aligned[k].value) << some[k];
  }
  EXPECT_GT(score(truth, prediction).size(), 20u);
  EXPECT_EQ(error_of([&] { score(truth, prediction, {"macro_f2"}); }).code(), ErrorCode::parameter);
  EXPECT_EQ(error_of([&] { score(truth, prediction, {}, {.convention = "mine"}); }).code(),
            ErrorCode::parameter);
  EXPECT_EQ(
      error_of([&] { score(truth, Outcome{.decisions = &decided}, {"ranking_loss"}); }).code(),
      ErrorCode::unsupported);
}

TEST(CrossValidateApi, ComparesLearnersOnTheSameSplits) {
  const CrossValidateOptions options{.splits = {.folds = 3}, .measures = {"macro_f1", "jaccard"}};
  const Comparison one =
      cross_validate({"br_logistic", "ml_knn(k=5)"}, photos(), options, Context(1));
  const Comparison two =
      cross_validate({"br_logistic", "ml_knn(k=5)"}, photos(), options, Context(2));
  ASSERT_EQ(one.learners.size(), 2u);
  EXPECT_EQ(one.learners[1].name, "ml_knn(k=5)");
  EXPECT_EQ(one.measures, options.measures);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t m = 0; m < 2; ++m) {
      EXPECT_EQ(one.learners[k].estimates[m].values, two.learners[k].estimates[m].values);
      EXPECT_EQ(one.learners[k].estimates[m].values.size(), 3u);
    }
  }
  EXPECT_NE(one.json.find("macro_f1"), std::string::npos);

  const std::vector<Split> splits = make_splits(photos().labels(), {.holdout = 0.25});
  ASSERT_EQ(splits.size(), 1u);
  EXPECT_EQ(splits[0].train.size() + splits[0].test.size(), 200u);
  EXPECT_EQ(error_of([] { make_splits(photos().labels(), {.method = "best"}); }).code(),
            ErrorCode::parameter);
}

TEST(TuneApi, FindsTheBestOfAGrid) {
  const TuneResult result = tune("br_logistic", photos(),
                                 {.measure = "macro_f1",
                                  .search = "grid",
                                  .grid = "C=0.0001,1",
                                  .evaluate = {.splits = {.folds = 3}}});
  EXPECT_EQ(result.trials.size(), 2u);
  EXPECT_EQ(result.best, result.trials[result.best_trial].learner);
  EXPECT_NE(result.best.find("C=1"), std::string::npos) << result.best;
  EXPECT_EQ(error_of([] { tune("br_logistic", photos(), {.search = "luck"}); }).code(),
            ErrorCode::parameter);
}

}  // namespace
}  // namespace mulberry::api

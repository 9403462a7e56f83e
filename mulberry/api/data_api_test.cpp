// Data through the public headers: arrays with and without copies, files, made-up sets.
#include <gtest/gtest.h>
#include <mulberry/mulberry.hpp>

#include <functional>

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

TEST(FeaturesApi, CopiesRowsWithGaps) {
  const double values[] = {1, 2, -1, 3, 4, -1};
  const Features x = Features::copy({.values = values, .rows = 2, .cols = 2, .stride = 3});
  EXPECT_EQ(x.rows(), 2);
  EXPECT_EQ(x.cols(), 2);
  EXPECT_FALSE(x.is_sparse());
  EXPECT_EQ(x.at(1, 0), 3);
  EXPECT_EQ(x.at(1, 1), 4);
  EXPECT_THROW(x.at(2, 0), Error);
  EXPECT_THROW(x.sparse(), Error);
}

TEST(FeaturesApi, OwnedAndBorrowedMemoryIsNotCopied) {
  std::vector<double> values = {1, 2, 3, 4};
  const double* const place = values.data();
  const Features owned = Features::own(std::move(values), 2, 2);
  EXPECT_EQ(owned.dense().values, place);

  const auto mine = std::make_shared<const std::vector<double>>(4, 0.5);
  {
    const Features borrowed =
        Features::borrow(DenseRows{.values = mine->data(), .rows = 2, .cols = 2}, mine);
    const Dataset data({.features = borrowed});
    EXPECT_EQ(data.features().dense().values, mine->data());
    EXPECT_GT(mine.use_count(), 1);
  }
  EXPECT_EQ(mine.use_count(), 1);
}

TEST(FeaturesApi, SparseRowsStaySparse) {
  const std::vector<std::int64_t> start = {0, 1, 3};
  const std::vector<std::int32_t> index = {2, 0, 1};
  const std::vector<double> value = {5, 6, 7};
  const SparseRows rows{
      .rows = 2, .cols = 3, .start = start.data(), .index = index.data(), .value = value.data()};
  for (const Features& x :
       {Features::copy(rows), Features::borrow(rows, std::make_shared<int>(0))}) {
    EXPECT_TRUE(x.is_sparse());
    EXPECT_EQ(x.at(0, 2), 5);
    EXPECT_EQ(x.at(0, 0), 0);
    EXPECT_EQ(x.at(1, 1), 7);
    EXPECT_THROW(x.dense(), Error);
  }
  EXPECT_NE(Features::copy(rows).sparse().value, value.data());
}

TEST(FeaturesApi, WrongArraysAreErrors) {
  const double value = 1;
  const std::int64_t start[] = {0, 1};
  const std::int32_t outside[] = {3};
  EXPECT_EQ(error_of([] { Features::own({1, 2, 3}, 2, 2); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([] { Features::copy(DenseRows{.rows = 1, .cols = 1}); }).code(),
            ErrorCode::usage);
  EXPECT_EQ(error_of([&] { Features::copy({.values = &value, .rows = -1, .cols = 1}); }).code(),
            ErrorCode::parameter);
  EXPECT_EQ(error_of([&] {
              Features::borrow(DenseRows{.values = &value, .rows = 1, .cols = 1}, nullptr);
            }).code(),
            ErrorCode::usage);
  const Error error = error_of([&] {
    Features::copy(
        SparseRows{.rows = 1, .cols = 3, .start = start, .index = outside, .value = &value});
  });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_NE(error.problem().find("found 3 in row 1"), std::string::npos) << error.what();
}

TEST(LabelsApi, CellsAndListsAgree) {
  const std::int8_t cells[] = {1, 0, 1, 0, 1, -1};
  const Labels dense = Labels::from_cells(cells, 2, 3);
  const std::vector<std::int64_t> start = {0, 2, 3}, missing_start = {0, 0, 1};
  const std::vector<std::int32_t> index = {0, 2, 1}, missing = {2};
  const Labels lists = Labels::from_lists(3, start, index, missing_start, missing);
  for (const Labels& y : {dense, lists}) {
    EXPECT_EQ(y.rows(), 2);
    EXPECT_EQ(y.count(), 3);
    EXPECT_EQ(y.positives(), 3);
    EXPECT_EQ(y.missing(), 1);
    EXPECT_EQ(y.cell(0, 2), 1);
    EXPECT_EQ(y.cell(1, 2), -1);
    EXPECT_EQ(y.row(0).size(), 2u);
    EXPECT_EQ(y.missing_row(1)[0], 2);
    std::vector<std::int8_t> out(6);
    y.copy_cells(out);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), cells));
    EXPECT_THROW(y.copy_cells({out.data(), 5}), Error);
  }
}

TEST(LabelsApi, WrongCellsAreErrors) {
  const std::int8_t cells[] = {0, 2};
  const Error error = error_of([&] { Labels::from_cells(cells, 1, 2); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_NE(error.problem().find("found 2 in row 1 of label 2"), std::string::npos);
  const std::vector<std::int64_t> start = {0, 1};
  const std::vector<std::int32_t> index = {0};
  EXPECT_EQ(error_of([&] { Labels::from_lists(1, start, index, start, index); }).code(),
            ErrorCode::data);
  EXPECT_EQ(error_of([&] { Labels::from_lists(1, {}, {}); }).code(), ErrorCode::data);
}

TEST(DatasetApi, PartsMustFit) {
  const std::int8_t cells[] = {1, 0, 0, 1};
  const DatasetParts good{.features = Features::own({1, 2}, 2, 1),
                          .labels = Labels::from_cells(cells, 2, 2)};
  const Dataset data(good);
  EXPECT_EQ(data.label_names(), (std::vector<std::string>{"label1", "label2"}));
  EXPECT_EQ(data.rows(), 2);
  EXPECT_EQ(data.label_count(), 2);

  DatasetParts parts = good;
  parts.label_names = {"a", "a"};
  EXPECT_NE(error_of([&] { Dataset{parts}; }).problem().find("twice"), std::string::npos);
  parts = good;
  parts.weights = {1};
  EXPECT_EQ(error_of([&] { Dataset{parts}; }).code(), ErrorCode::data);
  parts = good;
  parts.features = Features::own({1, 2, 3}, 3, 1);
  EXPECT_EQ(error_of([&] { Dataset{parts}; }).code(), ErrorCode::data);
  parts = good;
  parts.label_sets = {{.name = "s", .labels = {0, 5}}};
  EXPECT_EQ(error_of([&] { Dataset{parts}; }).code(), ErrorCode::data);
  parts.label_sets = {{.name = "s", .labels = {0, 1}}};
  EXPECT_EQ(Dataset(parts).label_sets()[0].labels, (std::vector<std::int32_t>{0, 1}));
}

TEST(DatasetApi, ReadsWhatItWrote) {
  const tests::TemporaryFolder folder;
  const Dataset made = generate("photos", {.rows = 50}, Context(1, 7));
  made.write(folder.file("photos.arff"));
  const Dataset read = Dataset::read(folder.file("photos.arff"));
  EXPECT_EQ(read.rows(), 50);
  EXPECT_EQ(read.label_names(), made.label_names());
  EXPECT_EQ(read.feature_names(), made.feature_names());
  EXPECT_EQ(read.features().at(3, 1), made.features().at(3, 1));

  const std::vector<std::int32_t> some = {4, 2};
  EXPECT_EQ(read.take_rows(some).features().at(1, 0), made.features().at(2, 0));
  const std::vector<std::int32_t> none = {50};
  EXPECT_EQ(error_of([&] { read.take_rows(none); }).code(), ErrorCode::usage);
}

TEST(DatasetApi, OptionsOfReadersReachThem) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.put("t.csv", "a,tag_x,w,tag_y\n0.5,1,2,0\n1.5,0,1,1\n");
  const Dataset data = Dataset::read(path, {.label_prefix = "tag_", .weight_column = "w"});
  EXPECT_EQ(data.columns(), 1);
  EXPECT_EQ(data.label_names(), (std::vector<std::string>{"tag_x", "tag_y"}));
  EXPECT_EQ(data.weights(), (std::vector<double>{2, 1}));
  EXPECT_EQ(error_of([&] { Dataset::read(path, {.format = "xlsx"}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { Dataset::read(path, {.label_prefix = "t", .index_base = 7}); }).code(),
            ErrorCode::parameter);
  const Error error = error_of([&] { Dataset::read(folder.file("absent.arff")); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(std::string(error.what()).find("absent.arff"), std::string::npos);
}

TEST(DatasetApi, GeneratorsTakeTheirOptionsOnly) {
  ASSERT_FALSE(list_generators().empty());
  for (const GeneratorInfo& generator : list_generators()) {
    EXPECT_GT(generate(generator.id, {.rows = 20}).rows(), 0) << generator.id;
  }
  const Error error = error_of([] { generate("photos", {.dependence = 0.5}); });
  EXPECT_EQ(error.code(), ErrorCode::parameter);
  EXPECT_NE(error.remedy().find("rows"), std::string::npos);
}

TEST(DatasetApi, RulesBetweenLabelsGoFromFilesToModels) {
  const tests::TemporaryFolder folder;
  const std::string path =
      folder.put("pets.csv",
                 "x,when,tags\n1,17.05.2024,animal/dog;day\n2,18.05.2024,animal/cat;night\n"
                 "0,19.05.2024,day\n1,20.05.2024,animal/dog;night\n2,21.05.2024,animal/cat;day\n"
                 "0,22.05.2024,night\n");
  ReadOptions options{.label_list = "tags",
                      .label_rules = {.exclusive = {{"day", "night"}}},
                      .label_paths = '/',
                      .dates_as_parts = true};
  const Dataset data = Dataset::read(path, options);
  EXPECT_EQ(data.columns(), 6);
  const LabelRules rules = data.label_rules();
  ASSERT_EQ(rules.implies.size(), 2U);
  EXPECT_EQ(rules.implies[0].second, "animal");
  EXPECT_EQ(rules.exclusive, (std::vector<std::vector<std::string>>{{"day", "night"}}));
  const Model model = train("consistent(base=br_logistic)", data);
  EXPECT_EQ(model.label_rules().implies, rules.implies);
  const Dataset again = model.read(path);
  EXPECT_EQ(again.columns(), 6);
  const auto measured = score(model, again, {"hierarchical_f1"});
  EXPECT_GT(measured.at(0).value, 0);
  options.label_rules.implies = {{"dgo", "animal"}};
  EXPECT_EQ(error_of([&] { Dataset::read(path, options); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace mulberry::api

#include "mulberry/data/preprocess/preprocess.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mulberry/core/error.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/data/generate/generate.hpp"

namespace mulberry::data {
namespace {

Matrix hand() {  // columns: 1 3 5, constant 7, 0 0 6
  return {3, 3, std::vector<double>{1, 7, 0, 3, 7, 0, 5, 7, 6}};
}

Features some(double sparsity, Index rows, std::uint64_t seed) {
  GenerateOptions options;
  options.rows = rows;
  options.sparsity = sparsity;
  return generate("linear", options, Context(1, seed)).x;
}

void expect_near(const Features& a, const Features& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) EXPECT_NEAR(a.at(i, j), b.at(i, j), tolerance);
  }
}

TEST(ColumnStatistics, ByHandDenseAndSparse) {
  for (const Features& x : {Features(hand()), Features(to_sparse(hand()))}) {
    const ColumnStatistics s = column_statistics(x, Context());
    EXPECT_EQ(s.min, (std::vector<double>{1, 7, 0}));
    EXPECT_EQ(s.max, (std::vector<double>{5, 7, 6}));
    EXPECT_EQ(s.mean, (std::vector<double>{3, 7, 2}));
    EXPECT_EQ(s.nonzeros, (std::vector<Index>{3, 3, 1}));
    EXPECT_DOUBLE_EQ(s.deviation[0], std::sqrt(8.0 / 3.0));
    EXPECT_EQ(s.deviation[1], 0.0);
    EXPECT_DOUBLE_EQ(s.deviation[2], std::sqrt(8.0));
    EXPECT_DOUBLE_EQ(s.nonzero_size[0], std::sqrt(35.0 / 3.0));
    EXPECT_DOUBLE_EQ(s.nonzero_size[2], 6.0);
  }
}

TEST(ColumnStatistics, SameBitsForAnyThreads) {
  for (const double sparsity : {0.0, 0.7}) {
    const Features x = some(sparsity, 20000, 1);
    const ColumnStatistics one = column_statistics(x, Context(1));
    const ColumnStatistics many = column_statistics(x, Context(4));
    EXPECT_EQ(one.mean, many.mean);
    EXPECT_EQ(one.deviation, many.deviation);
    const ColumnStatistics dense = column_statistics(to_dense(x), Context(1));
    for (std::size_t j = 0; j < one.mean.size(); ++j) {
      EXPECT_NEAR(one.deviation[j], dense.deviation[j], 1e-12);
    }
  }
}

TEST(ColumnStatistics, NoRows) {
  const ColumnStatistics s = column_statistics(Matrix(0, 2), Context());
  EXPECT_TRUE(s.constant(0) && s.constant(1));
}

TEST(Preprocess, StandardiseByHand) {
  const Features x(hand());
  const auto steps = Preprocessing::fit(x, {.scale = FeatureScale::standardise}, Context());
  const double a = std::sqrt(1.5), b = 1 / std::sqrt(2.0);
  expect_near(steps.apply(x), Matrix(3, 3, std::vector<double>{-a, 0, -b, 0, 0, -b, a, 0, 2 * b}),
              1e-12);
}

TEST(Preprocess, MinmaxByHand) {
  const Features x(hand());
  const auto steps = Preprocessing::fit(x, {.scale = FeatureScale::minmax}, Context());
  expect_near(steps.apply(x), Matrix(3, 3, std::vector<double>{0, 0, 0, 0.5, 0, 0, 1, 0, 1}), 0);
}

TEST(Preprocess, UnitRowsWithoutOverflow) {
  const Features x(Matrix(3, 2, std::vector<double>{3e200, 4e200, 0, 0, -3e-200, 4e-200}));
  const auto steps = Preprocessing::fit(x, {.scale = FeatureScale::unit}, Context());
  const Matrix expected(3, 2, std::vector<double>{0.6, 0.8, 0, 0, -0.6, 0.8});
  expect_near(steps.apply(x), expected, 1e-15);
  expect_near(steps.apply(to_sparse(x)), expected, 1e-15);
}

TEST(Preprocess, TfidfByHand) {
  const Features x(to_sparse(hand()));
  const auto steps = Preprocessing::fit(x, {.tfidf = true}, Context());
  const double idf = std::log(4.0 / 2.0) + 1;  // in one row of three
  const Features out = steps.apply(x);
  EXPECT_TRUE(out.is_sparse());
  expect_near(out, Matrix(3, 3, std::vector<double>{1, 7, 0, 3, 7, 0, 5, 7, 6 * idf}), 1e-12);
}

TEST(Preprocess, SparseStaysSparse) {
  const Features x = some(0.6, 300, 2);
  const ColumnStatistics s = column_statistics(x, Context());
  for (const FeatureScale scale : {FeatureScale::standardise, FeatureScale::minmax}) {
    const Features out = Preprocessing::fit(x, {.scale = scale}, Context()).apply(x);
    ASSERT_TRUE(out.is_sparse());
    EXPECT_EQ(out.sparse().index, x.sparse().index);
    for (Index i = 0; i < 20; ++i) {
      for (std::size_t j = 0; j < s.min.size(); ++j) {
        const double size = scale == FeatureScale::standardise
                                ? s.deviation[j]
                                : std::max(std::abs(s.min[j]), std::abs(s.max[j]));
        const auto column = static_cast<Index>(j);
        EXPECT_NEAR(out.at(i, column), x.at(i, column) / size, 1e-14);
      }
    }
  }
}

// The steps give the same numbers for dense and sparse data.
TEST(Preprocess, RepresentationOfNewDataDoesNotMatter) {
  const Features sparse = some(0.6, 100, 3), dense = to_dense(sparse);
  for (const FeatureScale scale :
       {FeatureScale::none, FeatureScale::standardise, FeatureScale::minmax, FeatureScale::unit}) {
    for (const bool tfidf : {false, true}) {
      for (const Features& train : {sparse, dense}) {
        const auto steps = Preprocessing::fit(train, {.scale = scale, .tfidf = tfidf}, Context());
        expect_near(steps.apply(sparse), steps.apply(dense), 1e-14);
      }
    }
  }
}

TEST(Preprocess, TfidfComesBeforeScaling) {
  const Features x = some(0.0, 50, 4);
  for (const FeatureScale scale : {FeatureScale::standardise, FeatureScale::minmax}) {
    const Features weighted = Preprocessing::fit(x, {.tfidf = true}, Context()).apply(x);
    const Features twice =
        Preprocessing::fit(weighted, {.scale = scale}, Context()).apply(weighted);
    const auto both = Preprocessing::fit(x, {.scale = scale, .tfidf = true}, Context());
    expect_near(both.apply(x), twice, 1e-12);
  }
}

TEST(Preprocess, DropsConstantColumns) {
  for (const Features& x : {Features(hand()), Features(to_sparse(hand()))}) {
    const auto steps =
        Preprocessing::fit(x, {.scale = FeatureScale::minmax, .drop_constant = true}, Context());
    const Features out = steps.apply(x);
    EXPECT_EQ(out.cols(), 2);
    EXPECT_EQ(out.at(2, 0), 1.0);
    EXPECT_EQ(out.at(2, 1), 1.0);
  }
  const Features all_constant(Matrix(4, 2, 1.0));
  EXPECT_EQ(Preprocessing::fit(all_constant, {.drop_constant = true}, Context())
                .apply(all_constant)
                .cols(),
            0);
}

TEST(Preprocess, NothingAskedNothingDone) {
  const Features x = some(0.5, 10, 5);
  const auto steps = Preprocessing::fit(x, {}, Context());
  EXPECT_TRUE(steps.does_nothing());
  EXPECT_EQ(steps.apply(x), x);
  EXPECT_THROW(steps.apply(Matrix(2, 3)), Error);
}

TEST(Preprocess, HugeValuesAreAnError) {
  const Features x(Matrix(2, 1, std::vector<double>{-1e308, 1.5e308}));
  EXPECT_THROW(Preprocessing::fit(x, {.scale = FeatureScale::minmax}, Context()), Error);
  EXPECT_THROW(Preprocessing::fit(x, {.scale = FeatureScale::standardise}, Context()), Error);
}

// Holds fields by name, as a model file does.
struct Shelf {
  std::map<std::string, std::vector<double>> values;
};
struct Put {
  Shelf& shelf;
  template <class T>
  void operator()(const char* name, std::vector<T>& v, const auto&...) {
    shelf.values[name] = std::vector<double>(v.begin(), v.end());
  }
  template <class T>
  void operator()(const char* name, T& v, const auto&...) {
    shelf.values[name] = {static_cast<double>(v)};
  }
  void added(const char* name, auto& v, const auto&...) { (*this)(name, v); }
  void require(bool, const char*, const char*) const {}
  Index features() const { return 0; }
};
struct Get {
  const Shelf& shelf;
  template <class T>
  void operator()(const char* name, std::vector<T>& v, const auto&...) {
    v.clear();
    for (const double value : shelf.values.at(name)) v.push_back(static_cast<T>(value));
  }
  template <class T>
  void operator()(const char* name, T& v, const auto&...) {
    v = static_cast<T>(shelf.values.at(name)[0]);
  }
  void added(const char* name, auto& v, const auto&...) {
    if (shelf.values.contains(name)) (*this)(name, v);
  }
  void require(bool condition, const char*, const char*) const {
    if (!condition) throw Error(Code::model_file, "inconsistent");
  }
  Index features() const { return 6; }
};

TEST(Preprocess, FieldsCarryEverything) {
  const Features x = some(0.0, 40, 6);
  auto steps = Preprocessing::fit(x,
                                  {.impute = Impute::mean,
                                   .scale = FeatureScale::standardise,
                                   .tfidf = true,
                                   .drop_constant = true},
                                  Context());
  Shelf shelf;
  Put put{shelf};
  steps.visit(put);
  Preprocessing loaded;
  Get get{shelf};
  loaded.visit(get);
  EXPECT_EQ(loaded.apply(x), steps.apply(x));
  EXPECT_EQ(loaded.fill, steps.fill);
  const Shelf good = shelf;
  shelf.values["kept"].back() = 1000;
  EXPECT_THROW(loaded.visit(get), Error);
  shelf = good;
  shelf.values["fill"].pop_back();
  EXPECT_THROW(loaded.visit(get), Error);
  shelf.values.erase("fill");  // as in files of earlier versions
  Preprocessing earlier;
  earlier.visit(get);
  EXPECT_FALSE(earlier.imputes());
}

TEST(ScaleWarning, SaysWhichFeatures) {
  const Dataset cars = generate("cars", Context(1, 1));
  const auto warning = scale_warning(cars.x, cars.feature_names);
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("length_mm"), std::string::npos) << *warning;
  const auto steps = Preprocessing::fit(cars.x, {.scale = FeatureScale::standardise}, Context());
  EXPECT_FALSE(scale_warning(steps.apply(cars.x)));
  EXPECT_FALSE(scale_warning(generate("photos", Context(1, 1)).x));
}

TEST(ScaleWarning, RareWordsAndConstantsDoNotAlarm) {
  Matrix words(100000, 3, 0.0);
  for (Index i = 0; i < words.rows(); ++i) {
    words(i, 0) = i % 2 == 0 ? 1.0 : 0.0;
    words(i, 2) = 1e9;
  }
  words(5, 1) = 1.0;
  EXPECT_FALSE(scale_warning(words));
  EXPECT_FALSE(scale_warning(to_sparse(words)));
  words(5, 1) = 1000.0;
  EXPECT_TRUE(scale_warning(words));
  EXPECT_TRUE(scale_warning(to_sparse(words)));
  EXPECT_FALSE(scale_warning(Matrix(3, 2)));
}

}  // namespace
}  // namespace mulberry::data

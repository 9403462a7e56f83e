#include "mulberry/data/preprocess/impute.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/data/describe/describe.hpp"
#include "mulberry/data/preprocess/preprocess.hpp"

namespace mulberry::data {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Columns: a number; a nominal attribute as codes; one of three values as one-hot columns.
const std::vector<NominalColumns> k_nominal = {{1, 1}, {2, 3}};
Matrix table() {
  return {5, 5, std::vector<double>{1,     2,     0,     1,     0,      //
                                    4,     k_nan, 0,     0,     1,      //
                                    k_nan, 2,     k_nan, k_nan, k_nan,  //
                                    0,     0,     0,     1,     0,      //
                                    5,     1,     1,     0,     0}};
}

TEST(Impute, MeanModeAndOneHotByHand) {
  for (const Features& x : {Features(table()), Features(to_sparse(table()))}) {
    const auto fill = fill_values(x, k_nominal, {}, Context());
    EXPECT_EQ(fill, (std::vector<double>{2.5, 2, 0, 1, 0}));
    const Features filled = fill_missing(x, fill);
    EXPECT_EQ(filled.is_sparse(), x.is_sparse());
    Matrix expected = table();
    expected(1, 1) = 2;
    const std::vector<double> row = {2.5, 2, 0, 1, 0};
    std::copy(row.begin(), row.end(), expected.row(2).begin());
    EXPECT_EQ(to_dense(filled), expected);
    if (x.is_sparse()) {
      EXPECT_EQ(filled.sparse(), to_sparse(expected)) << "zeros are not stored";
    }
  }
}

TEST(Impute, ModeOfNumbersBesideNominalColumns) {
  const Matrix x(5, 5, std::vector<double>{7,     3,     1,     0,     0,      //
                                           3,     1,     0,     1,     0,      //
                                           7,     0,     1,     0,     k_nan,  //
                                           900,   0,     0,     0,     0,      //
                                           k_nan, k_nan, k_nan, k_nan, 4});
  const std::vector<NominalColumns> nominal = {{2, 2}};
  for (const Features& each : {Features(x), Features(to_sparse(x))}) {
    EXPECT_EQ(fill_values(each, nominal, {}, Context(), Impute::mode),
              (std::vector<double>{7, 0, 1, 0, 0}));
  }
}

TEST(Impute, TheFirstOfEquallyFrequentValues) {
  const Matrix x(3, 1, std::vector<double>{2, 1, k_nan});
  const std::vector<NominalColumns> nominal = {{0, 1}};
  EXPECT_EQ(fill_values(Features(x), nominal, {}, Context()), (std::vector<double>{1}));
}

TEST(Impute, AColumnWithoutAnyValueIsAnErrorThatNamesIt) {
  const Matrix x(2, 2, std::vector<double>{1, k_nan, 2, k_nan});
  const std::vector<std::string> names = {"height", "weight"};
  try {
    fill_values(Features(x), {}, names, Context());
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("'weight'"), std::string::npos) << error.what();
  }
}

TEST(Impute, AMeanBeyondTheLargestNumberIsAnError) {
  const Matrix x(3, 1, std::vector<double>{1e308, 1.5e308, k_nan});
  EXPECT_THROW(fill_values(Features(x), {}, {}, Context()), Error);
}

TEST(Impute, PreprocessingFillsBeforeItScales) {
  for (const Features& x : {Features(table()), Features(to_sparse(table()))}) {
    const PreprocessOptions options{.impute = Impute::mean, .scale = FeatureScale::standardise};
    const auto steps = Preprocessing::fit(x, options, Context(), k_nominal);
    const Features filled = fill_missing(x, fill_values(x, k_nominal, {}, Context()));
    const auto scaled = Preprocessing::fit(filled, {.scale = FeatureScale::standardise}, Context());
    EXPECT_EQ(steps.apply(x), scaled.apply(filled));
    EXPECT_FALSE(has_missing(steps.apply(x)));
  }
}

TEST(Impute, ValuesComeFromTheRowsThatWereFitted) {
  const Matrix train(2, 1, std::vector<double>{1, 3}), later(1, 1, std::vector<double>{k_nan});
  const auto steps = Preprocessing::fit(Features(train), {.impute = Impute::mean}, Context());
  EXPECT_EQ(steps.apply(Features(later)).at(0, 0), 2.0);
}

TEST(Impute, WithoutItMissingValuesStayAndTheOthersAreScaled) {
  const Matrix x(3, 2, std::vector<double>{1, 3, k_nan, 4, 3, 0});
  const auto standard =
      Preprocessing::fit(Features(x), {.scale = FeatureScale::standardise}, Context());
  const Features out = standard.apply(Features(x));
  EXPECT_DOUBLE_EQ(out.at(0, 0), -1);
  EXPECT_TRUE(std::isnan(out.at(1, 0)));
  EXPECT_DOUBLE_EQ(out.at(2, 0), 1);
  const auto unit = Preprocessing::fit(Features(x), {.scale = FeatureScale::unit}, Context());
  EXPECT_DOUBLE_EQ(unit.apply(Features(x)).at(1, 1), 1);
}

TEST(Impute, StatisticsLeaveMissingValuesOut) {
  for (const Features& x : {Features(table()), Features(to_sparse(table()))}) {
    const ColumnStatistics s = column_statistics(x, Context());
    EXPECT_EQ(s.missing, (std::vector<Index>{1, 1, 1, 1, 1}));
    EXPECT_EQ(s.mean[0], 2.5);
    EXPECT_EQ(s.min[0], 0);
    EXPECT_EQ(s.max[0], 5);
    EXPECT_DOUBLE_EQ(s.deviation[0], std::sqrt((2.25 + 2.25 + 6.25 + 6.25) / 4));
    EXPECT_EQ(s.nonzeros[3], 2);
  }
}

TEST(Impute, DescribeCountsCellsOfTheFile) {
  Dataset data{.x = Features(table()), .has_labels = false, .nominal_columns = k_nominal};
  const Description d = describe(data, {}, Context());
  EXPECT_EQ(d.missing_features, 3);
  EXPECT_EQ(d.duplicate_rows, 0);
  const std::vector<Id> twice = {2, 2};
  EXPECT_EQ(describe(take_rows(data, twice), {}, Context()).duplicate_rows, 1);
}

}  // namespace
}  // namespace mulberry::data

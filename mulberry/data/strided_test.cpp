// Features over floats and over values stored by column: the same answers as over doubles, without
// a second matrix wherever rows are read in blocks.
#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/data/view.hpp"

namespace mulberry::data {
namespace {

constexpr Index k_rows = 150, k_cols = 7;

// Values that floats hold exactly, in one of four layouts.
struct Stored {
  std::vector<float> floats;
  std::vector<double> doubles;
  Matrix plain{k_rows, k_cols};

  Features as(bool single, bool by_column) {
    Random random(3, "strided");
    floats.assign(at(k_rows * k_cols), 0);
    doubles.assign(at(k_rows * k_cols), 0);
    const Index row_step = by_column ? 1 : k_cols, col_step = by_column ? k_rows : 1;
    for (Index i = 0; i < k_rows; ++i) {
      for (Index j = 0; j < k_cols; ++j) {
        const auto v = static_cast<float>(random.normal());
        floats[at(i * row_step + j * col_step)] = v;
        doubles[at(i * row_step + j * col_step)] = plain(i, j) = v;
      }
    }
    return Features(single ? std::make_shared<const Strided>(floats.data(), k_rows, k_cols,
                                                             row_step, col_step, nullptr)
                           : std::make_shared<const Strided>(doubles.data(), k_rows, k_cols,
                                                             row_step, col_step, nullptr));
  }
};

void expect_same(const Features& x, const Features& plain) {
  ASSERT_EQ(x.rows(), plain.rows());
  ASSERT_EQ(x.cols(), plain.cols());
  EXPECT_FALSE(x.in_one_piece());
  EXPECT_EQ(x.stored(), plain.stored());
  RowWindow window(x);
  const std::vector<double> w = {1, -2, 3, 0.5, 0, 7, -1};
  for (Index i = 0; i < x.rows(); ++i) {
    const auto row = plain.dense_row(i);
    EXPECT_TRUE(std::ranges::equal(window.values(i), row)) << i;
    EXPECT_EQ(x.at(i, 3), row[3]);
    EXPECT_EQ(x.row_dot(i, w), plain.row_dot(i, w));
    EXPECT_EQ(x.row_norm2(i), plain.row_norm2(i));
    std::vector<double> one(w), two(w);
    x.add_row(i, 0.3, one);
    plain.add_row(i, 0.3, two);
    EXPECT_EQ(one, two);
  }
  std::vector<double> some(9), expected(9);
  x.read_block(64, 67, 2, 5, some.data());
  plain.read_block(64, 67, 2, 5, expected.data());
  EXPECT_EQ(some, expected);
  const std::vector<Id> rows = {5, 5, 2, 69}, columns = {6, 0, 6};
  EXPECT_EQ(take_rows(x, rows), take_rows(plain, rows));
  EXPECT_EQ(take_columns(x, columns), take_columns(plain, columns));
  EXPECT_EQ(append_columns(x, Matrix(x.rows(), 1, 2.0)),
            append_columns(plain, Matrix(x.rows(), 1, 2.0)));
  EXPECT_EQ(to_sparse(x), to_sparse(plain));
  EXPECT_EQ(x, plain);
  EXPECT_TRUE(in_one_piece(x).in_one_piece());
}

TEST(Strided, ReadsAsDoublesWould) {
  for (const bool single : {false, true}) {
    for (const bool by_column : {false, true}) {
      Stored stored;
      const Features x = stored.as(single, by_column);
      expect_same(x, stored.plain);
      std::vector<Id> rows;
      for (Id i = 0; i < 90; ++i) rows.push_back((37 * i) % static_cast<Id>(k_rows));
      expect_same(pick_rows(x, rows), pick_rows(stored.plain, rows));
      EXPECT_EQ(x.float_row(3) != nullptr, single && !by_column);
      // What asks for rows in place gets them, from a second matrix.
      EXPECT_TRUE(std::ranges::equal(x.dense_row(4), Features(stored.plain).dense_row(4)));
    }
  }
}

TEST(Strided, ColumnsAreAppendedWhereTheyAre) {
  Stored stored;
  stored.as(true, false);
  const Features left(
      std::make_shared<const Strided>(stored.floats.data(), k_rows, 4, k_cols, 1, nullptr));
  Matrix middle(k_rows, 2), last(k_rows, 1);
  for (Index i = 0; i < k_rows; ++i) {
    for (const Index j : {0, 1}) middle(i, j) = stored.plain(i, 4 + j);
    last(i, 0) = stored.plain(i, 6);
  }
  const Features joined = append_columns(append_columns(left, middle), last);
  ASSERT_NE(joined.strided(), nullptr);
  expect_same(joined, stored.plain);
  EXPECT_EQ(joined.float_row(0), nullptr);
  std::vector<Id> rows;
  for (Id i = 0; i < 90; ++i) rows.push_back((37 * i) % static_cast<Id>(k_rows));
  expect_same(pick_rows(joined, rows), pick_rows(stored.plain, rows));
  // Rows that were chosen before.
  const Features some = append_columns(pick_rows(left, rows), take_rows(middle, rows).dense());
  expect_same(append_columns(some, take_rows(last, rows).dense()), take_rows(stored.plain, rows));
  EXPECT_EQ(append_columns(left, Matrix(k_rows, 0)).strided(), left.strided());
}

TEST(Strided, RowsFourByFourStayTogetherHoweverWideTheyAre) {
  const Index cols = 100'000, rows = 9;
  const std::vector<float> values(at(rows * cols), 2.0F);
  const Features x(std::make_shared<const Strided>(values.data(), rows, cols, cols, 1, nullptr));
  RowWindow window(x);
  const double* const four[] = {window.row(4), window.row(5), window.row(6), window.row(7)};
  EXPECT_EQ(four[3], four[0] + 3 * cols);
  EXPECT_EQ(four[0][cols - 1], 2.0);
}

TEST(Strided, WrongValuesAreNamed) {
  std::vector<float> values(12, 1.0F);
  values[7] = std::numeric_limits<float>::quiet_NaN();
  const Features x(std::make_shared<const Strided>(values.data(), 4, 3, 3, 1, nullptr));
  EXPECT_TRUE(has_missing(x));
  try {
    require_finite(x);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 3, column 2"), std::string::npos);
  }
}

TEST(Strided, BlocksStayWhereTheyAre) {
  Stored stored;
  const Features x = stored.as(true, false);
  EXPECT_EQ(Compact({.x = &x}, Rows::blocks).x().strided(), x.strided());
  EXPECT_TRUE(Compact({.x = &x}).x().in_one_piece());
  const std::vector<Id> rows = {1, 3};
  const View part{.x = &x, .rows = rows, .all = false};
  EXPECT_EQ(Compact(part, Rows::blocks).x().strided(), x.strided());
  EXPECT_EQ(Compact(part, Rows::blocks).x(), Compact(part).x());
}

}  // namespace
}  // namespace mulberry::data

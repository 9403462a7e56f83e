// Features over sparse floats and wide columns: the same answers as over doubles, without a second
// matrix wherever rows are read in turn.
#include "mulberry/data/foreign_csr.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/data/view.hpp"

namespace mulberry::data {
namespace {

constexpr Index k_rows = 150, k_cols = 7;

// Values that floats hold exactly, with columns of 32 and 64 bits.
struct Stored {
  std::vector<Index> start = {0}, wide;
  std::vector<Id> narrow;
  std::vector<float> floats;
  std::vector<double> doubles;

  Stored() {
    Random random(3, "foreign csr");
    for (Index i = 0; i < k_rows; ++i) {
      for (Id j = 0; j < k_cols; ++j) {
        if (i % 10 == 4 || random.uniform() < 0.6) continue;  // some rows have nothing
        narrow.push_back(j);
        wide.push_back(j);
        floats.push_back(static_cast<float>(random.normal()));
        doubles.push_back(floats.back());
      }
      start.push_back(count_of(narrow));
    }
  }
  Features plain() const { return Csr{k_rows, k_cols, start, narrow, doubles}; }
  template <class Column, class Value>
  Features as(const std::vector<Column>& index, const std::vector<Value>& value) const {
    return Features(std::make_shared<const ForeignCsr>(k_rows, k_cols, start, index.data(),
                                                       value.data(), nullptr));
  }
};

void expect_same(const Features& x, const Features& plain) {
  ASSERT_TRUE(x.is_sparse());
  ASSERT_EQ(x.rows(), plain.rows());
  ASSERT_EQ(x.cols(), plain.cols());
  EXPECT_FALSE(x.in_one_piece());
  EXPECT_EQ(x.stored(), plain.stored());
  const std::vector<double> w = {1, -2, 3, 0.5, 0, 7, -1};
  SparseLine line, other;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i, line), expected = plain.sparse_row(i, other);
    EXPECT_TRUE(std::ranges::equal(row.index, expected.index)) << i;
    EXPECT_TRUE(std::ranges::equal(row.value, expected.value)) << i;
    for (Index j = 0; j < k_cols; ++j) EXPECT_EQ(x.at(i, j), plain.at(i, j));
    EXPECT_EQ(x.row_dot(i, w), plain.row_dot(i, w));
    EXPECT_EQ(x.row_norm2(i), plain.row_norm2(i));
    std::vector<double> one(w), two(w);
    x.add_row(i, 0.3, one);
    plain.add_row(i, 0.3, two);
    EXPECT_EQ(one, two);
  }
  const std::vector<Id> rows = {5, 5, 2, 69}, columns = {6, 0, 6};
  EXPECT_EQ(take_rows(x, rows), take_rows(plain, rows));
  EXPECT_EQ(take_columns(x, columns), take_columns(plain, columns));
  EXPECT_EQ(append_columns(x, Matrix(x.rows(), 1, 2.0)),
            append_columns(plain, Matrix(x.rows(), 1, 2.0)));
  EXPECT_EQ(to_sparse(x), to_sparse(plain));
  EXPECT_EQ(to_dense(x), to_dense(plain));
  EXPECT_EQ(x, plain);
  EXPECT_TRUE(in_one_piece(x).in_one_piece());
}

TEST(ForeignCsr, ReadsAsDoublesWould) {
  const Stored stored;
  std::vector<Id> rows;
  for (Id i = 0; i < 90; ++i) rows.push_back((37 * i) % static_cast<Id>(k_rows));
  for (const Features& x :
       {stored.as(stored.narrow, stored.floats), stored.as(stored.wide, stored.floats),
        stored.as(stored.wide, stored.doubles), stored.as(stored.narrow, stored.doubles)}) {
    expect_same(x, stored.plain());
    expect_same(pick_rows(x, rows), pick_rows(stored.plain(), rows));
    // What asks for rows in place, or for the whole, gets them from a second matrix.
    EXPECT_TRUE(std::ranges::equal(x.sparse_row(3).value, stored.plain().sparse_row(3).value));
    EXPECT_EQ(x.sparse(), stored.plain().sparse());
  }
}

TEST(ForeignCsr, WrongValuesAreNamed) {
  const std::vector<Index> start = {0, 1, 1, 3}, index = {0, 0, 1};
  std::vector<float> value = {1, 2, std::numeric_limits<float>::quiet_NaN()};
  const Features x(
      std::make_shared<const ForeignCsr>(3, 2, start, index.data(), value.data(), nullptr));
  EXPECT_TRUE(has_missing(x));
  try {
    require_finite(x);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 3, column 2"), std::string::npos);
  }
}

TEST(ForeignCsr, BlocksStayWhereTheyAre) {
  const Stored stored;
  const Features x = stored.as(stored.wide, stored.floats);
  EXPECT_TRUE(Compact({.x = &x}, Rows::blocks).x().is_foreign());
  EXPECT_TRUE(Compact({.x = &x}).x().in_one_piece());
  const std::vector<Id> rows = {1, 3};
  const View part{.x = &x, .rows = rows, .all = false};
  EXPECT_TRUE(Compact(part, Rows::blocks).x().is_foreign());
  EXPECT_EQ(Compact(part, Rows::blocks).x(), Compact(part).x());
}

}  // namespace
}  // namespace mulberry::data

#include "mulberry/data/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/row_window.hpp"

namespace mulberry::data {

double Features::at(Index i, Index j) const {
  if (strided_) return strided_->at(place(i), j);
  if (!is_sparse_) return dense_row(i)[core::at(j)];
  double out = 0;
  visit_row(i, [&](const auto* index, const auto* value, Index count) {
    const auto* const found = std::lower_bound(index, index + count, j);
    if (found != index + count && *found == j) out = static_cast<double>(value[found - index]);
  });
  return out;
}

bool Features::operator==(const Features& other) const {
  if (is_sparse_ != other.is_sparse_) return false;
  if (!in_one_piece() || !other.in_one_piece()) {
    return data::in_one_piece(*this) == data::in_one_piece(other);
  }
  return dense_ == other.dense_ && sparse_ == other.sparse_;
}

double Features::row_dot(Index i, std::span<const double> w) const {
  double sum = 0;
  if (is_sparse_) {
    visit_row(i, [&](const auto* index, const auto* value, Index count) {
      for (Index k = 0; k < count; ++k) {
        sum += static_cast<double>(value[k]) * w[core::at(index[k])];
      }
    });
  } else if (strided_) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      sum += strided_->at(place(i), static_cast<Index>(j)) * w[j];
    }
  } else {
    const auto row = dense_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * w[j];
  }
  return sum;
}

void Features::add_row(Index i, double a, std::span<double> w) const {
  if (is_sparse_) {
    visit_row(i, [&](const auto* index, const auto* value, Index count) {
      for (Index k = 0; k < count; ++k) {
        w[core::at(index[k])] += a * static_cast<double>(value[k]);
      }
    });
  } else if (strided_) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] += a * strided_->at(place(i), static_cast<Index>(j));
    }
  } else {
    const auto row = dense_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) w[j] += a * row[j];
  }
}

double Features::row_norm2(Index i) const {
  double sum = 0;
  if (strided_) {
    for (Index j = 0; j < cols(); ++j) {
      const double v = strided_->at(place(i), j);
      sum += v * v;
    }
    return sum;
  }
  if (is_sparse_) {
    visit_row(i, [&](const auto*, const auto* value, Index count) {
      for (Index k = 0; k < count; ++k) {
        const auto v = static_cast<double>(value[k]);
        sum += v * v;
      }
    });
    return sum;
  }
  for (const double v : dense_row(i)) sum += v * v;
  return sum;
}

Index Features::stored() const {
  if (!is_sparse_) return rows() * cols();
  if (!is_picked_) return foreign_ ? foreign_->nonzeros() : sparse_.nonzeros();
  Index out = 0;
  for (Index i = 0; i < rows(); ++i) {
    visit_row(i, [&](const auto*, const auto*, Index count) { out += count; });
  }
  return out;
}

const void* Features::address() const {
  if (strided_) return strided_->address();
  if (foreign_) return foreign_->address();
  return is_sparse_ ? std::as_const(sparse_).value.data() : dense_.data();
}

void Features::read_block(Index begin, Index end, Index first, Index last, double* out) const {
  if (strided_) {
    if (is_picked_) {
      const std::span<const Id> places(picked_.data() + begin, core::at(end - begin));
      return strided_->read(places, first, last, out);
    }
    return strided_->read(begin, end - begin, first, last, out);
  }
  for (Index i = begin; i < end; ++i) {
    out = std::copy_n(dense_row(i).data() + first, last - first, out);
  }
}

const FixedMatrix& Features::dense() const {
  MULBERRY_ASSERT(in_one_piece());
  return dense_;
}

const Csr& Features::sparse() const {
  MULBERRY_ASSERT(!is_picked_);
  return foreign_ ? foreign_->whole() : sparse_;
}

Features pick_rows(const Features& x, std::span<const Id> rows) {
  std::vector<Id> places;
  places.reserve(rows.size());
  for (const Id i : rows) places.push_back(static_cast<Id>(x.place(i)));
  Features out = x;
  out.picked_ = std::move(places);
  out.is_picked_ = true;
  return out;
}

Features block_rows(const Features& x, std::span<const Id> rows) {
  return x.is_foreign() ? pick_rows(x, rows) : take_rows(x, rows);
}

Features in_one_piece(const Features& x) {
  if (x.in_one_piece()) return x;
  std::vector<Id> all(at(x.rows()));
  std::iota(all.begin(), all.end(), Id{0});
  return take_rows(x, all);
}

Features take_rows(const Features& x, std::span<const Id> rows) {
  const auto n = static_cast<Index>(rows.size());
  if (x.strided() != nullptr) {
    const Features picked = pick_rows(x, rows);
    Matrix out(n, x.cols());
    constexpr Index k_rows = 256;
    for (Index i = 0; i < n; i += k_rows) {
      picked.read_block(i, std::min(n, i + k_rows), 0, x.cols(), out.data() + i * x.cols());
    }
    return out;
  }
  if (!x.is_sparse()) {
    std::vector<double> values;
    values.reserve(rows.size() * at(x.cols()));
    for (const Id i : rows) {
      const auto row = x.dense_row(i);
      values.insert(values.end(), row.begin(), row.end());
    }
    return Matrix(n, x.cols(), std::move(values));
  }
  std::vector<Index> start = {0};
  start.reserve(rows.size() + 1);
  for (const Id i : rows) {
    x.visit_row(
        i, [&](const auto*, const auto*, Index count) { start.push_back(start.back() + count); });
  }
  std::vector<Id> index;
  std::vector<double> value;
  index.reserve(at(start.back()));
  value.reserve(at(start.back()));
  SparseLine line;
  for (const Id i : rows) {
    const SparseRow row = x.sparse_row(i, line);
    index.insert(index.end(), row.index.begin(), row.index.end());
    value.insert(value.end(), row.value.begin(), row.value.end());
  }
  return Csr{n, x.cols(), std::move(start), std::move(index), std::move(value)};
}

namespace {

// The beginnings of rows, which are copied as they are.
Features first_columns(const Features& x, Index count) {
  if (!x.is_sparse()) {
    Matrix out(x.rows(), count);
    x.read_block(0, x.rows(), 0, count, out.data());
    return out;
  }
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  start.reserve(at(x.rows()) + 1);
  SparseLine line;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i, line);
    const auto end = std::lower_bound(row.index.begin(), row.index.end(), count);
    index.insert(index.end(), row.index.begin(), end);
    value.insert(value.end(), row.value.begin(), row.value.begin() + (end - row.index.begin()));
    start.push_back(static_cast<Index>(index.size()));
  }
  return Csr{x.rows(), count, std::move(start), std::move(index), std::move(value)};
}

bool count_up(std::span<const Id> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (at(columns[k]) != k) return false;
  }
  return true;
}

}  // namespace

Features take_columns(const Features& x, std::span<const Id> columns) {
  const auto d = static_cast<Index>(columns.size());
  if (count_up(columns)) return first_columns(x, d);
  if (!x.is_sparse()) {
    std::vector<double> values;
    values.reserve(columns.size() * at(x.rows()));
    for (Index i = 0; i < x.rows(); ++i) {
      for (const Id j : columns) values.push_back(x.at(i, j));
    }
    return Matrix(x.rows(), d, std::move(values));
  }
  // One source column may serve several places, so each has a list of them.
  std::vector<std::vector<Id>> places(at(x.cols()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    places[at(columns[k])].push_back(static_cast<Id>(k));
  }
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  std::vector<std::pair<Id, double>> row_entries;
  SparseLine line;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i, line);
    row_entries.clear();
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      for (const Id place : places[at(row.index[k])]) {
        row_entries.emplace_back(place, row.value[k]);
      }
    }
    std::sort(row_entries.begin(), row_entries.end());
    for (const auto& [j, v] : row_entries) {
      index.push_back(j);
      value.push_back(v);
    }
    start.push_back(static_cast<Index>(index.size()));
  }
  return Csr{x.rows(), d, std::move(start), std::move(index), std::move(value)};
}

Features append_columns(const Features& left, MatrixView right) {
  MULBERRY_ASSERT(left.rows() == right.rows());
  if (right.cols() == 0) return left;
  if (left.strided_ != nullptr) {
    return Features(
        std::make_shared<const Strided>(left.strided_, left.picked_, FixedMatrix(Matrix(right))));
  }
  const Index d = left.cols() + right.cols();
  if (!left.is_sparse()) {
    std::vector<double> values;
    values.reserve(at(left.rows() * d));
    for (Index i = 0; i < left.rows(); ++i) {
      for (const double v : left.dense_row(i)) values.push_back(v);
      for (const double v : right.row(i)) values.push_back(v);
    }
    return Matrix(left.rows(), d, std::move(values));
  }
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  SparseLine line;
  for (Index i = 0; i < left.rows(); ++i) {
    const SparseRow row = left.sparse_row(i, line);
    index.insert(index.end(), row.index.begin(), row.index.end());
    value.insert(value.end(), row.value.begin(), row.value.end());
    for (Index j = 0; j < right.cols(); ++j) {
      if (right(i, j) == 0) continue;
      index.push_back(static_cast<Id>(left.cols() + j));
      value.push_back(right(i, j));
    }
    start.push_back(static_cast<Index>(index.size()));
  }
  return Csr{left.rows(), d, std::move(start), std::move(index), std::move(value)};
}

FixedMatrix to_dense(const Features& x) {
  if (!x.is_sparse()) return in_one_piece(x).dense();
  Matrix out(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) x.add_row(i, 1.0, out.row(i));
  return out;
}

Csr to_sparse(const Features& x) {
  if (x.is_sparse()) return in_one_piece(x).sparse();
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  RowWindow window(x);
  for (Index i = 0; i < x.rows(); ++i) {
    const auto row = window.values(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      index.push_back(static_cast<Id>(j));
      value.push_back(row[j]);
    }
    start.push_back(static_cast<Index>(index.size()));
  }
  return Csr{x.rows(), x.cols(), std::move(start), std::move(index), std::move(value)};
}

bool has_missing(const Features& x) {
  RowWindow window(x);
  SparseLine line;
  for (Index i = 0; i < x.rows(); ++i) {
    const auto values = x.is_sparse() ? x.sparse_row(i, line).value : window.values(i);
    if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) return true;
  }
  return false;
}

namespace {

// Throws for the first value larger than `most` in size; `expected` says so in words.
void require_values(const Features& x, double most, const char* expected,
                    std::span<const std::string> names, bool missing_allowed) {
  RowWindow window(x);
  SparseLine line;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow sparse = x.is_sparse() ? x.sparse_row(i, line) : SparseRow{};
    const auto values = x.is_sparse() ? sparse.value : window.values(i);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool missing = std::isnan(values[k]);
      if (std::abs(values[k]) <= most || (missing && missing_allowed)) continue;
      const auto column = x.is_sparse() ? at(sparse.index[k]) : k;
      const std::string name = column < names.size() ? " (" + in_quotes(names[column]) + ")" : "";
      std::string remedy = "Correct the value, or remove the row";
      if (missing) {
        remedy = "Train with " + mention("impute", "mean") +
                 ", or a learner that takes missing features";
      } else if (std::isfinite(values[k])) {
        remedy = "Correct the value, or give the column in another unit";
      }
      throw Error(Code::data,
                  std::string("expected ") + expected + ", found " + shortest(values[k]) +
                      " in row " + std::to_string(i + 1) + ", column " +
                      std::to_string(column + 1) + name,
                  remedy);
    }
  }
}

}  // namespace

void require_finite(const Features& x, std::span<const std::string> names, bool missing_allowed) {
  require_values(x, std::numeric_limits<double>::max(), "finite feature values", names,
                 missing_allowed);
}

void require_computable(const Features& x, std::span<const std::string> names,
                        bool missing_allowed) {
  require_finite(x, names, missing_allowed);
  require_values(x, k_largest_feature, "feature values of at most 1e100 in size", names, true);
}

}  // namespace mulberry::data

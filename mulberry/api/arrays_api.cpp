#include <algorithm>
#include <limits>

#include "mulberry/api/translate.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry {

namespace api {
namespace {

void require_memory_for(const void* memory, std::int64_t count, const std::string& what) {
  if (memory != nullptr || count == 0) return;
  throw core::Error(core::Code::usage, "expected " + what + ", got a null pointer");
}

void require_dense(const DenseRows& rows) {
  require_size(rows.rows, "rows");
  require_size(rows.cols, "columns");
  require_memory_for(rows.values, rows.rows * rows.cols, "values");
  if (rows.stride == 0 || rows.stride >= rows.cols) return;
  throw core::Error(core::Code::usage,
                    "expected a stride of at least the " + std::to_string(rows.cols) +
                        " columns, got " + std::to_string(rows.stride),
                    "Rows are at values + i * stride; 0 means rows without gaps");
}

bool has_gaps(const DenseRows& rows) { return rows.stride != 0 && rows.stride != rows.cols; }

}  // namespace

void require_size(std::int64_t size, const std::string& what) {
  if (size >= 0 && size <= std::numeric_limits<std::int32_t>::max()) return;
  throw core::Error(
      core::Code::parameter,
      "the number of " + what + " must be between 0 and 2147483647, got " + std::to_string(size));
}

void require_lists(const std::int64_t* start, std::int64_t rows, const std::int32_t* index,
                   std::int64_t limit, const std::string& what) {
  require_memory_for(start, rows + 1, "row starts");
  const auto fail = [&](const std::string& problem, std::int64_t row) {
    throw core::Error(core::Code::data, problem + " in row " + std::to_string(row + 1),
                      "Row i has the entries start[i] to start[i + 1] - 1, in increasing order "
                      "without repeats");
  };
  if (start[0] != 0) fail("expected the first row to start at 0, found another start", 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    if (start[i + 1] < start[i]) fail("expected row starts that do not fall, found a fall", i);
    if (start[i + 1] > start[i]) require_memory_for(index, 1, "the numbers of " + what);
    std::int32_t last = -1;
    for (std::int64_t k = start[i]; k < start[i + 1]; ++k) {
      if (index[k] < 0 || index[k] >= limit) {
        fail("expected " + what + " from 0 to " + std::to_string(limit - 1) + ", found " +
                 std::to_string(index[k]),
             i);
      }
      if (index[k] <= last) fail("expected increasing " + what + ", found another order", i);
      last = index[k];
    }
  }
}

std::shared_ptr<const void> no_owner() {
  static const char k_anything = 0;
  return {std::shared_ptr<const void>(), &k_anything};  // not null, and owns nothing
}

data::Features borrow_rows(const DenseRows& rows, std::shared_ptr<const void> owner) {
  require_dense(rows);
  if (has_gaps(rows)) {
    throw core::Error(core::Code::unsupported,
                      "expected rows without gaps, found a stride of " +
                          std::to_string(rows.stride) + " for " + std::to_string(rows.cols) +
                          " columns",
                      "Use Features::copy for such memory");
  }
  const std::size_t size = core::at(rows.rows) * core::at(rows.cols);
  return core::FixedMatrix(rows.rows, rows.cols,
                           core::Array<double>::borrow({rows.values, size}, std::move(owner)));
}

data::Features borrow_rows(const SparseRows& rows, std::shared_ptr<const void> owner) {
  require_size(rows.rows, "rows");
  require_size(rows.cols, "columns");
  require_lists(rows.start, rows.rows, rows.index, rows.cols, "columns");
  const auto count = rows.start[rows.rows];
  require_memory_for(rows.value, count, "values");
  data::Csr out;
  out.rows = rows.rows;
  out.cols = rows.cols;
  out.start = core::Array<core::Index>::borrow({rows.start, core::at(rows.rows) + 1}, owner);
  out.index = core::Array<core::Id>::borrow({rows.index, core::at(count)}, owner);
  out.value = core::Array<double>::borrow({rows.value, core::at(count)}, std::move(owner));
  return out;
}

}  // namespace api

using api::Access;
using api::translated;

Features::Features() : Features(Access::make(data::Features())) {}
Features::Features(std::shared_ptr<const void> state) : state_(std::move(state)) {}

Features Features::copy(const DenseRows& rows) {
  return translated([&] {
    api::require_dense(rows);
    const std::int64_t stride = rows.stride == 0 ? rows.cols : rows.stride;
    std::vector<double> values;
    values.reserve(core::at(rows.rows) * core::at(rows.cols));
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      const double* const row = rows.values + i * stride;
      values.insert(values.end(), row, row + rows.cols);
    }
    return own(std::move(values), rows.rows, rows.cols);
  });
}

Features Features::copy(const SparseRows& rows) {
  return translated([&] {
    const data::Features checked = api::borrow_rows(rows, api::no_owner());
    const auto count = rows.start[rows.rows];
    struct Kept {
      std::vector<std::int64_t> start;
      std::vector<std::int32_t> index;
      std::vector<double> value;
    };
    const auto kept = std::make_shared<const Kept>(Kept{{rows.start, rows.start + rows.rows + 1},
                                                        {rows.index, rows.index + count},
                                                        {rows.value, rows.value + count}});
    return borrow(SparseRows{.rows = rows.rows,
                             .cols = rows.cols,
                             .start = kept->start.data(),
                             .index = kept->index.data(),
                             .value = kept->value.data()},
                  kept);
  });
}

Features Features::own(std::vector<double> values, std::int64_t rows, std::int64_t cols) {
  return translated([&] {
    api::require_size(rows, "rows");
    api::require_size(cols, "columns");
    if (values.size() != core::at(rows) * core::at(cols)) {
      throw core::Error(core::Code::usage, "expected " + std::to_string(rows * cols) +
                                               " values, rows times columns, got " +
                                               std::to_string(values.size()));
    }
    const auto kept = std::make_shared<const std::vector<double>>(std::move(values));
    return borrow(DenseRows{.values = kept->data(), .rows = rows, .cols = cols}, kept);
  });
}

namespace {

void require_owner(const std::shared_ptr<const void>& owner) {
  if (owner != nullptr) return;
  throw core::Error(core::Code::usage, "expected an owner of the borrowed memory, got null",
                    "Pass what keeps it alive, or use Features::copy");
}

}  // namespace

Features Features::borrow(const DenseRows& rows, std::shared_ptr<const void> owner) {
  return translated([&] {
    require_owner(owner);
    return Access::make(api::borrow_rows(rows, std::move(owner)));
  });
}

Features Features::borrow(const SparseRows& rows, std::shared_ptr<const void> owner) {
  return translated([&] {
    require_owner(owner);
    return Access::make(api::borrow_rows(rows, std::move(owner)));
  });
}

std::int64_t Features::rows() const { return Access::of(*this).rows(); }
std::int64_t Features::cols() const { return Access::of(*this).cols(); }
bool Features::is_sparse() const { return Access::of(*this).is_sparse(); }

namespace {

void require_cell(std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
  if (row >= 0 && row < rows && col >= 0 && col < cols) return;
  throw core::Error(core::Code::usage, "expected a cell of " + std::to_string(rows) + " rows and " +
                                           std::to_string(cols) + " columns, got row " +
                                           std::to_string(row) + ", column " + std::to_string(col) +
                                           ", counted from 0");
}

}  // namespace

double Features::at(std::int64_t row, std::int64_t col) const {
  return translated([&] {
    require_cell(row, rows(), col, cols());
    return Access::of(*this).at(row, col);
  });
}

DenseRows Features::dense() const {
  if (is_sparse()) {
    throw Error(ErrorCode::usage, "expected dense features, found sparse ones",
                "Use sparse() for these");
  }
  const core::FixedMatrix& x = Access::of(*this).dense();
  return {.values = x.data(), .rows = x.rows(), .cols = x.cols(), .stride = x.cols()};
}

SparseRows Features::sparse() const {
  if (!is_sparse()) {
    throw Error(ErrorCode::usage, "expected sparse features, found dense ones",
                "Use dense() for these");
  }
  const data::Csr& x = Access::of(*this).sparse();
  return {.rows = x.rows,
          .cols = x.cols,
          .start = x.start.data(),
          .index = x.index.data(),
          .value = x.value.data()};
}

Labels::Labels() : Labels(Access::make(data::Labels())) {}
Labels::Labels(std::shared_ptr<const void> state) : state_(std::move(state)) {}

Labels Labels::from_cells(const std::int8_t* cells, std::int64_t rows, std::int64_t labels) {
  return translated([&] {
    api::require_size(rows, "rows");
    api::require_size(labels, "labels");
    api::require_memory_for(cells, rows * labels, "cells");
    std::vector<core::Index> start = {0}, missing_start = {0};
    std::vector<core::Id> index, missing;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t l = 0; l < labels; ++l) {
        const int cell = cells[i * labels + l];  // NOLINT(bugprone-signed-char-misuse): -1 is one
        if (cell == 1) index.push_back(static_cast<core::Id>(l));
        if (cell == -1) missing.push_back(static_cast<core::Id>(l));
        if (cell < -1 || cell > 1) {
          throw core::Error(core::Code::data, "expected 0, 1 or -1 (missing), found " +
                                                  std::to_string(cell) + " in row " +
                                                  std::to_string(i + 1) + " of label " +
                                                  std::to_string(l + 1));
        }
      }
      start.push_back(static_cast<core::Index>(index.size()));
      missing_start.push_back(static_cast<core::Index>(missing.size()));
    }
    if (missing.empty()) missing_start.clear();
    return Access::make(data::Labels::from_csr(labels, std::move(start), std::move(index),
                                               std::move(missing_start), std::move(missing)));
  });
}

Labels Labels::from_lists(std::int64_t labels, std::span<const std::int64_t> start,
                          std::span<const std::int32_t> index,
                          std::span<const std::int64_t> missing_start,
                          std::span<const std::int32_t> missing_index) {
  return translated([&] {
    api::require_size(labels, "labels");
    const auto check = [&](std::span<const std::int64_t> starts,
                           std::span<const std::int32_t> numbers) {
      if (starts.empty() || starts.size() != start.size() ||
          starts.back() != static_cast<std::int64_t>(numbers.size())) {
        throw core::Error(core::Code::data,
                          "expected rows + 1 starts, of which the last is the number of entries");
      }
      api::require_lists(starts.data(), static_cast<std::int64_t>(starts.size()) - 1,
                         numbers.data(), labels, "labels");
    };
    check(start, index);
    if (!missing_start.empty()) check(missing_start, missing_index);
    for (std::size_t i = 0; !missing_start.empty() && i + 1 < start.size(); ++i) {
      const auto first = index.begin() + start[i], last = index.begin() + start[i + 1];
      for (auto k = missing_start[i]; k < missing_start[i + 1]; ++k) {
        if (!std::binary_search(first, last, missing_index[core::at(k)])) continue;
        throw core::Error(core::Code::data,
                          "expected cells that are either positive or missing, found one that is "
                          "both in row " +
                              std::to_string(i + 1));
      }
    }
    return Access::make(data::Labels::from_csr(labels, {start.begin(), start.end()},
                                               {index.begin(), index.end()},
                                               {missing_start.begin(), missing_start.end()},
                                               {missing_index.begin(), missing_index.end()}));
  });
}

std::int64_t Labels::rows() const { return Access::of(*this).rows(); }
std::int64_t Labels::count() const { return Access::of(*this).count(); }
std::int64_t Labels::positives() const { return Access::of(*this).positives(); }
std::int64_t Labels::missing() const { return Access::of(*this).missing(); }

std::int8_t Labels::cell(std::int64_t row, std::int64_t label) const {
  return translated([&] {
    require_cell(row, rows(), label, count());
    return static_cast<std::int8_t>(Access::of(*this).cell(row, label));
  });
}

std::span<const std::int32_t> Labels::row(std::int64_t row) const {
  return translated([&] {
    require_cell(row, rows(), 0, 1);
    return Access::of(*this).row(row);
  });
}

std::span<const std::int32_t> Labels::missing_row(std::int64_t row) const {
  return translated([&] {
    require_cell(row, rows(), 0, 1);
    return Access::of(*this).missing_row(row);
  });
}

void Labels::copy_cells(std::span<std::int8_t> out) const {
  const data::Labels& y = Access::of(*this);
  const auto width = core::at(y.count());
  if (out.size() != core::at(y.rows()) * width) {
    throw Error(ErrorCode::usage, "expected room for " + std::to_string(y.rows() * y.count()) +
                                      " cells, rows times labels, got " +
                                      std::to_string(out.size()));
  }
  std::fill(out.begin(), out.end(), std::int8_t{0});
  for (std::int64_t i = 0; i < y.rows(); ++i) {
    const auto row = out.subspan(core::at(i) * width, width);
    for (const core::Id l : y.row(i)) row[core::at(l)] = 1;
    for (const core::Id l : y.missing_row(i)) row[core::at(l)] = -1;
  }
}

}  // namespace mulberry

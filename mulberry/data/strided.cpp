#include "mulberry/data/strided.hpp"

#include <algorithm>
#include <vector>

#include "mulberry/core/index.hpp"

namespace mulberry::data {

Strided::Strided(const float* values, Index rows, Index cols, Index row_step, Index col_step,
                 std::shared_ptr<const void> owner)
    : floats_(values),
      rows_(rows),
      cols_(cols),
      row_step_(row_step),
      col_step_(col_step),
      owner_(std::move(owner)) {}

Strided::Strided(const double* values, Index rows, Index cols, Index row_step, Index col_step,
                 std::shared_ptr<const void> owner)
    : doubles_(values),
      rows_(rows),
      cols_(cols),
      row_step_(row_step),
      col_step_(col_step),
      owner_(std::move(owner)) {}

Strided::Strided(std::shared_ptr<const Strided> left, Array<Id> rows, FixedMatrix right)
    : rows_(right.rows()),
      cols_(left->cols() + right.cols()),
      left_(std::move(left)),
      rows_of_left_(std::move(rows)),
      right_(std::move(right)) {}

template <class RowOf>
void Strided::read_joined(Index count, const RowOf& row_of, Index begin, Index end, double* out,
                          Index step) const {
  const Index own = left_->cols();
  if (begin < own) {
    std::vector<Id> rows(core::at(count));
    for (Index k = 0; k < count; ++k) rows[core::at(k)] = static_cast<Id>(left_row(row_of(k)));
    left_->read(rows, begin, std::min(end, own), out, step);
  }
  const Index first = std::max(begin, own);
  for (Index k = 0; k < count && first < end; ++k) {
    std::copy_n(right_.row(row_of(k)).data() + (first - own), end - first,
                out + k * step + (first - begin));
  }
}

template <class RowOf>
void Strided::read_some(Index count, const RowOf& row_of, Index begin, Index end, double* out,
                        Index step) const {
  if (left_) return read_joined(count, row_of, begin, end, out, step);
  const Index width = end - begin;
  const auto copy = [&](const auto* values) {
    // Columns that are stored one after another are read a few at a time, so that each line of
    // memory serves several rows while it is near.
    const Index tile = col_step_ == 1 ? width : 8;
    for (Index j0 = 0; j0 < width; j0 += tile) {
      const Index last = std::min(width, j0 + tile);
      for (Index k = 0; k < count; ++k) {
        const auto* const from = values + row_of(k) * row_step_ + begin * col_step_;
        double* const to = out + k * step;
        for (Index j = j0; j < last; ++j) to[j] = static_cast<double>(from[j * col_step_]);
      }
    }
  };
  if (floats_ != nullptr) {
    copy(floats_);
  } else {
    copy(doubles_);
  }
}

void Strided::read(std::span<const Id> rows, Index begin, Index end, double* out,
                   Index step) const {
  read_some(
      static_cast<Index>(rows.size()), [&](Index k) -> Index { return rows[core::at(k)]; }, begin,
      end, out, step);
}

void Strided::read(std::span<const Id> rows, Index begin, Index end, double* out) const {
  read(rows, begin, end, out, end - begin);
}

void Strided::read(Index first, Index count, Index begin, Index end, double* out) const {
  read_some(count, [&](Index k) { return first + k; }, begin, end, out, end - begin);
}

const FixedMatrix& Strided::whole() const {
  std::call_once(made_, [this] {
    Matrix values(rows_, cols_);
    constexpr Index k_rows = 256;
    for (Index i = 0; i < rows_; i += k_rows) {
      read(i, std::min(k_rows, rows_ - i), 0, cols_, values.data() + i * cols_);
    }
    whole_ = std::move(values);
  });
  return whole_;
}

}  // namespace mulberry::data

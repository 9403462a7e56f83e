#include "mulberry/data/labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

void flatten(const std::vector<std::vector<Id>>& lists, std::vector<Index>& start,
             std::vector<Id>& index) {
  start.assign(1, 0);
  for (const auto& list : lists) {
    index.insert(index.end(), list.begin(), list.end());
    std::sort(index.begin() + start.back(), index.end());
    start.push_back(static_cast<Index>(index.size()));
  }
}

}  // namespace

Labels::Labels(Index labels, const std::vector<std::vector<Id>>& positives,
               const std::vector<std::vector<Id>>& missing) {
  std::vector<Index> start, missing_start;
  std::vector<Id> index, missing_index;
  flatten(positives, start, index);
  if (!missing.empty()) flatten(missing, missing_start, missing_index);
  *this = from_csr(labels, std::move(start), std::move(index), std::move(missing_start),
                   std::move(missing_index));
}

Labels Labels::from_csr(Index labels, std::vector<Index> start, std::vector<Id> index,
                        std::vector<Index> missing_start, std::vector<Id> missing_index) {
  Labels out;
  out.rows_ = static_cast<Index>(start.size()) - 1;
  out.count_ = labels;
  MULBERRY_ASSERT(out.rows_ >= 0);
  out.positive_ = {std::move(start), std::move(index)};
  if (!missing_index.empty()) {
    MULBERRY_ASSERT(missing_start.size() == out.positive_.start.size());
    out.missing_ = {std::move(missing_start), std::move(missing_index)};
  }
  for (const Lists* lists : {&out.positive_, &out.missing_}) {
    for (std::size_t i = 0; i + 1 < lists->start.size(); ++i) {
      const auto row = part(*lists, static_cast<Index>(i));
      for (std::size_t k = 0; k < row.size(); ++k) {
        MULBERRY_ASSERT(row[k] >= 0 && row[k] < labels && (k == 0 || row[k - 1] < row[k]));
      }
    }
  }
  for (Index i = 0; out.has_missing() && i < out.rows_; ++i) {
    for (const Id l : out.missing_row(i)) {
      MULBERRY_ASSERT(!std::binary_search(out.row(i).begin(), out.row(i).end(), l));
    }
  }
  out.positive_t_ = transpose(out.positive_, out.rows_, labels);
  out.missing_t_ = transpose(out.missing_, out.rows_, labels);
  return out;
}

std::span<const Id> Labels::part(const Lists& lists, Index k) {
  if (lists.start.empty()) return {};
  const auto begin = lists.start[at(k)];
  const auto end = lists.start[at(k) + 1];
  return {lists.index.data() + begin, at(end - begin)};
}

Labels::Lists Labels::transpose(const Lists& lists, Index rows, Index count) {
  if (lists.index.empty()) return {};
  Lists out{std::vector<Index>(at(count) + 1, 0), std::vector<Id>(lists.index.size())};
  for (const Id l : lists.index) ++out.start[at(l) + 1];
  for (std::size_t l = 1; l < out.start.size(); ++l) out.start[l] += out.start[l - 1];
  std::vector<Index> next(out.start.begin(), out.start.end() - 1);
  for (Index i = 0; i < rows; ++i) {
    for (const Id l : part(lists, i)) {
      out.index[at(next[at(l)]++)] = static_cast<Id>(i);
    }
  }
  return out;
}

Cell Labels::cell(Index i, Index l) const {
  const auto id = static_cast<Id>(l);
  if (std::binary_search(row(i).begin(), row(i).end(), id)) return Cell::positive;
  const auto gaps = missing_row(i);
  return std::binary_search(gaps.begin(), gaps.end(), id) ? Cell::missing : Cell::negative;
}

bool Labels::operator==(const Labels& other) const {
  return rows_ == other.rows_ && count_ == other.count_ && positive_ == other.positive_ &&
         missing_ == other.missing_;
}

Labels take_rows(const Labels& y, std::span<const Id> rows) {
  std::vector<Index> start = {0}, missing_start = {0};
  std::vector<Id> index, missing_index;
  for (const Id i : rows) {
    index.insert(index.end(), y.row(i).begin(), y.row(i).end());
    start.push_back(static_cast<Index>(index.size()));
    const auto gaps = y.missing_row(i);
    missing_index.insert(missing_index.end(), gaps.begin(), gaps.end());
    missing_start.push_back(static_cast<Index>(missing_index.size()));
  }
  return Labels::from_csr(y.count(), std::move(start), std::move(index), std::move(missing_start),
                          std::move(missing_index));
}

Labels take_labels(const Labels& y, std::span<const Id> labels) {
  std::vector<std::vector<Id>> positives(at(y.rows()));
  std::vector<std::vector<Id>> missing(y.has_missing() ? positives.size() : 0);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    for (const Id i : y.column(labels[k])) {
      positives[at(i)].push_back(static_cast<Id>(k));
    }
    for (const Id i : y.missing_column(labels[k])) {
      missing[at(i)].push_back(static_cast<Id>(k));
    }
  }
  return {static_cast<Index>(labels.size()), positives, missing};
}

Labels labels_from_dense(MatrixView y) {
  std::vector<std::vector<Id>> positives(at(y.rows()));
  std::vector<std::vector<Id>> missing(at(y.rows()));
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index l = 0; l < y.cols(); ++l) {
      const double v = y(i, l);
      const auto row = at(i);
      if (std::isnan(v)) {
        missing[row].push_back(static_cast<Id>(l));
      } else if (v == 1) {
        positives[row].push_back(static_cast<Id>(l));
      } else if (v != 0) {
        throw Error(Code::data,
                    "expected labels of 0, 1 or missing, found " + shortest(v) + " in row " +
                        std::to_string(i + 1) + ", label " + std::to_string(l + 1),
                    "Turn the labels into 0 and 1, and missing ones into NaN");
      }
    }
  }
  return {y.cols(), positives, missing};
}

Matrix to_dense(const Labels& y) {
  Matrix out(y.rows(), y.count());
  for (Index i = 0; i < y.rows(); ++i) {
    const auto row = out.row(i);
    for (const Id l : y.row(i)) row[at(l)] = 1;
    for (const Id l : y.missing_row(i)) {
      row[at(l)] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return out;
}

}  // namespace mulberry::data

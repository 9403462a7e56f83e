#include "python/src/convert.hpp"

#include <algorithm>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::python {
namespace {

// Checks that `start` cuts `index` into rows, and that the numbers of each row increase and are
// below `limit`.
template <class Column>
void require_lists(std::span<const Index> start, std::span<const Column> index, Index limit) {
  bool fine = !start.empty() && start.front() == 0 &&
              start.back() == static_cast<Index>(index.size()) &&
              std::is_sorted(start.begin(), start.end());
  for (std::size_t i = 0; fine && i + 1 < start.size(); ++i) {
    Column last = -1;
    for (auto k = at(start[i]); k < at(start[i + 1]); ++k) {
      fine = fine && index[k] > last && index[k] < limit;
      last = index[k];
    }
  }
  if (fine) return;
  throw Error(Code::data, "expected a sparse matrix with sorted columns, each at most once per row",
              "Call sum_duplicates() on it");
}

}  // namespace

FixedMatrix matrix_of(const DenseArray& array) {
  return {static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)),
          borrow<double>(array)};
}

template <class Column, class Value>
Features csr_of(Index rows, Index cols, const Vector<Index>& start, const Vector<Column>& index,
                const Vector<Value>& value) {
  if (cols > std::numeric_limits<Id>::max()) {
    throw Error(Code::data, "expected at most 2147483647 features, found " + std::to_string(cols),
                "Leave out the columns without values");
  }
  require_lists(span_of(start), span_of(index), cols);
  MULBERRY_ASSERT(index.size() == value.size() && static_cast<Index>(start.size()) == rows + 1);
  if constexpr (std::is_same_v<Column, Id> && std::is_same_v<Value, double>) {
    return Csr{.rows = rows,
               .cols = cols,
               .start = borrow<Index>(start),
               .index = borrow<Id>(index),
               .value = borrow<double>(value)};
  } else {
    auto owner = std::make_shared<const std::pair<Vector<Column>, Vector<Value>>>(index, value);
    return Features(std::make_shared<const ForeignCsr>(
        rows, cols, borrow<Index>(start), index.data(), value.data(), std::move(owner)));
  }
}

template Features csr_of(Index, Index, const Vector<Index>&, const Vector<Id>&,
                         const Vector<double>&);
template Features csr_of(Index, Index, const Vector<Index>&, const Vector<Id>&,
                         const Vector<float>&);
template Features csr_of(Index, Index, const Vector<Index>&, const Vector<Index>&,
                         const Vector<double>&);
template Features csr_of(Index, Index, const Vector<Index>&, const Vector<Index>&,
                         const Vector<float>&);

Labels labels_of(Index labels, const LabelLists& positive,
                 const std::optional<LabelLists>& missing) {
  require_lists(span_of(positive.first), span_of(positive.second), labels);
  if (!missing) return Labels::from_csr(labels, copy_of(positive.first), copy_of(positive.second));
  require_lists(span_of(missing->first), span_of(missing->second), labels);
  return Labels::from_csr(labels, copy_of(positive.first), copy_of(positive.second),
                          copy_of(missing->first), copy_of(missing->second));
}

NumpyMatrix to_numpy(Matrix matrix) {
  auto* kept = new Matrix(std::move(matrix));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Matrix*>(p); });
  return NumpyMatrix(kept->data(), {at(kept->rows()), at(kept->cols())}, owner);
}

nb::ndarray<nb::numpy, std::int8_t, nb::ndim<2>> to_numpy(const Labels& labels) {
  const auto rows = at(labels.rows());
  const auto cols = at(labels.count());
  auto* kept = new std::vector<std::int8_t>(rows * cols, 0);
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::vector<std::int8_t>*>(p); });
  for (std::size_t i = 0; i < rows; ++i) {
    std::int8_t* row = kept->data() + i * cols;
    for (const Id l : labels.row(static_cast<Index>(i))) row[l] = 1;
    for (const Id l : labels.missing_row(static_cast<Index>(i))) row[l] = -1;
  }
  return {kept->data(), {rows, cols}, owner};
}

nb::tuple to_numpy(const Csr& csr) {
  const auto vector = [](const auto& array) {
    return to_numpy(std::vector(array.begin(), array.end()));
  };
  return nb::make_tuple(csr.rows, csr.cols, vector(csr.start), vector(csr.index),
                        vector(csr.value));
}

nb::tuple lists_of(const Labels& labels) {
  std::vector<Index> start = {0}, missing_start = {0};
  std::vector<Id> index, missing;
  for (Index i = 0; i < labels.rows(); ++i) {
    const auto row = labels.row(i), gaps = labels.missing_row(i);
    index.insert(index.end(), row.begin(), row.end());
    missing.insert(missing.end(), gaps.begin(), gaps.end());
    start.push_back(static_cast<Index>(index.size()));
    missing_start.push_back(static_cast<Index>(missing.size()));
  }
  return nb::make_tuple(labels.rows(), labels.count(), to_numpy(std::move(start)),
                        to_numpy(std::move(index)), to_numpy(std::move(missing_start)),
                        to_numpy(std::move(missing)));
}

}  // namespace mulberry::python

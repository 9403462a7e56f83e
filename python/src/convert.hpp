// Arrays between Python and the library. Features borrow the memory of NumPy and keep it alive;
// results hand their memory to NumPy. Nothing is copied in either direction.
#pragma once

#include "mulberry/data/dataset.hpp"
#include "python/src/binding.hpp"

namespace mulberry::python {

using DenseArray = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumpyMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
template <class T>
using NumpyVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::vector<T> copy_of(const Vector<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// A view of the array, which it keeps alive.
template <class T, class A>
Array<T> borrow(const A& array) {
  return Array<T>::borrow({array.data(), array.size()}, std::make_shared<A>(array));
}

FixedMatrix matrix_of(const DenseArray& array);  // borrows
// Borrows columns of 32 or 64 bits and values of floats or doubles. Throws Error unless they are a
// CSR matrix with increasing columns in every row.
template <class Column, class Value>
Features csr_of(Index rows, Index cols, const Vector<Index>& start, const Vector<Column>& index,
                const Vector<Value>& value);

// Labels as CSR parts: `positive` and `missing` are pairs (starts, columns); without `missing`,
// every cell is known.
using LabelLists = std::pair<Vector<Index>, Vector<Id>>;
Labels labels_of(Index labels, const LabelLists& positive,
                 const std::optional<LabelLists>& missing);

template <class T>
NumpyVector<T> to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyVector<T>(kept->data(), {kept->size()}, owner);
}
NumpyMatrix to_numpy(Matrix matrix);
// 0, 1, and -1 for missing.
nb::ndarray<nb::numpy, std::int8_t, nb::ndim<2>> to_numpy(const Labels& labels);
// (rows, columns, starts, columns of entries, values)
nb::tuple to_numpy(const Csr& csr);
// (rows, labels, starts, labels of positive cells, starts, labels of missing cells)
nb::tuple lists_of(const Labels& labels);

}  // namespace mulberry::python

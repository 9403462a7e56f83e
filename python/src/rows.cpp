// Sums over blocks of rows for mulberry/_newton.py. A block is a dict of arrays that lie in a file.
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/linear/row_sums.hpp"
#include "python/src/binding.hpp"
#include "python/src/convert.hpp"

namespace mulberry::python {
namespace {

using Signs = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using OptionalStart = std::optional<Vector<Index>>;
using OptionalIndex = std::optional<Vector<Id>>;
using OptionalWeights = std::optional<Vector<double>>;

struct Block {
  Index cols = 0;
  Signs signs;
  Values value;
  OptionalStart start;
  OptionalIndex index;
  OptionalWeights weights;

  math::RowBlock view() const {
    math::RowBlock out{.rows = static_cast<Index>(signs.shape(0)),
                       .cols = cols,
                       .value = {value.data(), value.size()},
                       .signs = {signs.data(), signs.size()},
                       .sign_columns = static_cast<Index>(signs.shape(1))};
    if (start && index) {
      out.start = span_of(*start);
      out.index = span_of(*index);
    }
    if (weights) out.weights = span_of(*weights);
    return out;
  }
};

struct Problems {
  math::Loss loss = math::Loss::logistic;
  Vector<Index> columns;
  DenseArray costs;  // of a negative and of a positive cell, per problem

  math::RowProblems view() const {
    if (costs.shape(0) != 2 || costs.shape(1) != columns.size()) throw Bug("costs of other labels");
    return {.loss = loss,
            .signs = span_of(columns),
            .negative = {costs.data(), columns.size()},
            .positive = {costs.data() + columns.size(), columns.size()}};
  }
};

MatrixView view_of(const DenseArray& matrix) {
  return {matrix.data(), static_cast<Index>(matrix.shape(0)), static_cast<Index>(matrix.shape(1))};
}

Problems problems_of(bool logistic, const Vector<Index>& columns, const DenseArray& costs) {
  return {.loss = logistic ? math::Loss::logistic : math::Loss::squared_hinge,
          .columns = columns,
          .costs = costs};
}

}  // namespace

void bind_rows(nb::module_& m) {
  nb::class_<Block>(m, "RowBlock")
      .def(
          "__init__",
          [](Block* self, Index cols, Signs signs, Values value, OptionalStart start,
             OptionalIndex index, OptionalWeights weights) {
            new (self) Block{cols,
                             std::move(signs),
                             std::move(value),
                             std::move(start),
                             std::move(index),
                             std::move(weights)};
          },
          nb::arg("cols"), nb::arg("signs"), nb::arg("value"), nb::arg("start").none(),
          nb::arg("index").none(), nb::arg("weights").none())
      .def(
          "gradients",
          [](const Block& self, bool logistic, const Vector<Index>& columns,
             const DenseArray& costs, const DenseArray& w) {
            const Problems problems = problems_of(logistic, columns, costs);
            math::RowSums found;
            {
              const nb::gil_scoped_release free;
              found = math::sum_gradients(self.view(), problems.view(), view_of(w));
            }
            return nb::make_tuple(to_numpy(std::move(found.losses)),
                                  to_numpy(std::move(found.curves)),
                                  to_numpy(std::move(found.slopes)));
          },
          nb::arg("logistic"), nb::arg("columns"), nb::arg("costs"), nb::arg("w"))
      .def(
          "curvatures",
          [](const Block& self, bool logistic, const Vector<Index>& columns,
             const DenseArray& costs, const DenseArray& w, const DenseArray& v) {
            const Problems problems = problems_of(logistic, columns, costs);
            Matrix found;
            {
              const nb::gil_scoped_release free;
              found = math::sum_curvatures(self.view(), problems.view(), view_of(w), view_of(v));
            }
            return to_numpy(std::move(found));
          },
          nb::arg("logistic"), nb::arg("columns"), nb::arg("costs"), nb::arg("w"), nb::arg("v"))
      .def("squares", [](const Block& self) {
        std::vector<double> found;
        {
          const nb::gil_scoped_release free;
          found = math::sum_squares(self.view());
        }
        return to_numpy(std::move(found));
      });
}

}  // namespace mulberry::python

// A data set that comes as several files of rows.
#pragma once

#include <vector>

#include "mulberry/data/read/read.hpp"

namespace mulberry::bench {

// Rows of all parts, one after the other.
inline Dataset read_parts(int count, char** files) {
  Dataset out = read_dataset(files[0]);
  for (int k = 1; k < count; ++k) {
    const Dataset more = read_dataset(files[k]);
    std::vector<std::vector<Id>> positives;
    for (const Labels* y : {&std::as_const(out.y), &more.y}) {
      for (Index i = 0; i < y->rows(); ++i)
        positives.emplace_back(y->row(i).begin(), y->row(i).end());
    }
    out.y = Labels(out.y.count(), positives);
    if (out.x.is_sparse()) {
      Csr x = to_sparse(out.x);
      const Csr tail = to_sparse(more.x);
      const Index shift = x.nonzeros();
      std::vector<Index> start = x.start.copy();
      std::vector<Id> index = x.index.copy();
      std::vector<double> value = x.value.copy();
      for (Index i = 1; i <= tail.rows; ++i) {
        start.push_back(shift + tail.start[static_cast<std::size_t>(i)]);
      }
      index.insert(index.end(), tail.index.begin(), tail.index.end());
      value.insert(value.end(), tail.value.begin(), tail.value.end());
      x.start = std::move(start);
      x.index = std::move(index);
      x.value = std::move(value);
      x.rows += tail.rows;
      out.x = Features(std::move(x));
    } else {
      std::vector<double> values(out.x.dense().values().begin(), out.x.dense().values().end());
      const FixedMatrix tail = to_dense(more.x);
      values.insert(values.end(), tail.values().begin(), tail.values().end());
      out.x = Features(Matrix(out.x.rows() + more.x.rows(), out.x.cols(), std::move(values)));
    }
  }
  return out;
}

}  // namespace mulberry::bench

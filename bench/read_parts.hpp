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
      for (Index i = 1; i <= tail.rows; ++i) {
        x.start.edit().push_back(shift + tail.start[static_cast<std::size_t>(i)]);
      }
      x.index.edit().insert(x.index.edit().end(), tail.index.begin(), tail.index.end());
      x.value.edit().insert(x.value.edit().end(), tail.value.begin(), tail.value.end());
      x.rows += tail.rows;
      out.x = Features(std::move(x));
    } else {
      std::vector<double> values(out.x.dense().values().begin(), out.x.dense().values().end());
      const Matrix tail = to_dense(more.x);
      values.insert(values.end(), tail.values().begin(), tail.values().end());
      out.x = Features(Matrix(out.x.rows() + more.x.rows(), out.x.cols(), std::move(values)));
    }
  }
  return out;
}

}  // namespace mulberry::bench

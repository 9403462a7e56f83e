#include "mulberry/model/stored_features.hpp"

#include <algorithm>
#include <functional>

#include "mulberry/core/index.hpp"

namespace mulberry::model {

void require_offsets(const ArchiveReader& in, std::string_view name, const Array<Index>& start,
                     std::size_t size) {
  in.require(!start.empty() && start[0] == 0 && std::is_sorted(start.begin(), start.end()) &&
                 start[start.size() - 1] == static_cast<Index>(size),
             name, "does not cut the values into rows");
}

void require_below(const ArchiveReader& in, std::string_view name, const Array<Id>& index,
                   Index count) {
  const bool fine =
      std::all_of(index.begin(), index.end(), [&](Id j) { return j >= 0 && j < count; });
  in.require(fine, name, "has a number that is out of range");
}

void StoredFeatures::write(ArchiveWriter& out) {
  x = in_one_piece(x);
  Index sparse = x.is_sparse() ? 1 : 0, cols = x.cols();
  out("sparse", sparse);
  out("cols", cols);
  if (!x.is_sparse()) {
    out("values", x.dense());
    return;
  }
  out("start", x.sparse().start);
  out("index", x.sparse().index);
  out("value", x.sparse().value);
}

void StoredFeatures::read(ArchiveReader& in) {
  Index sparse = 0, cols = 0;
  in("sparse", sparse);
  in("cols", cols);
  if (sparse == 0) {
    FixedMatrix dense;
    in("values", dense);
    in.require(dense.cols() == cols, "values", "has the wrong number of columns");
    x = Features(std::move(dense));
    return;
  }
  Csr csr;
  in("start", csr.start);
  in("index", csr.index);
  in("value", csr.value);
  csr.cols = cols;
  csr.rows = count_of(csr.start) - 1;
  in.require(csr.index.size() == csr.value.size(), "value", "needs one number per index");
  require_offsets(in, "start", csr.start, csr.index.size());
  require_below(in, "index", csr.index, cols);
  for (Index i = 0; i < csr.rows; ++i) {
    const auto row = csr.row(i).index;
    in.require(std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end(),
               "index", "is not increasing within a row");
  }
  x = Features(std::move(csr));
}

}  // namespace mulberry::model

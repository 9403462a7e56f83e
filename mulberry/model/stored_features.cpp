#include "mulberry/model/stored_features.hpp"

#include <limits>

#include "mulberry/core/index.hpp"

namespace mulberry::model {

void StoredFeatures::write(ArchiveWriter& out) {
  x = in_one_piece(x);
  bool sparse = x.is_sparse();
  Index cols = x.cols();
  out("sparse", sparse);
  out("cols", cols, any_count());
  if (!sparse) {
    out("values", x.dense(), finite());
    return;
  }
  out("start", x.sparse().start, any_count());
  out("index", x.sparse().index, any_count());
  out("value", x.sparse().value, finite());
}

void StoredFeatures::read(ArchiveReader& in) {
  bool sparse = false;
  Index cols = 0;
  in("sparse", sparse);
  in("cols", cols, whole(0, std::numeric_limits<Id>::max()));
  const RealBounds values = real(-k_largest_feature, k_largest_feature);
  if (!sparse) {
    FixedMatrix dense;
    in("values", dense, values.cols(cols));
    x = Features(std::move(dense));
  } else {
    Csr csr;
    in("start", csr.start, any_count());
    in("index", csr.index, below(cols));
    in("value", csr.value, values.length(count_of(csr.index)));
    in.require(are_offsets({csr.start.data(), csr.start.size()}, csr.index.size()), "start",
               "does not cut the values into rows");
    csr.cols = cols;
    csr.rows = count_of(csr.start) - 1;
    for (Index i = 0; i < csr.rows; ++i) {
      in.require(is_increasing(csr.row(i).index), "index", "is not increasing within a row");
    }
    x = Features(std::move(csr));
  }
  in.require(x.rows() == 0 || cols == in.features(), "cols",
             "is not the number of features of the model");
}

}  // namespace mulberry::model

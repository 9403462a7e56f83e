#include "mulberry/data/read/read.hpp"
#include "tests/fuzz/fuzz.hpp"

// The first byte chooses the options, the rest is the file: libsvm rows, or XMLRepo rows.
FUZZ_TARGET(libsvm) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  ReadOptions options;
  options.format = (choice & 1) != 0 ? Format::xmlrepo : Format::libsvm;
  options.labels_optional = (choice & 2) != 0;
  if ((choice & 12) == 4) options.index_base = IndexBase::zero;
  if ((choice & 12) == 8) options.index_base = IndexBase::one;
  if ((choice & 16) != 0) options.label_count = 3;
  fuzz::errors_are_fine([&] {
    const Dataset data = read_dataset(open_bytes(input.substr(1), "fuzz"), "fuzz", options);
    MULBERRY_ASSERT(data.x.rows() == data.y.rows());
    MULBERRY_ASSERT(data.label_names.size() == static_cast<std::size_t>(data.labels()));
    for (const Id j : data.x.sparse().index) MULBERRY_ASSERT(j >= 0 && j < data.columns());
    require_finite(data.x);
  });
}

#include <string>

#include "mulberry/data/bytes/npy.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/fuzz/fuzz.hpp"

// The first byte chooses: a whole archive, or one array, which has no checksum.
FUZZ_TARGET(npz) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  fuzz::errors_are_fine([&] {
    if ((choice & 1) != 0) {
      const NpyArray array = NpyArray::parse(input, "X", "fuzz");
      if ((choice & 6) == 0) {
        MULBERRY_ASSERT(array.numbers().size() == static_cast<std::size_t>(array.size()));
      } else if ((choice & 6) == 2) {
        array.integers(0, 1000);
      } else {
        array.texts();
      }
      return;
    }
    ReadOptions options;
    options.format = Format::npz;
    options.labels_optional = (choice & 2) != 0;
    options.keep_missing = (choice & 4) != 0;
    const Dataset data = read_dataset(open_bytes(input, "fuzz"), "fuzz", options);
    MULBERRY_ASSERT(!data.has_labels || data.x.rows() == data.y.rows());
    require_finite(data.x, {}, options.keep_missing);
  });
}

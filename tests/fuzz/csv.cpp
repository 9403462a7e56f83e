#include "mulberry/data/read/read.hpp"
#include "tests/fuzz/fuzz.hpp"

// The first byte chooses the options, the rest is the file.
FUZZ_TARGET(csv) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  ReadOptions options;
  options.format = (choice & 1) != 0 ? Format::tsv : Format::csv;
  options.keep_missing = (choice & 2) != 0;
  options.nominal = (choice & 4) != 0 ? Nominal::ordinal : Nominal::one_hot;
  options.labels_optional = (choice & 8) != 0;
  if ((choice & 48) == 16) options.label_count = -1;
  if ((choice & 48) == 32) options.label_list = "tags";
  if ((choice & 48) == 48) options.label_sets = {"kind"};
  if ((choice & 64) != 0) {
    options.dates = Dates::parts;
    options.decimal = ',';
    options.thousands = '.';
  }
  if ((choice & 128) != 0) {
    options.label_paths = '/';
    options.add_implied = true;
  }
  fuzz::errors_are_fine([&] {
    const Dataset data = read_dataset(open_bytes(input.substr(1), "fuzz"), "fuzz", options);
    MULBERRY_ASSERT(data.x.rows() == data.y.rows());
    MULBERRY_ASSERT(data.label_names.size() == static_cast<std::size_t>(data.labels()));
    MULBERRY_ASSERT(data.feature_names.size() == static_cast<std::size_t>(data.columns()));
    require_finite(data.x, {}, options.keep_missing);
  });
}

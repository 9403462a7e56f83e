#include "mulberry/data/read/readers.hpp"
#include "tests/fuzz/fuzz.hpp"

// The first byte chooses the options, the rest is the file.
FUZZ_TARGET(arff) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  ReadOptions options;
  options.labels_optional = (choice & 1) != 0;
  options.keep_missing = (choice & 2) != 0;
  options.nominal = (choice & 4) != 0 ? Nominal::ordinal : Nominal::one_hot;
  if ((choice & 24) == 8) options.label_count = -2;
  if ((choice & 24) == 16) options.label_list = "tags";
  if ((choice & 24) == 24) options.label_sets = {"kind"};
  if ((choice & 96) == 32) options.weight_column = "w";
  if ((choice & 64) != 0) options.dates = Dates::parts;
  fuzz::errors_are_fine([&] {
    const std::string path = "no such folder/fuzz.arff";  // so that no label XML is found
    TextReader text(open_bytes(input.substr(1), path), path);
    const Dataset data = read_whole(*arff_reader(text, options));
    MULBERRY_ASSERT(data.x.rows() == data.y.rows());
    MULBERRY_ASSERT(data.label_names.size() == static_cast<std::size_t>(data.labels()));
    MULBERRY_ASSERT(data.feature_names.size() == static_cast<std::size_t>(data.columns()));
    require_finite(data.x, {}, options.keep_missing);
  });
}

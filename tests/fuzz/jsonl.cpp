#include "mulberry/data/read/read.hpp"
#include "tests/fuzz/fuzz.hpp"

// The first byte chooses the options, the rest is the file.
FUZZ_TARGET(jsonl) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  ReadOptions options;
  options.format = Format::jsonl;
  options.keep_missing = (choice & 1) != 0;
  options.labels_optional = (choice & 2) != 0;
  if ((choice & 4) != 0) options.label_list = "labels";
  if ((choice & 8) != 0) options.text = {"text"};
  if ((choice & 16) != 0) options.id_column = "id";
  fuzz::errors_are_fine([&] {
    const Dataset data = read_dataset(open_bytes(input.substr(1), "fuzz"), "fuzz", options);
    MULBERRY_ASSERT(data.x.rows() == data.y.rows());
    MULBERRY_ASSERT(data.feature_names.size() == static_cast<std::size_t>(data.columns()));
    for (const TextColumn& column : data.texts) {
      MULBERRY_ASSERT(column.texts.rows() == data.rows());
    }
    MULBERRY_ASSERT(data.ids.empty() || std::ssize(data.ids) == data.rows());
  });
}

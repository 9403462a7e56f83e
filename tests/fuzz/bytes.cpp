#include "mulberry/data/bytes/text_reader.hpp"
#include "tests/fuzz/fuzz.hpp"

// Plain, gzip or zstd bytes, read line by line.
FUZZ_TARGET(bytes) {
  using namespace mulberry::tests;
  fuzz::errors_are_fine([&] {
    TextReader text(open_bytes(input, "fuzz"), "fuzz");
    std::int64_t lines = 0;
    while (text.next()) {
      MULBERRY_ASSERT(text.number() == ++lines);
      MULBERRY_ASSERT(text.line().find('\n') == std::string_view::npos);
      MULBERRY_ASSERT(text.place(text.line().data()).column == 1);
    }
  });
}

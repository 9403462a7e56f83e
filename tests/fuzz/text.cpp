#include "mulberry/data/text/vectoriser.hpp"
#include "tests/fuzz/fuzz.hpp"

// The first byte chooses the options; lines are texts, which may be any bytes.
FUZZ_TARGET(text) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  TextOptions options;
  options.units = static_cast<TextUnit>(choice % 3);
  options.ngrams = (choice & 4) != 0 ? "1-3" : "2";
  options.lowercase = (choice & 8) != 0;
  options.hash = (choice & 16) != 0 ? 32 : 0;
  std::vector<std::string> rows;
  for (std::size_t begin = 1; begin <= input.size();) {
    const std::size_t end = std::min(input.find('\n', begin), input.size());
    rows.emplace_back(input.substr(begin, end - begin));
    begin = end + 1;
  }
  fuzz::errors_are_fine([&] {
    Csr fitted;
    const Vectoriser text = Vectoriser::fit(Texts(rows), options, Context(), &fitted);
    MULBERRY_ASSERT(text.apply(Texts(rows), Context()) == fitted);
    MULBERRY_ASSERT(fitted.rows == std::ssize(rows));
  });
}

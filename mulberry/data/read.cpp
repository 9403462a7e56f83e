#include "mulberry/data/read.hpp"

#include "mulberry/core/text.hpp"
#include "mulberry/data/detect.hpp"
#include "mulberry/data/readers.hpp"

namespace mulberry {
namespace {

constexpr std::size_t k_looked_at = std::size_t{1} << 16;  // enough of a file to tell its format

}  // namespace

Dataset read_dataset(const std::string& path, const ReadOptions& options) {
  auto bytes = open_bytes(path);
  const Format format = options.format ? *options.format : detect_format(bytes->peek(k_looked_at));
  TextReader text(std::move(bytes), path);
  switch (format) {
    case Format::arff:
      return read_arff(text, options);
    default:
      break;
  }
  throw Error(Code::unsupported,
              "expected a format that this build reads, found " + std::string(format_name(format)),
              "Convert the file to ARFF", {path});
}

}  // namespace mulberry

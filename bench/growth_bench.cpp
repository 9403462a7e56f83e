// How the time to read a file grows with its rows, columns, line length and labels, for every
// format:
//   growth_bench [FORMAT...]
// Prints a line of JSON per format and direction: its largest size, the seconds for it, and the
// exponent e of "time is proportional to bytes to the power of e", fitted to sizes that double.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "tests/support/growing_files.hpp"

namespace {

using namespace mulberry::bench;
using mulberry::tests::GrowingFile;

double seconds_to_read(const GrowingFile& file, const std::string& content) {
  double best = 1e300;
  for (int round = 0; round < 5; ++round) {
    const double begin = thread_cpu_seconds();
    file.read(content);
    best = std::min(best, thread_cpu_seconds() - begin);
  }
  return best;
}

void measure(const GrowingFile& file) {
  constexpr int k_doublings = 4;
  std::vector<double> log_bytes, log_seconds;
  Index size = file.size / 2;
  std::size_t bytes = 0;
  for (int k = 0; k <= k_doublings; ++k) {
    if (k > 0) size *= 2;
    const std::string content = file.make(size);
    bytes = content.size();
    log_bytes.push_back(std::log(static_cast<double>(bytes)));
    log_seconds.push_back(std::log(seconds_to_read(file, content)));
  }
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
  const auto count = static_cast<double>(log_bytes.size());
  for (std::size_t k = 0; k < log_bytes.size(); ++k) {
    mean_x += log_bytes[k] / count;
    mean_y += log_seconds[k] / count;
  }
  for (std::size_t k = 0; k < log_bytes.size(); ++k) {
    xy += (log_bytes[k] - mean_x) * (log_seconds[k] - mean_y);
    xx += (log_bytes[k] - mean_x) * (log_bytes[k] - mean_x);
  }
  fmt::print(
      "{{\"format\": \"{}\", \"axis\": \"{}\", \"size\": {}, \"megabytes\": {:.2f}, "
      "\"seconds\": {:.4f}, \"exponent\": {:.3f}}}\n",
      file.format, file.axis, size, static_cast<double>(bytes) / 1e6, std::exp(log_seconds.back()),
      xy / xx);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  try {
    for (const GrowingFile& file : mulberry::tests::growing_files()) {
      const bool chosen =
          wanted.empty() || std::find(wanted.begin(), wanted.end(), file.format) != wanted.end();
      if (chosen) measure(file);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

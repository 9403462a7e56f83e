// Reading takes time in proportion to the bytes: four times the columns, rows, labels or characters
// of a line take about four times as long, not sixteen times. bench/growth_bench.cpp measures the
// exponents; here the border lies in the middle, so that a busy machine is no failure.
#include <gtest/gtest.h>

#include <ctime>

#include "tests/support/growing_files.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_to_read(const GrowingFile& file, const std::string& content) {
  double best = 1e300;
  for (int round = 0; round < 3; ++round) {
    const double begin = cpu_seconds();
    file.read(content);
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

TEST(Growth, ReadingIsLinear) {
  for (const GrowingFile& file : growing_files()) {
    SCOPED_TRACE(file.format + ", " + file.axis);
    const std::string small = file.make(file.size / 8), large = file.make(file.size / 2);
    const double begin = seconds_to_read(file, small);
    const double end = seconds_to_read(file, large);
    const double bytes = static_cast<double>(large.size()) / static_cast<double>(small.size());
    EXPECT_LT(end, 2.5 * bytes * begin + 0.01)
        << file.format << ", " << file.axis << ": " << begin << " s, then " << end << " s";
  }
}

}  // namespace
}  // namespace mulberry::data

#include "mulberry/evaluate/resources.hpp"

#include <ctime>
#include <fstream>
#include <string>

namespace mulberry::evaluate {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }
double thread_cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

Index peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    Index kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace mulberry::evaluate

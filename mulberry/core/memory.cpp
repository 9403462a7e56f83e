#include "mulberry/core/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "mulberry/core/error.hpp"

namespace mulberry::core {
namespace {

// The number after a name in a file of lines "name: 123 kB"; the first number if there is no name.
std::optional<std::size_t> number_in(const std::string& path, const std::string& name) {
  std::ifstream in(path);
  std::string word;
  std::size_t out = 0;
  if (name.empty()) {
    if (in >> out) return out;
    return std::nullopt;
  }
  while (in >> word) {
    if (word == name && in >> out) return out;
  }
  return std::nullopt;
}

constexpr std::size_t k_unknown = std::numeric_limits<std::size_t>::max();

// Of the addresses that a limit leaves, after those in use.
std::size_t left_of_addresses() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return k_unknown;
  const std::size_t used = number_in("/proc/self/status", "VmSize:").value_or(0) * 1024;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

// Of the control group: version 2, then 1. Pages of files can be given up.
std::size_t left_of_group() {
  struct Names {
    const char *limit, *used, *statistics, *files;
  };
  constexpr Names k_versions[] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
       "inactive_file"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
       "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"}};
  for (const Names& names : k_versions) {
    const auto limit = number_in(names.limit, ""), used = number_in(names.used, "");
    if (!limit || !used) continue;  // no such file, or "max"
    const std::size_t files = std::min(*used, number_in(names.statistics, names.files).value_or(0));
    return *limit > *used - files ? *limit - (*used - files) : 0;
  }
  return k_unknown;
}

std::size_t left_of_machine() {
  const auto memory = number_in("/proc/meminfo", "MemAvailable:");
  if (!memory) return k_unknown;
  return (*memory + number_in("/proc/meminfo", "SwapFree:").value_or(0)) * 1024;
}

}  // namespace

std::size_t available_memory() {
  return std::min({left_of_addresses(), left_of_group(), left_of_machine()});
}

std::string size_text(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 100'000) return fmt::format("{:.1f} kB", size / 1e3);
  return bytes < 1'000'000'000 ? fmt::format("{:.1f} MB", size / 1e6)
                               : fmt::format("{:.2f} GB", size / 1e9);
}

void require_memory(const std::string& what, std::size_t needed, std::size_t limit,
                    const std::string& remedy) {
  if (needed <= limit) return;
  throw Error(Code::memory,
              fmt::format("expected at most {} for {}, found that it takes {}", size_text(limit),
                          what, size_text(needed)),
              remedy);
}

}  // namespace mulberry::core

#include "mulberry/core/memory.hpp"

#include <fmt/format.h>

#include "mulberry/core/error.hpp"

namespace mulberry::core {

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

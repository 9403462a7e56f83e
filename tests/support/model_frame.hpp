// A model file around a header: magic word, version, length, checksum.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string>

namespace mulberry::tests {

// `arrays` begin at a multiple of 64 bytes, if there are any.
inline std::string framed(std::uint32_t version, const std::string& header,
                          const std::string& arrays = {}) {
  std::string out = "MULBERRY";
  const auto append = [&out](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(version);
  append(std::uint32_t{0});
  append(static_cast<std::uint64_t>(header.size()));
  append(static_cast<std::uint64_t>(XXH3_64bits(header.data(), header.size())));
  out += header;
  if (!arrays.empty()) out.resize((out.size() + 63) / 64 * 64, '\0');
  return out + arrays;
}

}  // namespace mulberry::tests

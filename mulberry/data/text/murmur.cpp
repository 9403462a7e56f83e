#include "mulberry/data/text/murmur.hpp"

#include <bit>
#include <cstring>

namespace mulberry::data {
namespace {

std::uint32_t scramble(std::uint32_t k) { return std::rotl(k * 0xCC9E2D51U, 15) * 0x1B873593U; }

}  // namespace

std::int32_t murmur3(std::string_view bytes) {
  std::uint32_t hash = 0;
  std::size_t k = 0;
  for (; k + 4 <= bytes.size(); k += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + k, 4);
    hash = std::rotl(hash ^ scramble(word), 13) * 5 + 0xE6546B64U;
  }
  std::uint32_t rest = 0;
  for (std::size_t b = bytes.size(); b > k; --b) {
    rest = (rest << 8U) | static_cast<unsigned char>(bytes[b - 1]);
  }
  hash ^= scramble(rest);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ (hash >> 16U)) * 0x85EBCA6BU;
  hash = (hash ^ (hash >> 13U)) * 0xC2B2AE35U;
  return static_cast<std::int32_t>(hash ^ (hash >> 16U));
}

Id hashed_column(std::string_view term, Index columns) {
  const Index hash = murmur3(term);
  return static_cast<Id>((hash < 0 ? -hash : hash) % columns);
}

}  // namespace mulberry::data

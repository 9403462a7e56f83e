#include "mulberry/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::core {
namespace {

// SplitMix64's finaliser: mixes every bit of the input into every bit of the output.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

Random::Random(std::uint64_t seed, std::string_view stream, std::uint64_t i, std::uint64_t j) {
  std::uint64_t name = 0xcbf29ce484222325ull;  // FNV-1a of the stream's name
  for (const char c : stream) name = (name ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  const std::uint64_t key = mix(seed ^ mix(name));
  const std::uint64_t place = mix(mix(i) + j);
  key_ = {low(key), high(key)};
  counter_ = {0, 0, low(place), high(place)};
}

void Random::refill() {
  r123::Philox4x32::ctr_type counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
  const r123::Philox4x32::key_type key = {{key_[0], key_[1]}};
  const auto out = r123::Philox4x32()(counter, key);
  for (std::size_t k = 0; k < 4; ++k) block_[k] = out[k];
  if (++counter_[0] == 0) ++counter_[1];
  used_ = 0;
}

std::uint32_t Random::bits() {
  if (used_ == 4) refill();
  return block_[at(used_++)];
}

double Random::uniform() {
  const std::uint64_t a = bits() >> 5, b = bits() >> 6;
  return static_cast<double>((a << 26) | b) * 0x1.0p-53;
}

Index Random::below(Index n) {
  MULBERRY_ASSERT(n > 0);
  const auto range = static_cast<std::uint64_t>(n);
  const std::uint64_t reject = (~range + 1) % range;  // 2^64 mod n
  for (;;) {
    const std::uint64_t draw = (std::uint64_t{bits()} << 32) | bits();
    if (draw >= reject) return static_cast<Index>(draw % range);
  }
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    const double u = uniform(-1, 1), v = uniform(-1, 1), s = u * u + v * v;
    if (s <= 0 || s >= 1) continue;
    const double scale = std::sqrt(-2 * std::log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }
}

}  // namespace mulberry::core

// Counter-based random streams (Philox 4x32-10): a stream depends on the seed, a name and up to two
// numbers, never on the thread or the order of calls, and gives the same draws on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::core {

class Random {
 public:
  Random(std::uint64_t seed, std::string_view stream, std::uint64_t i = 0, std::uint64_t j = 0);

  std::uint32_t bits();
  double uniform();  // [0, 1), 53 bits
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  Index below(Index n);  // 0 .. n-1, without bias
  double normal();       // mean 0, deviation 1 (polar method)
  bool chance(double p) { return uniform() < p; }

  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t k = values.size(); k > 1; --k) {
      std::swap(values[k - 1], values[at(below(static_cast<Index>(k)))]);
    }
  }

 private:
  void refill();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_ = {};
  int used_ = 4;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace mulberry::core

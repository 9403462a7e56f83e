// Vectors that begin on a cache line. Sums that are read and written in vectors of 32 bytes in an
// inner loop take up to twice as long where such a vector lies in two lines, which std::vector
// leaves to chance.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::math {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t k_line{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT: as an allocator must
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), k_line));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, k_line); }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace mulberry::math

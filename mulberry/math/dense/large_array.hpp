// LargeArray: memory for matrices of many megabytes. It is not initialised, so that the threads
// that fill it touch it first, and uses large pages if the system has them: both make the first
// write several times faster and later visits of distant rows cheaper. Small arrays are plain
// memory.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>

#include "mulberry/core/rooms.hpp"
#endif

namespace mulberry::math {

template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LargeArray() = default;
  // Throws std::bad_alloc if there is not enough memory.
  explicit LargeArray(std::size_t size) {
    constexpr std::size_t k_page = std::size_t{2} << 20;
    const std::size_t bytes = size * sizeof(T);
    if (bytes < k_page) {
      memory_.reset(static_cast<T*>(std::malloc(bytes > 0 ? bytes : 1)));
    } else {
      const std::size_t whole = (bytes + k_page - 1) / k_page * k_page;
      memory_.reset(static_cast<T*>(std::aligned_alloc(k_page, whole)));
#if defined(__linux__)
      if (memory_) madvise(memory_.get(), whole, MADV_HUGEPAGE);  // only a hint
#endif
    }
    if (!memory_) throw std::bad_alloc();
  }

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T[], Free> memory_;
};

}  // namespace mulberry::math

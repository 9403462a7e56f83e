#include "mulberry/math/dense/blas_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <thread>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/memory.hpp"

// Null if OpenBLAS was built with other names; such a build is newer than those that try forever.
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int purpose);
[[gnu::weak]] void blas_memory_free(void* buffer);
}

namespace mulberry::math::blas {
namespace {

constexpr std::size_t k_megabyte = std::size_t{1} << 20;
constexpr std::size_t k_buffer = 128 * k_megabyte;
constexpr std::size_t k_arena = 64 * k_megabyte;
constexpr std::size_t k_margin = 32 * k_megabyte;  // for what others allocate meanwhile
constexpr int k_most = 64;                         // OpenBLAS has places for twice as many
constexpr int k_first = 16;

bool one_arena = false;  // written before there is a second thread

std::size_t addresses() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return limit.rlim_cur;
}

// A thread that allocates for the first time takes an arena.
std::size_t needed() { return k_buffer + k_margin + (one_arena ? 0 : k_arena); }

bool has_room() {
  void* const found =
      ::mmap(nullptr, needed(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) return false;
  ::munmap(found, needed());
  return true;
}

}  // namespace

int make_buffers(int have, int wanted) {
  std::array<void*, k_most> taken = {};
  int count = 0;
  for (wanted = std::min(wanted, k_most); count < wanted; ++count) {
    if (count >= have && !has_room()) break;
    if (blas_memory_alloc != nullptr) taken[static_cast<std::size_t>(count)] = blas_memory_alloc(0);
  }
  for (int k = 0; k < count; ++k) {
    if (blas_memory_free != nullptr) blas_memory_free(taken[static_cast<std::size_t>(k)]);
  }
  if (count > 0) return count;
  throw Error(Code::memory,
              "expected " + size_text(needed()) +
                  " of addresses for products of matrices (OpenBLAS), found that this process may "
                  "not have them",
              "Raise the limit of its memory (ulimit -v), or use fewer threads");
}

int first_buffers() {
  if (addresses() != SIZE_MAX) return 1;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, k_first);
}

void save_addresses() {
  constexpr std::size_t k_few = 4096 * k_megabyte;
  if (addresses() < k_few) one_arena = ::mallopt(M_ARENA_MAX, 1) == 1;
}

}  // namespace mulberry::math::blas

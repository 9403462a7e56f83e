#include "mulberry/math/dense/blas_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "mulberry/core/error.hpp"
#include "mulberry/core/memory.hpp"

namespace mulberry::math::blas {
namespace {

constexpr std::size_t k_buffer = std::size_t{128} << 20;
constexpr std::size_t k_margin = std::size_t{8} << 20;  // for what others allocate meanwhile

}  // namespace

void require_buffers(int count) {
  const std::size_t size = static_cast<std::size_t>(count) * k_buffer + k_margin;
  void* const found =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found != MAP_FAILED) {
    ::munmap(found, size);
    return;
  }
  throw Error(Code::memory,
              "expected " + size_text(size) +
                  " of addresses for products of matrices (OpenBLAS), found that this process may "
                  "not have them",
              "Raise the limit of its memory (ulimit -v), or use fewer threads");
}

void do_without_blas_threads(char** argv) {
  constexpr const char* k_name = "OPENBLAS_NUM_THREADS";
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (std::getenv(k_name) != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr) return;
  ::setenv(k_name, "1", 1);
  ::execv("/proc/self/exe", argv);
  ::unsetenv(k_name);  // it could not be started again: go on as we are
}

}  // namespace mulberry::math::blas

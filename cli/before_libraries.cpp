// Runs before the libraries set themselves up: if the memory of processes is limited (ulimit -v),
// starts the program again without threads of OpenBLAS, which it otherwise makes as soon as it is
// loaded. Each of them takes a buffer of 128 MB of addresses, and if there is no room for its stack,
// OpenBLAS ends the process as Ctrl-C would. We never use them.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace {

// A sanitizer is set up as late as the libraries.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_sanitized = true;
#elif defined(__has_feature)
constexpr bool k_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool k_sanitized = false;
#endif

void do_without_blas_threads(int /*argc*/, char** argv, char** environment) {
  rlimit limit = {};
  if (k_sanitized || ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  static std::array<char*, 4096> more = {};
  static std::array<char, 23> one = {"OPENBLAS_NUM_THREADS=1"};
  std::size_t count = 0;
  for (; environment[count] != nullptr; ++count) {
    const std::string_view word = environment[count];
    if (word.starts_with("OPENBLAS_NUM_THREADS=") || word.starts_with("OMP_NUM_THREADS=")) return;
    if (count + 2 == more.size()) return;
    more[count] = environment[count];
  }
  more[count] = one.data();
  ::execve("/proc/self/exe", argv, more.data());
  // It could not be started again: go on as we are.
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = do_without_blas_threads;

}  // namespace

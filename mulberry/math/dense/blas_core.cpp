#include "mulberry/math/dense/blas_core.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include <cstdlib>

// Null if OpenBLAS was built for one processor type.
extern "C" {
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}

namespace mulberry::math::blas {

namespace {

// The type that suits this processor, or null if it is an old one.
const char* suitable_core() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return "Haswell";
#endif
  return nullptr;
}

}  // namespace

bool choose_core() {
  constexpr const char* k_name = "OPENBLAS_CORETYPE";
  const char* const core = suitable_core();
  if (core_name() != "Prescott" || core == nullptr || std::getenv(k_name) != nullptr ||
      gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr) {
    return false;
  }
  setenv(k_name, core, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(k_name);  // programs that we start make their own choice
  return true;
}

std::string_view core_name() { return openblas_get_corename(); }

std::string library_file() {
  Dl_info found = {};
  const void* const inside = openblas_get_corename();  // a string of the library itself
  if (dladdr(inside, &found) == 0 || found.dli_fname == nullptr) return {};
  return found.dli_fname;
}

}  // namespace mulberry::math::blas

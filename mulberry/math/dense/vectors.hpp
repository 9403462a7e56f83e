// Four doubles as one value, for the few loops that are worth it: plain C++ operators become AVX2
// instructions in functions compiled for AVX2, and the same arithmetic in the same order (hence the
// same bits) elsewhere. No fused multiply-add.
//
// A kernel is an always-inline function template; MULBERRY_DISPATCH(name, body) makes `name` choose
// at run time between the body compiled for AVX2 and for the baseline.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <cmath>

#include "mulberry/core/rooms.hpp"
#endif

#define MULBERRY_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__)
#define MULBERRY_DISPATCH(name, body)                             \
  template <class... Args>                                        \
  [[gnu::target("avx2")]] void name##_avx2(Args&... args) {       \
    body(args...);                                                \
  }                                                               \
  template <class... Args>                                        \
  void name##_baseline(Args&... args) {                           \
    body(args...);                                                \
  }                                                               \
  template <class... Args>                                        \
  void name(Args&... args) {                                      \
    static const bool avx2 = __builtin_cpu_supports("avx2") != 0; \
    avx2 ? name##_avx2(args...) : name##_baseline(args...);       \
  }
// As above, for a body that is a template of the number of doubles that it handles at once: eight
// with AVX-512, otherwise four.
// NOLINTBEGIN(bugprone-macro-parentheses): the name of a template cannot stand in parentheses
#define MULBERRY_DISPATCH_WIDE(name, body)                                                    \
  template <class... Args>                                                                    \
  [[gnu::target("avx512f,avx512dq")]] void name##_avx512(Args&... args) {                     \
    body<8>(args...);                                                                         \
  }                                                                                           \
  template <class... Args>                                                                    \
  [[gnu::target("avx2")]] void name##_avx2(Args&... args) {                                   \
    body<4>(args...);                                                                         \
  }                                                                                           \
  template <class... Args>                                                                    \
  void name##_baseline(Args&... args) {                                                       \
    body<4>(args...);                                                                         \
  }                                                                                           \
  template <class... Args>                                                                    \
  void name(Args&... args) {                                                                  \
    static const bool avx512 =                                                                \
        __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;    \
    static const bool avx2 = __builtin_cpu_supports("avx2") != 0;                             \
    avx512 ? name##_avx512(args...) : avx2 ? name##_avx2(args...) : name##_baseline(args...); \
  }
// NOLINTEND(bugprone-macro-parentheses)
#else
#define MULBERRY_DISPATCH_WIDE(name, body) \
  template <class... Args>                 \
  void name(Args&... args) {               \
    body<4>(args...);                      \
  }
#define MULBERRY_DISPATCH(name, body) \
  template <class... Args>            \
  void name(Args&... args) {          \
    body(args...);                    \
  }
#endif

namespace mulberry::math {

// Loads and stores work at any address.
typedef double Vector4 __attribute__((vector_size(32), aligned(8), may_alias));
// Vectors of N doubles and of their bits, for MULBERRY_DISPATCH_WIDE.
template <int count>
struct Wide;
template <>
struct Wide<4> {
  typedef double Values __attribute__((vector_size(32), aligned(8), may_alias));
  typedef std::int64_t Bits __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct Wide<8> {
  typedef double Values __attribute__((vector_size(64), aligned(8), may_alias));
  typedef std::int64_t Bits __attribute__((vector_size(64), aligned(8), may_alias));
};
typedef float Float4 __attribute__((vector_size(16), aligned(4), may_alias));

MULBERRY_INLINE void take_square_roots(Vector4& v) {
#if defined(__x86_64__)
  const __m128d low = _mm_sqrt_pd(__builtin_shufflevector(v, v, 0, 1));
  const __m128d high = _mm_sqrt_pd(__builtin_shufflevector(v, v, 2, 3));
  v = __builtin_shufflevector(low, high, 0, 1, 2, 3);
#else
  for (int k = 0; k < 4; ++k) v[k] = std::sqrt(v[k]);
#endif
}

MULBERRY_INLINE void take_square_roots(Float4& v) {
#if defined(__x86_64__)
  v = _mm_sqrt_ps(v);
#else
  for (int k = 0; k < 4; ++k) v[k] = std::sqrt(v[k]);
#endif
}

}  // namespace mulberry::math

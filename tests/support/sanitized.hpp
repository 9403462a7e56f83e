// Whether the program runs under a sanitizer. One takes terabytes of addresses and keeps freed
// memory, so that limits and peaks of memory say nothing; that of threads also keeps a signal back
// until the thread that got it calls something it knows. Compilers spell it in different ways.
#pragma once

namespace mulberry::tests {

#if defined(__SANITIZE_THREAD__)
#define MULBERRY_THREAD_SANITIZER 1
#elif defined(__SANITIZE_ADDRESS__)
#define MULBERRY_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MULBERRY_THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define MULBERRY_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef MULBERRY_THREAD_SANITIZER
constexpr bool k_thread_sanitized = true;
#else
constexpr bool k_thread_sanitized = false;
#endif
#ifdef MULBERRY_ADDRESS_SANITIZER
constexpr bool k_sanitized = true;
#else
constexpr bool k_sanitized = k_thread_sanitized;
#endif

}  // namespace mulberry::tests

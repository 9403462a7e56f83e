// Whether the program runs under a sanitizer. One takes terabytes of addresses and keeps freed
// memory, so that limits and peaks of memory say nothing. Compilers spell it in different ways.
#pragma once

namespace mulberry::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool k_sanitized = true;
#else
constexpr bool k_sanitized = false;
#endif
#else
constexpr bool k_sanitized = false;
#endif

}  // namespace mulberry::tests

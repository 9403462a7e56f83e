// A fuzz target is one file here with FUZZ_TARGET(name) { ... } and a folder corpus/name of small
// seeds. With MULBERRY_FUZZER it becomes a libFuzzer program; corpus_test replays the seeds of
// every target without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "mulberry/core/error.hpp"

namespace mulberry::tests::fuzz {

using Target = void (*)(std::string_view input);

inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

// A target may throw an Error for a bad file. Anything else (another exception, a crash, a leak,
// too much memory or time) is a finding.
template <class Body>
void errors_are_fine(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    MULBERRY_ASSERT(!error.problem().empty());
  }
}

}  // namespace mulberry::tests::fuzz

#ifdef MULBERRY_FUZZER
#define FUZZ_TARGET(name)                                                          \
  static void run_##name(std::string_view input);                                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n);  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) { \
    run_##name({reinterpret_cast<const char*>(data), n});                          \
    return 0;                                                                      \
  }                                                                                \
  static void run_##name(std::string_view input)
#else
#define FUZZ_TARGET(name)                                                  \
  static void run_##name(std::string_view input);                          \
  [[maybe_unused]] static const bool k_added_##name =                      \
      mulberry::tests::fuzz::targets().emplace(#name, &run_##name).second; \
  static void run_##name(std::string_view input)
#endif

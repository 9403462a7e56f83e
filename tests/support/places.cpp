#include "tests/support/places.hpp"

#include <cstdlib>

namespace mulberry::tests::places {

std::string source() { return MULBERRY_SOURCE; }
std::string command() { return MULBERRY_COMMAND; }
std::string library() { return MULBERRY_LIBRARY; }

bool hardened() { return MULBERRY_HARDENED != 0; }

std::string real_data() {
  const char* const named = std::getenv("MULBERRY_DATA");
  return named != nullptr ? named : source() + "/../shared/data";
}

}  // namespace mulberry::tests::places

// Tests of faults have a short form for `make test` and a long one for `make torture`, which sets
// MULBERRY_TORTURE.
#pragma once

#include <cstdlib>

#include "mulberry/core/matrix.hpp"

namespace mulberry::tests {

inline bool torture() { return std::getenv("MULBERRY_TORTURE") != nullptr; }
inline Index shots(Index sample, Index all) { return torture() ? all : sample; }

}  // namespace mulberry::tests

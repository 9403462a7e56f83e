// The integers of the library: Index for counts and offsets, Id for numbers of rows, columns and
// labels; and the way between them and the unsigned ones of the standard library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

using Index = std::int64_t;
using Id = std::int32_t;

// A count or place as the standard library wants it: values[at(i)].
constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The number of elements of a container: for (Index i = 0; i < count_of(rows); ++i).
template <class Container>
constexpr Index count_of(const Container& values) {
  return static_cast<Index>(values.size());
}

}  // namespace mulberry::core

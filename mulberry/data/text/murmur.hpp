// The column of a hashed n-gram: 32-bit MurmurHash3 with seed 0, as scikit-learn's
// HashingVectorizer (alternate_sign=False) chooses it.
#pragma once

#include <string_view>

#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

std::int32_t murmur3(std::string_view bytes);

Id hashed_column(std::string_view term, Index columns);

}  // namespace mulberry::data

// Lists as Python and JSON write them into a cell of a table: ['sea', 'sun'], ["sea"], {'sea'},
// ('sea',), ['sea' 'sun'] of NumPy, [3, 14], [].
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

// The elements, or nothing if the text is not such a list. Elements without quotes are whole
// numbers: other words in brackets may be a name.
std::optional<std::vector<std::string>> bracketed_list(std::string_view text);

}  // namespace mulberry::data

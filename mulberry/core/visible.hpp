// Text from strangers, such as names in a file, made safe for a terminal: a control character there
// may move the cursor, change what was printed before, or name the window.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

// Control characters as \x1b; also those of 8 bits (U+0080 to U+009F), in UTF-8 or as one byte. Ends
// of lines and tabs stay.
std::string visible(std::string_view text);
// These, too: for a text that has to stay on its line.
std::string visible_line(std::string_view text);

}  // namespace mulberry::core

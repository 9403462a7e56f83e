// Options in messages. The library does not know whether its user types flags, Python or C++: a
// message marks the option that it mentions, and whoever shows the message spells it.
//
//     "Train with " + mention("impute", "mean")     --impute mean   impute="mean"   impute = mean
//
// The marks are control bytes, which `in_quotes` keeps out of whatever comes from a file.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

// `name` is the member of the options struct; `value` is an example, or capitals that stand for
// one.
std::string mention(std::string_view name, std::string_view value = {});

using Spelling = std::string (*)(std::string_view name, std::string_view value);

std::string spelled_plainly(std::string_view name, std::string_view value);  // impute = mean

// The text with every mention spelled.
std::string spell(std::string_view text, Spelling spelling);

}  // namespace mulberry::core

// A field of a table as in RFC 4180.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

// In quotes where CsvRecords would otherwise read something else.
std::string csv_field(std::string_view text, char delimiter);

}  // namespace mulberry::data

// JSON as the library writes it, for any type of nlohmann's: numbers that JSON lacks become null,
// and bytes that are not UTF-8, which names from users' files may have, a replacement mark.
// Templates, so that headers stay free of the JSON library.
#pragma once

#include <cmath>
#include <string>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

template <class Json>
Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <class Json>
std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mulberry::core

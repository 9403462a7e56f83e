// Options that a message of the library mentions (core/mention.hpp), as Python users write them.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/error.hpp"

namespace mulberry::python {

// label_count=6, label_xml=FILE, format="libsvm"
std::string spelled_as_keyword(std::string_view name, std::string_view value);

// The message of an error, with the ids that stand for estimators of the user put into words.
std::string message_of(const Error& error);

}  // namespace mulberry::python

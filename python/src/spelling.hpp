// What a message of the library mentions (core/mention.hpp), as Python users write it.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/error.hpp"

namespace mulberry::python {

// label_count=6, label_xml=FILE, format="libsvm"; mulberry.all_estimators(), save()
extern const Spelling spelled_as_keyword;

// The message of an error, with the ids that stand for estimators of the user put into words.
std::string message_of(const Error& error);

}  // namespace mulberry::python

#include "mulberry/core/error.hpp"

namespace mulberry::core {

std::string Place::text() const {
  std::string out = file;
  if (line > 0) out += (out.empty() ? "line " : ":") + std::to_string(line);
  if (line > 0 && column > 0) out += ":" + std::to_string(column);
  return out;
}

Error::Error(Code code, std::string problem, std::string remedy, Place where)
    : code_(code),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)),
      where_(std::move(where)),
      text_(text(spelled_plainly)) {}

std::string Error::text(const Spelling& spelling) const {
  const std::string place = where_.text();
  std::string out = place.empty() ? "" : place + ": ";
  out += spell(problem_, spelling);
  if (!remedy_.empty()) out += ". " + spell(remedy_, spelling);
  return out;
}

Error Error::and_then(std::string_view more) const {
  return {code_, problem_ + std::string(more), remedy_, where_};
}

Error Error::in_file(std::string_view file) const {
  if (!where_.file.empty()) return *this;
  return {code_, problem_, remedy_, {std::string(file), where_.line, where_.column}};
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw Bug(std::string("a bug in mulberry, please report it: '") + condition +
            "' does not hold at " + file + ":" + std::to_string(line));
}

}  // namespace mulberry::core

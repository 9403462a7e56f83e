// The one error type of the library.
//
// A user's mistake (a bad file, parameter, or request) throws Error: what was expected and found,
// where, and what to do next. A mistake of ours fails MULBERRY_ASSERT and throws Bug. A stopped
// computation throws Cancelled. The library never prints and never exits.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "mulberry/core/mention.hpp"
#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

// The front door gives them names (include/mulberry/error.hpp), which are stable.
enum class Code { usage, parameter, unsupported, data, format, io, model_file, memory };

// A place in a file; lines and columns count from 1, 0 means "not known".
struct Place {
  std::string file = {};
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string text() const;  // "file:line:column", empty when nothing is known
};

class Error : public std::exception {
 public:
  // problem: what was expected and what was found. remedy: the next step, or empty. It is a
  // sentence that begins with a capital and has no full stop at its end.
  Error(Code code, std::string problem, std::string remedy = {}, Place where = {});

  // Options that the texts mention (mention.hpp) are spelled as in C++; text() spells them
  // otherwise.
  const char* what() const noexcept override { return text_.c_str(); }
  std::string problem() const { return spell(problem_, spelled_plainly); }
  std::string remedy() const { return spell(remedy_, spelled_plainly); }
  std::string text(const Spelling& spelling) const;
  Code code() const { return code_; }
  const Place& where() const { return where_; }

  // This error, with a file name if it had none.
  Error in_file(std::string_view file) const;
  Error with_place(Place where) const { return {code_, problem_, remedy_, std::move(where)}; }
  Error with_remedy(std::string remedy) const { return {code_, problem_, remedy, where_}; }
  // More words after the problem.
  Error and_then(std::string_view more) const;

 private:
  Code code_;
  std::string problem_, remedy_;  // with marks
  Place where_;
  std::string text_;
};

class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped before the end"; }
};

class Bug : public std::exception {
 public:
  explicit Bug(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace mulberry::core

#ifdef __FILE_NAME__  // without the folders of the machine that compiled it
#define MULBERRY_FILE __FILE_NAME__
#else
#define MULBERRY_FILE __FILE__
#endif
#define MULBERRY_ASSERT(condition) \
  ((condition) ? void(0) : ::mulberry::core::assertion_failed(#condition, MULBERRY_FILE, __LINE__))

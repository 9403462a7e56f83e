// Error: the exception of the library.
//
//   try {
//     const mulberry::Dataset data = mulberry::Dataset::read("photos.arff");
//   } catch (const mulberry::Error& error) {
//     std::cerr << error.what() << "\n";              // place, problem and remedy in one text
//     if (error.code() == mulberry::ErrorCode::io) ...
//   }
//
// Guarantees
// * A mistake in a file, a parameter or a request throws Error. It says what was expected, what was
//   found and where, and what to do next.
// * A computation that was stopped throws Cancelled, which is an Error too.
// * A mistake of the library itself throws Error with ErrorCode::internal. Please report it.
// * After an exception nothing has changed: no file is half written, no object half changed.
// * The library never prints, never ends the process, and installs no signal handler.
//
// The codes and their names are stable. The wording of texts is not: compare codes.
// What a progress callback throws comes out of the call unchanged, whatever its type.
//
// Thread safety: an Error may be read from several threads.
#pragma once

#include <mulberry/export.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace mulberry {

enum class ErrorCode {
  usage,        // a call or a text that makes no sense as it stands
  parameter,    // a parameter is unknown or out of range
  unsupported,  // the learner or measure cannot do this with this data
  data,         // the data does not fit
  format,       // a file is not what its format asks for
  io,           // a file cannot be read or written
  model_file,   // a model file is damaged or of another version
  memory,       // more memory than there is, or than a limit allows
  cancelled,    // stopped by a stop token
  internal      // a mistake of the library
};

MULBERRY_API std::string_view name_of(ErrorCode code) noexcept;  // "usage", "parameter", ...

class MULBERRY_API Error : public std::exception {
 public:
  // remedy: the next step, a sentence or empty. place: "file:line:column" or empty.
  Error(ErrorCode code, std::string problem, std::string remedy = {}, std::string place = {});
  Error(const Error&) noexcept;
  Error& operator=(const Error&) noexcept;
  ~Error() override;

  const char* what() const noexcept override;  // all of it, for people
  ErrorCode code() const noexcept;
  const std::string& problem() const noexcept;
  const std::string& remedy() const noexcept;
  const std::string& place() const noexcept;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

class MULBERRY_API Cancelled : public Error {
 public:
  Cancelled();
  ~Cancelled() override;
};

}  // namespace mulberry

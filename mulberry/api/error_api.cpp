#include <array>
#include <new>

#include "mulberry/api/translate.hpp"

namespace mulberry {

struct Error::State {
  ErrorCode code;
  std::string problem, remedy, place, text;
};

std::string_view version() noexcept { return MULBERRY_VERSION_STRING; }

std::string_view name_of(ErrorCode code) noexcept {
  constexpr std::array<std::string_view, 10> k_names = {
      "usage", "parameter",  "unsupported", "data",      "format",
      "io",    "model_file", "memory",      "cancelled", "internal"};
  const auto number = static_cast<std::size_t>(code);
  return number < k_names.size() ? k_names[number] : "internal";
}

Error::Error(ErrorCode code, std::string problem, std::string remedy, std::string place) {
  std::string text = (place.empty() ? "" : place + ": ") + problem;
  if (!remedy.empty()) text += ". " + remedy;
  state_ = std::make_shared<const State>(
      State{code, std::move(problem), std::move(remedy), std::move(place), std::move(text)});
}
Error::Error(const Error&) noexcept = default;
Error& Error::operator=(const Error&) noexcept = default;
Error::~Error() = default;

const char* Error::what() const noexcept { return state_->text.c_str(); }
ErrorCode Error::code() const noexcept { return state_->code; }
const std::string& Error::problem() const noexcept { return state_->problem; }
const std::string& Error::remedy() const noexcept { return state_->remedy; }
const std::string& Error::place() const noexcept { return state_->place; }

Cancelled::Cancelled()
    : Error(ErrorCode::cancelled, "the computation was stopped before its end") {}
Cancelled::~Cancelled() = default;

namespace api {

namespace {

ErrorCode public_code(core::Code code) {
  switch (code) {
    case core::Code::usage:
      return ErrorCode::usage;
    case core::Code::parameter:
      return ErrorCode::parameter;
    case core::Code::unsupported:
      return ErrorCode::unsupported;
    case core::Code::data:
      return ErrorCode::data;
    case core::Code::format:
      return ErrorCode::format;
    case core::Code::io:
      return ErrorCode::io;
    case core::Code::model_file:
      return ErrorCode::model_file;
    case core::Code::memory:
      return ErrorCode::memory;
  }
  return ErrorCode::internal;
}

}  // namespace

void rethrow_translated() {
  try {
    throw;
  } catch (const core::Error& error) {
    throw Error(public_code(error.code()), error.problem(), error.remedy(), error.where().text());
  } catch (const core::Cancelled&) {
    throw Cancelled();
  } catch (const core::Bug& bug) {
    throw Error(ErrorCode::internal, bug.what());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, "out of memory",
                "Use fewer rows or features, or a learner that needs less");
  }
}

}  // namespace api
}  // namespace mulberry

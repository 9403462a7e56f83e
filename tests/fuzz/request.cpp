#include "mulberry/http/gate.hpp"
#include "mulberry/http/message.hpp"
#include "tests/fuzz/fuzz.hpp"

// Bytes that a client sends are refused with a status, or are a request within the limits; whoever
// gets past the gate has named us and knows the token.
FUZZ_TARGET(request) {
  using namespace mulberry;
  const http::Limits limits{.header = 2048, .body = 4096};
  const auto parsed = http::parse_request(input, limits);
  if (const int* const status = std::get_if<int>(&parsed)) {
    MULBERRY_ASSERT(*status >= 400 && *status < 500);
    return;
  }
  const auto& request = std::get<http::Request>(parsed);
  MULBERRY_ASSERT(request.path.starts_with('/') && request.body.size() <= limits.body);
  const auto refusal = http::refuse(request, {.port = 8080, .token = "secret"});
  if (refusal) {
    MULBERRY_ASSERT(refusal->status >= 400 && refusal->status < 500);
    return;
  }
  const std::string host = request.header("host").value_or("");
  MULBERRY_ASSERT(host.size() == std::string_view("localhost:8080").size());
  MULBERRY_ASSERT(input.find("secret") != std::string_view::npos ||
                  input.find('%') != std::string_view::npos);
  MULBERRY_ASSERT(request.method == "GET" || request.method == "POST");
}

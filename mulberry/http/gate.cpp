#include "mulberry/http/gate.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::http {
namespace {

bool is_ours(std::string_view host, std::uint16_t port) {
  for (const std::string name : {"127.0.0.1", "localhost"}) {
    if (core::same_word(host, name + ":" + std::to_string(port))) return true;
    if (port == 80 && core::same_word(host, name)) return true;
  }
  return false;
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  unsigned differs = given.size() == secret.size() ? 0 : 1;
  for (std::size_t k = 0; k < secret.size(); ++k) {
    const char c = k < given.size() ? given[k] : '\0';
    differs |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(secret[k]);
  }
  return differs == 0;
}

bool has_token(const Request& request, const std::string& token) {
  constexpr std::string_view k_bearer = "Bearer ";
  const std::string bearer = request.header("authorization").value_or("");
  return is_same_secret(request.parameter("token").value_or(""), token) ||
         (bearer.starts_with(k_bearer) && is_same_secret(bearer.substr(k_bearer.size()), token));
}

bool names(const Request& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return true;
  }
  return false;
}

}  // namespace

std::optional<Response> refuse(const Request& request, const Gate& gate) {
  if (!is_ours(request.header("host").value_or(""), gate.port)) {
    return Response{.status = 403, .body = "This server answers to its loopback address only.\n"};
  }
  constexpr std::string_view k_scheme = "http://";
  const std::string origin = request.header("origin").value_or("");
  const bool own_page = origin.starts_with(k_scheme) &&
                        is_ours(std::string_view(origin).substr(k_scheme.size()), gate.port);
  if (names(request, "origin") && !own_page) {
    return Response{.status = 403, .body = "Other pages may not talk to this server.\n"};
  }
  if (!gate.token.empty() && !has_token(request, gate.token)) {
    return Response{.status = 401,
                    .body = "The address must end with the token that was printed at the start.\n",
                    .headers = {{"WWW-Authenticate", "Bearer"}}};
  }
  if (request.method != "GET" && request.method != "POST") {
    return Response{.status = 405, .body = "GET or POST.\n", .headers = {{"Allow", "GET, POST"}}};
  }
  const std::string type = request.header("content-type").value_or("");
  const std::string_view plain = std::string_view(type).substr(0, type.find(';'));
  if (request.method == "POST" && !core::same_word(core::trim(plain), "application/json")) {
    return Response{.status = 415, .body = "Expected application/json.\n"};
  }
  return std::nullopt;
}

std::string random_token() {
  constexpr std::string_view k_letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";  // 64
  std::array<unsigned char, 32> bytes;
  for (std::size_t got = 0; got < bytes.size();) {
    const auto more = ::getrandom(bytes.data() + got, bytes.size() - got, 0);
    if (more < 0 && errno != EINTR) {
      throw core::Error(core::Code::io,
                        std::string("the system gives no random numbers: ") + std::strerror(errno));
    }
    if (more > 0) got += core::at(more);
  }
  std::string out;
  for (const unsigned char byte : bytes) out += k_letters[byte % k_letters.size()];
  return out;
}

}  // namespace mulberry::http

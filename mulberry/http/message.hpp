// What an HTTP server of ours hears and says. Plain values: nothing here knows how they travel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::http {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = {};  // GET, POST, ...
  std::string path = {};    // decoded; begins with /
  Pairs query = {};         // decoded
  Pairs headers = {};       // names in small letters
  std::string body = {};

  // The only value of that name; empty if there is none or more than one.
  std::optional<std::string> header(std::string_view name) const;
  std::optional<std::string> parameter(std::string_view name) const;  // of the query
};

struct Response {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  Pairs headers = {};  // after those that every answer has
};

// Path and query of a request line. Empty if it is not of the form /path?name=value&..., has bytes
// that are no printable ASCII, or a percent sign without two hexadecimal digits after it.
struct Target {
  std::string path = {};
  Pairs query = {};
};
std::optional<Target> parse_target(std::string_view text);

struct Limits {
  std::size_t header = std::size_t{16} << 10;  // bytes of the request line and all headers
  std::size_t body = std::size_t{1} << 20;
  std::size_t connections = 256;  // one more closes the one that has been silent longest
  double idle_seconds = 60;       // a connection may wait so long for the end of a request
  double write_seconds = 30;      // and so long until the answer is taken
};

// The request that these bytes are, or the status to refuse them with. The server reads in the same
// way, piece by piece.
std::variant<Request, int> parse_request(std::string_view bytes, const Limits& limits);

}  // namespace mulberry::http

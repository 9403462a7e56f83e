// Who may talk to a server on the loopback address. Every page of every browser of this machine can
// send requests there, and so can every other user's programs:
//
//   host     must be the loopback address or `localhost` with our port. A page whose name was made
//            to lead here (DNS rebinding) sends its own name.
//   origin   if a browser says which page asks, it must be ours.
//   token    a secret that only the user sees, in the query (?token=...) or as a bearer
//            (Authorization: Bearer ...). Compared in a time that does not depend on it.
//   method   GET or POST; what is posted must be JSON, which other pages may not send unasked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mulberry/http/message.hpp"

namespace mulberry::http {

struct Gate {
  std::uint16_t port = 0;
  std::string token = {};  // empty: anyone of this machine may ask
};

// The answer to a request that may not come in; empty if it may.
std::optional<Response> refuse(const Request& request, const Gate& gate);

std::string random_token();  // 32 characters, from the system's source of secrets

}  // namespace mulberry::http

// Server: HTTP on the loopback address of this machine, for one program and the people in front of
// it. A connection costs memory and no thread, so clients that are slow or say nothing delay
// nobody.
//
// One thread listens, reads and writes; the handler runs on `workers` others. With one worker,
// calls of the handler come one after the other and need no locks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "mulberry/http/message.hpp"

namespace mulberry::http {

// What it throws becomes a 500 without details. Requests that may not come in never reach it.
using Handler = std::function<Response(const Request&)>;

struct ServerOptions {
  std::uint16_t port = 0;  // 0: any that is free
  std::string token = {};  // see gate.hpp
  int workers = 1;
  Limits limits = {};
};

class Server {
 public:
  // Listens from here on. Throws Error (io) if the port is taken or not allowed.
  Server(const ServerOptions& options, Handler handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  std::string address() const;  // for a browser, with the token
  // Until a stop is requested. Calls of the handler that have begun are finished.
  void run(const std::stop_token& stop);

  struct Inside;  // what knows the HTTP library

 private:
  std::unique_ptr<Inside> inside_;
};

}  // namespace mulberry::http

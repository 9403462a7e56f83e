// A client of an HTTP server on this machine, as plain as can be: it sends any bytes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mulberry::tests {

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval patience = {.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
      ::close(socket_);
      throw std::runtime_error("cannot connect");
    }
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // All until the server hangs up.
  std::string rest() const {
    std::string out;
    std::array<char, 4096> block;
    for (;;) {
      const auto got = ::recv(socket_, block.data(), block.size(), 0);
      if (got <= 0) return out;
      out.append(block.data(), static_cast<std::size_t>(got));
    }
  }
  // One answer with its length; the connection stays open.
  std::string answer() const {
    std::string out;
    for (;;) {
      char byte = 0;
      if (::recv(socket_, &byte, 1, 0) <= 0) return out;
      out += byte;
      const auto head = out.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const std::string_view k_length = "Content-Length: ";
      const auto length = out.find(k_length);
      if (length == std::string::npos) return out;
      if (out.size() >= head + 4 + std::stoul(out.substr(length + k_length.size()))) return out;
    }
  }

 private:
  int socket_;
};

inline int status_of(const std::string& answer) {
  return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace mulberry::tests

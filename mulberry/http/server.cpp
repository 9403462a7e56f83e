// The only file that knows the HTTP library (Boost.Beast): it takes long to compile.
#include "mulberry/http/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <list>
#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/http/gate.hpp"

namespace mulberry::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Tcp = asio::ip::tcp;
using Problem = boost::system::error_code;
using Parser = beast::http::request_parser<beast::http::string_body>;
using Answer = beast::http::response<beast::http::string_body>;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

void set_limits(Parser& parser, const Limits& limits) {
  parser.header_limit(static_cast<std::uint32_t>(limits.header));
  parser.body_limit(limits.body);
}

int status_of(const Problem& problem) {
  using beast::http::error;
  if (problem == error::header_limit) return 431;
  if (problem == error::body_limit || problem == error::buffer_overflow) return 413;
  return 400;
}

std::variant<Request, int> understood(Parser& parser) {
  auto& message = parser.get();
  Request out;
  out.method = text_of(message.method_string());
  const auto target = parse_target(text_of(message.target()));
  if (!target) return 400;
  out.path = target->path;
  out.query = target->query;
  for (const auto& field : message) {
    out.headers.emplace_back(core::lower(text_of(field.name_string())), text_of(field.value()));
  }
  out.body = std::move(message.body());
  return out;
}

Answer answer_of(Response response, unsigned version, bool keep_alive) {
  Answer out;
  out.version(version);
  out.result(static_cast<unsigned>(response.status));
  out.set("Content-Type", response.type);
  out.set("Cache-Control", "no-store");
  out.set("X-Content-Type-Options", "nosniff");
  out.set("X-Frame-Options", "DENY");
  out.set("Referrer-Policy", "no-referrer");
  out.set("Cross-Origin-Resource-Policy", "same-origin");
  for (const auto& [name, value] : response.headers) out.set(name, value);
  out.body() = std::move(response.body);
  out.keep_alive(keep_alive);
  out.prepare_payload();
  return out;
}

std::chrono::milliseconds duration(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

class Session;

std::variant<Request, int> parse_request(std::string_view bytes, const Limits& limits) {
  Parser parser;
  set_limits(parser, limits);
  parser.eager(true);
  Problem problem;
  while (!bytes.empty() && !parser.is_done()) {
    const auto used = parser.put(asio::buffer(bytes.data(), bytes.size()), problem);
    if (problem || used == 0) break;
    bytes.remove_prefix(used);
  }
  if (problem && problem != beast::http::error::need_more) return status_of(problem);
  if (!parser.is_done()) return 400;
  return understood(parser);
}

struct Server::Inside {
  Inside(const ServerOptions& chosen, Handler handle)
      : options(chosen),
        handler(std::move(handle)),
        acceptor(io),
        workers(core::at(chosen.workers)) {}

  void listen();
  void accept();
  Response respond(const Request& request) const;

  ServerOptions options;
  Handler handler;
  Gate gate;
  std::list<Session*> waiting = {};  // for a request, the longest first
  std::size_t sessions = 0;          // both outlive the sessions, which io owns
  asio::io_context io{1};
  Tcp::acceptor acceptor;
  asio::thread_pool workers;
};

// One connection: reads a request, has it answered, writes the answer, and again.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Tcp::socket socket, Server::Inside& server)
      : server_(server), stream_(std::move(socket)) {
    ++server_.sessions;
  }
  ~Session() {
    silence();
    --server_.sessions;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    parser_.emplace();
    set_limits(*parser_, server_.options.limits);
    stream_.expires_after(duration(server_.options.limits.idle_seconds));
    place_ = server_.waiting.insert(server_.waiting.end(), this);
    beast::http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](const Problem& problem, std::size_t) { self->got(problem); });
  }
  void close() { stream_.close(); }

 private:
  void silence() {
    if (place_ == server_.waiting.end()) return;
    server_.waiting.erase(place_);
    place_ = server_.waiting.end();
  }

  void got(const Problem& problem) {
    silence();
    const auto& of_messages = make_error_code(beast::http::error::end_of_stream).category();
    if (problem && problem.category() != of_messages) return;  // the connection is gone, or late
    if (problem == beast::http::error::end_of_stream) return hang_up();
    if (problem == beast::http::error::partial_message) return;
    if (problem) return write({.status = status_of(problem), .body = "No such request.\n"}, false);
    const bool keep = parser_->get().keep_alive();
    auto request = understood(*parser_);
    if (const int* const status = std::get_if<int>(&request)) {
      return write({.status = *status, .body = "No such request.\n"}, false);
    }
    asio::post(server_.workers, [self = shared_from_this(), keep,
                                 asked = std::get<Request>(std::move(request))]() mutable {
      Server::Inside& server = self->server_;
      Response response = server.respond(asked);
      // The session goes along: it may end on the thread of `io` only.
      asio::post(server.io, [self = std::move(self), keep, answer = std::move(response)]() mutable {
        self->write(std::move(answer), keep);
      });
    });
  }

  void write(Response response, bool keep_alive) {
    answer_ = answer_of(std::move(response), parser_->get().version(), keep_alive);
    stream_.expires_after(duration(server_.options.limits.write_seconds));
    beast::http::async_write(stream_, answer_,
                             [self = shared_from_this()](const Problem& problem, std::size_t) {
                               if (problem) return;
                               if (self->answer_.keep_alive()) return self->read();
                               self->hang_up();
                             });
  }

  // What the client still sends is thrown away for a moment: closed at once, its connection would
  // be reset, and the answer lost.
  void hang_up() {
    Problem ignored;
    // NOLINTNEXTLINE(bugprone-unused-return-value): see listen()
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(2));
    drain();
  }
  void drain() {
    constexpr std::size_t k_piece = std::size_t{1} << 16;
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(k_piece),
                            [self = shared_from_this()](const Problem& problem, std::size_t) {
                              if (!problem) self->drain();
                            });
  }

  Server::Inside& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Answer answer_;
  std::list<Session*>::iterator place_ = server_.waiting.end();
};

void Server::Inside::listen() {
  const Tcp::endpoint place(asio::ip::address_v4::loopback(), options.port);
  Problem problem;
  acceptor.open(place.protocol());
  acceptor.set_option(Tcp::acceptor::reuse_address(true));
  // What these return is `problem` again, or nothing, depending on the version.
  // NOLINTBEGIN(bugprone-unused-return-value)
  acceptor.bind(place, problem);
  if (!problem) acceptor.listen(asio::socket_base::max_listen_connections, problem);
  // NOLINTEND(bugprone-unused-return-value)
  if (problem) {
    throw core::Error(
        core::Code::io,
        "cannot listen on port " + std::to_string(options.port) + ": " + problem.message(),
        "Choose another port with " + core::mention("port", "N") + "; 0 is any that is free");
  }
  gate = {.port = acceptor.local_endpoint().port(), .token = options.token};
}

void Server::Inside::accept() {
  acceptor.async_accept([this](const Problem& problem, Tcp::socket socket) {
    if (problem == asio::error::operation_aborted) return;
    if (!problem) {
      if (sessions >= options.limits.connections && !waiting.empty()) waiting.front()->close();
      Problem ignored;
      socket.set_option(Tcp::no_delay(true), ignored);  // NOLINT(bugprone-unused-return-value)
      std::make_shared<Session>(std::move(socket), *this)->read();
      return accept();
    }
    // No descriptor is free: try again when some may have been closed.
    if (!waiting.empty()) waiting.front()->close();
    const auto pause = std::make_shared<asio::steady_timer>(io, std::chrono::milliseconds(50));
    pause->async_wait([this, pause](const Problem&) { accept(); });
  });
}

Response Server::Inside::respond(const Request& request) const {
  if (auto no = refuse(request, gate)) return *no;
  try {
    return handler(request);
  } catch (const std::exception&) {
    return {.status = 500, .body = "The server failed.\n"};
  }
}

Server::Server(const ServerOptions& options, Handler handler)
    : inside_(std::make_unique<Inside>(options, std::move(handler))) {
  inside_->listen();
}

Server::~Server() = default;

std::uint16_t Server::port() const { return inside_->gate.port; }

std::string Server::address() const {
  const std::string place = "http://127.0.0.1:" + std::to_string(port()) + "/";
  return inside_->gate.token.empty() ? place : place + "?token=" + inside_->gate.token;
}

void Server::run(const std::stop_token& stop) {
  const std::stop_callback stopping(stop, [this] { inside_->io.stop(); });
  inside_->accept();
  inside_->io.run();
  inside_->workers.stop();
  inside_->workers.join();
}

}  // namespace mulberry::http

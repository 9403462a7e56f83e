#include "mulberry/http/server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <mutex>
#include <thread>

#include "mulberry/core/error.hpp"
#include "tests/support/client.hpp"

namespace mulberry::http {
using namespace tests;
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A server on its own thread that says what it heard.
class Echo {
 public:
  explicit Echo(Limits limits = {}, int workers = 1)
      : server_({.token = "t", .workers = workers, .limits = limits},
                [](const Request& request) -> Response {
                  if (request.path == "/fail") throw core::Error(core::Code::data, "secret words");
                  if (request.path == "/slow") {
                    std::this_thread::sleep_for(std::chrono::milliseconds(500));
                  }
                  return {.body = request.method + request.path + ":" + request.body};
                }),
        thread_([this](const std::stop_token& stop) { server_.run(stop); }) {}

  std::uint16_t port() const { return server_.port(); }
  std::string line(const std::string& method, const std::string& path) const {
    return method + " " + path + "?token=t HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) +
           "\r\n";
  }
  std::string get(const std::string& path) const {
    const Client client(port());
    client.send(line("GET", path) + "Connection: close\r\n\r\n");
    return client.rest();
  }
  double stop() {
    const auto begin = Clock::now();
    thread_.request_stop();
    thread_.join();
    return seconds_since(begin);
  }

 private:
  Server server_;
  std::jthread thread_;
};

TEST(Server, Answers) {
  const Echo echo;
  const std::string answer = echo.get("/a%20b");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_NE(answer.find("\r\n\r\nGET/a b:"), std::string::npos) << answer;
  for (const char* header : {"Cache-Control: no-store", "X-Content-Type-Options: nosniff",
                             "X-Frame-Options: DENY", "Referrer-Policy: no-referrer"}) {
    EXPECT_NE(answer.find(header), std::string::npos) << header;
  }
}

TEST(Server, KeepsAConnectionForManyRequests) {
  const Echo echo;
  const Client client(echo.port());
  for (int k = 0; k < 50; ++k) {
    const std::string body = "{" + std::to_string(k) + "}";
    client.send(echo.line("POST", "/x") + "Content-Type: application/json\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string answer = client.answer();
    ASSERT_EQ(status_of(answer), 200);
    EXPECT_TRUE(answer.ends_with("POST/x:" + body)) << answer;
  }
  // Several at once, answered in their order.
  client.send(echo.line("GET", "/1") + "\r\n" + echo.line("GET", "/2") + "\r\n");
  EXPECT_TRUE(client.answer().ends_with("GET/1:"));
  EXPECT_TRUE(client.answer().ends_with("GET/2:"));
}

TEST(Server, RefusesStrangersAndFailuresTellNothing) {
  const Echo echo;
  const auto status = [&](const std::string& request) {
    const Client client(echo.port());
    client.send(request);
    return status_of(client.answer());
  };
  const std::string host = "Host: 127.0.0.1:" + std::to_string(echo.port()) + "\r\n\r\n";
  EXPECT_EQ(status("GET / HTTP/1.1\r\n" + host), 401);
  EXPECT_EQ(status("GET /?token=x HTTP/1.1\r\n" + host), 401);
  EXPECT_EQ(status("GET /?token=t HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
  EXPECT_EQ(status("GET /?token=t HTTP/1.1\r\nOrigin: http://evil.example\r\n" + host), 403);
  EXPECT_EQ(status("PUT /?token=t HTTP/1.1\r\n" + host), 405);
  EXPECT_EQ(status("GET /?token=t HTTP/1.1\r\n" + host), 200);
  EXPECT_EQ(status("nonsense\r\n\r\n"), 400);
  const std::string failed = echo.get("/fail");
  EXPECT_EQ(status_of(failed), 500);
  EXPECT_EQ(failed.find("secret words"), std::string::npos);
}

TEST(Server, LargeRequestsAreRefusedWithAnAnswer) {
  const Echo echo({.header = 1000, .body = 10'000});
  {
    const Client client(echo.port());
    client.send(echo.line("GET", "/") + "X: " + std::string(2000, 'x') + "\r\n\r\n");
    EXPECT_EQ(status_of(client.rest()), 431);
  }
  {
    const Client client(echo.port());
    client.send(echo.line("POST", "/") + "Content-Length: 1000000\r\n\r\n");
    client.send(std::string(1'000'000, 'x'));
    EXPECT_EQ(status_of(client.rest()), 413);
  }
  {
    const Client client(echo.port());  // a lie about the length does not help
    client.send(echo.line("POST", "/") + "Transfer-Encoding: chunked\r\n\r\n");
    for (int k = 0; k < 20; ++k) client.send("400\r\n" + std::string(1024, 'x') + "\r\n");
    EXPECT_EQ(status_of(client.rest()), 413);
  }
  EXPECT_EQ(status_of(echo.get("/")), 200);
}

TEST(Server, SilentAndSlowClientsDelayNobody) {
  const Echo echo({.idle_seconds = 1});
  std::list<Client> silent;
  for (int k = 0; k < 100; ++k) {
    silent.emplace_back(echo.port());
    if (k % 2 == 0) silent.back().send("GET / HT");
  }
  const auto begin = Clock::now();
  for (int k = 0; k < 20; ++k) EXPECT_EQ(status_of(echo.get("/")), 200);
  EXPECT_LT(seconds_since(begin), 0.9);
  // One that sends a byte now and then is not waited for beyond the limit.
  const Client slow(echo.port());
  const auto start = Clock::now();
  for (int k = 0; k < 40 && slow.send("G"); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(slow.rest(), "");
  EXPECT_LT(seconds_since(start), 3.5);
  EXPECT_EQ(silent.front().rest(), "");  // and the silent ones are gone by now
}

TEST(Server, TheLongestSilentConnectionMakesRoom) {
  const Echo echo({.connections = 10});
  std::list<Client> silent;
  for (int k = 0; k < 30; ++k) {
    silent.emplace_back(echo.port());
    EXPECT_EQ(status_of(echo.get("/")), 200);
  }
  EXPECT_EQ(silent.front().rest(), "");
  silent.back().send(echo.line("GET", "/") + "\r\n");
  EXPECT_EQ(status_of(silent.back().answer()), 200);
}

TEST(Server, WorkersAnswerAtTheSameTime) {
  const Echo echo({}, 4);
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> clients;
    for (int k = 0; k < 4; ++k) {
      clients.emplace_back([&] { EXPECT_EQ(status_of(echo.get("/slow")), 200); });
    }
  }
  EXPECT_LT(seconds_since(begin), 1.4);
}

TEST(Server, StopsSoonWithClientsConnected) {
  Echo echo;
  std::list<Client> silent;
  for (int k = 0; k < 100; ++k) silent.emplace_back(echo.port());
  EXPECT_EQ(status_of(echo.get("/")), 200);
  silent.back().send(echo.line("GET", "/slow") + "\r\n");
  EXPECT_LT(echo.stop(), 1.0);
}

TEST(Server, ATakenPortIsAnErrorWithARemedy) {
  const Echo echo;
  try {
    const Server second({.port = echo.port()}, [](const Request&) { return Response{}; });
    ADD_FAILURE();
  } catch (const core::Error& error) {
    EXPECT_NE(error.problem().find(std::to_string(echo.port())), std::string::npos);
    EXPECT_NE(error.remedy().find("port = N"), std::string::npos) << error.remedy();
  }
}

TEST(Server, TheAddressHasTheToken) {
  const Server server({.token = "t"}, [](const Request&) { return Response{}; });
  EXPECT_EQ(server.address(), "http://127.0.0.1:" + std::to_string(server.port()) + "/?token=t");
}

}  // namespace
}  // namespace mulberry::http

#include "mulberry/http/gate.hpp"

#include <gtest/gtest.h>

#include <set>

namespace mulberry::http {
namespace {

const Gate k_gate{.port = 8080, .token = "secret"};

Request from_page() {
  return {.method = "GET",
          .path = "/",
          .query = {{"token", "secret"}},
          .headers = {{"host", "127.0.0.1:8080"}}};
}

int status_of(const Request& request) {
  const auto refusal = refuse(request, k_gate);
  return refusal ? refusal->status : 200;
}

TEST(Gate, LetsTheUsersPageIn) {
  EXPECT_EQ(status_of(from_page()), 200);
  Request request = from_page();
  request.headers = {{"host", "LocalHost:8080"}, {"authorization", "Bearer secret"}};
  request.query.clear();
  EXPECT_EQ(status_of(request), 200);
  request.method = "POST";
  request.headers.emplace_back("origin", "http://localhost:8080");
  request.headers.emplace_back("content-type", "application/json; charset=utf-8");
  EXPECT_EQ(status_of(request), 200);
}

TEST(Gate, OtherHostsAreRefused) {
  for (const char* host : {"", "evil.example", "evil.example:8080", "127.0.0.1", "127.0.0.1:81",
                           "localhost:8080.evil.example", "127.0.0.1:80800", "[::1]:8080"}) {
    Request request = from_page();
    request.headers = {{"host", host}};
    EXPECT_EQ(status_of(request), 403) << host;
  }
  Request none = from_page(), two = from_page();
  none.headers.clear();
  EXPECT_EQ(status_of(none), 403);
  two.headers.emplace_back("host", "127.0.0.1:8080");
  EXPECT_EQ(status_of(two), 403);
  const Gate usual{.port = 80, .token = "secret"};
  Request plain = from_page();
  plain.headers = {{"host", "localhost"}};
  EXPECT_FALSE(refuse(plain, usual).has_value());
}

TEST(Gate, OtherPagesAreRefused) {
  for (const char* origin : {"http://evil.example", "null", "", "https://127.0.0.1:8080",
                             "http://127.0.0.1:9999", "http://127.0.0.1:8080.evil.example"}) {
    Request request = from_page();
    request.headers.emplace_back("origin", origin);
    EXPECT_EQ(status_of(request), 403) << origin;
  }
}

TEST(Gate, TokenMethodAndTypeAreChecked) {
  for (const char* token : {"", "secre", "secrets", "Secret", "xsecret"}) {
    Request request = from_page();
    request.query = {{"token", token}};
    EXPECT_EQ(status_of(request), 401) << token;
    request.query.clear();
    request.headers.emplace_back("authorization", std::string("Bearer ") + token);
    EXPECT_EQ(status_of(request), 401) << token;
  }
  Request request = from_page();
  request.method = "DELETE";
  EXPECT_EQ(status_of(request), 405);
  request.method = "POST";
  EXPECT_EQ(status_of(request), 415);
  request.headers.emplace_back("content-type", "text/plain");
  EXPECT_EQ(status_of(request), 415);
}

TEST(Gate, TokensDiffer) {
  std::set<std::string> seen;
  for (int k = 0; k < 100; ++k) seen.insert(random_token());
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_EQ(seen.begin()->size(), 32u);
}

TEST(Target, IsTakenApart) {
  const auto target = parse_target("/a%20b/c?token=%41b&x&=y&&z=1=2");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->path, "/a b/c");
  EXPECT_EQ(target->query, (Pairs{{"token", "Ab"}, {"x", ""}, {"", "y"}, {"", ""}, {"z", "1=2"}}));
  for (const char* bad :
       {"", "a", "*", "http://x/", "/%", "/%4", "/%4g", "/a b", "/\x01", "/\xc3", "/a#b", "/?%"}) {
    EXPECT_FALSE(parse_target(bad).has_value()) << bad;
  }
}

TEST(ParseRequest, RefusesWithAStatus) {
  const Limits limits{.header = 200, .body = 10};
  const auto status = [&](const std::string& bytes) {
    const auto parsed = parse_request(bytes, limits);
    return std::holds_alternative<int>(parsed) ? std::get<int>(parsed) : 200;
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n", post = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(status(get + "\r\n"), 200);
  EXPECT_EQ(status(get), 400);
  EXPECT_EQ(status("hello\r\n\r\n"), 400);
  EXPECT_EQ(status("GET nowhere HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status(get + "X: " + std::string(300, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(status(post + "Content-Length: 4\r\n\r\nabcd"), 200);
  EXPECT_EQ(status(post + "Content-Length: 4\r\n\r\nabc"), 400);
  EXPECT_EQ(status(post + "Content-Length: 11\r\n\r\nabcdefghijk"), 413);
  EXPECT_EQ(status(post + "Transfer-Encoding: chunked\r\n\r\nb\r\nabcdefghijk\r\n0\r\n\r\n"), 413);
  EXPECT_EQ(status(post + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde"), 400);
  EXPECT_EQ(status(post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nabcd"), 400);
}

}  // namespace
}  // namespace mulberry::http

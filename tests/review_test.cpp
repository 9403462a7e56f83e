// `mulberry review` as a browser sees it, without one.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <list>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "mulberry/data/changes/change_file.hpp"
#include "tests/support/client.hpp"
#include "tests/support/process.hpp"

namespace mulberry::tests::contract {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Data with hidden labels, and a review of it that runs.
class Review {
 public:
  explicit Review(const Scratch& scratch, std::vector<std::string> more = {})
      : out_(scratch.file(".out")) {
    std::filesystem::remove(out_);
    std::vector<std::string> words = {"review", scratch.file("hidden.arff"), "--top", "12"};
    words.insert(words.end(), more.begin(), more.end());
    process_.emplace(scratch, words);
    const std::regex address(R"(http://127\.0\.0\.1:(\d+)/\?token=([\w-]+))");
    std::smatch found;
    for (int k = 0; k < 600; ++k) {
      text_ = std::filesystem::exists(out_) ? slurp(out_) : "";
      if (std::regex_search(text_, found, address)) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_FALSE(found.empty()) << text_;
    port_ = static_cast<std::uint16_t>(std::stoi(found[1]));
    token_ = found[2];
  }
  ~Review() {
    if (!process_) return;
    process_->signal(SIGKILL);
    process_->wait();
  }
  Review(const Review&) = delete;
  Review& operator=(const Review&) = delete;

  std::uint16_t port() const { return port_; }
  const std::string& token() const { return token_; }
  const std::string& text() const { return text_; }

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string send(const std::string& request) const {
    const Client client(port_);
    client.send(request);
    return client.rest();
  }
  std::string get(const std::string& path) const {
    return send("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\nAuthorization: Bearer " +
                token_ + "\r\nConnection: close\r\n\r\n");
  }
  std::string post(const std::string& path, const std::string& body) const {
    return send("POST " + path + " HTTP/1.1\r\nHost: " + host() + "\r\nOrigin: http://" + host() +
                "\r\nAuthorization: Bearer " + token_ +
                "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  static Json json(const std::string& answer) {
    return Json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }
  Json state() const { return json(get("/state")); }
  Json answer(const Json& state, const std::string& word) const {
    return json(post("/answer", Json{{"q", state["question"]["q"]}, {"answer", word}}.dump()));
  }
  Json undo(const Json& state) const {
    return json(post("/undo", Json{{"q", state["last"]}}.dump()));
  }
  Outcome end(int signal) {
    process_->signal(signal);
    Outcome out = process_->wait_at_most(5);
    process_.reset();
    return out;
  }

 private:
  std::string out_, text_, token_;
  std::optional<Process> process_;
  std::uint16_t port_ = 0;
};

void make_data(const Scratch& scratch) {
  ASSERT_EQ(
      run(scratch, {"generate", "photos", "--rows", "120", "-o", scratch.file("p.arff")}).code, 0);
  ASSERT_EQ(run(scratch, {"hide", scratch.file("p.arff"), "-o", scratch.file("hidden.arff")}).code,
            0);
}

TEST(Review, EveryAnswerIsOnDiskBeforeTheNextQuestion) {
  const Scratch scratch;
  make_data(scratch);
  const std::string file = scratch.file("hidden.changes.csv");
  const auto entries = [&] { return read_changes(file).entries; };
  Json state;
  {
    Review review(scratch);
    state = review.state();
    EXPECT_EQ(state["total"], 12);
    EXPECT_EQ(state["undo"], false);
    for (const char* word : {"yes", "no", "skip", "yes"}) {
      const Json question = state["question"];
      const std::size_t before = entries().size();
      state = review.answer(state, word);
      ASSERT_EQ(entries().size(), before + 1);
      EXPECT_EQ(entries().back().row, question["row"].get<std::string>());
      EXPECT_EQ(entries().back().label, question["label"].get<std::string>());
      EXPECT_NE(state["question"]["q"], question["q"]);
    }
    EXPECT_EQ(entries()[0].to, Cell::positive);
    EXPECT_EQ(entries()[1].to, Cell::negative);
    EXPECT_EQ(entries()[2].to, std::nullopt);
    EXPECT_EQ(state["answered"], 3);
    EXPECT_EQ(state["changed"], 2);
    // The same answer again, as after a lost reply, changes nothing; another one is refused.
    const std::string again = R"({"q":)" + state["last"].dump() + R"(,"answer":"yes"})";
    EXPECT_EQ(status_of(review.post("/answer", again)), 200);
    EXPECT_EQ(status_of(review.post("/answer", std::regex_replace(again, std::regex("yes"), "no"))),
              409);
    EXPECT_EQ(entries().size(), 4u);
  }  // killed
  const std::string whole = slurp(file);
  std::ofstream(file, std::ios::app) << "7,\"torn";
  {
    Review review(scratch);
    EXPECT_NE(review.text().find("4 of them answered"), std::string::npos) << review.text();
    EXPECT_EQ(slurp(file), whole);
    Json now = review.state();
    EXPECT_EQ(now["question"]["label"], state["question"]["label"]);
    EXPECT_EQ(now["question"]["row"], state["question"]["row"]);
    // Undo goes back beyond the start of this process.
    now = review.undo(now);
    EXPECT_EQ(entries().size(), 3u);
    now = review.answer(now, "no");
    EXPECT_EQ(entries()[3].to, Cell::negative);
    for (int k = 0; k < 12 && !now["question"].is_null(); ++k) now = review.answer(now, "no");
    EXPECT_TRUE(now["question"].is_null());
    EXPECT_EQ(now["skipped"], 1);
    now = Review::json(review.post("/again", "{}"));
    EXPECT_FALSE(now["question"].is_null());
    now = review.answer(now, "yes");
    EXPECT_EQ(now["skipped"], 0);
    EXPECT_TRUE(now["question"].is_null());
    EXPECT_EQ(entries().size(), 13u);  // one cell has an open line and a decided one
    const Outcome outcome = review.end(SIGINT);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("mulberry convert"), std::string::npos) << outcome.out;
  }
  const Outcome applied = run(scratch, {"convert", scratch.file("hidden.arff"), "--apply", file,
                                        "-o", scratch.file("corrected.arff")});
  EXPECT_EQ(applied.code, 0) << applied.err;
  EXPECT_NE(applied.out.find("10 confirmed, 1 undecided"), std::string::npos) << applied.out;
}

TEST(Review, StrangersGetNothing) {
  const Scratch scratch;
  make_data(scratch);
  const Review review(scratch);
  const std::string host = "Host: " + review.host() + "\r\nConnection: close\r\n";
  const std::string bearer = "Authorization: Bearer " + review.token() + "\r\n";
  const auto status = [&](const std::string& request) { return status_of(review.send(request)); };
  EXPECT_EQ(status("GET /?token=" + review.token() + " HTTP/1.1\r\n" + host + "\r\n"), 200);
  EXPECT_EQ(status("GET / HTTP/1.1\r\n" + host + "\r\n"), 401);
  EXPECT_EQ(status("GET /state HTTP/1.1\r\n" + host + "Authorization: Bearer no\r\n\r\n"), 401);
  EXPECT_EQ(status("GET /state HTTP/1.1\r\nHost: evil.example\r\n" + bearer +
                   "Connection: close\r\n\r\n"),
            403);
  EXPECT_EQ(
      status("GET /state HTTP/1.1\r\n" + host + bearer + "Origin: http://evil.example\r\n\r\n"),
      403);
  EXPECT_EQ(status("POST /answer HTTP/1.1\r\n" + host + bearer +
                   "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"),
            415);
  EXPECT_EQ(status_of(review.post("/answer", std::string(2'000'000, ' '))), 413);
  for (const char* body : {"", "[]", "{", "{}", R"({"q":0})", R"({"q":-1,"answer":"yes"})",
                           R"({"q":1e9,"answer":"yes"})", R"({"q":99,"answer":"yes"})",
                           R"({"q":0,"answer":"maybe"})", R"({"q":"0","answer":7})"}) {
    EXPECT_EQ(status_of(review.post("/answer", body)), 400) << body;
  }
  EXPECT_EQ(status_of(review.get("/nothing")), 404);
  EXPECT_EQ(status_of(review.post("/nothing", R"({"q":0})")), 404);
  EXPECT_EQ(review.state()["answered"], 0);
}

TEST(Review, IdleClientsDelayNobodyAndItEndsSoon) {
  const Scratch scratch;
  make_data(scratch);
  for (const int signal : {SIGINT, SIGTERM}) {
    Review review(scratch);
    std::list<Client> idle;
    for (int k = 0; k < 100; ++k) {
      idle.emplace_back(review.port());
      if (k % 3 == 0) idle.back().send("POST /answer HT");
    }
    const auto begin = Clock::now();
    EXPECT_EQ(status_of(review.get("/state")), 200);
    EXPECT_LT(seconds_since(begin), 1.0);
    const auto asked = Clock::now();
    EXPECT_EQ(review.end(signal).code, 0);
    EXPECT_LT(seconds_since(asked), 1.0);
    EXPECT_FALSE(std::filesystem::exists(scratch.file("hidden.changes.csv")));  // no answer came
  }
}

TEST(Review, MistakesHaveRemedies) {
  const Scratch scratch;
  make_data(scratch);
  const Review review(scratch);
  const std::string data = scratch.file("hidden.arff"), other = scratch.file("other.csv");
  const Scratch second;
  const auto taken =
      run(second, {"review", data, "--port", std::to_string(review.port()), "--changes", other});
  EXPECT_EQ(taken.code, 1);
  EXPECT_NE(taken.err.find("--port N"), std::string::npos) << taken.err;
  const auto used = run(second, {"review", data});
  EXPECT_EQ(used.code, 1);
  EXPECT_NE(used.err.find("another program"), std::string::npos) << used.err;
  std::ofstream(other) << "row,label,from,to,chance\n1,nothing,0,1,\n";
  const auto misfit = run(second, {"review", data, "--changes", other});
  EXPECT_EQ(misfit.code, 1);
  EXPECT_NE(misfit.err.find("there is no label 'nothing'"), std::string::npos) << misfit.err;
  EXPECT_EQ(run(second, {"review", data, "--changes", data}).code, 1);
  EXPECT_EQ(run(second, {"review", data, "--static", scratch.file("x.html"), "--port", "0"}).code,
            1);
}

// Of very many cells, some rows are judged; the questions are about rows of the whole.
TEST(Review, JudgesSomeRowsOfLargeData) {
  const Scratch scratch;
  const std::string data = scratch.file("large.libsvm"), page = scratch.file("page.html");
  ASSERT_EQ(run(scratch, {"generate", "linear", "--rows", "3000", "--features", "5", "--labels",
                          "4000", "--cardinality", "2", "-o", data})
                .code,
            0);
  const std::vector<std::string> words = {"review", data, "--static",  page,
                                          "--top",  "50", "--learner", "br(base=prior)"};
  const auto written = run(scratch, words);
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_NE(written.err.find("2500 of 3000 rows"), std::string::npos) << written.err;
  const auto with = [&](const std::string& rows) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--rows", rows});
    return run(scratch, all);
  };
  EXPECT_EQ(with("1").code, 1);
  EXPECT_EQ(with("some").code, 1);
  ASSERT_EQ(with("20").code, 0);
  const std::string html = slurp(page), open = "id=\"page-data\">";
  const auto begin = html.find(open) + open.size();
  const Json json = Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  std::set<std::string> rows;
  for (const Json& question : json["data"]["questions"]) rows.insert(question["row"].dump());
  EXPECT_LE(rows.size(), 20u);
  EXPECT_GT(rows.size(), 1u);
  const std::string small = scratch.file("small.libsvm");
  run(scratch, {"generate", "linear", "--rows", "60", "-o", small});
  EXPECT_EQ(run(scratch, {"review", small, "--static", page, "--rows", "all"}).code, 0);
}

// Names and texts of other people are data, whatever they contain.
TEST(Review, HostileNamesStayWithinTheirQuotes) {
  const Scratch scratch;
  std::string table = "id,body,tags\n";
  const std::string evil = "</script><script>alert(1)</script>";
  for (int k = 0; k < 40; ++k) {
    table += "\"<b>" + std::to_string(k) + "\",\"" + evil + (k % 2 == 0 ? " sea" : " hill") +
             " &amp; <img src=x onerror=alert(2)>\"," + (k % 2 == 0 ? evil : "\"'\"\"&\"") + "\n";
  }
  table += "last,\"sea sea\",\"\"\n";
  std::ofstream(scratch.file("evil.csv")) << table;
  const std::string page = scratch.file("page.html");
  const auto written =
      run(scratch, {"review", scratch.file("evil.csv"), "--text", "body", "--label-list", "tags",
                    "--id", "id", "--static", page, "--top", "20"});
  ASSERT_EQ(written.code, 0) << written.err;
  const std::string html = slurp(page);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("http://"), html.find("http://www.w3.org"));  // the name of SVG, in page.js
  const std::string open = "id=\"page-data\">";
  const auto begin = html.find(open) + open.size();
  const Json json = Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  ASSERT_EQ(json["data"]["questions"].size(), 20u);
  bool seen = false;
  for (const Json& question : json["data"]["questions"]) seen = seen || question["label"] == evil;
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace mulberry::tests::contract

// What the server of `mulberry review` answers:
//
//   GET  /        the page
//   GET  /state   how far the review is, and the next question
//   POST /answer  {"q": number, "answer": "yes" | "no" | "skip"}, then as /state
//   POST /undo    {"q": number of the question to bring back}, then as /state
//   POST /again   {}, then as /state: skipped questions are asked once more
//
// 409 says that another page has answered meanwhile; it has the state all the same.
#pragma once

#include <functional>
#include <string>

#include "cli/verbs/review_session.hpp"
#include "mulberry/http/message.hpp"

namespace mulberry::cli {

class ReviewServer {
 public:
  // `question`: the JSON of a question, made when it is asked.
  ReviewServer(std::string page, ReviewSession& session, std::function<std::string(Index)> question)
      : page_(std::move(page)), session_(session), question_(std::move(question)) {}

  http::Response respond(const http::Request& request);

 private:
  http::Response state(int status = 200) const;
  http::Response act(const http::Request& request);

  std::string page_;
  ReviewSession& session_;
  std::function<std::string(Index)> question_;
};

}  // namespace mulberry::cli

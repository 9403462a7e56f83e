#include "cli/verbs/review_server.hpp"

#include <nlohmann/json.hpp>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"

namespace mulberry::cli {
namespace {

using Json = nlohmann::ordered_json;

http::Response refusal(int status, const std::string& words) {
  return {.status = status, .body = words + "\n"};
}

}  // namespace

http::Response ReviewServer::respond(const http::Request& request) {
  const bool get = request.method == "GET";
  try {
    if (get && request.path == "/") return {.type = "text/html; charset=utf-8", .body = page_};
    if (get && request.path == "/state") return state();
    if (!get) return act(request);
  } catch (const Error& error) {  // a full disk, for example
    return refusal(500, error.what());
  }
  return refusal(404, "There is nothing here.");
}

http::Response ReviewServer::act(const http::Request& request) {
  const Json json = Json::parse(request.body, nullptr, false);
  if (!json.is_object()) return refusal(400, "Expected a JSON object.");
  if (request.path == "/again") {
    session_.again();
    return state();
  }
  const auto q = json.find("q");
  if (q == json.end() || !q->is_number_unsigned() ||
      q->get<std::uint64_t>() >= session_.questions().size()) {
    return refusal(400, "Expected the number of a question in q.");
  }
  const auto number = static_cast<Index>(q->get<std::uint64_t>());
  if (request.path == "/undo") return state(session_.undo(number) ? 200 : 409);
  if (request.path != "/answer") return refusal(404, "There is nothing here.");
  const auto word = json.find("answer");
  const auto answer = word != json.end() && word->is_string()
                          ? answer_from(word->get<std::string>())
                          : std::nullopt;
  if (!answer) return refusal(400, "Expected yes, no or skip in answer.");
  return state(session_.answer(number, *answer) ? 200 : 409);
}

http::Response ReviewServer::state(int status) const {
  const ReviewCounts counts = session_.counts();
  const auto next = session_.next(), last = session_.last();
  Json json{{"total", counts.total},     {"answered", counts.yes + counts.no},
            {"yes", counts.yes},         {"no", counts.no},
            {"skipped", counts.skipped}, {"changed", counts.changed},
            {"undo", last.has_value()}};
  json["last"] = last ? Json(*last) : Json(nullptr);
  std::string text = json_text(json);
  text.pop_back();
  text += ",\"question\":" + (next ? question_(*next) : std::string("null")) + "}";
  return {.status = status, .type = "application/json", .body = text};
}

}  // namespace mulberry::cli

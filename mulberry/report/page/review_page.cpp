#include "mulberry/report/page/review_page.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

// The beginning of a text, not cut within a character.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

// Two digits more than a person compares at a glance.
std::string value_text(double value) {
  const double size = std::abs(value);
  if (value == std::round(value) && size < 1e9) return fmt::format("{:.0f}", value + 0.0);
  return fmt::format("{:.3g}", value);
}

std::string feature_name(const Dataset& data, Index column) {
  return data.feature_names.empty() ? fmt::format("feature {}", column + 1)
                                    : data.feature_names[at(column)];
}

Json texts_json(const Dataset& data, Index row, std::size_t letters) {
  Json out = Json::array();
  for (const TextColumn& column : data.texts) {
    const std::string_view text = column.texts[row], shown = beginning(text, letters);
    out.push_back({{"name", column.name}, {"text", shown}, {"cut", shown.size() < text.size()}});
  }
  return out;
}

constexpr std::size_t k_labels = 40;  // as many are shown

// The labels that a row has, without one of them.
Json label_names(const Dataset& data, Index row, Id without) {
  Json out = Json::array();
  for (const Id l : data.y.row(row)) {
    if (l != without && out.size() < k_labels) out.push_back(data.label_names[at(l)]);
  }
  return out;
}

// The beginning of the texts of a row. Rows of numbers are known by name: a list of values says
// little to people.
std::string excerpt(const Dataset& data, Index row) {
  constexpr std::size_t k_letters = 240;
  std::string out;
  for (const TextColumn& column : data.texts) {
    const std::string_view text = column.texts[row], shown = beginning(text, k_letters);
    out +=
        (out.empty() ? "" : " | ") + std::string(shown) + (shown.size() < text.size() ? "…" : "");
  }
  return out;
}

Json near_json(const Dataset& data, const RowNames& rows, const Reason& reason) {
  Json out = Json::array();
  for (const NearRow& near : reason.near) {
    out.push_back({{"row", rows.name(near.row)},
                   {"has", cell_text(near.cell)},
                   {"excerpt", excerpt(data, near.row)},
                   {"labels", label_names(data, near.row, -1)}});
  }
  return out;
}

Json features_json(const Dataset& data, const Reason& reason) {
  const auto rounded = [](double value) { return std::round(value * 100) / 100; };
  Json out = Json::array();
  for (const TellingFeature& one : reason.features) {
    out.push_back({{"name", feature_name(data, one.column)},
                   {"value", value_text(one.value)},
                   {"place", rounded(one.place)},
                   {"usual", rounded(one.usual)}});
  }
  return out;
}

Json related_json(const Dataset& data, const Reason& reason) {
  Json out = Json::array();
  for (const RelatedLabel& one : reason.related) {
    out.push_back(
        {{"label", data.label_names[at(one.other)]}, {"both", one.both}, {"rows", one.rows}});
  }
  return out;
}

Page empty_page(const ReviewAbout& about) {
  Page page{.title = about.data.empty() ? "Data" : about.data,
            .kind = about.kind == SuspectKind::missing ? "Labels that may be missing"
                                                       : "Labels that may be wrong"};
  page.sections.push_back({.id = "review", .title = "One moment ..."});
  page.styles = {"review.css"};
  page.scripts = {"review.js"};
  return page;
}

Json about_json(const ReviewAbout& about, const char* mode) {
  return {{"mode", mode},
          {"key", about.key == RowKey::id ? "id" : "row"},
          {"file", about.file},
          {"apply", about.apply}};
}

}  // namespace

std::string question_json(const Dataset& data, const RowNames& rows, Index number,
                          const Suspect& question, const Reason& reason, std::size_t letters) {
  const Index row = question.row;
  const bool has = data.y.cell(row, question.label) == Cell::positive;
  const auto others = count_of(data.y.row(row)) - (has ? 1 : 0);
  constexpr double k_digits = 1e6;
  return json_text(
      Json{{"q", number},
           {"row", rows.name(row)},
           {"label", data.label_names[at(question.label)]},
           {"chance", number_or_null<Json>(std::round(question.chance * k_digits) / k_digits)},
           {"from", cell_text(data.y.cell(row, question.label))},
           {"labels", label_names(data, row, question.label)},
           {"more_labels", std::max<Index>(0, others - static_cast<Index>(k_labels))},
           {"texts", texts_json(data, row, letters)},
           {"words", reason.words},
           {"features", features_json(data, reason)},
           {"related", related_json(data, reason)},
           {"share", static_cast<double>(reason.rows_with_label) /
                         static_cast<double>(std::max<Index>(1, data.rows()))},
           {"near", near_json(data, rows, reason)}});
}

Page served_review(const ReviewAbout& about) {
  Page page = empty_page(about);
  page.talks_to_server = true;
  page.data = json_text(about_json(about, "server"));
  return page;
}

Page static_review(const ReviewAbout& about, const std::vector<std::string>& questions) {
  Page page = empty_page(about);
  std::string list;
  for (const std::string& question : questions) list += (list.empty() ? "" : ",\n") + question;
  Json json = about_json(about, "file");
  // Answers that a browser keeps belong to these questions.
  json["store"] = fmt::format("{:016x}", XXH3_64bits(list.data(), list.size()));
  std::string text = json_text(json);
  text.pop_back();
  page.data = text + ",\"questions\":[" + list + "]}";
  return page;
}

Page static_review(const ReviewAbout& about, const Dataset& data, const RowNames& rows,
                   const std::vector<Suspect>& questions, const Reasons& reasons) {
  constexpr std::size_t k_page = 3'000'000, k_least = 500, k_most = 8000;
  const std::size_t letters =
      std::clamp(k_page / std::max<std::size_t>(1, questions.size()), k_least, k_most);
  std::vector<std::string> texts;
  for (const Suspect& one : questions) {
    texts.push_back(
        question_json(data, rows, count_of(texts), one, reasons.of(one.row, one.label), letters));
  }
  return static_review(about, texts);
}

std::vector<Id> rows_of(const std::vector<Suspect>& questions) {
  std::vector<Id> out;
  for (const Suspect& one : questions) out.push_back(one.row);
  return out;
}

}  // namespace mulberry::report

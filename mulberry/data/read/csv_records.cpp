#include "mulberry/data/read/csv_records.hpp"

#include <cstring>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
bool CsvRecords::next() {
  do {
    if (!text_.next()) return false;
  } while (text_.line().find_first_not_of(' ') == std::string_view::npos);
  bytes_.clear();
  fields_.clear();
  earlier_.clear();
  for (const char* p = text_.line().data();; ++p) {
    while (p < line_end() && *p == ' ' && delimiter_ != ' ') ++p;
    fields_.push_back({bytes_.size(), 0, at(p - text_.line().data())});
    p = p < line_end() && *p == '"' ? quoted_field(p) : plain_field(p);
    fields_.back().size = bytes_.size() - fields_.back().begin;
    if (p == line_end()) return true;
  }
}

const char* CsvRecords::plain_field(const char* p) {
  const char* const end = line_end();
  const auto left = at(end - p);
  const auto* stop = static_cast<const char*>(std::memchr(p, delimiter_, left));
  if (stop == nullptr) stop = end;
  const std::string_view field(p, at(stop - p));
  if (const auto quote = field.find('"'); quote != std::string_view::npos) {
    text_.fail(p, "expected quotes around the whole field or none, found " + in_quotes(field),
               "Put the field in quotes and double the quotes inside it");
  }
  bytes_ += trim(field);
  return stop;
}

const char* CsvRecords::quoted_field(const char* p) {
  const Place opening = text_.place(p);
  ++p;
  for (;;) {
    const auto left = at(line_end() - p);
    const auto* quote = static_cast<const char*>(std::memchr(p, '"', left));
    if (quote == nullptr) {  // the field continues on the next line
      bytes_.append(p, left);
      bytes_ += text_.ending();
      append_places(earlier_);
      if (!text_.has_newline() || !text_.next()) {
        throw Error(Code::format, "expected a closing quote, found the end of the file",
                    "Close the quote that begins here, and double quotes inside it", opening);
      }
      p = text_.line().data();
      continue;
    }
    bytes_.append(p, quote);
    p = quote + 1;
    if (p < line_end() && *p == '"') {
      bytes_ += *p++;
      continue;
    }
    if (p < line_end() && *p != delimiter_) {
      text_.fail(p,
                 std::string("expected the delimiter after a closing quote, found ") +
                     in_quotes(std::string_view(p, 1)),
                 "Double the quotes inside a quoted field");
    }
    return p;
  }
}

Place CsvRecords::place(std::size_t k) const {
  return k < earlier_.size() ? earlier_[k] : text_.place(text_.line().data() + fields_[k].at);
}

std::vector<Place> CsvRecords::places() const {
  std::vector<Place> out = earlier_;
  append_places(out);
  return out;
}

// Of the fields that begin in the current line. Columns are counted from one field to the next:
// from the start of the line for each, a header of very many columns would take forever.
void CsvRecords::append_places(std::vector<Place>& places) const {
  const char* const line = text_.line().data();
  const char* counted = line;
  std::int64_t column = 1;
  for (std::size_t k = places.size(); k < fields_.size(); ++k) {
    column += characters(counted, line + fields_[k].at);
    counted = line + fields_[k].at;
    places.push_back({text_.path(), text_.number(), column});
  }
}

}  // namespace mulberry::data

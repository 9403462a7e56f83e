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
    text_.fail(p, "expected quotes around the whole field or none, found " + quoted(field),
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
      if (text_.ends_with_crlf()) bytes_ += '\r';
      bytes_ += '\n';
      for (std::size_t k = earlier_.size(); k < fields_.size(); ++k) {
        earlier_.push_back(text_.place(text_.line().data() + fields_[k].at));
      }
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
                     quoted(std::string_view(p, 1)),
                 "Double the quotes inside a quoted field");
    }
    return p;
  }
}

Place CsvRecords::place(std::size_t k) const {
  return k < earlier_.size() ? earlier_[k] : text_.place(text_.line().data() + fields_[k].at);
}

}  // namespace mulberry::data

#include "mulberry/data/read/json_records.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/text/unicode.hpp"

namespace mulberry::data {
namespace {

constexpr const char* k_form = "Write one object per line, as in {\"text\": \"...\", \"price\": 3}";

}  // namespace

bool JsonRecords::next() {
  do {
    if (!text_.next()) return false;
  } while (trim(text_.line()).empty());
  for (Cell& cell : cells_) cell = {};
  p_ = text_.line().data();
  end_ = p_ + text_.line().size();
  read_object();
  first_ = false;
  return true;
}

void JsonRecords::skip() {
  while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
}

std::string JsonRecords::found() const {
  return p_ == end_ ? "the end of the line" : in_quotes(std::string_view(p_, at(end_ - p_)));
}

void JsonRecords::expect(char c, const char* what) {
  skip();
  if (p_ == end_ || *p_ != c) {
    text_.fail(p_, std::string("expected ") + what + ", found " + found(), k_form);
  }
  ++p_;
}

void JsonRecords::read_object() {
  expect('{', "an object that begins with {");
  skip();
  if (p_ < end_ && *p_ == '}') {
    ++p_;
  } else {
    for (;;) {
      skip();
      const char* const begin = p_;
      if (p_ == end_ || *p_ != '"') {
        text_.fail(p_, "expected a key in double quotes, found " + found(), k_form);
      }
      std::string key;
      read_string(key);
      const std::size_t column = column_of(key, begin);
      expect(':', "a colon after the key");
      skip();
      if (cells_[column].at != nullptr) {
        text_.fail(begin, "expected each key once, found " + in_quotes(key) + " again",
                   "Remove one of them");
      }
      cells_[column].at = p_;
      read_value(cells_[column]);
      skip();
      if (p_ < end_ && *p_ == ',') {
        ++p_;
        continue;
      }
      expect('}', "a comma or }");
      break;
    }
  }
  skip();
  if (p_ != end_) {
    text_.fail(p_, "expected the end of the line after the object, found " + found(), k_form);
  }
}

std::size_t JsonRecords::column_of(const std::string& key, const char* at) {
  if (first_) {
    if (key.empty()) text_.fail(at, "expected a key, found an empty one", "Name every value");
    const auto [known, added] = column_.emplace(key, keys_.size());
    if (!added) {
      text_.fail(at, "expected each key once, found " + in_quotes(key) + " again",
                 "Remove one of them");
    }
    keys_.push_back(key);
    cells_.emplace_back();
    return known->second;
  }
  const auto known = column_.find(key);
  if (known == column_.end()) {
    text_.fail(at, "expected the keys of the first object, found " + in_quotes(key),
               did_you_mean(key, keys_,
                            "Give the first object all keys, with null for those without a value"));
  }
  return known->second;
}

void JsonRecords::read_value(Cell& cell) {
  if (p_ < end_ && *p_ == '[') return read_list(cell);
  if (p_ < end_ && *p_ == '{') {
    text_.fail(p_, "expected a text, a number, true, false, null or a list, found an object",
               "Give each of its values a separate key");
  }
  read_scalar(cell.text);
}

void JsonRecords::read_list(Cell& cell) {
  cell.list = true;
  ++p_;
  skip();
  if (p_ < end_ && *p_ == ']') {
    ++p_;
    return;
  }
  std::string element;
  for (bool first = true;; first = false) {
    skip();
    const char* const begin = p_;
    if (p_ < end_ && (*p_ == '[' || *p_ == '{')) {
      text_.fail(p_, "expected texts and numbers in a list, found " + found(),
                 "Lists inside lists are not supported");
    }
    element.clear();
    read_scalar(element);
    if (element.empty()) {
      text_.fail(begin, "expected an element of the list, found an empty one", "Remove it");
    }
    if (!first) cell.text += k_between;
    cell.text += element;
    skip();
    if (p_ < end_ && *p_ == ',') {
      ++p_;
      continue;
    }
    expect(']', "a comma or ] in a list");
    return;
  }
}

void JsonRecords::read_scalar(std::string& out) {
  if (p_ < end_ && *p_ == '"') return read_string(out);
  const char* const begin = p_;
  while (p_ < end_ && *p_ != ',' && *p_ != '}' && *p_ != ']' && *p_ != ' ' && *p_ != '\t') ++p_;
  const std::string_view word(begin, at(p_ - begin));
  if (word == "null") return;
  const bool number = parse_number(word).has_value() && word.front() != '+' &&
                      word.front() != '.' && word.back() != '.';
  if (!number && word != "true" && word != "false" && word != "NaN") {
    p_ = begin;
    text_.fail(begin, "expected a value, found " + found(),
               "Put texts in double quotes, and write numbers as 1.5 or 2e-3");
  }
  if (word != "NaN") out += word;  // as Python writes a missing number
}

unsigned JsonRecords::read_hex(const char* begin) {
  unsigned out = 0;
  for (int k = 0; k < 4; ++k, ++p_) {
    const char c = p_ < end_ ? *p_ : '\0';
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                  : 16U;
    if (digit > 15) {
      text_.fail(begin, "expected four hexadecimal digits after \\u, found something else",
                 "Write characters as \\u00e9, or in UTF-8");
    }
    out = out * 16 + digit;
  }
  return out;
}

void JsonRecords::read_escape(std::string& out, const char* begin) {
  const char c = p_ < end_ ? *p_++ : '\0';
  constexpr std::string_view k_from = "\"\\/bfnrt", k_to = "\"\\/\b\f\n\r\t";
  const auto plain = k_from.find(c);
  if (c != '\0' && plain != std::string_view::npos) {
    out += k_to[plain];
    return;
  }
  if (c != 'u') {
    text_.fail(begin, "expected an escape such as \\n or \\u00e9, found another",
               "Write a backslash as two");
  }
  char32_t point = read_hex(begin);
  if (point >= 0xD800 && point < 0xDC00 && end_ - p_ >= 2 && p_[0] == '\\' && p_[1] == 'u') {
    p_ += 2;
    const char32_t low = read_hex(begin);
    point = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00)
                                          : 0xFFFD;
  } else if (point >= 0xD800 && point < 0xE000) {
    point = 0xFFFD;
  }
  append_utf8(point, out);
}

void JsonRecords::read_string(std::string& out) {
  const char* const begin = p_++;
  for (;;) {
    const char* const stop = p_;
    while (p_ < end_ && *p_ != '"' && *p_ != '\\') ++p_;
    out.append(stop, p_);
    if (p_ == end_) {
      text_.fail(begin, "expected a closing quote, found the end of the line",
                 "Close the quote, and write line ends inside it as \\n");
    }
    if (*p_++ == '"') return;
    read_escape(out, p_ - 1);
  }
}

}  // namespace mulberry::data

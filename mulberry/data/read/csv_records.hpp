// CsvRecords: the records of a CSV or TSV file as in RFC 4180: fields in double quotes may contain
// the delimiter, doubled quotes and line ends. Blanks around an unquoted field are ignored; empty
// lines are skipped. Quotes inside an unquoted field, text after a closing quote and a quote that
// is never closed are errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mulberry/data/bytes/text_reader.hpp"

namespace mulberry::data {

class CsvRecords {
 public:
  CsvRecords(TextReader& text, char delimiter) : text_(text), delimiter_(delimiter) {}

  bool next();  // false at the end of the file
  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t k) const {
    return std::string_view(bytes_).substr(fields_[k].begin, fields_[k].size);
  }
  Place place(std::size_t k) const;   // where field k of the current record begins
  std::vector<Place> places() const;  // of all fields, in one pass over the record

 private:
  struct Field {
    std::size_t begin, size;  // in bytes_
    std::size_t at;           // where it begins in its line
  };
  const char* quoted_field(const char* p);
  const char* plain_field(const char* p);
  void append_places(std::vector<Place>& places) const;
  const char* line_end() const { return text_.line().data() + text_.line().size(); }

  TextReader& text_;
  char delimiter_;
  std::string bytes_;  // of all fields, without quotes
  std::vector<Field> fields_;
  std::vector<Place> earlier_;  // places of the fields on lines before the current one
};

}  // namespace mulberry::data

// The header of an ARFF file, and the quoted words that header and rows share.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/data/bytes/text_reader.hpp"

namespace mulberry::data {

enum class ArffType { numeric, nominal, text, date };

struct ArffAttribute {
  std::string name;
  ArffType type = ArffType::numeric;
  std::vector<std::string> values = {};  // of a nominal attribute
  std::int64_t line = 0, at = 0;         // place of its name
  std::string pattern = {};              // of dates, as in Java; empty: ISO 8601
};

struct ArffHeader {
  std::string relation = {};  // without MEKA's options
  // MEKA's -C: the first n attributes are labels, negative: the last n; 0 if not given.
  Index label_count = 0;
  std::int64_t relation_line = 0, relation_at = 0;  // its place
  std::vector<ArffAttribute> attributes = {};
  std::vector<std::string> notes = {};
};

// Reads up to and including @data.
ArffHeader read_arff_header(TextReader& text);

// The quoted word that begins at `at` (a ' or "), escapes resolved; returns the byte after it.
const char* arff_quoted(const TextReader& text, const char* at, std::string& out);

inline bool arff_blank(char c) { return c == ' ' || c == '\t'; }
inline const char* skip_arff_blanks(const char* at, const char* end) {
  while (at < end && arff_blank(*at)) ++at;
  return at;
}
// Only blanks, or a comment.
inline bool arff_at_end(const char* at, const char* end) { return at == end || *at == '%'; }

}  // namespace mulberry::data

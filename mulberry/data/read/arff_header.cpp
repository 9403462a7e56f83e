#include "mulberry/data/read/arff_header.hpp"

#include <algorithm>
#include <unordered_map>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/utf8.hpp"

namespace mulberry::data {
namespace {

class HeaderReader {
 public:
  explicit HeaderReader(TextReader& text) : text_(text) {}

  ArffHeader read() {
    bool relation = false;
    while (text_.next()) {
      at_ = text_.line().data();
      end_ = at_ + text_.line().size();
      skip();
      if (arff_at_end(at_, end_)) continue;
      const char* const begin = at_;
      const std::string_view keyword = take_bare();
      if (same_word(keyword, "@relation")) {
        if (relation) text_.fail(begin, "expected one @relation, found another", "Remove one");
        relation = true;
        read_relation();
      } else if (!relation) {
        text_.fail(begin, "expected @relation, found " + in_quotes(keyword),
                   "Begin the file with @relation NAME");
      } else if (same_word(keyword, "@attribute")) {
        read_attribute();
      } else if (same_word(keyword, "@data")) {
        require_end("@data");
        if (header_.attributes.empty()) {
          text_.fail(begin, "expected @attribute lines before @data, found none",
                     "Declare the attributes");
        }
        if (latin1_) header_.notes.push_back(k_latin1_note);
        return std::move(header_);
      } else {
        text_.fail(begin, "expected @attribute or @data, found " + in_quotes(keyword),
                   "Put rows after a line @data");
      }
    }
    throw Error(Code::format, "expected @data, found the end of the file",
                "Fetch the file again: it may be cut short",
                {text_.path(), std::max<std::int64_t>(1, text_.number()),
                 text_.column(text_.line().data() + text_.line().size())});
  }

 private:
  void skip() { at_ = skip_arff_blanks(at_, end_); }

  std::string_view take_bare(std::string_view stops = " \t") {
    const std::string_view rest(at_, at(end_ - at_));
    const std::string_view word = rest.substr(0, rest.find_first_of(stops));
    at_ += word.size();
    return word;
  }

  void require_end(const std::string& what) {
    skip();
    if (arff_at_end(at_, end_)) return;
    text_.fail(at_, "expected the end of the line after " + what + ", found " + in_quotes(rest()),
               "Put names with blanks in quotes");
  }
  std::string rest() const { return {at_, end_}; }

  bool at_quote() const { return at_ < end_ && (*at_ == '\'' || *at_ == '"'); }

  void read_relation() {
    skip();
    const char* const begin = at_;
    std::string name;
    if (at_quote()) {
      at_ = arff_quoted(text_, at_, name);
      require_end("the relation's name");
    } else {
      // A bare name may contain blanks: MEKA's options often have no quotes.
      name = rest();
      for (const char* comment : {" %", "\t%"}) name = name.substr(0, name.find(comment));
      name = trim(name);
      if (name.starts_with('%')) name.clear();
      if (name.empty()) text_.fail(begin, "expected the relation's name, found none", "Name it");
    }
    read_options(name, begin);
  }

  // "Name: -C 6 -split-percentage 50": everything before the colon is the name.
  void read_options(const std::string& name, const char* begin) {
    const auto colon = name.find(':');
    header_.relation = std::string(trim(name.substr(0, colon)));
    decode(header_.relation);
    if (colon == std::string::npos) return;
    std::string options = name.substr(colon + 1);
    std::replace(options.begin(), options.end(), '\t', ' ');
    auto words = split(options, ' ');
    std::erase(words, "");
    const auto flag = std::find_if(words.begin(), words.end(),
                                   [](const std::string& word) { return same_word(word, "-C"); });
    if (flag == words.end()) {
      header_.relation = name;
      decode(header_.relation);
      return;
    }
    // Weka appends the filters that were applied, and those may have moved the labels.
    if (name.find("-weka.filters.") != std::string::npos) {
      header_.notes.push_back(
          "the -C option of the relation is older than the filters after it and is not used");
      return;
    }
    const auto count = flag + 1 == words.end() ? std::nullopt : parse_integer(flag[1]);
    if (!count || *count == 0) {
      text_.fail(begin,
                 "expected a number of labels after -C, found " +
                     (flag + 1 == words.end() ? "nothing" : in_quotes(flag[1])),
                 "Write -C 6 if the first six attributes are labels, -C -6 for the last six");
    }
    header_.label_count = *count;
    header_.relation_line = text_.number();
    header_.relation_at = text_.column(begin);
  }

  void read_attribute() {
    skip();
    if (at_ == end_) {
      text_.fail(at_, "expected the attribute's name, found the end of the line",
                 "Write @attribute NAME TYPE");
    }
    const char* const begin = at_;
    ArffAttribute attribute;
    attribute.line = text_.number();
    attribute.at = text_.column(begin);
    if (at_quote()) {
      at_ = arff_quoted(text_, at_, attribute.name);
    } else {
      attribute.name = take_bare(" \t{");
    }
    if (attribute.name.empty()) {
      text_.fail(begin, "expected the attribute's name, found an empty one",
                 "Write @attribute NAME TYPE");
    }
    decode(attribute.name);
    const auto [first, fresh] = line_of_.emplace(attribute.name, text_.number());
    if (!fresh) {
      text_.fail(begin,
                 "expected names that differ, found " + in_quotes(attribute.name) +
                     " again after line " + std::to_string(first->second),
                 "Rename one of the attributes");
    }
    skip();
    if (at_ < end_ && *at_ == '{') {
      attribute.type = ArffType::nominal;
      attribute.values = read_values();
    } else {
      attribute.type = read_type(attribute.pattern);
    }
    require_end("the attribute's type");
    header_.attributes.push_back(std::move(attribute));
  }

  ArffType read_type(std::string& pattern) {
    const char* const begin = at_;
    if (arff_at_end(at_, end_)) {
      text_.fail(at_, "expected the attribute's type, found the end of the line",
                 "Write numeric, or the nominal values as in {0,1}");
    }
    const std::string_view type = take_bare();
    for (const char* word : {"numeric", "real", "integer"}) {
      if (same_word(type, word)) return ArffType::numeric;
    }
    if (same_word(type, "string")) return ArffType::text;
    if (same_word(type, "date")) {
      skip();
      if (at_quote()) {
        at_ = arff_quoted(text_, at_, pattern);
      } else if (!arff_at_end(at_, end_)) {
        pattern = take_bare();
      }
      return ArffType::date;
    }
    if (same_word(type, "relational")) {
      text_.fail(begin, "expected a numeric or nominal attribute, found a relational one",
                 "Remove it: relational attributes are not supported");
    }
    text_.fail(
        begin,
        "expected numeric, real, integer, string, date or {values}, found " + in_quotes(type),
        "Put attribute names with blanks in quotes");
  }

  std::vector<std::string> read_values() {
    const char* const begin = at_++;
    std::vector<std::string> values;
    std::unordered_map<std::string, int> seen;
    for (;;) {
      skip();
      if (at_ == end_) {
        text_.fail(begin, "expected '}' after the nominal values, found the end of the line",
                   "Close the list on the same line");
      }
      if (*at_ == '}') break;
      const char* const value_at = at_;
      std::string value;
      if (at_quote()) {
        at_ = arff_quoted(text_, at_, value);
      } else {
        value = trim(take_bare(",\t}"));
        if (value.empty()) {
          text_.fail(value_at, "expected a nominal value, found none", "Remove the extra comma");
        }
      }
      decode(value);
      if (!seen.emplace(value, 0).second) {
        text_.fail(value_at, "expected values that differ, found " + in_quotes(value) + " again",
                   "Remove it from the list");
      }
      values.push_back(std::move(value));
      const char* const gap = at_;
      skip();
      if (at_ < end_ && *at_ == ',') {
        ++at_;
      } else if (at_ < end_ && *at_ != '}' && gap == at_) {
        text_.fail(at_, "expected ',' or '}' after a nominal value, found " + in_quotes(rest()),
                   "Separate the values by commas");
      }
    }
    ++at_;
    if (values.empty()) {
      text_.fail(begin, "expected nominal values, found none", "Write them as in {0,1}");
    }
    return values;
  }

  void decode(std::string& word) { latin1_ = make_utf8(word) || latin1_; }

  TextReader& text_;
  ArffHeader header_;
  bool latin1_ = false;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::unordered_map<std::string, std::int64_t> line_of_;
};

}  // namespace

ArffHeader read_arff_header(TextReader& text) { return HeaderReader(text).read(); }

const char* arff_quoted(const TextReader& text, const char* at, std::string& out) {
  const char* const end = text.line().data() + text.line().size();
  const char* const begin = at;
  const char quote = *at++;
  out.clear();
  while (at < end && *at != quote) {
    if (*at != '\\' || at + 1 == end) {
      out += *at++;
      continue;
    }
    const char escaped = at[1];
    out += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
    at += 2;
  }
  if (at == end) {
    text.fail(begin, "expected a closing quote, found the end of the line",
              "Close the quote, or write a quote inside it as \\" + std::string(1, quote));
  }
  return at + 1;
}

}  // namespace mulberry::data

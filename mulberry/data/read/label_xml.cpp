// A small parser for the part of XML that label files use: a general parser would not tell the line
// of a mistake in well-formed XML, such as a label that occurs twice.
#include "mulberry/data/read/label_xml.hpp"

#include <dirent.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/bytes/text_reader.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/read/detect.hpp"

namespace mulberry::data {
namespace {

constexpr std::size_t k_largest_file = std::size_t{1} << 26;
constexpr std::string_view k_blank = " \t\r\n";

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : text_(text), line_end_(text.find('\n')) {
    xml_.path = path;
  }

  LabelXml parse() {
    while (next_markup()) {
      if (starts(k_set)) {
        read_set();
      } else if (starts(k_implies) || starts(k_exclusive)) {
        read_rule();
      } else if (starts("<?")) {
        skip_past("?>", "<?");
      } else if (starts("<!--")) {
        skip_past("-->", "<!--");
      } else if (starts("<!")) {
        fail(at_, "expected only elements, found a document type or entity declaration",
             "Remove the <!...> part: label files need no entities");
      } else if (starts("</")) {
        close_element();
      } else {
        open_element();
      }
    }
    if (!open_.empty()) {
      fail(open_.back().at, "expected </" + open_.back().name + ">, found the end of the file",
           "Close this element");
    }
    if (!root_seen_) fail(0, "expected a <labels> element, found none", k_remedy);
    if (xml_.labels.empty()) fail(0, "expected at least one <label>, found none", k_remedy);
    check_sets();
    check_rules();
    return std::move(xml_);
  }

 private:
  static constexpr const char* k_remedy =
      "Write a label file as <labels><label name=\"a\"/>...</labels>";
  static constexpr std::string_view k_set = "<?mulberry-set ";
  static constexpr const char* k_set_form =
      "Write a set as <?mulberry-set name=\"s\" label=\"a\" label=\"b\"?>";
  static constexpr std::string_view k_implies = "<?mulberry-implies ";
  static constexpr std::string_view k_exclusive = "<?mulberry-exclusive ";
  static constexpr const char* k_rule_form =
      "Write <?mulberry-implies label=\"a\" label=\"b\"?> if a comes with b, and "
      "<?mulberry-exclusive label=\"a\" label=\"b\"?> if a row has at most one of them";
  struct Element {
    std::string name;
    std::size_t at;
    Id label;  // -1 for the root
  };

  [[noreturn]] void fail(std::size_t at, std::string problem, std::string remedy) {
    throw Error(Code::format, std::move(problem), std::move(remedy), place(at));
  }

  // Requests nearly always come in increasing order, so lines are counted once, and the end of a
  // line is looked for once.
  Place place(std::size_t at) {
    if (at < line_start_) {
      line_ = 1;
      line_start_ = 0;
      line_end_ = text_.find('\n');
    }
    while (line_end_ < at) {
      ++line_;
      line_start_ = line_end_ + 1;
      line_end_ = text_.find('\n', line_start_);
    }
    return {xml_.path, line_, static_cast<std::int64_t>(at - line_start_) + 1};
  }

  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  // Moves to the next '<'; only blanks may come before it.
  bool next_markup() {
    at_ = std::min(text_.find_first_not_of(k_blank, at_), text_.size());
    if (at_ == text_.size()) return false;
    if (text_[at_] != '<') {
      const auto end = text_.find_first_of("<\n", at_);
      fail(at_, "expected an element, found " + in_quotes(text_.substr(at_, end - at_)), k_remedy);
    }
    return true;
  }

  void skip_past(std::string_view end, std::string_view begin) {
    const auto found = text_.find(end, at_ + begin.size());
    if (found == std::string_view::npos) {
      fail(at_, "expected " + in_quotes(end) + " after " + in_quotes(begin) + ", found none",
           "Close it");
    }
    at_ = found + end.size();
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(k_blank, at_), text_.size()); }

  std::string take_name(const char* what) {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/><\"'&", at_), text_.size());
    if (end == at_) {
      fail(at_, std::string("expected ") + what + ", found " + in_quotes(text_.substr(at_, 1)),
           k_remedy);
    }
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    return std::string(name);
  }

  void read_set() {
    set_at_.push_back(at_);
    LabelXml::Set& set = xml_.sets.emplace_back();
    at_ += k_set.size();
    for (skip_blanks(); !starts("?>"); skip_blanks()) {
      if (at_ == text_.size() || text_[at_] == '<') {
        fail(set_at_.back(), "expected '?>' at the end of <?mulberry-set, found none", k_set_form);
      }
      const std::size_t attribute_at = at_;
      const std::string attribute = take_name("name or label");
      std::string value = take_value();
      if (attribute == "label") {
        set.labels.push_back(std::move(value));
      } else if (attribute == "name" && set.name.empty()) {
        set.name = std::move(value);
      } else {
        fail(attribute_at, "expected one name and labels, found " + in_quotes(attribute),
             k_set_form);
      }
    }
    at_ += 2;
  }

  void read_rule() {
    const std::size_t begin = at_;
    const bool implies = starts(k_implies);
    at_ += implies ? k_implies.size() : k_exclusive.size();
    std::vector<std::string> labels;
    for (skip_blanks(); !starts("?>"); skip_blanks()) {
      if (at_ == text_.size() || text_[at_] == '<') {
        fail(begin, "expected '?>' at the end of the rule, found none", k_rule_form);
      }
      const std::size_t attribute_at = at_;
      if (take_name("label") != "label") {
        fail(attribute_at, "expected labels, found another attribute", k_rule_form);
      }
      labels.push_back(take_value());
    }
    at_ += 2;
    if (labels.size() < 2 || (implies && labels.size() > 2)) {
      fail(begin,
           "expected " + std::string(implies ? "two" : "at least two") + " labels, found " +
               std::to_string(labels.size()),
           k_rule_form);
    }
    for (const std::string& label : labels) rule_labels_.emplace_back(begin, label);
    if (implies) {
      xml_.rules.implied.emplace_back(labels[0], labels[1]);
    } else {
      xml_.rules.exclusive.push_back(std::move(labels));
    }
  }

  void check_rules() {
    for (const auto& [where, label] : rule_labels_) {
      if (line_of_.contains(label)) continue;
      fail(where, "expected a label of this file in a rule, found " + in_quotes(label),
           "Correct it, or remove the rule");
    }
  }

  // Sets may come before the labels that they name.
  void check_sets() {
    std::unordered_map<std::string, std::string> set_of;
    std::unordered_set<std::string> names;
    for (std::size_t s = 0; s < xml_.sets.size(); ++s) {
      const auto& [name, labels] = xml_.sets[s];
      if (name.empty() || labels.empty()) {
        fail(set_at_[s], "expected a label set with a name and labels, found none of them",
             k_set_form);
      }
      if (!names.insert(name).second) {
        fail(set_at_[s], "expected every label set once, found " + in_quotes(name) + " again",
             "Remove one of them");
      }
      for (const std::string& label : labels) {
        if (!line_of_.contains(label)) {
          fail(set_at_[s],
               "expected a label of this file in the set " + in_quotes(name) + ", found " +
                   in_quotes(label),
               "Correct it, or remove the set");
        }
        if (!set_of.emplace(label, name).second) {
          fail(set_at_[s], "expected every label in one set, found " + in_quotes(label) + " again",
               "Remove it from one of the sets");
        }
      }
    }
  }

  void open_element() {
    const std::size_t begin = at_++;
    Element element{take_name("the name of an element"), begin, -1};
    if (open_.empty() ? element.name != "labels" || root_seen_ : element.name != "label") {
      fail(begin,
           "expected " +
               std::string(root_seen_ ? (open_.empty() ? "nothing more" : "<label>") : "<labels>") +
               ", found <" + element.name + ">",
           k_remedy);
    }
    root_seen_ = true;
    std::string name;
    bool has_name = false;
    for (skip_blanks();
         at_ < text_.size() && std::string_view(">/<").find(text_[at_]) == std::string_view::npos;
         skip_blanks()) {
      const std::size_t attribute_at = at_;
      const std::string attribute = take_name("an attribute");
      std::string value = take_value();
      if (attribute != "name") continue;
      if (has_name) fail(attribute_at, "expected one name, found two", "Remove one");
      has_name = true;
      name = std::move(value);
    }
    const bool closed = starts("/>");
    if (!closed && !starts(">")) {
      fail(begin, "expected '>' at the end of <" + element.name + ", found none", "Close the tag");
    }
    at_ += closed ? 2 : 1;
    if (element.name == "label") element.label = add_label(begin, name, has_name);
    if (!closed) open_.push_back(std::move(element));
  }

  Id add_label(std::size_t begin, std::string& name, bool has_name) {
    if (!has_name || name.empty()) {
      fail(begin, "expected <label name=\"...\">, found a label without a name",
           "Give the name of its attribute in the data");
    }
    const Place where = place(begin);
    const auto [found, fresh] = line_of_.emplace(name, where.line);
    if (!fresh) {
      fail(begin,
           "expected every label once, found " + in_quotes(name) + " again after line " +
               std::to_string(found->second),
           "Remove one of them");
    }
    xml_.labels.push_back({std::move(name), open_.back().label, where});
    return static_cast<Id>(xml_.labels.size()) - 1;
  }

  void close_element() {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string name = take_name("the name of an element");
    skip_blanks();
    if (!starts(">")) fail(begin, "expected '>' after </" + name + ", found none", "Close the tag");
    ++at_;
    if (open_.empty() || open_.back().name != name) {
      fail(begin,
           "expected " + (open_.empty() ? "an element" : "</" + open_.back().name + ">") +
               ", found </" + name + ">",
           "Close elements in the reverse order of opening");
    }
    open_.pop_back();
  }

  // What is missing is reported where it should be: after blanks it may be many lines further on.
  std::string take_value() {
    const std::size_t after_name = at_;
    skip_blanks();
    if (!starts("="))
      fail(after_name, "expected '=' after the name of an attribute, found none", k_remedy);
    const std::size_t after_equals = ++at_;
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') {
      fail(after_equals, "expected a value in quotes, found none", "Write it as name=\"value\"");
    }
    const std::size_t opening = at_;
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      fail(at_, "expected a closing quote, found the end of the file", "Close the quote");
    }
    std::string out;
    for (++at_; at_ < end;) {
      if (text_[at_] == '<') {
        fail(opening, "expected a closing quote before '<', found none",
             "Close it; < is &lt; there");
      }
      if (text_[at_] == '&') {
        take_entity(out, end);
      } else {
        out += text_[at_++];
      }
    }
    ++at_;
    make_utf8(out);
    return out;
  }

  void take_entity(std::string& out, std::size_t limit) {
    static constexpr std::pair<std::string_view, char> k_known[] = {
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    const std::size_t end = std::min(text_.find(';', at_), limit);
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    const std::size_t begin = at_;
    at_ = end + 1;
    if (end < limit) {
      for (const auto& [known, c] : k_known) {
        if (name == known) {
          out += c;
          return;
        }
      }
      if (name.starts_with('#') && name.size() <= 8) {
        const bool hex = name.starts_with("#x");
        const std::string digits(name.substr(hex ? 2 : 1));
        const bool good = !digits.empty() &&
                          digits.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789") ==
                              std::string::npos;
        const unsigned long code = good ? std::stoul(digits, nullptr, hex ? 16 : 10) : 0;
        if (code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF)) {
          out += encode_utf8(std::u32string(1, static_cast<char32_t>(code)));
          return;
        }
      }
    }
    fail(begin,
         "expected one of &amp; &lt; &gt; &quot; &apos; or a character number, found " +
             in_quotes(text_.substr(begin, std::min(limit, end + 1) - begin)),
         "Write & itself as &amp;");
  }

  std::string_view text_;
  LabelXml xml_;
  std::size_t at_ = 0;
  std::vector<Element> open_;
  bool root_seen_ = false;
  std::vector<std::size_t> set_at_;                               // place of each set
  std::vector<std::pair<std::size_t, std::string>> rule_labels_;  // labels in rules, and where
  std::unordered_map<std::string, std::int64_t> line_of_;
  std::int64_t line_ = 1;
  std::size_t line_start_ = 0, line_end_;
};

}  // namespace

bool LabelXml::nested() const {
  return std::any_of(labels.begin(), labels.end(), [](const Label& l) { return l.parent >= 0; });
}

LabelXml parse_label_xml(std::string_view text, const std::string& path) {
  refuse_pointer(text, "a label file", path);
  return Parser(text, path).parse();
}

LabelXml read_label_xml(const std::string& path) {
  TextReader lines(path);
  std::string text;
  while (lines.next()) {
    if (text.size() + lines.line().size() > k_largest_file) {
      throw Error(Code::format, "expected a label file of at most 64 MB, found a larger one",
                  "Check that this is the label file", {path, lines.number(), 1});
    }
    text.append(lines.line()) += '\n';
  }
  return parse_label_xml(text, path);
}

std::optional<std::string> find_label_xml(const std::string& data_path) {
  namespace fs = std::filesystem;
  const fs::path path(std::string(without_compression(data_path)));
  const std::string stem = path.stem().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::optional<std::string> best;
  std::size_t longest = 0;
  // Not std::filesystem::directory_iterator: with an error code it ends the program if there is no
  // memory left, and without one it throws where there is nothing to say.
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
  for (const dirent* entry = nullptr; entries && (entry = ::readdir(entries.get()));) {
    const fs::path file(entry->d_name);
    std::error_code ignored;
    if (file.extension() != ".xml" || fs::is_directory(folder / file, ignored)) continue;
    const std::string candidate = file.stem().string();
    if (candidate.size() <= longest || !stem.starts_with(candidate)) continue;
    longest = candidate.size();
    best = (path.parent_path() / file).string();
  }
  return best;
}

}  // namespace mulberry::data

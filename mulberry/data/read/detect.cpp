#include "mulberry/data/read/detect.hpp"

#include <algorithm>
#include <array>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/text_reader.hpp"

namespace mulberry::data {
namespace {

constexpr std::string_view k_blank = " \t\r";

// The start of a file with LF for lone CR as line ends.
class Lines {
 public:
  explicit Lines(std::string_view start) : text_(start) {
    if (!has_cr_lines(start)) return;
    changed_ = start;
    std::replace(changed_.begin(), changed_.end(), '\r', '\n');
    text_ = changed_;
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  std::string_view text() const { return text_; }

 private:
  std::string changed_;
  std::string_view text_;
};

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view take_word(std::string_view& line) {
  const auto begin = std::min(line.find_first_not_of(k_blank), line.size());
  const auto end = std::min(line.find_first_of(k_blank, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

bool is_arff(std::string_view start) {
  while (!start.empty()) {
    const std::string_view line = trim(take_line(start));
    if (line.empty() || line.front() == '%') continue;
    std::string_view rest = line;
    const std::string_view word = take_word(rest);
    return same_word(word, "@relation") || same_word(word, "@attribute") ||
           same_word(word, "@data");
  }
  return false;
}

bool is_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_xmlrepo(std::string_view start) {
  std::string_view line = take_line(start);
  for (int k = 0; k < 3; ++k) {
    if (!is_digits(take_word(line))) return false;
  }
  return take_word(line).empty();
}

bool is_pair(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view index = word.substr(0, colon);
  return (is_digits(index) || index == "qid") && parse_number(word.substr(colon + 1)).has_value();
}

// Meant as a pair after a list of labels, perhaps a faulty one such as -1:2, 1.5:2, :2 or 3:inf.
bool resembles_pair(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return false;
  return word.find_first_not_of("0123456789.+-") == colon || word.starts_with("qid:");
}

// Only pairs: anything before them is meant as labels.
bool is_pairs(std::string_view line) {
  bool any = false;
  for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
    if (!is_pair(word)) return false;
    any = true;
  }
  return any;
}

// Perhaps a list of labels, perhaps a faulty one: the reader will report what is wrong.
bool resembles_label_list(std::string_view word) {
  return word.find_first_not_of("0123456789,.+-") == std::string_view::npos;
}

bool is_zip(std::string_view start) {
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");  // the second is empty
}

// A spreadsheet is a zip file, too, whose first member says so.
bool is_spreadsheet(std::string_view start) {
  constexpr std::size_t k_header = 30;  // of a member, before its name
  const std::string_view name = start.substr(std::min(k_header, start.size()), 64);
  return name.starts_with("[Content_Types].xml") || name.starts_with("xl/") ||
         name.starts_with("_rels/") || name.starts_with("mimetypeapplication/vnd.oasis");
}

// The first line is an object, or the start of one.
bool is_json_object(std::string_view start) {
  start = start.substr(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (!start.starts_with('{')) return false;
  start.remove_prefix(1);
  start = start.substr(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  return start.starts_with('"') || start.starts_with('}');
}

// An object of objects and nothing after it: the columns of a table, as pandas writes them.
bool is_json_columns(std::string_view start) {
  if (!is_json_object(start) || start.find("\n{") != std::string_view::npos) return false;
  const std::size_t colon = start.find(':');
  if (colon == std::string_view::npos) return false;
  const std::size_t value = start.find_first_not_of(" \t\r\n", colon + 1);
  return value != std::string_view::npos && start[value] == '{';
}

// Other JSON: a list, or an object on several lines.
bool is_whole_json(std::string_view start) {
  start = start.substr(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  const std::string_view first = trim(start.substr(0, start.find('\n')));
  if (first == "[" || first == "{" || first.starts_with("[{")) return true;
  return is_json_object(start) && start.find('\n') != std::string_view::npos &&
         !first.ends_with('}');
}

// Python's pickle, protocols 2 to 5.
bool is_pickle(std::string_view start) {
  return start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

const std::string k_pandas =
    "Convert it with pandas first: python3 -c \"import pandas; pandas.read_";

// The magic word, and a version whose first byte no text has after a word.
bool is_model(std::string_view start) {
  constexpr std::string_view k_magic = "MULBERRY";
  return start.starts_with(k_magic) && start.size() > k_magic.size() && start[k_magic.size()] > 0 &&
         start[k_magic.size()] < '\t';
}

struct Kind {
  std::string_view start;  // letters of either case
  const char* what;
  std::string remedy;
};
const std::string k_arrow =
    "Convert it with the Python package: pip install 'mulberry-ml[arrow]' && python3 -m mulberry "
    "convert FILE NEW.npz";
const Kind k_other_kinds[] = {
    {"\xFD"
     "7zXZ",
     "xz compression", "Uncompress it first: xz -d FILE"},
    {"BZh91AY&SY", "bzip2 compression", "Uncompress it first: bunzip2 FILE"},
    {"\x1f\x8b", "a gzip file inside the compressed one", "Uncompress it once: gunzip FILE"},
    {"MATLAB 5.0 MAT-file", "a MATLAB file",
     "Save its matrices for NumPy first (scipy.io.loadmat, numpy.savez)"},
    {"\x93NUMPY", "a single NumPy array", "Save X and Y together: numpy.savez(FILE, X=X, Y=Y)"},
    {"\x89HDF", "HDF5", "Save the matrices with numpy.savez(FILE, X=X, Y=Y)"},
    {"PAR1\x15", "Parquet", k_arrow},
    {{"ARROW1\0\0", 8}, "an Arrow file", k_arrow},
    {{"\xFF\xFF\xFF\xFF", 4}, "a stream of Arrow", k_arrow},
    {{"FEA1\0\0\0\0", 8},
     "a Feather file of version 1",
     "Write it again in Python: pyarrow.feather.write_feather(pyarrow.feather.read_table(FILE), "
     "FILE), and then convert it: python3 -m mulberry convert FILE NEW.npz"},
    {"\xD0\xCF\x11\xE0", "an Excel file", "Save it as CSV in the program that made it"},
    {"%PDF-", "a PDF document", "Name a data file"},
    {"<!DOCTYPE HTML", "a web page", "Fetch the file again: the download may have failed"},
    {"<html", "a web page", "Fetch the file again: the download may have failed"},
    {"<?xml", "XML", "Name the data file here, and a label file in " + mention("label_xml")},
    {"<labels", "a label file",
     "Name the data file here, and the label file in " + mention("label_xml")}};

// Bytes that no text has. If there are few, the readers report them with their place.
bool is_binary(std::string_view start) {
  constexpr std::ptrdiff_t k_few = 8, k_one_in = 20;
  const auto strange = std::count_if(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' &&
           std::string_view("\t\n\v\f\r\x1b").find(c) == std::string_view::npos;
  });
  return strange > k_few && strange * k_one_in > static_cast<std::ptrdiff_t>(start.size());
}

// One-byte characters in two bytes each: every other byte is 0.
bool is_utf16(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return true;
  std::array<std::size_t, 2> zeros = {};
  for (std::size_t k = 0; k < start.size(); ++k) zeros[k % 2] += start[k] == '\0';
  const auto [few, many] = std::minmax(zeros[0], zeros[1]);
  return few == 0 && many * 4 > start.size();
}

// The first line with a pair "index:value" decides: other lines may be faulty, which the reader
// will report. No header of a table looks like that.
bool is_libsvm(std::string_view start) {
  if (start.starts_with(k_libsvm_labels)) return true;
  while (!start.empty()) {
    std::string_view line = take_line(start);
    line = line.substr(0, line.find('#'));
    const std::string_view first = take_word(line);
    if (is_pair(first)) return true;
    if (!resembles_label_list(first)) return is_pairs(line);
    // Numbers up to the end of what is looked at: thousands of labels. No header is like that.
    constexpr std::size_t k_no_header = 4096;
    if (start.empty() && line.empty() && first.size() > k_no_header) return true;
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
      if (resembles_pair(word)) return true;
    }
  }
  return false;
}

constexpr std::string_view k_delimiters = ",\t;|";
using DelimiterCounts = std::array<std::size_t, k_delimiters.size()>;

// The fields of the first record, which is removed.
DelimiterCounts count_delimiters(std::string_view& start) {
  DelimiterCounts counts = {};
  bool inside = false;
  while (!start.empty()) {
    const char c = start.front();
    start.remove_prefix(1);
    if (c == '"') inside = !inside;
    if (inside) continue;
    if (c == '\n') break;
    const auto which = k_delimiters.find(c);
    if (which != std::string_view::npos) ++counts[which];
  }
  return counts;
}

}  // namespace

Format detect_format(std::string_view given) {
  if (is_zip(given)) return Format::npz;
  const Lines lines(given);
  std::string_view start = lines.text();
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  if (is_arff(start)) return Format::arff;
  if (is_json_object(start)) return Format::jsonl;
  if (is_xmlrepo(start)) return Format::xmlrepo;
  if (is_libsvm(start)) return Format::libsvm;
  return detect_delimiter(start) == '\t' ? Format::tsv : Format::csv;
}

void refuse_pointer(std::string_view start, const std::string& expected, const std::string& path) {
  static constexpr std::array<std::array<const char*, 3>, 2> k_pointers = {
      {{"version https://git-lfs", "a Git LFS pointer", "git lfs pull"},
       {"/annex/objects/", "a git-annex pointer", "git annex get FILE"}}};
  for (const auto& [begin, what, command] : k_pointers) {
    if (!start.starts_with(begin)) continue;
    throw Error(Code::format, "expected " + expected + ", found " + what + " in place of the file",
                std::string("Fetch the file itself: ") + command, {path, 1, 1});
  }
}

void refuse_other_kinds(std::string_view start, const std::string& path) {
  const auto refuse = [&](const char* expected, const std::string& what,
                          const std::string& remedy) {
    throw Error(Code::format, std::string("expected ") + expected + ", found " + what, remedy,
                {path, 1, 1});
  };
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  refuse_pointer(start, "a data set", path);
  if (is_model(start)) {
    refuse("a data set", "a model",
           "Name a data file here; models are read by " + mention(Action::load));
  }
  for (const Kind& kind : k_other_kinds) {
    if (same_word(start.substr(0, kind.start.size()), kind.start)) {
      refuse("a data set", kind.what, kind.remedy);
    }
  }
  if (is_zip(start) && is_spreadsheet(start)) {
    refuse("a data set", "a spreadsheet", "Save it as CSV in the program that made it");
  }
  if (is_pickle(start)) {
    refuse("a data set", "a Python pickle",
           k_pandas + "pickle('FILE').to_csv('NEW.csv', index=False)\"");
  }
  if (is_json_columns(start)) {
    refuse("one JSON object per line", "the columns of a table as JSON",
           k_pandas + "json('FILE').to_json('NEW.jsonl', orient='records', lines=True)\"");
  }
  if (is_whole_json(start)) {
    refuse("one JSON object per line", "JSON of another form",
           "Put every row on a line: jq -c '.[]' OLD > NEW.jsonl");
  }
  if (is_utf16(start)) {
    refuse("text in UTF-8", "UTF-16", "Convert it first: iconv -f UTF-16 -t UTF-8 OLD > NEW");
  }
  if (!is_zip(start) && is_binary(start)) {
    refuse("a data set", "a binary file", "Name a text file or a .npz file");
  }
}

char detect_delimiter(std::string_view given) {
  const Lines lines(given);
  std::string_view start = lines.text();
  // Excel's first line may name it.
  constexpr std::string_view k_named = "sep=";
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  if (start.starts_with(k_named) && start.size() > k_named.size() + 1) {
    const char after = start[k_named.size() + 1];
    if (after == '\n' || after == '\r') return start[k_named.size()];
  }
  const DelimiterCounts header = count_delimiters(start);
  while (start.starts_with('\n') || start.starts_with("\r\n")) take_line(start);
  const DelimiterCounts row = count_delimiters(start);
  // The delimiter divides the first row into as many cells as the header; other characters do not.
  std::size_t best = 0;
  bool best_agrees = false;
  for (std::size_t k = 0; k < header.size(); ++k) {
    const bool agrees = header[k] > 0 && header[k] == row[k];
    if (agrees == best_agrees ? header[k] > header[best] : agrees) {
      best = k;
      best_agrees = agrees;
    }
  }
  return k_delimiters[best];
}

}  // namespace mulberry::data

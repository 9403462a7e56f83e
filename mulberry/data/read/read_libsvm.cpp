// libsvm multi-label rows, "label,label index:value index:value # comment", and the old format of
// the XMLRepo: the same rows, with indices from 0, after a header "rows features labels".
//
// One pass over the bytes with a scanner that touches each of them about once; the result grows in
// blocks, so the peak memory is the memory of the result.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/chunked.hpp"
#include "mulberry/data/bytes/number.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/data/read/numbered_labels.hpp"
#include "mulberry/data/read/readers.hpp"

namespace mulberry::data {
namespace {

constexpr Index k_largest_id = std::numeric_limits<Id>::max();
constexpr Index k_remarkable_index = Index{1} << 24;  // the place of larger ones is remembered

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Header {
  Index rows = 0, features = 0, labels = 0;
};

// Whether any row has an index of zeros before a colon.
bool has_feature_zero(const std::string& path) {
  TextReader text(path);
  while (text.next()) {
    const std::string_view line = text.line().substr(0, text.line().find('#'));
    for (auto colon = line.find(':'); colon != std::string_view::npos;
         colon = line.find(':', colon + 1)) {
      auto begin = colon;
      while (begin > 0 && line[begin - 1] == '0') --begin;
      if (begin < colon && (begin == 0 || is_blank(line[begin - 1]))) return true;
    }
  }
  return false;
}

class LibsvmReader : public BlockReader {
 public:
  LibsvmReader(TextReader& text, const ReadOptions& options, bool with_header)
      : text_(text), options_(options) {
    begin_block();
    if (with_header) read_header();
    choose_labels();
  }

  bool read(const BlockLimit& limit) override {
    while (text_.next()) {
      read_line();
      if (limit.is_full(rows_, count_of(index_) + count_of(label_)) && knows_base()) return true;
    }
    return false;
  }

  Index skip(Index rows) override {
    Index done = 0;
    while (done < rows && text_.next()) {
      const auto first = text_.line().find_first_not_of(" \t");
      if (first == std::string_view::npos) continue;
      if (text_.line()[first] != '#') {
        ++done;
      } else if (first == 0 && before_ + done == 0) {
        read_comment(text_.line());
      }
    }
    before_ += done;
    cut_ = cut_ || done > 0;
    return done;
  }

  Dataset cut(bool last) override {
    if (last) require_rows();
    if (cut_ || !last) knows_base();
    Dataset data;
    if (last && !cut_) {
      finish_labels(data);
    } else {
      if (last) check_labels(data);
      data.has_labels = false;
    }
    finish_features(data, last);
    before_ += rows_;
    label_entries_ += count_of(label_);
    cut_ = true;
    begin_block();
    return data;
  }

 private:
  void begin_block() {
    for (Chunked<Index>* starts : {&start_, &label_start_}) {
      starts->shrink(0);
      starts->push_back(0);
    }
    index_.shrink(0);
    label_.shrink(0);
    value_.shrink(0);
    rows_ = 0;
  }

  // Whether features are counted from 0 or from 1 depends on all rows unless an option says it: a
  // feature 0 in any row means 0. A file can be read twice, a pipe cannot.
  bool knows_base() {
    if (header_ || any_zero_ || scanned_ || options_.index_base != IndexBase::automatic)
      return true;
    if (!std::filesystem::is_regular_file(text_.path())) return false;
    scanned_ = true;
    any_zero_ = has_feature_zero(text_.path());
    return true;
  }

  // A number of a row (index or label) as written; -1 if it is none.
  struct Token {
    const char* begin;
    const char* end;
    std::string_view text() const { return {begin, at(end - begin)}; }
  };

  Token token_at(const char* p) const {
    const char* end = p;
    while (end < end_ && !is_blank(*end)) ++end;
    return {p, end};
  }

  void read_header() {
    const bool any = text_.next();
    const std::string_view line = any ? text_.line() : std::string_view();
    Index numbers[3] = {-1, -1, -1};
    std::size_t count = 0;
    end_ = line.data() + line.size();
    for (const char* p = line.data(); p < end_; ++p) {
      if (is_blank(*p)) continue;
      const Token token = token_at(p);
      const bool plain = std::all_of(token.begin, token.end, is_digit);
      if (count < 3 && plain)
        numbers[count] = parse_integer(token.text()).value_or(k_largest_id + 1);
      count = plain ? count + 1 : 4;
      p = token.end - 1;
    }
    if (count != 3) {
      text_.fail(line.data(),
                 "expected the header 'rows features labels', found " + in_quotes(line),
                 "Put the three counts on the first line, or read the file with " +
                     mention("format", "libsvm"));
    }
    if (*std::max_element(numbers, numbers + 3) > k_largest_id) {
      text_.fail(line.data(), "expected counts of at most 2147483647, found " + in_quotes(line),
                 "Check the header");
    }
    header_ = {numbers[0], numbers[1], numbers[2]};
  }

  // Known facts about the labels before the rows: their number, perhaps their names.
  void choose_labels() {
    names_ = label_names_from_options(options_, text_.path());
    if (!names_.names.empty()) {
      labels_ = count_of(names_.names);
    } else if (options_.label_count > 0) {
      labels_ = options_.label_count;
    } else if (header_) {
      labels_ = header_->labels;
    }
    if (header_ && *labels_ != header_->labels) {
      throw Error(Code::format,
                  "expected " + std::to_string(*labels_) + " labels, found " +
                      std::to_string(header_->labels) + " in the header",
                  "Leave out the option, or correct the header", {text_.path(), 1, 1});
    }
  }

  void read_line() {
    const std::string_view line = text_.line();
    if (line.empty()) return;
    const auto* comment = static_cast<const char*>(std::memchr(line.data(), '#', line.size()));
    end_ = comment != nullptr ? comment : line.data() + line.size();
    const char* p = line.data();
    while (p < end_ && is_blank(*p)) ++p;
    if (p == end_) {
      if (comment == line.data()) read_comment(line);
      return;
    }
    if (rows_ == k_largest_id) {
      text_.fail(p, "expected at most 2147483647 rows, found more", "Split the file");
    }
    if (p == line.data() && !first_token_is_pair(p)) p = read_labels(p);
    read_pairs(p);
    ++rows_;
    start_.push_back(count_of(index_));
    label_start_.push_back(count_of(label_));
  }

  // Our writer gives the number of labels in a comment if the last one does not occur.
  void read_comment(std::string_view line) {
    if (before_ + rows_ > 0 || labels_ || !line.starts_with(k_libsvm_labels)) return;
    const auto count = parse_integer(trim(line.substr(k_libsvm_labels.size())));
    if (!count || *count < 0 || *count > k_largest_id) return;
    labels_ = count;
    note_largest(*count - 1, line.data() + k_libsvm_labels.size());
  }

  bool first_token_is_pair(const char* p) const {
    while (p < end_ && !is_blank(*p)) {
      if (*p++ == ':') return true;
    }
    return false;
  }

  void note_largest(Index label, const char* at) {
    if (label <= largest_label_) return;
    largest_label_ = label;
    largest_label_place_ = text_.place(at);
  }

  const char* read_labels(const char* p) {
    const auto first = label_.size();
    bool sorted = true;
    const char* const list = p;
    const char* largest = nullptr;  // a label beyond all that earlier rows have
    for (Index previous = -1;; ++p) {
      const char* const begin = p;
      Index label = 0;
      for (; p < end_ && is_digit(*p); ++p) {
        label = std::min(label * 10 + (*p - '0'), k_largest_id + 1);
      }
      if (p == begin || (p < end_ && *p != ',' && !is_blank(*p))) fail_label(begin);
      if (label > k_largest_id || (labels_ && label >= *labels_)) fail_large_label(begin);
      if (label > largest_label_) {
        largest_label_ = label;
        largest = begin;
      }
      any_label_zero_ = any_label_zero_ || label == 0;
      label_.push_back(static_cast<Id>(label));
      sorted = sorted && label > previous;
      previous = label;
      if (p == end_ || *p != ',') break;
    }
    if (largest != nullptr) largest_label_place_ = text_.place(largest);
    if (!sorted) sort_labels(first, list);
    return p;
  }

  [[noreturn]] void fail_label(const char* at) const {
    const Token token = token_at(at);
    if (token.begin == token.end) {
      text_.fail(at, "expected a label after the comma, found a blank or the end of the line",
                 "Separate labels by commas without blanks");
    }
    text_.fail(at, "expected a label number of 0 or more, found " + in_quotes(token.text()),
               "Number the labels from 0 and separate them by commas; start a row without labels "
               "with a blank");
  }

  [[noreturn]] void fail_large_label(const char* at) const {
    text_.fail(at,
               "expected a label number below " +
                   std::to_string(labels_.value_or(k_largest_id + 1)) + ", found " +
                   in_quotes(token_at(at).text()),
               header_ ? "Correct the row or the number of labels in the header"
                       : "Check this number, or the given number of labels");
  }

  void sort_labels(std::size_t first, const char* list) {
    std::vector<Id> row;
    for (std::size_t k = first; k < label_.size(); ++k) row.push_back(label_[k]);
    std::sort(row.begin(), row.end());
    const auto twice = std::adjacent_find(row.begin(), row.end());
    if (twice != row.end()) {
      text_.fail(second_place(list, *twice),
                 "expected each label once in a row, found " + std::to_string(*twice) + " twice",
                 "Remove one of them");
    }
    for (std::size_t k = 0; k < row.size(); ++k) label_.set(first + k, row[k]);
  }

  // The place where a label of the list is repeated.
  const char* second_place(const char* list, Id label) const {
    for (int seen = 0;; ++list) {
      const char* const begin = list;
      Index number = 0;
      while (list < end_ && is_digit(*list)) number = number * 10 + (*list++ - '0');
      if (number == label && ++seen == 2) return begin;
    }
  }

  void read_pairs(const char* p) {
    const std::size_t first = index_.size();
    const char* const pairs = p;
    Index previous = -1;
    bool sorted = true;
    for (;;) {
      while (p < end_ && is_blank(*p)) ++p;
      if (p == end_) break;
      const char* const begin = p;
      Index index = 0;
      for (; p < end_ && is_digit(*p); ++p) {
        index = std::min(index * 10 + (*p - '0'), k_largest_id + 1);
      }
      if (p == begin || p == end_ || *p != ':') {
        p = skip_qid(begin);
        continue;
      }
      check_index(index, begin);
      double value = 0;
      const char* const number = ++p;
      p = scan_number(number, end_, value);
      if (p == nullptr) fail_value(number);
      sorted = sorted && index > previous;
      previous = index;
      if (index > largest_index_) {
        largest_index_ = index;
        if (index > k_remarkable_index) largest_index_place_ = text_.place(begin);
      }
      any_zero_ = any_zero_ || index == 0;
      // A stored zero counts for the number of columns, and for duplicates while the row is read.
      index_.push_back(static_cast<Id>(index));
      value_.push_back(value);
      zeros_ += value == 0 ? 1 : 0;
    }
    if (!sorted) sort_pairs(first, pairs);
    if (zeros_ > 0) drop_zeros(first);
  }

  void check_index(Index index, const char* at) const {
    if (index > k_largest_id) {
      text_.fail(at,
                 "expected an index of at most 2147483647, found " + in_quotes(token_at(at).text()),
                 "Check the number");
    }
    if (index == 0 && options_.index_base == IndexBase::one && !header_) {
      text_.fail(at, "expected indices from 1, found 0",
                 "Leave " + mention("index_base") + " out or set it to 0");
    }
    if (header_ && index >= header_->features) {
      text_.fail(at,
                 "expected an index below " + std::to_string(header_->features) +
                     ", the number of features in the header, found " + std::to_string(index),
                 "Correct the row or the header: indices count from 0 here");
    }
  }

  const char* skip_qid(const char* at) {
    const Token token = token_at(at);
    constexpr std::string_view k_qid = "qid:";
    if (token.text().starts_with(k_qid) && parse_integer(token.text().substr(k_qid.size()))) {
      any_qid_ = true;
      return token.end;
    }
    text_.fail(at, "expected index:value, found " + in_quotes(token.text()),
               "Write every feature as index:value, and labels only at the start of the line");
  }

  [[noreturn]] void fail_value(const char* at) const {
    const Token token = token_at(at);
    text_.fail(at,
               "expected a number after the colon, found " +
                   (token.begin == token.end ? std::string("nothing") : in_quotes(token.text())),
               "Write decimal numbers, as in 3:0.25, without a blank around the colon");
  }

  void sort_pairs(std::size_t first, const char* pairs) {
    std::vector<std::pair<Id, double>> row;
    for (std::size_t k = first; k < index_.size(); ++k) row.emplace_back(index_[k], value_[k]);
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) fail_duplicate(row[k].first, pairs);
      index_.set(first + k, row[k].first);
      value_.set(first + k, row[k].second);
    }
  }

  [[noreturn]] void fail_duplicate(Id index, const char* p) const {
    int seen = 0;
    for (; p < end_; ++p) {
      if (is_blank(*p)) continue;
      const Token token = token_at(p);
      const std::string_view number = token.text().substr(0, token.text().find(':'));
      if (parse_integer(number) == index && ++seen == 2) break;
      p = token.end - 1;
    }
    text_.fail(p, "expected each index once in a row, found " + std::to_string(index) + " twice",
               "Remove one of them");
  }

  void drop_zeros(std::size_t first) {
    std::size_t kept = first;
    for (std::size_t k = first; k < index_.size(); ++k) {
      if (value_[k] == 0) continue;
      index_.set(kept, index_[k]);
      value_.set(kept++, value_[k]);
    }
    index_.shrink(kept);
    value_.shrink(kept);
    zeros_ = 0;
  }

  void require_rows() const {
    const Index rows = before_ + rows_;
    if (header_ && rows != header_->rows) {
      throw Error(Code::format,
                  "expected " + std::to_string(header_->rows) + " rows as the header says, found " +
                      std::to_string(rows),
                  "Check whether the file is cut off; blank lines are no rows",
                  {text_.path(), 1, 1});
    }
    if (!header_ && rows == 0) {
      throw Error(Code::format, "expected rows, found only comments and blank lines",
                  "Check how the file was made", {text_.path(), 1, 1});
    }
  }

  void finish_features(Dataset& data, bool last) {
    const bool from_zero = header_ || any_zero_ || options_.index_base == IndexBase::zero;
    Index columns = header_              ? header_->features
                    : largest_index_ < 0 ? 0
                                         : largest_index_ + (from_zero ? 1 : 0);
    if (!header_ && columns < options_.known_columns) {
      columns = options_.known_columns;
      if (last && !from_zero && options_.index_base == IndexBase::automatic) {
        data.notes.push_back(
            "features are counted from 1, for no row has a feature 0; if the training data has "
            "one, "
            "say " +
            mention("index_base", "0"));
      }
    }
    // Data to predict may be one row with very many columns: the model knows how many.
    if (!options_.labels_optional) {
      require_plausible_features(columns, count_of(index_),
                                 header_ ? Place{text_.path(), 1, 1} : largest_index_place_);
    }
    std::vector<Id> index = index_.take();
    if (!from_zero) {
      for (Id& id : index) --id;
    }
    data.x = Features(Csr{rows_, columns, start_.take(), std::move(index), value_.take()});
    data.attributes = data.x.cols();
    if (any_qid_ && last) data.notes.push_back("qid: entries are ignored");
  }

  // Returns the number of labels.
  Index check_labels(Dataset& data) const {
    const Index labels = labels_.value_or(largest_label_ + 1);
    require_plausible_labels(labels, before_ + rows_ + label_entries_ + count_of(label_),
                             header_ ? Place{text_.path(), 1, 1} : largest_label_place_);
    if (!header_ && !labels_ && labels > 1 && !any_label_zero_) {
      data.notes.push_back("label 0 occurs in no row: labels are counted from 0");
    }
    return labels;
  }

  void finish_labels(Dataset& data) {
    const Index labels = check_labels(data);
    data.has_labels = labels > 0;
    if (!data.has_labels && !options_.labels_optional) {
      throw Error(Code::format, "expected labels, found none in any row",
                  "Put labels in front of each row, as in 0,2 1:0.5", {text_.path(), 1, 1});
    }
    data.y = Labels::from_csr(labels, label_start_.take(), label_.take());
    name_labels(data, std::move(names_), options_);
  }

  TextReader& text_;
  const ReadOptions& options_;
  std::optional<Header> header_;
  std::optional<Index> labels_;  // if known before the rows
  NumberedLabels names_;

  const char* end_ = nullptr;             // of the current line without its comment
  Index rows_ = 0;                        // of this block
  Index before_ = 0, label_entries_ = 0;  // of blocks before: rows and labels
  Index largest_index_ = -1, largest_label_ = -1, zeros_ = 0;
  Place largest_label_place_, largest_index_place_;
  bool any_zero_ = false, any_qid_ = false, any_label_zero_ = false;
  bool scanned_ = false, cut_ = false;
  Chunked<Index> start_, label_start_;
  Chunked<Id> index_, label_;
  Chunked<double> value_;
};

}  // namespace

std::unique_ptr<BlockReader> libsvm_reader(TextReader& text, const ReadOptions& options) {
  return std::make_unique<LibsvmReader>(text, options, false);
}

std::unique_ptr<BlockReader> xmlrepo_reader(TextReader& text, const ReadOptions& options) {
  return std::make_unique<LibsvmReader>(text, options, true);
}

}  // namespace mulberry::data

// JSON lines; see json_records.hpp for the form and table_reader.hpp for the columns.
#include <algorithm>

#include "mulberry/data/read/json_records.hpp"
#include "mulberry/data/read/readers.hpp"
#include "mulberry/data/read/table_reader.hpp"

namespace mulberry::data {
namespace {

// A list of labels may be a JSON list, or a text with separators: both become the same.
void prepare(JsonRecords& records, const Roles& roles, char separator) {
  for (std::size_t k = 0; k < records.keys().size(); ++k) {
    if (roles[k] == Role::label_list) {
      if (records.is_list(k)) continue;
      std::string& text = records.text(k);
      std::replace(text.begin(), text.end(), separator, JsonRecords::k_between);
    } else if (records.is_list(k) && roles[k] != Role::ignored) {
      throw Error(
          Code::unsupported,
          "expected a text or a number for " + in_quotes(records.keys()[k]) + ", found a list",
          mention("label_list", records.keys()[k]) + " reads it as labels; " +
              mention("ignore", records.keys()[k]) + " leaves it out",
          records.place(k));
    }
  }
}

class JsonReader : public BlockReader {
 public:
  JsonReader(TextReader& text, const ReadOptions& options)
      : path_(text.path()),
        separator_(options.label_separator),
        options_(of_json(options)),
        records_(text),
        table_(path_, options_, records_) {}

  bool read(const BlockLimit& limit) override {
    while (next()) {
      prepare(records_, table_.roles(), separator_);
      table_.add_row();
      if (limit.is_full(table_.rows(), table_.held()) && table_.can_cut(limit)) return true;
    }
    if (any_) return false;
    throw Error(Code::format, "expected one object per line, found only blank lines",
                "Check how the file was made", {path_, 1, 1});
  }
  Index skip(Index rows) override {
    Index done = 0;
    while (done < rows && next()) ++done;
    return done;
  }
  Dataset cut(bool last) override { return table_.cut(last); }

 private:
  static ReadOptions of_json(ReadOptions options) {
    options.label_separator = JsonRecords::k_between;
    options.decimal = '.';  // of numbers in JSON, always
    options.thousands = 0;
    return options;
  }

  // The first object names the columns.
  bool next() {
    if (!records_.next()) return false;
    if (any_) return true;
    any_ = true;
    std::vector<Column> columns;
    for (std::size_t k = 0; k < records_.keys().size(); ++k) {
      const Place where = records_.place(k);
      columns.push_back({records_.keys()[k], false, {}, where.line, where.column});
    }
    table_.set_columns(std::move(columns), false);
    return true;
  }

  std::string path_;
  char separator_;
  ReadOptions options_;
  JsonRecords records_;
  TableReader<JsonRecords> table_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<BlockReader> jsonl_reader(TextReader& text, const ReadOptions& options) {
  return std::make_unique<JsonReader>(text, options);
}

}  // namespace mulberry::data

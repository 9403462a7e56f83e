// CSV and TSV with a header; see table_reader.hpp.
#include <unordered_set>

#include "mulberry/data/read/csv_records.hpp"
#include "mulberry/data/read/readers.hpp"
#include "mulberry/data/read/table_reader.hpp"

namespace mulberry::data {
namespace {

// What pandas calls a first column without a name.
const std::string k_unnamed = "Unnamed: 0";

class CsvReader : public BlockReader {
 public:
  CsvReader(TextReader& text, const ReadOptions& options, char delimiter)
      : path_(text.path()), records_(text, delimiter), table_(path_, options, records_) {
    read_header();
  }

  bool read(const BlockLimit& limit) override {
    while (records_.next()) {
      require_width();
      table_.add_row();
      if (limit.is_full(table_.rows(), table_.held()) && table_.can_cut(limit)) return true;
    }
    return false;
  }
  Index skip(Index rows) override {
    Index done = 0;
    for (; done < rows && records_.next(); ++done) require_width();
    return done;
  }
  Dataset cut(bool last) override {
    Dataset out = table_.cut(last);
    if (last && empty_ends_) {
      out.notes.emplace_back("rows end with cells that have no column and no value: left out");
    }
    return out;
  }

 private:
  void read_header() {
    if (!records_.next()) {
      throw Error(Code::format, "expected a header with column names, found only blank lines",
                  "Check how the file was made", {path_, 1, 1});
    }
    // Excel's first line, which names the delimiter.
    if (records_.size() == 2 && records_[0] == "sep=" && records_[1].empty() && !records_.next()) {
      throw Error(Code::format, "expected a header with column names, found only sep=",
                  "Check how the file was made", {path_, 1, 1});
    }
    bool all_numbers = true, unnamed = false;
    std::vector<Column> columns;
    std::unordered_set<std::string> taken;
    const std::vector<Place> places = records_.places();
    std::size_t width = records_.size();  // a spreadsheet may save empty columns at its end
    while (width > 1 && records_[width - 1].empty()) --width;
    empty_ends_ = width < records_.size();
    for (std::size_t k = 0; k < width; ++k) {
      std::string name(records_[k]);
      table_.decode(name);
      if (k == 0 && records_.size() > 1 && (name.empty() || name == k_unnamed)) {
        unnamed = true;
        name = k_unnamed;
      }
      if (name.empty()) {
        throw Error(Code::format, "expected a column name, found nothing",
                    "Name every column in the first line", places[k]);
      }
      if (!taken.insert(name).second) {
        throw Error(Code::format,
                    "expected column names that differ, found " + in_quotes(name) + " twice",
                    "Rename one of them", places[k]);
      }
      all_numbers = all_numbers && parse_number(name).has_value();
      columns.push_back({name, false, {}, places[k].line, places[k].column});
    }
    if (all_numbers) {
      throw Error(Code::format, "expected a header with column names, found numbers",
                  "Put the names of the columns into the first line", places[0]);
    }
    table_.set_columns(std::move(columns), unnamed);
  }

  void require_width() {
    if (records_.size() == table_.width()) return;
    const bool more = records_.size() > table_.width();
    if (more && only_empty_after(table_.width())) {
      empty_ends_ = true;
      return;
    }
    throw Error(Code::format,
                "expected " + std::to_string(table_.width()) + " values as in the header, found " +
                    std::to_string(records_.size()),
                "Check the delimiters and quotes of this row; " + mention("delimiter") +
                    " names another delimiter",
                records_.place(more ? table_.width() : 0));
  }

  bool only_empty_after(std::size_t width) const {
    for (std::size_t k = width; k < records_.size(); ++k) {
      if (!records_[k].empty()) return false;
    }
    return true;
  }

  std::string path_;
  bool empty_ends_ = false;
  CsvRecords records_;
  TableReader<CsvRecords> table_;
};

}  // namespace

std::unique_ptr<BlockReader> csv_reader(TextReader& text, const ReadOptions& options,
                                        char delimiter) {
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r') {
    throw Error(Code::usage, "expected a delimiter other than a quote or the end of a line",
                "Name another character in " + mention("delimiter"));
  }
  return std::make_unique<CsvReader>(text, options, delimiter);
}

}  // namespace mulberry::data

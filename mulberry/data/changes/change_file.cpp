#include "mulberry/data/changes/change_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/csv_field.hpp"
#include "mulberry/data/bytes/text_reader.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/read/csv_records.hpp"
#include "mulberry/data/read/detect.hpp"

namespace mulberry::data {
namespace {

enum Column : std::size_t { k_row, k_label, k_from, k_to, k_chance, k_columns };

constexpr const char* k_form = "row,label,from,to,chance";

std::optional<Cell> cell_of(std::string_view text) {
  if (text == "0") return Cell::negative;
  if (text == "1") return Cell::positive;
  if (text == "?") return Cell::missing;
  return std::nullopt;
}

[[noreturn]] void fail(const CsvRecords& records, std::size_t column, const std::string& expected,
                       const std::string& remedy) {
  throw Error(Code::format, "expected " + expected + ", found " + in_quotes(records[column]),
              remedy, records.place(column));
}

void require_columns(const CsvRecords& records) {
  if (records.size() == k_columns) return;
  throw Error(Code::format,
              "expected " + std::to_string(k_columns) + " fields (" + k_form + "), found " +
                  std::to_string(records.size()),
              "Put names that contain the delimiter in quotes",
              records.place(std::min(records.size(), std::size_t{k_columns}) - 1));
}

RowKey read_header(CsvRecords& records, const std::string& path) {
  const std::string remedy = std::string("Begin a change file with ") + k_form +
                             " for numbers of rows, or with id in place of row for their ids";
  if (!records.next()) {
    throw Error(Code::format, "expected the header of a change file, found no line", remedy,
                {path});
  }
  static const char* const names[k_columns] = {"row", "label", "from", "to", "chance"};
  for (std::size_t k = 0; k < records.size(); ++k) {
    const bool known = k < k_columns && (records[k] == names[k] || (k == 0 && records[k] == "id"));
    if (!known) {
      fail(records, k, std::string("the header ") + k_form + " of a change file", remedy);
    }
  }
  require_columns(records);
  return records[k_row] == "id" ? RowKey::id : RowKey::number;
}

Change read_entry(const CsvRecords& records, RowKey key) {
  require_columns(records);
  Change out;
  out.line = records.place(k_row).line;
  out.row = records[k_row];
  out.label = records[k_label];
  make_utf8(out.row);
  make_utf8(out.label);
  const auto number = parse_integer(out.row);
  if (key == RowKey::number && (!number || *number < 1)) {
    fail(records, k_row, "the number of a row, counted from 1",
         "Begin the header with id if the rows are known by their ids");
  }
  if (out.label.empty()) fail(records, k_label, "the name of a label", "Name the label");
  const auto from = cell_of(records[k_from]);
  if (!from) fail(records, k_from, "0, 1 or ?", "Say what the data has, ? if it is unknown");
  out.from = *from;
  if (!records[k_to].empty()) {
    out.to = cell_of(records[k_to]);
    if (!out.to) {
      fail(records, k_to, "0, 1, ? or nothing",
           "Say what the cell should be, ? if unknown; leave it empty to change nothing");
    }
  }
  if (!records[k_chance].empty()) {
    const auto chance = parse_number(records[k_chance]);
    if (!chance || *chance < 0 || *chance > 1) {
      fail(records, k_chance, "a probability from 0 to 1, or nothing", "Leave it empty if unknown");
    }
    out.chance = *chance;
  }
  return out;
}

}  // namespace

std::string change_header(RowKey key) {
  return std::string(key == RowKey::id ? "id" : "row") + ",label,from,to,chance\n";
}

std::string cell_text(Cell cell) {
  return cell == Cell::missing ? "?" : cell == Cell::positive ? "1" : "0";
}

std::string change_line(const Change& entry) {
  constexpr double k_digits = 1e6;
  std::string out = csv_field(entry.row, ',') + "," + csv_field(entry.label, ',') + "," +
                    cell_text(entry.from) + ",";
  if (entry.to) out += cell_text(*entry.to);
  out += ",";
  if (std::isfinite(entry.chance)) out += shortest(std::round(entry.chance * k_digits) / k_digits);
  return out + "\n";
}

std::string change_text(const Changes& changes) {
  std::string out = change_header(changes.key);
  for (const Change& entry : changes.entries) out += change_line(entry);
  return out;
}

Changes read_changes(const std::string& path) { return read_changes(open_bytes(path), path); }

Changes read_changes(std::unique_ptr<ByteSource> bytes, const std::string& path) {
  const char delimiter = detect_delimiter(bytes->peek(k_looked_at));
  TextReader text(std::move(bytes), path);
  CsvRecords records(text, delimiter == '|' ? ',' : delimiter);
  Changes out{.key = read_header(records, path), .path = path};
  while (records.next()) out.entries.push_back(read_entry(records, out.key));
  return out;
}

void write_changes(const Changes& changes, const std::string& path) {
  AtomicFile file(path);
  file.write(change_text(changes));
  file.commit();
}

}  // namespace mulberry::data

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
      throw Error(Code::unsupported,
                  "expected a text or a number for " + quoted(records.keys()[k]) + ", found a list",
                  mention("label_list", records.keys()[k]) + " reads it as labels; " +
                      mention("ignore", records.keys()[k]) + " leaves it out",
                  records.place(k));
    }
  }
}

}  // namespace

Dataset read_jsonl(TextReader& text, const ReadOptions& options) {
  JsonRecords records(text);
  ReadOptions own = options;
  own.label_separator = JsonRecords::k_between;
  TableReader<JsonRecords> table(text.path(), own, records);
  bool any = false;
  while (records.next()) {
    if (!any) {
      std::vector<Column> columns;
      for (std::size_t k = 0; k < records.keys().size(); ++k) {
        const Place where = records.place(k);
        columns.push_back({records.keys()[k], false, {}, where.line, where.column});
      }
      table.set_columns(std::move(columns), false);
      any = true;
    }
    prepare(records, table.roles(), options.label_separator);
    table.add_row();
  }
  if (!any) {
    throw Error(Code::format, "expected one object per line, found only blank lines",
                "Check how the file was made", {text.path(), 1, 1});
  }
  return table.finish();
}

}  // namespace mulberry::data

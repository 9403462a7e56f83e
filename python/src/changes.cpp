// Change files: proposed or decided changes of labels.
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/changes/apply_changes.hpp"
#include "python/src/convert.hpp"

namespace mulberry::python {
namespace {

// (row, label, from, to, chance, line): cells are "0", "1" or "?", and `to` may be empty.
using PlainChange =
    std::tuple<std::string, std::string, std::string, std::string, double, std::int64_t>;

Cell cell_of(const std::string& text) {
  if (text == "0") return Cell::negative;
  if (text == "1") return Cell::positive;
  if (text == "?") return Cell::missing;
  throw Error(Code::data, "expected 0, 1 or ? as a cell of a change, found '" + text + "'",
              "Write ? for an unknown cell");
}

Changes changes_of(bool by_id, const std::vector<PlainChange>& given, std::string path) {
  Changes out{.key = by_id ? RowKey::id : RowKey::number, .path = std::move(path)};
  for (const auto& [row, label, from, to, chance, line] : given) {
    out.entries.push_back({.row = row,
                           .label = label,
                           .from = cell_of(from),
                           .to = to.empty() ? std::nullopt : std::optional(cell_of(to)),
                           .chance = chance,
                           .line = line});
  }
  return out;
}

// (whether rows are named by id, entries)
nb::tuple read(const std::string& path) {
  const Changes found = read_changes(path);
  std::vector<PlainChange> out;
  for (const Change& c : found.entries) {
    out.emplace_back(c.row, c.label, cell_text(c.from), c.to ? cell_text(*c.to) : "", c.chance,
                     c.line);
  }
  return nb::make_tuple(found.key == RowKey::id, out);
}

void write(const std::string& path, bool by_id, const std::vector<PlainChange>& entries) {
  write_changes(changes_of(by_id, entries, path), path);
}

// (labels as lists, what became of each entry)
nb::tuple apply(const Dataset& data, bool by_id, const std::vector<PlainChange>& entries,
                const std::string& path) {
  const auto cells = match_changes(changes_of(by_id, entries, path), data);
  const Labels y = apply_changes(data.y, cells);
  require_label_sets(y, data.sets);
  std::vector<std::string> outcomes;
  for (const CellChange& cell : cells) outcomes.push_back(outcome_of(cell));
  return nb::make_tuple(lists_of(y), outcomes);
}

}  // namespace

void bind_changes(nb::module_& m) {
  m.def("read_changes", &read, nb::arg("path"));
  m.def("write_changes", &write, nb::arg("path"), nb::arg("by_id"), nb::arg("entries"));
  m.def("apply_changes", &apply, nb::arg("data"), nb::arg("by_id"), nb::arg("entries"),
        nb::arg("path") = "");
}

}  // namespace mulberry::python

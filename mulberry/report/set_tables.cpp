#include "mulberry/report/set_tables.hpp"

#include "mulberry/core/index.hpp"
#include "mulberry/measures/sets.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {
namespace {

std::vector<std::string> class_names(const LabelSets& sets, std::size_t set,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const Id l : sets.members[set]) out.push_back(class_name(sets, set, l, names));
  return out;
}

}  // namespace

std::string class_name(const LabelSets& sets, std::size_t set, Id label,
                       const std::vector<std::string>& names) {
  const std::string& name = names[at(label)];
  const std::string prefix = sets.names[set] + "=";
  return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
}

std::vector<SetTable> confusion_tables(const Labels& truth, const Outcome& outcome,
                                       const std::vector<std::string>& names) {
  std::vector<SetTable> out;
  for (std::size_t s = 0; s < outcome.sets->size(); ++s) {
    const auto classes = class_names(*outcome.sets, s, names);
    const Matrix counts = confusion(truth, outcome, s);
    // The last column counts rows without a predicted class, which decisions by set never have.
    Matrix square(counts.rows(), counts.rows());
    for (Index i = 0; i < counts.rows(); ++i) {
      for (Index j = 0; j < counts.rows(); ++j) square(i, j) = counts(i, j);
    }
    const std::string& name = outcome.sets->names[s];
    out.push_back({.title = name + ": true (down) and predicted (across)",
                   .heading = name,
                   .down = "true",
                   .across = "predicted",
                   .rows = classes,
                   .columns = classes,
                   .counts = std::move(square),
                   .confusion = true});
  }
  return out;
}

std::vector<SetTable> pair_tables(const Outcome& outcome, const std::vector<std::string>& names) {
  std::vector<SetTable> out;
  const LabelSets& sets = *outcome.sets;
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = a + 1; b < sets.size(); ++b) {
      SetTable table{
          .title = sets.names[a] + " (down) with " + sets.names[b] + " (across), as predicted",
          .heading = sets.names[a] + " with " + sets.names[b] + ", as predicted",
          .down = sets.names[a],
          .across = sets.names[b],
          .rows = class_names(sets, a, names),
          .columns = class_names(sets, b, names)};
      table.counts = Matrix(count_of(table.rows), count_of(table.columns));
      const auto first = predicted_classes(outcome, a), second = predicted_classes(outcome, b);
      for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] >= 0 && second[i] >= 0) table.counts(first[i], second[i]) += 1;
      }
      out.push_back(std::move(table));
    }
  }
  return out;
}

std::string table_text(const SetTable& table, bool colours) {
  std::vector<TableColumn> heads = {{.title = "", .key = "class", .right = false}};
  for (const std::string& name : table.columns) heads.push_back({.title = name, .key = name});
  Table out(heads);
  for (Index i = 0; i < table.counts.rows(); ++i) {
    std::vector<TableCell> cells = {table.rows[at(i)]};
    for (const double v : table.counts.row(i))
      cells.push_back(TableCell::of(static_cast<Index>(v)));
    out.add(std::move(cells));
  }
  return "\n" + table.title + "\n" + out.text(colours);
}

std::string tables_picture(const std::string& title, const std::vector<SetTable>& tables) {
  std::vector<HeatMap> maps;
  for (const SetTable& table : tables) {
    maps.push_back(
        {.title = table.heading,
         .note = table.confusion ? "rows; colour: share of the true class" : "number of rows",
         .row_names = table.rows,
         .column_names = table.columns,
         .values = table.counts,
         .diverging = false,
         .row_shares = table.confusion,
         .numbers = true,
         .digits = 0,
         .row_title = table.down,
         .column_title = table.across});
  }
  return heat_maps(title, maps);
}

}  // namespace mulberry::report

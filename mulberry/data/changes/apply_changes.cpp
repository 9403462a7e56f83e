#include "mulberry/data/changes/apply_changes.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

constexpr std::size_t k_shown = 20;  // entries that a message names

// The entries that do not fit, and why.
class Misfits {
 public:
  void add(const Change& entry, const std::string& why) {
    if (count_++ == 0) first_ = entry.line;
    if (count_ <= k_shown) text_ += "\n  line " + std::to_string(entry.line) + ": " + why;
  }
  // The cell has what the entry asks for.
  void add_done() { ++done_; }

  void complain(const Changes& changes) const {
    if (count_ == 0) return;
    std::string problem = std::to_string(count_) + " of " + std::to_string(changes.entries.size()) +
                          " entries of the change file do not fit the data:" + text_;
    if (count_ > k_shown) problem += "\n  and " + std::to_string(count_ - k_shown) + " more";
    throw Error(Code::data, problem,
                done_ == count_ ? "These changes have been applied already, it seems"
                                : "Correct these lines, or make a change file from this data",
                {changes.path, first_});
  }

 private:
  std::size_t count_ = 0, done_ = 0;
  std::int64_t first_ = 0;
  std::string text_;
};

std::unordered_map<std::string, Id> numbered(const std::vector<std::string>& names) {
  std::unordered_map<std::string, Id> out;
  for (std::size_t k = 0; k < names.size(); ++k) out.emplace(names[k], static_cast<Id>(k));
  return out;
}

}  // namespace

RowNames::RowNames(const Dataset& data)
    : RowNames(data, data.ids.empty() ? RowKey::number : RowKey::id) {}

RowNames::RowNames(const Dataset& data, RowKey key) : key_(key), count_(data.rows()) {
  if (key == RowKey::number) return;
  if (data.ids.empty() && data.rows() > 0) {
    throw Error(Code::usage, "the change file knows rows by their ids, and the data has none",
                "Name the column of ids: " + mention("id", "COLUMN"));
  }
  ids_ = data.ids;
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    const auto [place, added] = rows_.emplace(ids_[k], static_cast<Id>(k));
    if (added && !ids_[k].empty()) continue;
    const std::string found = ids_[k].empty() ? "none for row " + std::to_string(k + 1)
                                              : in_quotes(ids_[k]) + " for rows " +
                                                    std::to_string(place->second + 1) + " and " +
                                                    std::to_string(k + 1);
    throw Error(Code::data, "expected a different id for every row, found " + found,
                "Choose another column of ids, or none: rows are then known by their numbers");
  }
}

std::string RowNames::name(Index row) const {
  return key_ == RowKey::id ? ids_[at(row)] : std::to_string(row + 1);
}

std::optional<Id> RowNames::find(const std::string& name) const {
  if (key_ == RowKey::id) {
    const auto found = rows_.find(name);
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto number = parse_integer(name);
  if (!number || *number < 1 || *number > count_) return std::nullopt;
  return static_cast<Id>(*number - 1);
}

std::vector<CellChange> match_changes(const Changes& changes, const Dataset& data) {
  const RowNames rows(data, changes.key);
  const auto labels = numbered(data.label_names);
  std::unordered_map<Index, std::int64_t> decided;  // the line that decides a cell
  Misfits misfits;
  std::vector<CellChange> out;
  for (const Change& entry : changes.entries) {
    const auto row = rows.find(entry.row);
    const auto label = labels.find(entry.label);
    if (!row || label == labels.end()) {
      const std::string known =
          changes.key == RowKey::id
              ? "there is no row with the id " + in_quotes(entry.row)
              : "there is no row " + entry.row + ", the last is " + std::to_string(data.rows());
      const auto near = row ? nearest(entry.label, data.label_names) : std::nullopt;
      misfits.add(entry, !row ? known
                              : "there is no label " + in_quotes(entry.label) +
                                    (near ? "; did you mean " + in_quotes(*near) + "?" : ""));
      continue;
    }
    const std::string name = "row " + in_quotes(entry.row) + ", label " + in_quotes(entry.label);
    const Cell has = data.y.cell(*row, label->second);
    if (has != entry.from) {
      if (entry.to == has) misfits.add_done();
      misfits.add(
          entry, name + ": expected " + cell_text(entry.from) + ", the data has " + cell_text(has));
      continue;
    }
    if (entry.to) {
      const Index cell = Index{*row} * data.labels() + label->second;
      const auto [place, added] = decided.emplace(cell, entry.line);
      if (!added) {
        misfits.add(entry, name + " is decided on line " + std::to_string(place->second));
        continue;
      }
    }
    out.push_back({*row, label->second, entry.from, entry.to});
  }
  misfits.complain(changes);
  return out;
}

Labels apply_changes(const Labels& y, std::span<const CellChange> changes) {
  std::vector<std::vector<Id>> positive(at(y.rows())), missing(at(y.rows()));
  for (Index i = 0; i < y.rows(); ++i) {
    positive[at(i)].assign(y.row(i).begin(), y.row(i).end());
    missing[at(i)].assign(y.missing_row(i).begin(), y.missing_row(i).end());
  }
  const auto list = [&](Cell cell, Id row) -> std::vector<Id>* {
    return cell == Cell::positive  ? &positive[at(row)]
           : cell == Cell::missing ? &missing[at(row)]
                                   : nullptr;
  };
  for (const CellChange& change : changes) {
    if (!change.to || *change.to == change.from) continue;
    if (auto* const from = list(change.from, change.row)) std::erase(*from, change.label);
    if (auto* const to = list(*change.to, change.row)) to->push_back(change.label);
  }
  return {y.count(), positive, missing};
}

std::string outcome_of(const CellChange& change) {
  if (!change.to) return "undecided";
  if (*change.to == change.from) return "confirmed";
  if (*change.to == Cell::positive) return "added";
  if (*change.to == Cell::missing) return "made unknown";
  return change.from == Cell::positive ? "removed" : "ruled out";
}

}  // namespace mulberry::data

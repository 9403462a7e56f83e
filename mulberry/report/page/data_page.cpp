#include "mulberry/report/page/data_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/data/describe/describe.hpp"
#include "mulberry/data/describe/equal_rows.hpp"
#include "mulberry/data/describe/label_co_occurrence.hpp"
#include "mulberry/report/describe_picture.hpp"
#include "mulberry/report/draw/chart.hpp"

namespace mulberry::report {
namespace {

constexpr Index k_most_labels = 20'000;  // lines of a table
constexpr Index k_most_features = 1000;  // lines of a table
constexpr Index k_most_for_phi = 1500;   // labels whose strongest partner is searched
constexpr Index k_pairs = 60, k_sets = 20, k_groups = 30, k_rows = 12;
constexpr Index k_few_rows = 10;  // a label of fewer rows is hard to learn and to judge

std::string percent_text(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share > 0 && share < 0.001 ? 3 : 1);
}

std::string plural(Index count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", thousands_text(count), count == 1 ? one : many);
}

std::string some_names(const std::vector<std::string>& names, std::size_t most = 6) {
  const std::size_t shown = std::min(names.size(), most);
  return join({names.data(), shown}, ", ") + (names.size() > shown ? ", ..." : "");
}

std::vector<Remark> remarks_of(const Dataset& data, const Description& d) {
  std::vector<Remark> out;
  const auto look = [&](std::string words) { out.push_back({"look", std::move(words)}); };
  const auto rows = static_cast<double>(std::max<Index>(d.rows, 1));
  if (d.rows == 0) out.push_back({"bad", "The data has no rows."});
  if (d.labels == 0) out.push_back({"bad", "The data has no labels: there is nothing to learn."});
  if (!d.absent_labels.empty()) {
    look(fmt::format("{} in no row: {}. No learner can learn what it never sees.",
                     plural(count_of(d.absent_labels), "label occurs", "labels occur"),
                     some_names(d.absent_labels)));
  }
  std::vector<std::string> rare, everywhere;
  for (const LabelDescription& label : d.per_label) {
    if (label.count > 0 && label.count < k_few_rows) rare.push_back(label.name);
    if (label.count > 0 && label.frequency > 0.95) everywhere.push_back(label.name);
  }
  if (!rare.empty()) {
    look(fmt::format(
        "{} in fewer than {} rows: {}. Their measures will be uncertain; split with "
        "stratification, and look at macro measures with their intervals.",
        plural(count_of(rare), "label occurs", "labels occur"), k_few_rows, some_names(rare)));
  }
  if (!everywhere.empty()) {
    look(fmt::format("{} in more than 95 % of the rows: {}.",
                     plural(count_of(everywhere), "label occurs", "labels occur"),
                     some_names(everywhere)));
  }
  if (d.mean_imbalance > 20) {
    look(
        fmt::format("Labels differ much in frequency: the most frequent one occurs {:.0f} times "
                    "as often as the mean label. Micro measures will mostly speak of the frequent "
                    "ones.",
                    d.mean_imbalance));
  }
  if (d.rows > 0 && d.empty_rows > 0) {
    look(
        fmt::format("{} without any label ({}). If that means \"nobody looked\", mark the cells "
                    "as missing; if labels may have been forgotten, mulberry missing lists "
                    "candidates.",
                    plural(d.empty_rows, "row is", "rows are"),
                    percent_text(static_cast<double>(d.empty_rows) / rows)));
  }
  if (d.duplicate_rows > 0) {
    std::string words = fmt::format("{} the features of an earlier row",
                                    plural(d.duplicate_rows, "row has", "rows have"));
    words += d.conflicting_rows > 0
                 ? fmt::format(", {} of them with other labels: no learner can get both right.",
                               thousands_text(d.conflicting_rows))
                 : std::string(". Copies on both sides of a split make results look too good.");
    out.push_back({d.conflicting_rows > 0 ? "bad" : "look", std::move(words)});
  }
  constexpr std::size_t k_rules = 5;
  for (std::size_t k = 0; k < std::min(d.broken_rules.size(), k_rules); ++k) {
    const auto& [rule, broken, first, id] = d.broken_rules[k];
    out.push_back({"bad", fmt::format("{} {}, against the declared rules; the first is {}.",
                                      plural(broken, "row has", "rows have"), rule,
                                      id.empty() ? fmt::format("row {}", first) : id)});
  }
  if (d.broken_rules.size() > k_rules) {
    out.push_back({"bad", fmt::format("{} further rules between labels are broken; mulberry "
                                      "describe lists them.",
                                      d.broken_rules.size() - k_rules)});
  }
  for (const PairDescription& pair : d.co_occurrences) {
    if (pair.phi < 0.95) break;
    look(fmt::format("{} and {} are nearly the same label (correlation {:.2f}).", pair.first,
                     pair.second, pair.phi));
    if (out.size() > 12) break;
  }
  if (d.rows > 0 && d.constant_feature_count > 0) {
    look(fmt::format("{} a single value and can be left out: {}.",
                     plural(d.constant_feature_count, "feature has", "features have"),
                     some_names(d.constant_features)));
  }
  if (d.missing_features > 0) {
    look(
        fmt::format("{} of the features without a value: fill them, or choose a learner that "
                    "accepts them (mulberry list shows which).",
                    plural(d.missing_features, "cell is", "cells are")));
  }
  if (d.missing_cells > 0) {
    look(fmt::format("{} of the labels unknown, {} of all. Learners and measures leave them out.",
                     plural(d.missing_cells, "cell is", "cells are"),
                     percent_text(static_cast<double>(d.missing_cells) /
                                  (rows * static_cast<double>(std::max<Index>(d.labels, 1))))));
  }
  if (!d.pairs_counted) {
    look("Rows have too many labels to count those that occur together.");
  }
  for (const std::string& words : data.notes) out.push_back({"", "The reader says: " + words});
  if (out.empty()) {
    out.push_back({"good",
                   "Nothing stands out: no duplicates, no missing values, no label that is "
                   "too rare or everywhere."});
  }
  return out;
}

// The label with the largest correlation, by its size; -1 if there is none.
std::vector<std::pair<Id, double>> partners_of(const Dataset& data, const Context& ctx) {
  const Index count = data.labels();
  if (count > k_most_for_phi || count < 2) return {};
  const Matrix phi = phi_matrix(data.y, ctx);
  std::vector<std::pair<Id, double>> out;
  for (Index i = 0; i < count; ++i) {
    std::pair<Id, double> best{-1, 0};
    for (Index j = 0; j < count; ++j) {
      if (i != j && std::abs(phi(i, j)) > std::abs(best.second))
        best = {static_cast<Id>(j), phi(i, j)};
    }
    out.push_back(best);
  }
  return out;
}

PageTable labels_table(const Dataset& data, const Description& d, const Context& ctx) {
  const auto partners = partners_of(data, ctx);
  PageTable out{.columns = {{.title = "label"},
                            {.title = "rows", .kind = CellKind::count},
                            {.title = "share",
                             .kind = CellKind::share,
                             .digits = 1,
                             .bar = true,
                             .help = "of the rows where it is observed"},
                            {.title = "imbalance",
                             .kind = CellKind::number,
                             .digits = 1,
                             .help = "rows of the most frequent label / rows of this one"}},
                .sorted = 1,
                .descending = true,
                .search = "Search labels"};
  if (!partners.empty()) {
    out.columns.push_back({.title = "strongest partner"});
    out.columns.push_back({.title = "correlation", .kind = CellKind::number, .digits = 2});
  }
  if (d.missing_cells > 0) out.columns.push_back({.title = "unknown", .kind = CellKind::count});
  std::vector<Id> order(at(d.labels));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Id a, Id b) { return d.per_label[at(a)].count > d.per_label[at(b)].count; });
  if (count_of(order) > k_most_labels) {
    out.left_out = fmt::format("The {} most frequent of {} labels.", thousands_text(k_most_labels),
                               thousands_text(d.labels));
    order.resize(at(k_most_labels));
  }
  for (const Id l : order) {
    const LabelDescription& label = d.per_label[at(l)];
    std::vector<PageCell>& row = out.rows.emplace_back();
    row = {label.name, label.count, label.frequency, label.imbalance};
    if (!partners.empty()) {
      const auto& [other, phi] = partners[at(l)];
      row.emplace_back(other < 0 ? std::string() : data.label_names[at(other)]);
      row.emplace_back(other < 0 ? std::nan("") : phi);
    }
    if (d.missing_cells > 0) row.emplace_back(label.missing);
  }
  return out;
}

PageTable pairs_table(const Description& d) {
  PageTable out{.columns = {{.title = "label"},
                            {.title = "and"},
                            {.title = "rows with both", .kind = CellKind::count},
                            {.title = "correlation", .kind = CellKind::number, .digits = 3},
                            {.title = "lift",
                             .kind = CellKind::number,
                             .digits = 2,
                             .help = "rows with both / rows expected if they were independent"}},
                .search = "Search pairs"};
  for (const PairDescription& pair : d.co_occurrences) {
    out.rows.push_back({pair.first, pair.second, pair.together, pair.phi, pair.lift});
  }
  return out;
}

// How many rows have 0, 1, 2, ... labels. More than a few dozen different counts share columns.
ColumnChart sizes_chart(const Labels& y) {
  Index largest = 0;
  for (Index i = 0; i < y.rows(); ++i) largest = std::max(largest, count_of(y.row(i)));
  const Index step = largest / 40 + 1;
  ColumnChart out{.title = "Labels per row", .x_title = "labels of a row", .y_title = "rows"};
  out.values.assign(at(largest / step + 1), 0);
  for (Index i = 0; i < y.rows(); ++i) out.values[at(count_of(y.row(i)) / step)] += 1;
  for (Index k = 0; k <= largest / step; ++k) {
    out.names.push_back(step == 1 ? std::to_string(k)
                                  : fmt::format("{}-{}", k * step, (k + 1) * step - 1));
  }
  return out;
}

PageTable table_of(const ColumnChart& chart) {
  PageTable out{
      .columns = {{.title = chart.x_title}, {.title = chart.y_title, .kind = CellKind::count}}};
  for (std::size_t k = 0; k < chart.names.size(); ++k) {
    out.rows.push_back({chart.names[k], chart.values[k]});
  }
  return out;
}

PageTable label_sets_table(const Dataset& data, const Context& ctx) {
  PageTable out{.columns = {{.title = "labels"},
                            {.title = "rows", .kind = CellKind::count},
                            {.title = "share", .kind = CellKind::share, .digits = 1, .bar = true}}};
  const std::vector<Id> first = first_equal_rows(data.y, ctx);
  std::vector<Index> count(first.size(), 0);
  for (const Id i : first) ++count[at(i)];
  std::vector<Id> order;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (count[i] > 0) order.push_back(static_cast<Id>(i));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Id a, Id b) { return count[at(a)] > count[at(b)]; });
  const std::size_t shown = std::min(order.size(), at(k_sets));
  if (shown < order.size()) {
    out.left_out = fmt::format("The {} most frequent of {} combinations.", shown,
                               thousands_text(count_of(order)));
  }
  for (std::size_t k = 0; k < shown; ++k) {
    auto tags = label_tags(data.y.row(order[k]), data.label_names);
    if (tags.empty()) tags = {"no label"};
    const Index rows = count[at(order[k])];
    out.rows.push_back(
        {std::move(tags), rows, static_cast<double>(rows) / static_cast<double>(data.rows())});
  }
  return out;
}

// Rows that look alike, the groups with different labels first.
PageTable duplicates_table(const Dataset& data, const Context& ctx) {
  PageTable out{.columns = {{.title = "row"},
                            {.title = "has the features of row"},
                            {.title = "its labels"},
                            {.title = "labels of the other"},
                            {.title = "", .kind = CellKind::text}},
                .search = "Search rows"};
  const std::vector<Id> first = first_equal_rows(data.x, ctx);
  std::vector<Id> conflicts, copies;
  for (Id i = 0; i < data.rows(); ++i) {
    if (first[at(i)] == i) continue;
    const auto a = data.y.row(i), b = data.y.row(first[at(i)]);
    (std::ranges::equal(a, b) ? copies : conflicts).push_back(i);
  }
  const Index all = count_of(conflicts) + count_of(copies);
  const std::size_t differing = conflicts.size();
  conflicts.insert(conflicts.end(), copies.begin(), copies.end());
  conflicts.resize(std::min(conflicts.size(), at(k_groups)));
  for (std::size_t k = 0; k < conflicts.size(); ++k) {
    const Id i = conflicts[k], other = first[at(i)];
    out.rows.push_back({row_name(data, i), row_name(data, other),
                        label_tags(data.y.row(i), data.label_names),
                        label_tags(data.y.row(other), data.label_names),
                        k < differing ? "labels differ" : "the same labels"});
  }
  if (count_of(conflicts) < all) {
    out.left_out = fmt::format("{} of {} such rows.", conflicts.size(), thousands_text(all));
  }
  return out;
}

std::string feature_name(const Dataset& data, Index j) {
  return data.feature_names.empty() ? fmt::format("feature {}", j + 1) : data.feature_names[at(j)];
}

PageTable features_table(const Dataset& data, const Context& ctx) {
  const ColumnStatistics s = column_statistics(data.x, ctx);
  const bool missing = std::ranges::any_of(s.missing, [](Index m) { return m > 0; });
  PageTable out{.columns = {{.title = "feature"},
                            {.title = "not 0", .kind = CellKind::share, .digits = 1},
                            {.title = "smallest", .kind = CellKind::number, .digits = 3},
                            {.title = "mean", .kind = CellKind::number, .digits = 3},
                            {.title = "deviation", .kind = CellKind::number, .digits = 3},
                            {.title = "largest", .kind = CellKind::number, .digits = 3}},
                .search = "Search features"};
  if (missing) out.columns.push_back({.title = "missing", .kind = CellKind::count});
  const Index shown = std::min(s.columns(), k_most_features);
  if (shown < s.columns()) {
    out.left_out = fmt::format("The first {} of {} features.", thousands_text(shown),
                               thousands_text(s.columns()));
  }
  const auto rows = static_cast<double>(std::max<Index>(s.rows, 1));
  for (Index j = 0; j < shown; ++j) {
    const std::size_t k = at(j);
    std::vector<PageCell>& row = out.rows.emplace_back();
    row = {feature_name(data, j),
           static_cast<double>(s.nonzeros[k]) / rows,
           s.min[k],
           s.mean[k],
           s.deviation[k],
           s.max[k]};
    if (missing) row.emplace_back(s.missing[k]);
  }
  return out;
}

PageTable rows_table(const Dataset& data) {
  PageTable out{.columns = {{.title = data.id_name.empty() ? "row" : data.id_name},
                            {.title = "labels"},
                            {.title = data.texts.empty() ? "features" : "text"}}};
  for (Index i = 0; i < std::min(data.rows(), k_rows); ++i) {
    auto tags = label_tags(data.y.row(i), data.label_names);
    for (const Id l : data.y.missing_row(i)) {
      if (tags.size() < 12) tags.push_back(data.label_names[at(l)] + " ?");
    }
    out.rows.push_back({row_name(data, i), std::move(tags), row_excerpt(data, i)});
  }
  return out;
}

// "a=1, b=0.25": the features that say most about a row: not 0, the largest of sparse ones.
std::string features_excerpt(const Dataset& data, Index i) {
  constexpr std::size_t k_shown = 6;
  std::vector<std::pair<Index, double>> values;
  if (data.x.is_sparse()) {
    const SparseRow row = data.x.sparse_row(i);
    for (std::size_t k = 0; k < row.index.size(); ++k)
      values.emplace_back(row.index[k], row.value[k]);
    std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) > std::abs(b.second);
    });
  } else {
    const auto row = data.x.dense_row(i);
    for (std::size_t j = 0; j < row.size() && values.size() <= k_shown; ++j) {
      if (row[j] != 0) values.emplace_back(static_cast<Index>(j), row[j]);
    }
  }
  std::string out;
  for (std::size_t k = 0; k < std::min(values.size(), k_shown); ++k) {
    out += fmt::format("{}{}={:.3g}", k == 0 ? "" : ", ", feature_name(data, values[k].first),
                       values[k].second);
  }
  return out + (values.size() > k_shown ? ", ..." : "");
}

}  // namespace

std::vector<std::string> label_tags(std::span<const Id> labels,
                                    const std::vector<std::string>& names, std::string_view sign) {
  constexpr std::size_t k_shown = 24;
  std::vector<std::string> out;
  for (const Id l : labels.first(std::min(labels.size(), k_shown))) {
    out.push_back(sign.empty() ? names[at(l)] : std::string(sign) + " " + names[at(l)]);
  }
  if (labels.size() > k_shown) out.push_back(fmt::format("and {} more", labels.size() - k_shown));
  return out;
}

std::string row_name(const Dataset& data, Index row) {
  return data.ids.empty() ? std::to_string(row + 1) : data.ids[at(row)];
}

std::string row_excerpt(const Dataset& data, Index row) {
  constexpr std::size_t k_letters = 160;
  if (data.texts.empty()) return features_excerpt(data, row);
  std::u32string out;
  for (const TextColumn& column : data.texts) {
    if (!out.empty()) out += U" | ";
    out += decode_utf8(column.texts[row].substr(0, 4 * k_letters));
  }
  if (out.size() <= k_letters) return encode_utf8(out);
  out.resize(k_letters);
  return encode_utf8(out + U"…");
}

Page data_page(const Dataset& data, const Context& ctx) {
  const Description d = describe(data, {.pairs = k_pairs}, ctx);
  Page page{.title = data.name.empty() ? std::string("Data") : data.name, .kind = "Data set"};
  page.lead = fmt::format(
      "{}, {}{}, {}.", plural(d.rows, "row", "rows"), plural(d.features, "feature", "features"),
      data.texts.empty() ? "" : " and text", plural(d.labels, "label", "labels"));
  const auto share = static_cast<double>(d.missing_cells) /
                     std::max(1.0, static_cast<double>(d.rows) * static_cast<double>(d.labels));
  std::vector<KeyFigure> figures = {
      {"rows", thousands_text(d.rows)},
      {"features", thousands_text(d.features),
       fmt::format("{}, {:.0f} % are not 0", d.sparse ? "sparse" : "dense",
                   100 * d.feature_density)},
      {"labels", thousands_text(d.labels)},
      {"labels per row", fmt::format("{:.2f}", d.label_cardinality),
       fmt::format("density {:.3f}", d.label_density)},
      {"distinct label sets", thousands_text(d.distinct_label_sets)}};
  if (d.missing_cells > 0) figures.push_back({"label cells unknown", percent_text(share)});
  page.top = html_figures(figures);

  page.sections.push_back(
      {.id = "remarks", .title = "Worth knowing", .body = html_remarks(remarks_of(data, d))});
  if (d.labels > 0) {
    page.tables["labels"] = labels_table(data, d, ctx);
    page.sections.push_back({.id = "labels",
                             .title = "Labels",
                             .note = "How often each label occurs, and which other label it goes "
                                     "with most; a negative correlation means that the two avoid "
                                     "each other.",
                             .body = html_table("labels")});
  }
  if (d.labels > 1 && d.rows > 0) {
    page.tables["pairs"] = pairs_table(d);
    page.sections.push_back(
        {.id = "together",
         .title = "Labels together",
         .note = d.labels > 60 ? "The 60 most frequent labels, ordered so that labels which occur "
                                 "together are neighbours."
                               : "Ordered so that labels which occur together are neighbours.",
         .body = html_picture(describe_picture(data, ctx),
                              "Bars: share of rows per label. Map: correlation of every two labels",
                              "Purple: more often together than by chance. Blue: less often.",
                              "pairs")});
  }
  if (d.rows > 0 && d.labels > 0) {
    const ColumnChart sizes = sizes_chart(data.y);
    page.tables["sizes"] = table_of(sizes);
    page.tables["label-sets"] = label_sets_table(data, ctx);
    page.sections.push_back(
        {.id = "sizes",
         .title = "Labels per row",
         .body =
             html_picture(column_chart(sizes), "Number of rows by number of labels", "", "sizes") +
             html_heading("Combinations that occur most") + html_table("label-sets")});
  }
  if (d.duplicate_rows > 0) {
    page.tables["duplicates"] = duplicates_table(data, ctx);
    page.sections.push_back({.id = "duplicates",
                             .title = "Duplicates",
                             .note = "Rows with the features of an earlier row; those whose labels "
                                     "differ come first.",
                             .body = html_table("duplicates")});
  }
  if (data.columns() > 0 && d.rows > 0) {
    page.tables["features"] = features_table(data, ctx);
    page.sections.push_back(
        {.id = "features", .title = "Features", .body = html_table("features")});
  }
  if (d.rows > 0) {
    page.tables["rows"] = rows_table(data);
    page.sections.push_back({.id = "rows",
                             .title = "Some rows",
                             .note = data.y.has_missing()
                                         ? "The first rows; a question mark stands "
                                           "after labels that are unknown."
                                         : "The first rows.",
                             .body = html_table("rows")});
  }
  return page;
}

}  // namespace mulberry::report

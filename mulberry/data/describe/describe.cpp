#include "mulberry/data/describe/describe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/data/describe/equal_rows.hpp"
#include "mulberry/data/describe/label_co_occurrence.hpp"
#include "mulberry/data/describe/present_columns.hpp"

namespace mulberry::data {
namespace {

double ratio(Index part, Index whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

Index missing_in(const ColumnStatistics& columns, const PresentColumns& present, Id j) {
  if (present.ids.empty()) return columns.missing[at(j)];
  const auto found = std::lower_bound(present.ids.begin(), present.ids.end(), j);
  const bool has = found != present.ids.end() && *found == j;
  return has ? columns.missing[at(found - present.ids.begin())] : 0;
}

void list_constant_features(const Dataset& data, const ColumnStatistics& columns,
                            const PresentColumns& present, Description& out) {
  out.constant_feature_count = present.absent();
  const auto list = [&](Index j) {
    if (out.constant_features.size() >= k_most_constant_features) return;
    const auto named = at(j) < data.feature_names.size();
    out.constant_features.push_back(named ? data.feature_names[at(j)] : std::to_string(j + 1));
  };
  Index next = 0;
  for (std::size_t k = 0; k < columns.min.size(); ++k) {
    const Index j = present.id(k);
    for (; next < j && out.constant_features.size() < k_most_constant_features; ++next) {
      list(next);  // nothing is stored there: all values are 0
    }
    next = j + 1;
    if (!columns.constant(k)) continue;
    ++out.constant_feature_count;
    list(j);
  }
  for (; next < present.total && out.constant_features.size() < k_most_constant_features; ++next) {
    list(next);
  }
}

void describe_features(const Dataset& data, const Context& ctx, Description& out) {
  out.features = data.attributes > 0 ? data.attributes : data.columns();
  out.columns = data.columns();
  out.sparse = data.x.is_sparse();
  const PresentColumns present = present_columns(data.x);
  const ColumnStatistics columns = column_statistics(present.x, ctx);
  out.feature_density =
      ratio(std::accumulate(columns.nonzeros.begin(), columns.nonzeros.end(), Index{0}),
            data.rows() * data.columns());
  out.missing_features = std::accumulate(columns.missing.begin(), columns.missing.end(), Index{0});
  for (const auto& [begin, size] : data.nominal_columns) {  // one cell, missing in each column
    out.missing_features -= (size - 1) * missing_in(columns, present, begin);
  }
  list_constant_features(data, columns, present, out);
  const std::vector<Id> first = first_equal_rows(data.x, ctx);
  for (Index i = 0; i < data.rows(); ++i) {
    const Id same = first[at(i)];
    if (same == i) continue;
    ++out.duplicate_rows;
    if (!data.has_labels) continue;
    const bool agree = std::ranges::equal(data.y.row(i), data.y.row(same)) &&
                       std::ranges::equal(data.y.missing_row(i), data.y.missing_row(same));
    out.conflicting_rows += agree ? 0 : 1;
  }
}

void describe_each_label(const Dataset& data, Description& out) {
  const Labels& y = data.y;
  Index most = 0, occurring = 0;
  for (Index l = 0; l < y.count(); ++l) {
    most = std::max(most, static_cast<Index>(y.column(l).size()));
  }
  for (Index l = 0; l < y.count(); ++l) {
    LabelDescription& label = out.per_label.emplace_back();
    label.name = data.label_names[at(l)];
    label.count = static_cast<Index>(y.column(l).size());
    label.missing = static_cast<Index>(y.missing_column(l).size());
    label.frequency = ratio(label.count, y.rows() - label.missing);
    if (label.count == 0) {
      label.imbalance = std::numeric_limits<double>::quiet_NaN();
      out.absent_labels.push_back(label.name);
    } else {
      label.imbalance = ratio(most, label.count);
      out.mean_imbalance += label.imbalance;
      ++occurring;
    }
  }
  out.mean_imbalance /= static_cast<double>(std::max<Index>(1, occurring));
}

// Of one row; 0 without labels.
double scumble(std::span<const Id> labels, const std::vector<LabelDescription>& per_label) {
  if (labels.empty()) return 0.0;
  double sum = 0, log_sum = 0;
  for (const Id l : labels) {
    const double imbalance = per_label[at(l)].imbalance;
    sum += imbalance;
    log_sum += std::log(imbalance);
  }
  const auto count = static_cast<double>(labels.size());
  return 1.0 - std::exp(log_sum / count) / (sum / count);
}

constexpr double k_most_pair_steps = 2e9;  // some seconds

void describe_labels(const Dataset& data, const DescribeOptions& options, const Context& ctx,
                     Description& out) {
  const Labels& y = data.y;
  out.labels = y.count();
  out.missing_cells = y.missing();
  out.label_cardinality = ratio(y.positives(), y.rows());
  out.label_density = ratio(y.positives(), y.rows() * y.count() - y.missing());
  out.label_sets = data.sets.names;
  out.implications = count_of(data.rules.implications());
  out.exclusions = count_of(data.rules.exclusive);
  for (const BrokenRule& rule : broken_rules(y, data.rules, data.label_names)) {
    out.broken_rules.push_back({rule.text, rule.rows, rule.first + 1,
                                data.ids.empty() ? std::string() : data.ids[at(rule.first)]});
  }
  describe_each_label(data, out);
  for (Index i = 0; i < y.rows(); ++i) {
    const auto size = static_cast<Index>(y.row(i).size());
    out.empty_rows += size == 0 ? 1 : 0;
    out.full_rows += size == y.count() && size > 0 ? 1 : 0;
    out.scumble += scumble(y.row(i), out.per_label);
  }
  out.scumble /= static_cast<double>(std::max<Index>(1, y.rows()));
  const std::vector<Id> first = first_equal_rows(y, ctx);
  for (Index i = 0; i < y.rows(); ++i) {
    out.distinct_label_sets += first[at(i)] == i ? 1 : 0;
  }
  out.pairs_counted = pair_steps(y) <= k_most_pair_steps;
  if (!out.pairs_counted) return;
  for (const LabelPair& pair : strongest_pairs(y, options.pairs, options.least_together, ctx)) {
    out.co_occurrences.push_back({data.label_names[at(pair.a)], data.label_names[at(pair.b)],
                                  pair.together, pair.phi, pair.lift});
  }
}

}  // namespace

Description describe(const Dataset& data, const DescribeOptions& options, const Context& ctx) {
  Description out;
  out.name = data.name;
  out.rows = data.rows();
  describe_features(data, ctx, out);
  if (data.has_labels) describe_labels(data, options, ctx, out);
  return out;
}

}  // namespace mulberry::data

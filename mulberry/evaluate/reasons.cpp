#include "mulberry/evaluate/reasons.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/data/text/text_step.hpp"

namespace mulberry::evaluate {
namespace {

constexpr Index k_near = 5;
constexpr std::size_t k_related = 3, k_features = 6, k_words = 8;

// How many numbers two increasing lists share.
Index common(std::span<const Id> a, std::span<const Id> b) {
  Index out = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++out;
    const bool left = a[i] <= b[j], right = b[j] <= a[i];
    i += left ? 1 : 0;
    j += right ? 1 : 0;
  }
  return out;
}

// Calls f(column, value) for what a row stores.
template <class F>
void each_stored(const Features& x, Index row, const F& f) {
  if (x.is_sparse()) {
    const SparseRow values = x.sparse_row(row);
    for (std::size_t k = 0; k < values.index.size(); ++k)
      f(Index{values.index[k]}, values.value[k]);
  } else {
    const auto values = x.dense_row(row);
    for (std::size_t j = 0; j < values.size(); ++j) f(static_cast<Index>(j), values[j]);
  }
}

// "body:late fee" gives "late fee".
std::string without_column(const std::string& name, const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (name.starts_with(column + ":")) return name.substr(column.size() + 1);
  }
  return name;
}

template <class T, class Key>
void keep_largest(std::vector<T>& all, std::size_t most, const Key& key) {
  std::stable_sort(all.begin(), all.end(), [&](const T& a, const T& b) { return key(a) > key(b); });
  all.resize(std::min(all.size(), most));
}

}  // namespace

Reasons::Reasons(const Dataset& data, const PreprocessOptions& preprocess, std::span<const Id> rows,
                 const Context& ctx)
    : data_(data) {
  PreprocessOptions options = preprocess;
  options.impute = Impute::mean;  // distances need every value
  options.drop_constant = false;  // columns keep their numbers
  if (options.scale == FeatureScale::none) options.scale = FeatureScale::standardise;
  const auto steps =
      Preprocessing::fit(data.x, options, ctx, data.nominal_columns, data.feature_names);
  const TextStep text = TextStep::fit(data, steps.apply(data.x), options.text, ctx, x_);
  mean_ = column_statistics(x_, ctx).mean;
  for (const std::string& name : text.feature_names()) {
    words_.push_back(without_column(name, text.names));
  }
  std::vector<Id> asked(rows.begin(), rows.end());
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  for (std::size_t k = 0; k < asked.size(); ++k) place_[asked[k]] = static_cast<Index>(k);
  // One more than shown: each row is its own nearest.
  if (!asked.empty() && x_.cols() > 0) {
    near_ = math::nearest_neighbours(x_, pick_rows(x_, asked), k_near + 1, ctx);
  }
}

Reason Reasons::of(Id row, Id label) const {
  Reason out;
  out.rows_with_label = count_of(data_.y.column(label));
  out.related = related_labels(row, label);
  if (const auto place = place_.find(row); place != place_.end() && near_.k > 0) {
    for (const Id other : near_.row(place->second)) {
      if (other == row || count_of(out.near) == k_near) continue;
      out.near.push_back({other, data_.y.cell(other, label)});
    }
  }
  add_columns(row, label, out);
  return out;
}

// Shares are of other rows: this one is what is being judged.
std::vector<RelatedLabel> Reasons::related_labels(Id row, Id label) const {
  const auto with = data_.y.column(label);
  const bool has = data_.y.cell(row, label) == Cell::positive;
  const Index others = data_.rows() - 1, labelled = count_of(with) - (has ? 1 : 0);
  std::vector<RelatedLabel> out;
  for (const Id other : data_.y.row(row)) {
    if (other == label) continue;
    const auto rows = data_.y.column(other);
    RelatedLabel one{
        .other = other, .both = common(rows, with) - (has ? 1 : 0), .rows = count_of(rows) - 1};
    constexpr Index k_few = 5;  // fewer rows say nothing
    if (one.rows < k_few || labelled == 0) continue;
    one.lift = static_cast<double>(one.both) * static_cast<double>(others) /
               (static_cast<double>(one.rows) * static_cast<double>(labelled));
    constexpr double k_clear = 1.25;
    if (has ? one.lift < 1 / k_clear : one.lift > k_clear) out.push_back(one);
  }
  keep_largest(out, k_related, [&](const RelatedLabel& one) { return has ? -one.lift : one.lift; });
  return out;
}

// The columns in which the row and the rows with the label differ most from the others in the same
// direction, or, of features, in opposite directions.
void Reasons::add_columns(Id row, Id label, Reason& reason) const {
  const Index features = data_.columns();
  std::vector<double> mean(at(x_.cols()), 0.0);  // of the other rows with the label
  Index count = 0;
  for (const Id other : data_.y.column(label)) {
    if (other == row) continue;
    each_stored(x_, other, [&](Index j, double v) { mean[at(j)] += v; });
    ++count;
  }
  if (count == 0) return;
  for (double& sum : mean) sum /= static_cast<double>(count);

  struct Word {
    std::size_t number;
    double weight;
  };
  std::vector<Word> words;
  std::vector<double> own(at(features), 0.0);
  each_stored(x_, row, [&](Index j, double v) {
    if (j < features) {
      own[at(j)] = v;
    } else if (v > 0 && mean[at(j)] > 1.5 * mean_[at(j)]) {
      words.push_back({at(j - features), v * (mean[at(j)] - mean_[at(j)])});
    }
  });
  keep_largest(words, k_words, [](const Word& word) { return word.weight; });
  constexpr double k_weak = 0.3;  // of the strongest: small words that happen to come along
  for (const Word& word : words) {
    const bool strong = word.weight >= k_weak * words.front().weight;
    if (strong && word.number < words_.size()) reason.words.push_back(words_[word.number]);
  }
  for (Index j = 0; j < features; ++j) {
    const double place = own[at(j)] - mean_[at(j)], usual = mean[at(j)] - mean_[at(j)];
    const double value = data_.x.at(row, j);
    constexpr double k_clear = 0.1;
    if (std::isnan(value) || std::abs(place * usual) < k_clear) continue;
    reason.features.push_back({.column = j, .value = value, .place = place, .usual = usual});
  }
  keep_largest(reason.features, k_features,
               [](const TellingFeature& one) { return std::abs(one.place * one.usual); });
}

}  // namespace mulberry::evaluate

#include "mulberry/data/text/text_step.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

// The features of all columns, side by side.
Csr side_by_side(std::vector<Csr> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Features out = std::move(parts.front());
  for (std::size_t k = 1; k < parts.size(); ++k) out = join_columns(out, std::move(parts[k]));
  return to_sparse(out);
}

}  // namespace

Index TextStep::columns() const {
  Index out = 0;
  for (const Vectoriser& part : parts) out += part.columns();
  return out;
}

std::vector<std::string> TextStep::feature_names() const {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (Index c = 0; c < parts[k].columns(); ++c) out.push_back(names[k] + ":" + parts[k].term(c));
  }
  return out;
}

TextStep TextStep::fit(const Dataset& data, const Features& other, const TextOptions& options,
                       const Context& ctx, Features& joined) {
  TextStep out;
  std::vector<Csr> features;
  for (const TextColumn& column : data.texts) {
    out.names.push_back(column.name);
    try {
      out.parts.push_back(Vectoriser::fit(column.texts, options, ctx, &features.emplace_back()));
    } catch (const Error& error) {
      throw error.and_then(" in the column " + in_quotes(column.name));
    }
  }
  joined = features.empty() ? other : join_columns(other, side_by_side(std::move(features)));
  return out;
}

Features TextStep::apply(const Dataset& data, const Features& other, const Context& ctx) const {
  if (empty()) return other;
  std::vector<Csr> features;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto found = std::ranges::find(data.texts, names[k], &TextColumn::name);
    if (found == data.texts.end()) {
      throw Error(
          Code::data,
          "expected the column of text " + in_quotes(names[k]) + ", as in training, found none",
          "Use data with the columns of the training data, and name its text in " +
              mention("text"));
    }
    features.push_back(parts[k].apply(found->texts, ctx));
  }
  return join_columns(other, side_by_side(std::move(features)));
}

Features join_columns(const Features& left, Csr right) {
  if (left.cols() == 0) return right;
  const Csr first = to_sparse(left);
  const auto stored = first.index.size() + right.index.size();
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  start.reserve(at(right.rows) + 1);
  index.reserve(stored);
  value.reserve(stored);
  const auto width = static_cast<Id>(first.cols);
  for (Index i = 0; i < right.rows; ++i) {
    const SparseRow a = first.row(i), b = right.row(i);
    index.insert(index.end(), a.index.begin(), a.index.end());
    value.insert(value.end(), a.value.begin(), a.value.end());
    for (const Id j : b.index) index.push_back(width + j);
    value.insert(value.end(), b.value.begin(), b.value.end());
    start.push_back(count_of(index));
  }
  return Csr{right.rows, first.cols + right.cols, std::move(start), std::move(index),
             std::move(value)};
}

View outline_of(const Dataset& data, Features& storage) {
  View out = view_of(data);
  if ((data.texts.empty() && data.words.empty()) || data.columns() > 0) return out;
  storage = Csr{data.rows(), 1, std::vector<Index>(at(data.rows()) + 1, 0), std::vector<Id>{},
                std::vector<double>{}};
  out.x = &storage;
  return out;
}

}  // namespace mulberry::data

#include "mulberry/evaluate/shuffled_importance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/random.hpp"
#include "mulberry/measures/areas.hpp"

namespace mulberry::evaluate {
namespace {

// Columns [begin, begin + size) of x, or the text column `text`.
struct Group {
  std::string name;
  Index begin = 0, size = 0, text = -1;
};

// "colour" of the columns "colour=red" and "colour=blue".
std::string attribute_name(const std::string& column) { return column.substr(0, column.find('=')); }

std::vector<Group> groups_of(const Dataset& data) {
  std::vector<Group> out;
  const auto name_of = [&](Index j) {
    return data.feature_names.empty() ? fmt::format("feature {}", j + 1)
                                      : data.feature_names[at(j)];
  };
  auto nominal = data.nominal_columns.begin();
  for (Index j = 0; j < data.columns();) {
    Group group{.name = name_of(j), .begin = j, .size = 1};
    if (nominal != data.nominal_columns.end() && nominal->begin == j) {
      group.size = nominal->size;
      if (group.size > 1) group.name = attribute_name(group.name);
      ++nominal;
    }
    j += group.size;
    out.push_back(std::move(group));
  }
  for (std::size_t t = 0; t < data.texts.size(); ++t) {
    out.push_back({.name = data.texts[t].name, .text = static_cast<Index>(t)});
  }
  return out;
}

Features shuffled_dense(const Features& x, const Group& group, std::span<const Id> from) {
  Matrix out(static_cast<MatrixView>(to_dense(x)));
  for (Index i = 0; i < x.rows(); ++i) {
    const auto source = x.dense_row(from[at(i)]);
    std::copy_n(source.begin() + group.begin, group.size, out.row(i).begin() + group.begin);
  }
  return Features(std::move(out));
}

Features shuffled_sparse(const Features& x, const Group& group, std::span<const Id> from) {
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  const auto end = static_cast<Id>(group.begin + group.size);
  const auto add = [&](const SparseRow& row, Id low, Id high) {
    const auto first = std::ranges::lower_bound(row.index, low);
    const auto last = std::ranges::lower_bound(row.index, high);
    const auto place = first - row.index.begin(), count = last - first;
    index.insert(index.end(), first, last);
    value.insert(value.end(), row.value.begin() + place, row.value.begin() + place + count);
  };
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow own = x.sparse_row(i);
    add(own, 0, static_cast<Id>(group.begin));
    add(x.sparse_row(from[at(i)]), static_cast<Id>(group.begin), end);
    add(own, end, std::numeric_limits<Id>::max());
    start.push_back(count_of(index));
  }
  return Features(Csr{.rows = x.rows(),
                      .cols = x.cols(),
                      .start = Array<Index>(std::move(start)),
                      .index = Array<Id>(std::move(index)),
                      .value = Array<double>(std::move(value))});
}

void shuffle(Dataset& data, const Group& group, std::span<const Id> from) {
  if (group.text >= 0) {
    Texts& texts = data.texts[at(group.text)].texts;
    texts = pick_rows(texts, from);
  } else {
    data.x = data.x.is_sparse() ? shuffled_sparse(data.x, group, from)
                                : shuffled_dense(data.x, group, from);
  }
}

std::vector<double> label_aucs(const TrainedModel& model, const Dataset& data, const Labels& truth,
                               const Context& ctx) {
  const Prediction prediction = model.predict(data, ctx);
  const Outcome outcome{.scores = &prediction.scores};
  std::vector<double> out;
  for (const LabelAreas& label : label_areas(truth, outcome, 0.5, ctx)) {
    out.push_back(label.auc);
  }
  return out;
}

std::vector<Id> drawn_rows(Index rows, Index most) {
  std::vector<Id> out(at(rows));
  std::iota(out.begin(), out.end(), 0);
  if (rows > most) {
    Random(0, "importance rows").shuffle(std::span(out));
    out.resize(at(most));
    std::ranges::sort(out);
  }
  return out;
}

}  // namespace

Index shuffled_features(const Dataset& test) { return count_of(groups_of(test)); }

ShuffledImportance shuffled_importance(const TrainedModel& model, const Dataset& test,
                                       Index most_rows, const Context& ctx) {
  const Dataset data = take_rows(test, drawn_rows(test.rows(), most_rows));
  const Labels truth = align_labels(data, model.label_names, model.sets);
  const std::vector<double> whole = label_aucs(model, data, truth, ctx.quiet());
  const std::vector<Group> groups = groups_of(data);
  ShuffledImportance out{.rows = data.rows()};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double share = static_cast<double>(g) / static_cast<double>(groups.size());
    ctx.step(share);
    std::vector<Id> from(at(data.rows()));
    std::iota(from.begin(), from.end(), 0);
    Random(0, "importance", g).shuffle(std::span(from));
    Dataset changed = data;
    shuffle(changed, groups[g], from);
    ShuffledFeature feature{.name = groups[g].name,
                            .per_label = label_aucs(model, changed, truth, ctx.quiet())};
    Index defined = 0;
    for (std::size_t l = 0; l < whole.size(); ++l) {
      feature.per_label[l] = whole[l] - feature.per_label[l];
      if (std::isfinite(feature.per_label[l])) {
        feature.loss += feature.per_label[l];
        ++defined;
      }
    }
    if (defined > 0) feature.loss /= static_cast<double>(defined);
    out.features.push_back(std::move(feature));
  }
  std::ranges::stable_sort(out.features,
                           [](const auto& a, const auto& b) { return a.loss > b.loss; });
  return out;
}

}  // namespace mulberry::evaluate

// linear: random linear multi-label data of any size, dense or sparse.
// Cost O(stored values * labels); memory one score per row and running label.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/generate/generators.hpp"

namespace mulberry::data::generators {
namespace {

Features dense_features(const GenerateOptions& options, const Context& ctx) {
  Matrix x(options.rows, options.features);
  double* values = x.data();
  parallel_chunks(ctx, options.rows, 1024, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random = ctx.rng("generate.linear.x", static_cast<std::uint64_t>(i));
      for (Index j = 0; j < options.features; ++j) {
        values[i * options.features + j] = random.normal();
      }
    }
  });
  return x;
}

// The columns of a row are found by geometric jumps, so the cost is proportional to the stored
// values.
Features sparse_features(const GenerateOptions& options, const Context& ctx) {
  const double density = 1.0 - options.sparsity;
  const double log_sparsity = std::log(options.sparsity);
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  for (Index i = 0; i < options.rows; ++i) {
    if (i % 1024 == 0) ctx.check();
    Random random = ctx.rng("generate.linear.x", static_cast<std::uint64_t>(i));
    for (Index j = -1; density > 0;) {
      const double jump = std::floor(std::log(1.0 - random.uniform()) / log_sparsity);
      if (jump >= static_cast<double>(options.features - j - 1)) break;
      j += 1 + static_cast<Index>(jump);
      index.push_back(static_cast<Id>(j));
      value.push_back(random.normal());
    }
    start.push_back(count_of(index));
  }
  return Csr{options.rows, options.features, std::move(start), std::move(index), std::move(value)};
}

// Frequencies proportional to 1/sqrt(l), at most 1 each, that add up to the cardinality: the excess
// of capped labels goes to the others.
std::vector<double> frequencies(const GenerateOptions& options) {
  const auto labels = at(options.labels);
  std::vector<double> frequency(labels);
  double rest = options.cardinality, weights = 0;
  for (std::size_t l = 0; l < labels; ++l) weights += 1.0 / std::sqrt(static_cast<double>(l + 1));
  for (std::size_t l = 0; l < labels; ++l) {  // decreasing, so capped ones come first
    const double weight = 1.0 / std::sqrt(static_cast<double>(l + 1));
    frequency[l] = std::min(1.0, rest * weight / weights);
    rest -= frequency[l];
    weights -= weight;
  }
  return frequency;
}

std::vector<Id> highest_rows(const std::vector<double>& scores, Index count) {
  std::vector<Id> rows(scores.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto higher = [&](Id a, Id b) {
    const double sa = scores[at(a)], sb = scores[at(b)];
    return sa != sb ? sa > sb : a < b;
  };
  if (count < count_of(rows)) {
    std::nth_element(rows.begin(), rows.begin() + count, rows.end(), higher);
  }
  rows.resize(at(count));
  return rows;
}

}  // namespace

Dataset linear(const GenerateOptions& options, const Context& ctx) {
  Dataset data;
  data.x = options.sparsity > 0 ? sparse_features(options, ctx) : dense_features(options, ctx);
  const auto n = static_cast<double>(options.rows);
  const std::vector<double> frequency = frequencies(options);
  const double spread =
      std::sqrt(std::max(1.0, static_cast<double>(options.features) * (1.0 - options.sparsity)));
  const double signal = std::sqrt(1.0 - options.noise * options.noise) / spread;
  std::vector<std::vector<Id>> rows_of(at(options.labels));
  parallel_for(ctx, options.labels, [&](Index l) {
    const auto label = at(l);
    Random random = ctx.rng("generate.linear.direction", label);
    std::vector<double> direction(at(options.features));
    for (double& w : direction) w = random.normal();
    Random noise = ctx.rng("generate.linear.noise", label);
    std::vector<double> scores(at(options.rows));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = signal * data.x.row_dot(static_cast<Index>(i), direction) +
                  options.noise * noise.normal();
    }
    rows_of[label] = highest_rows(scores, static_cast<Index>(std::llround(frequency[label] * n)));
  });
  std::vector<std::vector<Id>> positives(at(options.rows));
  for (std::size_t l = 0; l < rows_of.size(); ++l) {
    for (const Id i : rows_of[l]) positives[at(i)].push_back(static_cast<Id>(l));
  }
  data.y = Labels(options.labels, positives);
  data.feature_names = numbered("x", options.features);
  data.label_names = numbered("label", options.labels);
  return data;
}

}  // namespace mulberry::data::generators

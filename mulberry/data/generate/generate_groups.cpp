// data-inde, data-equal, data-union: labels that are thresholds of sums of feature groups, and
// variants in which some of them depend on each other (after Huang, Yu and Zhou, KDD 2012).
#include <array>
#include <cmath>
#include <string>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/generate/generators.hpp"

namespace mulberry::data::generators {
namespace {

constexpr int k_groups = 4;
constexpr int k_group_size = 5;

// P(sum of five uniforms <= t): the Irwin-Hall distribution.
double sum_distribution(double t) {
  double total = 0, sign = 1, binomial = 1;
  for (int k = 0; k <= k_group_size && k < t; ++k) {
    total += sign * binomial * std::pow(t - k, k_group_size);
    sign = -sign;
    binomial = binomial * (k_group_size - k) / (k + 1);
  }
  return total / 120.0;  // 5!
}

// The t that a sum of five uniforms exceeds with the given probability.
double threshold_of(double prevalence) {
  double low = 0, high = k_group_size;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (1.0 - sum_distribution(middle) > prevalence ? low : high) = middle;
  }
  return high;
}

using Flags = std::array<bool, k_groups>;

template <class Tie>
Dataset from_groups(const GenerateOptions& options, const Context& ctx, const Tie& tie) {
  const double threshold = threshold_of(options.prevalence);
  Matrix x(options.rows, k_groups * k_group_size);
  double* values = x.data();
  std::vector<std::vector<Id>> positives(at(options.rows));
  parallel_chunks(ctx, options.rows, 1024, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random = ctx.rng("generate.groups", static_cast<std::uint64_t>(i));
      double* row = values + i * k_groups * k_group_size;
      Flags on{};
      for (int g = 0; g < k_groups; ++g) {
        double sum = 0;
        for (int j = 0; j < k_group_size; ++j) sum += * row++ = random.uniform();
        on[at(g)] = sum > threshold;
      }
      tie(on);
      auto& labels = positives[at(i)];
      for (int g = 0; g < k_groups; ++g) {
        if (on[at(g)]) labels.push_back(g);
      }
      if (labels.empty()) labels.push_back(k_groups);
    }
  });
  Dataset data;
  data.x = std::move(x);
  data.y = Labels(k_groups + 1, positives);
  for (int g = 0; g < k_groups; ++g) {
    for (int j = 1; j <= k_group_size; ++j) {
      data.feature_names.push_back(std::string(1, static_cast<char>('a' + g)) + std::to_string(j));
    }
  }
  data.label_names = {"L1", "L2", "L3", "L4", "L5"};
  return data;
}

}  // namespace

Dataset data_inde(const GenerateOptions& options, const Context& ctx) {
  return from_groups(options, ctx, [](Flags&) {});
}

Dataset data_equal(const GenerateOptions& options, const Context& ctx) {
  return from_groups(options, ctx, [](Flags& on) {
    on[1] = on[0];
    on[3] = on[2];
  });
}

Dataset data_union(const GenerateOptions& options, const Context& ctx) {
  return from_groups(options, ctx, [](Flags& on) { on[0] = on[1] || on[2] || on[3]; });
}

}  // namespace mulberry::data::generators

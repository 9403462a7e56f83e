// label-sets: exclusive sets of classes with a chosen dependence between them.
#include <cmath>
#include <string>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/generate/generators.hpp"

namespace mulberry::data::generators {

Dataset label_sets(const GenerateOptions& options, const Context& ctx) {
  Dataset data;
  Id labels = 0;
  for (std::size_t s = 0; s < options.set_sizes.size(); ++s) {
    const std::string name = "set" + std::to_string(s + 1);
    data.sets.names.push_back(name);
    auto& members = data.sets.members.emplace_back();
    for (Index c = 0; c < options.set_sizes[s]; ++c) {
      members.push_back(labels++);
      data.label_names.push_back(name + "=c" + std::to_string(c + 1));
    }
  }
  Matrix centres(labels, options.features);
  Random centre = ctx.rng("generate.sets.centres");
  for (Index k = 0; k < centres.rows(); ++k) {
    for (double& value : centres.row(k)) value = centre.normal();
  }

  const double share = std::sqrt(1.0 - options.noise * options.noise) /
                       static_cast<double>(options.set_sizes.size());
  Matrix x(options.rows, options.features);
  double* values = x.data();
  std::vector<std::vector<Id>> positives(at(options.rows));
  parallel_chunks(ctx, options.rows, 1024, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random = ctx.rng("generate.sets.row", static_cast<std::uint64_t>(i));
      double* row = values + i * options.features;
      Index first = 0;
      for (std::size_t s = 0; s < options.set_sizes.size(); ++s) {
        const Index size = options.set_sizes[s];
        const bool copies = s > 0 && random.chance(options.dependence);
        const Index c = copies ? first * size / options.set_sizes[0] : random.below(size);
        if (s == 0) first = c;
        const Id label = data.sets.members[s][at(c)];
        positives[at(i)].push_back(label);
        for (Index j = 0; j < options.features; ++j) row[j] += share * centres(label, j);
      }
      for (Index j = 0; j < options.features; ++j) row[j] += options.noise * random.normal();
    }
  });
  data.x = std::move(x);
  data.y = Labels(labels, positives);
  data.feature_names = numbered("x", options.features);
  return data;
}

}  // namespace mulberry::data::generators

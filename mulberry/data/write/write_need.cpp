#include "mulberry/data/write/write_need.hpp"

#include "mulberry/core/index.hpp"

namespace mulberry::data {

WriteNeed need_to_write(const Dataset& data, Format format) {
  const bool sparse = data.x.is_sparse();
  const std::size_t rows = at(data.rows()), cells = rows * at(data.columns()),
                    labels = data.has_labels ? at(data.y.count()) : 0;
  // Every number of a text has a separator.
  constexpr std::size_t k_shortest = 2;
  switch (format) {
    case Format::npz: {
      if (sparse) return {};
      const std::size_t table =
          rows * labels * (data.y.has_missing() ? sizeof(double) : std::size_t{1});
      return {.memory = table, .file = table + cells * sizeof(double)};
    }
    case Format::csv:
    case Format::tsv:
      return {.file = k_shortest * (cells + (data.labels_listed ? rows : rows * labels))};
    case Format::arff:
      return {.file = sparse ? 0 : k_shortest * (cells + rows * labels)};
    case Format::jsonl: {
      std::size_t keys = 0;
      for (const auto& name : data.feature_names) keys += name.size() + 4;
      if (!data.labels_listed) {
        for (const auto& name : data.label_names) keys += name.size() + 4;
      }
      return {.file = rows * keys};
    }
    case Format::libsvm:
    case Format::xmlrepo:
      return {};
  }
  return {};
}

}  // namespace mulberry::data

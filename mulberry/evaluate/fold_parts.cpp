#include "mulberry/evaluate/fold_parts.hpp"

#include "mulberry/core/index.hpp"

namespace mulberry::evaluate {
namespace {

void keep_columns(Dataset& data, std::span<const Id> columns) {
  data.x = take_columns(data.x, columns);
  if (data.feature_names.empty()) return;
  std::vector<std::string> names;
  for (const Id j : columns) names.push_back(data.feature_names[at(j)]);
  data.feature_names = std::move(names);
}

}  // namespace

FoldParts fold_parts(const Dataset& data, const Fold& fold, const CompleteSpec& spec) {
  FoldParts out{take_rows(data, fold.train), take_rows(data, fold.test)};
  if (data.rows() == data.columns() && takes_kernel_values(spec)) {
    keep_columns(out.train, fold.train);
    keep_columns(out.test, fold.train);
  }
  return out;
}

}  // namespace mulberry::evaluate

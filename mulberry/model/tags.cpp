#include "mulberry/model/tags.hpp"

namespace mulberry::model {

std::vector<std::string> tag_names(const Tags& tags) {
  std::vector<std::string> out;
  const auto add = [&](bool set, const char* name) {
    if (set) out.emplace_back(name);
  };
  add(tags.sparse, "sparse");
  add(tags.kernel, "kernel");
  add(tags.missing_labels, "missing_labels");
  add(tags.labels_apart, "labels_apart");
  add(tags.missing_features, "missing_features");
  add(tags.probabilities, "probabilities");
  add(tags.weights, "weights");
  add(tags.label_sets, "label_sets");
  add(tags.label_rules, "label_rules");
  add(tags.anytime, "anytime");
  add(tags.warm_start, "warm_start");
  add(tags.distances, "distances");
  add(tags.label_blocks, "label_blocks");
  add(tags.tree_blocks, "tree_blocks");
  add(tags.baseline, "baseline");
  add(tags.row_sums, "row_sums");
  return out;
}

}  // namespace mulberry::model

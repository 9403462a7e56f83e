#include "mulberry/data/read/numbered_labels.hpp"

#include <algorithm>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/data/label_sets.hpp"
#include "mulberry/data/read/label_xml.hpp"

namespace mulberry::data {
namespace {

[[noreturn]] void fail_implausible(const std::string& what, Index count, const Place& where) {
  throw Error(Code::format,
              "expected a plausible number of " + what + "s, found " + std::to_string(count) +
                  ", far more than the file has entries",
              "Check the largest " + what + " number", where);
}

}  // namespace

NumberedLabels label_names_from_options(const ReadOptions& options, const std::string& path) {
  const bool by_column = options.label_count < 0 || !options.label_prefix.empty() ||
                         !options.label_columns.empty() || !options.label_pattern.empty() ||
                         !options.label_list.empty() || !options.weight_column.empty();
  if (by_column) {
    throw Error(Code::usage,
                "expected no option that names columns, found one although the columns of this "
                "file have no names",
                "Leave it out: the file itself says which labels per row has. " +
                    mention("label_count", "N") +
                    " says "
                    "how many there are, " +
                    mention("label_xml", "FILE") + " names them",
                {path});
  }
  NumberedLabels out;
  if (options.label_xml.empty()) return out;
  const LabelXml xml = read_label_xml(options.label_xml);
  for (const auto& label : xml.labels) {
    out.names.push_back(label.name);
    out.parents.push_back(label.parent);
  }
  out.rules = xml.rules;
  for (const auto& [name, labels] : xml.sets) {
    std::vector<Id>& members = out.sets.members.emplace_back();
    for (const std::string& label : labels) {
      const auto found = std::find(out.names.begin(), out.names.end(), label);
      members.push_back(static_cast<Id>(found - out.names.begin()));
    }
    std::sort(members.begin(), members.end());
    out.sets.names.push_back(name);
  }
  return out;
}

void require_plausible_labels(Index labels, Index evidence, const Place& where) {
  constexpr Index k_always = Index{1} << 17, k_for_each = 16;
  if (labels > k_always + k_for_each * evidence) fail_implausible("label", labels, where);
}

void require_plausible_features(Index features, Index evidence, const Place& where) {
  constexpr Index k_always = Index{1} << 24, k_for_each = 64;  // the width of hashed words
  if (features > k_always + k_for_each * evidence) fail_implausible("feature", features, where);
}

void name_labels(Dataset& data, NumberedLabels labels, const ReadOptions& options) {
  data.label_names = std::move(labels.names);
  for (Index l = count_of(data.label_names); l < data.labels(); ++l) {
    data.label_names.push_back(std::to_string(l));
  }
  const auto nested = [](Id parent) { return parent >= 0; };
  if (std::any_of(labels.parents.begin(), labels.parents.end(), nested)) {
    data.rules.parent = std::move(labels.parents);
  }
  add_rules(data.rules, labels.rules, data.label_names, "the label file");
  if (!labels.sets.empty()) data.sets = std::move(labels.sets);
  if (!options.label_sets.empty()) {
    data.sets = label_sets_by_prefix(data.label_names, options.label_sets);
  }
  require_label_sets(data.y, data.sets);
}

}  // namespace mulberry::data

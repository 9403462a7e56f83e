#include "mulberry/data/label_sets.hpp"

#include <algorithm>
#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {

LabelSets label_sets_by_prefix(std::span<const std::string> label_names,
                               std::span<const std::string> sets) {
  LabelSets out;
  for (const std::string& set : sets) {
    std::vector<Id> members;
    for (std::size_t l = 0; l < label_names.size(); ++l) {
      if (label_names[l].starts_with(set + "=")) members.push_back(static_cast<Id>(l));
    }
    if (members.empty()) {
      throw Error(Code::usage,
                  "expected a column or the prefix before '=' of labels in " +
                      mention("label_sets") + ", found " + in_quotes(set),
                  did_you_mean(set, label_names, "Name the labels of a set set=value"));
    }
    out.names.push_back(set);
    out.members.push_back(std::move(members));
  }
  return out;
}

void sort_names(std::vector<std::string>& names) {
  const bool numbers = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return parse_integer(name).has_value();
  });
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return numbers ? std::pair(*parse_integer(a), a) < std::pair(*parse_integer(b), b) : a < b;
  });
}

}  // namespace mulberry::data

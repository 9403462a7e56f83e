// Roles: what each column of a file with named columns (ARFF, CSV) is for: a feature, a label, a
// list of labels, an exclusive set of labels, or the weights of the rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

enum class Role { feature, label, label_list, label_set, weight };

struct Roles {
  std::vector<Role> of = {};  // one a column
  bool has_labels = true;
  std::vector<std::string> prefix_sets = {};   // sets among binary labels: the prefix before '='
  std::vector<LabelXml::Set> named_sets = {};  // sets among binary labels that the XML declares
  std::vector<Id> label_parent = {};  // for each label column, in file order; empty: no hierarchy
  Role operator[](std::size_t column) const { return of[column]; }
};

// What the file itself says about its labels; options beat it.
struct LabelHints {
  std::optional<LabelXml> xml = {};  // found beside the data
  Index count = 0;                   // MEKA's -C: the first n columns, negative: the last n
  Place count_where = {};
};

// True when an option says which columns are labels, so that the file's own word does not matter.
bool names_labels(const ReadOptions& options);

// Throws Error when the options name no column, when they contradict each other, when nothing says
// which columns are labels (unless labels_optional), or when the hints disagree.
Roles choose_roles(std::span<const std::string> names, const ReadOptions& options,
                   const LabelHints& hints = {});

}  // namespace mulberry::data

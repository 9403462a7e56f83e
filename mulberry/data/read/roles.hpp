// Roles: the use of each column of a file with named columns (ARFF, CSV): a feature, a label, a
// list of labels, an exclusive set of labels, the weights of the rows, or none of these. A label
// that the file or a model knows never becomes a feature, whichever labels the options choose,
// unless OtherLabels::features says so: it would tell learners the answer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

enum class Role { feature, label, label_list, label_set, weight, ignored, text, words, id };

// Whether the words of a column are kept as they are, apart from the features.
inline bool is_apart(Role role) {
  return role == Role::text || role == Role::words || role == Role::id;
}

struct Roles {
  std::vector<Role> of = {};  // one per column
  bool has_labels = true;
  std::vector<std::string> prefix_sets = {};   // sets among binary labels: the prefix before '='
  std::vector<LabelXml::Set> named_sets = {};  // sets among binary labels that the XML declares
  std::vector<Id> label_parent = {};  // for each label column, in file order; empty: no hierarchy
  std::vector<std::size_t> hierarchy_columns = {};  // the column of each of these labels
  NamedRules named_rules = {};                      // further rules of the XML
  std::vector<std::string> notes = {};
  Role operator[](std::size_t column) const { return of[column]; }
};

// What the file says about its labels; options override it.
struct LabelHints {
  std::optional<LabelXml> xml = {};  // found next to the data
  Index count = 0;                   // MEKA's -C: the first n columns, negative: the last n
  Place count_where = {};
};

// True if an option says which columns are labels, so that the file need not say.
bool names_labels(const ReadOptions& options);

// "the labels 'a', 'b' and 7 more are neither labels nor features here (...)"; in quotes already.
std::string left_out_note(std::span<const std::string> labels);

// Throws Error if the options name no column or contradict each other, if nothing says which
// columns are labels (unless labels_optional), or if the hints disagree.
Roles choose_roles(std::span<const std::string> names, const ReadOptions& options,
                   const LabelHints& hints = {});

}  // namespace mulberry::data

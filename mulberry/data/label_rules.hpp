// LabelRules: what is known about labels apart from the rows. A hierarchy says that a row with a
// label also has the label's parent, an implication says the same of any two labels, and of an
// exclusive group a row has at most one label. Declared by the user or the file, never guessed;
// rows may break them (describe counts how many).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mulberry/data/labels.hpp"

namespace mulberry::data {

struct Implication {
  Id label = 0, implied = 0;
  auto operator<=>(const Implication&) const = default;
};

struct LabelRules {
  std::vector<Id> parent = {};  // of each label, or -1; empty: no hierarchy
  std::vector<Implication> implied = {};
  std::vector<std::vector<Id>> exclusive = {};  // each in increasing order

  bool empty() const { return parent.empty() && implied.empty() && exclusive.empty(); }
  bool implies() const { return !parent.empty() || !implied.empty(); }
  // All implications, also of the hierarchy, in increasing order and each once.
  std::vector<Implication> implications() const;
  bool operator==(const LabelRules&) const = default;
};

// Rules by name, as users and files give them.
struct NamedRules {
  std::vector<std::pair<std::string, std::string>> implied = {};
  std::vector<std::vector<std::string>> exclusive = {};
  bool empty() const { return implied.empty() && exclusive.empty(); }
  bool operator==(const NamedRules&) const = default;
};

// Names instead of numbers; the hierarchy becomes implications.
NamedRules named_rules(const LabelRules& rules, std::span<const std::string> names);

// Adds rules by name. Throws Error (usage) for a name that is no label, a label that implies
// itself, and a group of fewer than two; `source` says where the rules come from. With `some`,
// labels may be absent: what the rules say about the others is kept (a implies c if a implies b and
// b implies c), and the number of rules that name absent labels is returned.
Index add_rules(LabelRules& rules, const NamedRules& given, std::span<const std::string> names,
                const std::string& source, bool some = false);

// The rules for labels in another order, or for some of them.
LabelRules reordered(const LabelRules& rules, std::span<const std::string> from,
                     std::span<const std::string> to);

// For each label, all labels that it implies, directly or not, in increasing order, itself left
// out.
std::vector<std::vector<Id>> all_implied(const LabelRules& rules, Index labels);

// The labels that the labels of rows imply: cells that are not positive become so. `added` counts
// them.
Labels with_implied(const Labels& y, const LabelRules& rules, Index* added = nullptr);

// A rule and the rows that break it: a label without one that it implies, or two of a group.
// Missing cells break nothing.
struct BrokenRule {
  std::string text = {};  // "'dog' without 'animal'", "more than one of 'a', 'b'"
  Index rows = 0;
  Index first = -1;  // the first such row
};
std::vector<BrokenRule> broken_rules(const Labels& y, const LabelRules& rules,
                                     std::span<const std::string> names);

}  // namespace mulberry::data

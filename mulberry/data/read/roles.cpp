#include "mulberry/data/read/roles.hpp"

#include <algorithm>
#include <functional>
#include <regex>
#include <unordered_map>
#include <unordered_set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/values/word_numbers.hpp"

namespace mulberry::data {
namespace {

const std::string k_ways = "Name them with one of " + mention("label_xml") + ", " +
                           mention("label_count") + ", " + mention("label_prefix") + ", " +
                           mention("label_columns") + ", " + mention("label_pattern") + ", " +
                           mention("label_list") + " or " + mention("label_sets");

using Names = std::span<const std::string>;
using Columns = std::unordered_map<std::string_view, std::size_t>;
using Chosen = std::vector<bool>;

std::size_t find_column(const Columns& columns, Names names, const std::string& name,
                        const std::string& option) {
  const auto found = columns.find(name);
  if (found != columns.end()) return found->second;
  constexpr std::size_t k_shown = 8;
  std::vector<std::string> some;
  for (const std::string& known : names.first(std::min(names.size(), k_shown))) {
    some.push_back(in_quotes(known));
  }
  throw Error(Code::usage,
              "expected a column of the data in " + option + ", found " + in_quotes(name),
              did_you_mean(
                  name, names,
                  "The columns are " + join(some, ", ") + (names.size() > k_shown ? ", ..." : "")));
}

[[noreturn]] void fail_repeated(const std::string& name, const std::string& option) {
  throw Error(Code::usage,
              "expected every name once in " + option + ", found " + in_quotes(name) + " twice",
              "Remove one of them, or correct it");
}

Chosen by_count(Names names, Index count, const std::string& source, const Place& where = {}) {
  const std::size_t size = at(count < 0 ? -count : count);
  if (size > names.size()) {
    throw Error(Code::data,
                "expected at most " + std::to_string(names.size()) +
                    " labels (the columns), found " + source,
                "Give the number of label columns, negative if they come last", where);
  }
  Chosen out(names.size(), false);
  const std::size_t begin = count < 0 ? names.size() - size : 0;
  std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(begin), size, true);
  return out;
}

// Empty if labels are optional and the data has none of them.
Chosen by_test(Names names, const std::function<bool(const std::string&)>& test,
               const std::string& option, bool optional) {
  Chosen out(names.size());
  std::transform(names.begin(), names.end(), out.begin(), test);
  if (std::find(out.begin(), out.end(), true) == out.end()) {
    if (optional) return {};
    throw Error(Code::usage, "expected label columns for " + option + ", found none",
                "Check the spelling, including upper and lower case");
  }
  return out;
}

Chosen by_pattern(Names names, const std::string& pattern, bool optional) {
  // Without back-references, libstdc++ matches in time linear in the name, and does not recurse;
  // its default takes forever on (a*)*b and overflows the stack on long names.
  constexpr auto k_linear = std::regex_constants::__polynomial;
  try {
    const std::regex regex(pattern, std::regex::ECMAScript | k_linear);
    return by_test(
        names, [&](const std::string& name) { return std::regex_match(name, regex); },
        mention("label_pattern", in_quotes(pattern)), optional);
  } catch (const std::regex_error&) {
    throw Error(Code::usage,
                "expected a regular expression without back-references in " +
                    mention("label_pattern") + ", found " + in_quotes(pattern),
                "Check its brackets and escapes");
  }
}

Chosen by_names(Names names, const Columns& columns, const std::vector<std::string>& labels,
                bool optional) {
  if (optional && std::none_of(labels.begin(), labels.end(),
                               [&](const std::string& name) { return columns.contains(name); })) {
    return {};
  }
  Chosen out(names.size(), false);
  for (const std::string& name : labels) {
    const std::size_t at = find_column(columns, names, name, mention("label_columns"));
    if (out[at]) fail_repeated(name, mention("label_columns"));
    out[at] = true;
  }
  return out;
}

Chosen by_xml(Names names, const Columns& columns, const LabelXml& xml, bool optional) {
  Chosen out(names.size(), false);
  const LabelXml::Label* unknown = nullptr;
  for (const auto& label : xml.labels) {
    const auto found = columns.find(label.name);
    if (found != columns.end()) {
      out[found->second] = true;
    } else if (unknown == nullptr) {
      unknown = &label;
    }
  }
  if (unknown == nullptr) return out;
  if (optional && std::find(out.begin(), out.end(), true) == out.end()) return {};
  throw Error(Code::format,
              "expected labels that are attributes of the data, found " + in_quotes(unknown->name),
              did_you_mean(unknown->name, names, "Check that the label file belongs to the data"),
              unknown->where);
}

std::vector<Id> hierarchy(Names names, const Chosen& chosen, const LabelXml& xml) {
  if (!xml.nested()) return {};
  std::unordered_map<std::string_view, Id> id;  // labels in the order of the file
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (chosen[j]) id.emplace(names[j], static_cast<Id>(id.size()));
  }
  std::vector<Id> out(id.size(), -1);
  for (const auto& label : xml.labels) {
    if (label.parent < 0) continue;
    out[at(id.at(label.name))] = id.at(xml.labels[at(label.parent)].name);
  }
  return out;
}

int ways_named(const ReadOptions& options) {
  return !options.label_xml.empty() + (options.label_count != 0) + !options.label_prefix.empty() +
         !options.label_columns.empty() + !options.label_pattern.empty() +
         !options.label_list.empty();
}

void require_one_way(const ReadOptions& options) {
  const int ways = ways_named(options);
  if (ways > 1) {
    throw Error(
        Code::usage, "expected one way of naming the labels, found " + std::to_string(ways),
        "Keep one of the options that name labels; " + mention("label_sets") + " may go with any");
  }
  if (!options.label_list.empty() && !options.label_sets.empty()) {
    throw Error(
        Code::usage,
        "expected " + mention("label_list") + " or " + mention("label_sets") + ", found both",
        "Keep one: a row has one label of each set, so a list of labels is not needed");
  }
}

bool has_role(const Roles& roles, Role role) {
  return std::find(roles.of.begin(), roles.of.end(), role) != roles.of.end();
}

bool in_prefix_set(const std::string& name, const Roles& roles) {
  return std::any_of(roles.prefix_sets.begin(), roles.prefix_sets.end(),
                     [&](const std::string& set) { return name.starts_with(set + "="); });
}

// The binary label columns, by option or hint; empty if nothing says which.
Chosen binary_labels(Names names, const Columns& columns, const ReadOptions& options,
                     const LabelHints& hints, Roles& roles) {
  if (!options.label_xml.empty() || (hints.xml && ways_named(options) == 0)) {
    const LabelXml xml = options.label_xml.empty() ? *hints.xml : read_label_xml(options.label_xml);
    // With sets, an unrelated label file next to the data may be there by chance.
    const bool optional =
        options.labels_optional || (options.label_xml.empty() && !options.label_sets.empty());
    const Chosen out = by_xml(names, columns, xml, optional);
    if (options.label_xml.empty() && hints.count != 0 && !out.empty() &&
        out !=
            by_count(names, hints.count, "-C " + std::to_string(hints.count), hints.count_where)) {
      throw Error(
          Code::format,
          "expected -C to name the same labels as the file " + in_quotes(xml.path) + ", found -C " +
              std::to_string(hints.count) + ", which names others",
          "Say which: " + mention("label_xml", "FILE") + " or " + mention("label_count", "N"),
          hints.count_where);
    }
    if (!out.empty()) {
      roles.label_parent = hierarchy(names, out, xml);
      roles.named_rules = xml.rules;
      for (std::size_t j = 0; j < names.size(); ++j) {
        if (out[j]) roles.hierarchy_columns.push_back(j);
      }
      if (options.label_sets.empty()) roles.named_sets = xml.sets;
    }
    return out;
  }
  if (options.label_count != 0)
    return by_count(names, options.label_count,
                    mention("label_count", std::to_string(options.label_count)));
  if (!options.label_prefix.empty()) {
    return by_test(
        names, [&](const std::string& name) { return name.starts_with(options.label_prefix); },
        mention("label_prefix", in_quotes(options.label_prefix)), options.labels_optional);
  }
  if (!options.label_columns.empty()) {
    return by_names(names, columns, options.label_columns, options.labels_optional);
  }
  if (!options.label_pattern.empty()) {
    return by_pattern(names, options.label_pattern, options.labels_optional);
  }
  if (hints.count != 0)
    return by_count(names, hints.count, "-C " + std::to_string(hints.count), hints.count_where);
  if (!options.known_labels.empty()) {
    const std::unordered_set<std::string_view> known(options.known_labels.begin(),
                                                     options.known_labels.end());
    return by_test(
        names, [&](const std::string& name) { return known.contains(name); },
        "the labels of the model", options.labels_optional);
  }
  if (roles.prefix_sets.empty()) return {};
  return by_test(
      names, [&](const std::string& name) { return in_prefix_set(name, roles); },
      mention("label_sets", join(roles.prefix_sets, ",")), options.labels_optional);
}

// Labels that the file or the model knows, and that were not chosen, are not features either.
void leave_out_other_labels(Names names, const Columns& columns, const ReadOptions& options,
                            const LabelHints& hints, Roles& roles) {
  if (options.other_labels == OtherLabels::features) return;
  std::vector<std::string> left_out;
  const auto leave_out = [&](std::size_t j, bool told) {
    if (roles.of[j] != Role::feature) return;
    roles.of[j] = Role::ignored;
    if (told) left_out.push_back(in_quotes(names[j]));
  };
  if (hints.xml) {
    for (const auto& label : hints.xml->labels) {
      const auto found = columns.find(label.name);
      if (found != columns.end()) leave_out(found->second, true);
    }
  }
  const auto count = std::min(at(std::abs(hints.count)), names.size());
  for (std::size_t k = 0; k < count; ++k) {
    leave_out(hints.count < 0 ? names.size() - 1 - k : k, true);
  }
  for (const std::string& label : options.known_labels) {
    const auto found = columns.find(label);
    if (found != columns.end()) leave_out(found->second, false);
  }
  if (!left_out.empty()) roles.notes.push_back(left_out_note(left_out));
}

void ignore_columns(Names names, const Columns& columns, const ReadOptions& options, Roles& roles) {
  for (const std::string& name : options.ignore) {
    if (options.remembered && !columns.contains(name)) continue;
    Role& role = roles.of[find_column(columns, names, name, mention("ignore"))];
    if (role == Role::label_list || role == Role::label_set) {
      throw Error(Code::usage,
                  "expected columns without another use in " + mention("ignore") + ", found " +
                      in_quotes(name) + ", which holds labels",
                  "Remove it from one of the two options");
    }
    role = Role::ignored;
  }
}

// Labels that are left out and sets of words, which add labels, change the numbers of labels: the
// hierarchy goes on by name, and a label without its parent gets the next one above.
void keep_hierarchy_of_others(Names names, Roles& roles) {
  const auto is_label = [&](std::size_t column) { return roles.of[column] == Role::label; };
  if (std::ranges::all_of(roles.hierarchy_columns, is_label) && !has_role(roles, Role::label_set)) {
    return;
  }
  for (std::size_t l = 0; l < roles.label_parent.size(); ++l) {
    const std::size_t column = roles.hierarchy_columns[l];
    if (!is_label(column)) continue;
    Id parent = roles.label_parent[l];
    while (parent >= 0 && !is_label(roles.hierarchy_columns[at(parent)])) {
      parent = roles.label_parent[at(parent)];
    }
    if (parent < 0) continue;
    roles.named_rules.implied.emplace_back(names[column],
                                           names[roles.hierarchy_columns[at(parent)]]);
  }
  roles.label_parent.clear();
}

// The columns of text and of ids, which nothing else may use.
void set_apart(Names names, const Columns& columns, const ReadOptions& options, Roles& roles) {
  const auto set = [&](const std::string& name, const std::string& option, Role to) {
    if (options.remembered && !columns.contains(name)) return;
    Role& role = roles.of[find_column(columns, names, name, option)];
    if (role != Role::feature && role != Role::ignored) {
      throw Error(Code::usage,
                  "expected a column without another use in " + option + ", found " +
                      in_quotes(name) + (role == to ? " twice" : ", which has one"),
                  "Remove it from one of the two");
    }
    role = to;
  };
  for (const std::string& name : options.text) set(name, mention("text"), Role::text);
  for (const std::string& name : options.target_columns) {
    set(name, mention("target_words"), Role::words);
  }
  if (!options.id_column.empty()) set(options.id_column, mention("id"), Role::id);
}

}  // namespace

std::string left_out_note(std::span<const std::string> labels) {
  constexpr std::size_t k_shown = 3;
  std::string out = labels.size() == 1 ? "the label " : "the labels ";
  out += join(labels.first(std::min(labels.size(), k_shown)), ", ");
  if (labels.size() > k_shown) out += " and " + std::to_string(labels.size() - k_shown) + " more";
  out += labels.size() == 1 ? " is neither a label nor a feature here"
                            : " are neither labels nor features here";
  return out + " (" + mention("other_labels", "features") + " would make " +
         (labels.size() == 1 ? "it a feature)" : "them features)");
}

bool names_labels(const ReadOptions& options) { return ways_named(options) > 0; }

namespace {

// Whether the file has the column that a feature comes from: its own, that of its word, or that of
// its date.
bool has_column(const std::string& feature, const Columns& columns, const WordNumbers& nominal,
                const std::unordered_set<std::string_view>& dates) {
  if (columns.contains(feature)) return true;
  const std::string_view date = std::string_view(feature).substr(0, feature.rfind(':'));
  if (dates.contains(date) && columns.contains(date)) return true;
  for (auto end = feature.find('='); end != std::string::npos; end = feature.find('=', end + 1)) {
    const std::string_view name = std::string_view(feature).substr(0, end);
    if (nominal.find(name) && columns.contains(name)) return true;
  }
  return false;
}

// A model has no use for columns that are none of its features; they may hold anything. If it lacks
// a feature, all are kept: the error will say what is in its place.
void ignore_unknown(Names names, const Columns& columns, const ReadOptions& options, Roles& roles) {
  if (!options.known_features) return;
  const WordNumbers nominal(options.known_nominal.names);
  std::unordered_set<std::string_view> dates;
  for (const ColumnForm& form : options.known_forms) {
    if (form.dates) dates.insert(form.name);
  }
  for (const std::string& feature : *options.known_features) {
    if (!has_column(feature, columns, nominal, dates)) return;
  }
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (roles.of[j] != Role::feature) continue;
    if (!options.known_features->contains(names[j]) && !nominal.find(names[j]) &&
        !dates.contains(names[j])) {
      roles.of[j] = Role::ignored;
    }
  }
}

}  // namespace

Roles choose_roles(std::span<const std::string> names, const ReadOptions& given,
                   const LabelHints& hints) {
  require_one_way(given);
  Roles roles;
  roles.of.assign(names.size(), Role::feature);
  Columns columns;
  for (std::size_t j = 0; j < names.size(); ++j) columns.emplace(names[j], j);
  ReadOptions options = given;
  // Data for a model that was trained with a list may have its labels as columns.
  if (options.labels_optional && !options.known_labels.empty() &&
      !columns.contains(options.label_list)) {
    options.label_list.clear();
  }

  for (auto set = options.label_sets.begin(); set != options.label_sets.end(); ++set) {
    if (std::find(options.label_sets.begin(), set, *set) != set) {
      fail_repeated(*set, mention("label_sets"));
    }
  }
  for (const std::string& set : options.label_sets) {
    const auto found = columns.find(set);
    if (found == columns.end()) {
      roles.prefix_sets.push_back(set);
    } else {
      roles.of[found->second] = Role::label_set;
    }
  }
  bool known_sets = false;
  for (const std::string& set : options.known_sets) {
    const auto found = columns.find(set);
    if (!options.label_sets.empty() || found == columns.end()) continue;
    roles.of[found->second] = Role::label_set;
    known_sets = true;
  }
  // A model may have labels in addition to its sets of words, or sets that are columns of 0 and 1
  // here.
  const bool known_columns =
      options.label_sets.empty() &&
      std::any_of(options.known_labels.begin(), options.known_labels.end(),
                  [&](const std::string& label) { return columns.contains(label); });
  const bool only_set_columns = (known_sets || !options.label_sets.empty()) &&
                                roles.prefix_sets.empty() && !names_labels(options) &&
                                !known_columns && !hints.xml && hints.count == 0;
  if (!options.label_list.empty() && options.labels_optional &&
      !columns.contains(options.label_list)) {
    roles.has_labels = false;
  } else if (!options.label_list.empty()) {
    roles.of[find_column(columns, names, options.label_list, mention("label_list"))] =
        Role::label_list;
  } else if (!only_set_columns) {
    const Chosen labels = binary_labels(names, columns, options, hints, roles);
    roles.has_labels = !labels.empty() || known_sets || has_role(roles, Role::label_set);
    // The columns of a set are labels, whichever way the others are named.
    for (std::size_t j = 0; j < labels.size(); ++j) {
      const bool label = labels[j] || in_prefix_set(names[j], roles);
      if (label && roles.of[j] == Role::feature) roles.of[j] = Role::label;
    }
    if (!roles.has_labels && !options.labels_optional) {
      throw Error(Code::usage, "expected an option that says which columns are labels, found none",
                  k_ways);
    }
  }
  ignore_columns(names, columns, options, roles);
  leave_out_other_labels(names, columns, options, hints, roles);
  keep_hierarchy_of_others(names, roles);
  if (!options.weight_column.empty()) {
    const std::size_t at =
        find_column(columns, names, options.weight_column, mention("weight_column"));
    if (roles.of[at] != Role::feature) {
      throw Error(
          Code::usage,
          "expected a separate column for the weights, found " + in_quotes(options.weight_column) +
              (roles.of[at] == Role::ignored ? ", which is left out" : ", which is a label"),
          "Name another column in " + mention("weight_column"));
    }
    roles.of[at] = Role::weight;
  }
  set_apart(names, columns, options, roles);
  ignore_unknown(names, columns, options, roles);
  return roles;
}

}  // namespace mulberry::data

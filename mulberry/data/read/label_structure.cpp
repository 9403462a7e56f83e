#include "mulberry/data/read/label_structure.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/bytes/text_reader.hpp"

namespace mulberry::data {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_largest_file = std::size_t{1} << 26;
constexpr const char* k_form =
    R"(Write rules as {"implies": [["dog", "animal"]], "exclusive": [["day", "night"]]})";

std::vector<std::string> names_of(const Json& list, const std::string& path) {
  std::vector<std::string> out;
  const auto is_text = [](const Json& value) { return value.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_text)) {
    throw Error(Code::format, "expected a list of labels, found " + in_quotes(list.dump()), k_form,
                {path});
  }
  for (const Json& name : list) out.push_back(name.get<std::string>());
  return out;
}

constexpr std::ptrdiff_t k_most_levels = 100;

// A path of n parts makes n labels, whose names take n times the room of the longest.
void require_levels(const Dataset& data, char separator) {
  for (const std::string& name : data.label_names) {
    const auto levels = std::count(name.begin(), name.end(), separator) + 1;
    if (levels <= k_most_levels) continue;
    throw Error(Code::data,
                "expected label paths of at most " + std::to_string(k_most_levels) +
                    " levels, found " + std::to_string(levels) + " in " + in_quotes(name),
                "Check the separator, or shorten the path");
  }
}

// Every prefix of a path is a label. Those without a column or a list entry are added after the
// others; they have the rows of the labels below them. A list that names a/b means a, too; a column
// of 0 and 1 says what it says. `some`: data for a model may have no such labels.
void add_paths(Dataset& data, char separator, bool some) {
  require_levels(data, separator);
  std::unordered_map<std::string, Id> number;
  for (std::size_t l = 0; l < data.label_names.size(); ++l) {
    number.emplace(data.label_names[l], static_cast<Id>(l));
  }
  const auto known = data.label_names.size();
  auto& parent = data.rules.parent;
  parent.resize(known, -1);
  for (std::size_t l = 0; l < data.label_names.size(); ++l) {
    const auto cut = data.label_names[l].rfind(separator);
    if (cut == std::string::npos || cut == 0) continue;
    const std::string above = data.label_names[l].substr(0, cut);
    const auto [found, added] = number.emplace(above, static_cast<Id>(data.label_names.size()));
    if (added) {
      data.label_names.push_back(above);
      parent.push_back(-1);
    }
    parent[l] = found->second;
  }
  if (std::ranges::all_of(parent, [](Id p) { return p < 0; })) {
    parent.clear();
    if (some) return;
    throw Error(Code::usage,
                "expected labels like a" + std::string(1, separator) + "b for " +
                    mention("label_paths") + ", found none with " +
                    in_quotes(std::string(1, separator)),
                "Check the separator, or leave the option out");
  }
  if (data.label_names.size() == known && !data.labels_listed) return;
  const Index labels = count_of(data.label_names);
  std::vector<std::vector<Id>> positives(at(data.rows())), missing(positives.size());
  std::vector<Id> row;
  for (Index i = 0; i < data.rows(); ++i) {
    row.assign(data.y.row(i).begin(), data.y.row(i).end());
    std::vector<Id>& unknown = missing[at(i)];
    unknown.assign(data.y.missing_row(i).begin(), data.y.missing_row(i).end());
    for (const Id label : data.y.row(i)) {
      for (Id l = parent[at(label)]; l >= 0; l = parent[at(l)]) {
        if (at(l) >= known || data.labels_listed) row.push_back(l);
      }
    }
    for (std::size_t k = 0; k < unknown.size(); ++k) {
      const Id l = parent[at(unknown[k])];
      if (l >= 0 && at(l) >= known) unknown.push_back(l);
    }
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    std::ranges::sort(unknown);
    unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
    std::erase_if(unknown, [&](Id l) { return std::ranges::binary_search(row, l); });
    positives[at(i)] = row;
  }
  data.y = Labels(labels, positives, missing);
  const Index more = labels - static_cast<Index>(known);
  if (more == 0) return;
  data.notes.push_back(std::to_string(more) + (more == 1 ? " label was" : " labels were") +
                       " added above the labels of the data, such as " +
                       in_quotes(data.label_names[known]));
}

}  // namespace

NamedRules parse_rules(std::string_view text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    throw Error(Code::format,
                "expected a JSON object with rules between labels, found another text", k_form,
                {path});
  }
  NamedRules out;
  for (const auto& [key, value] : json.items()) {
    if ((key != "implies" && key != "exclusive") || !value.is_array()) {
      throw Error(Code::format,
                  "expected lists under \"implies\" and \"exclusive\", found " + in_quotes(key),
                  k_form, {path});
    }
    for (const Json& rule : value) {
      std::vector<std::string> names = names_of(rule, path);
      if (key == "exclusive") {
        out.exclusive.push_back(std::move(names));
      } else if (names.size() == 2) {
        out.implied.emplace_back(std::move(names[0]), std::move(names[1]));
      } else {
        throw Error(Code::format,
                    "expected a label and one that it implies, found " +
                        std::to_string(names.size()) + " labels",
                    k_form, {path});
      }
    }
  }
  return out;
}

NamedRules read_rules_file(const std::string& path) {
  TextReader lines(path);
  std::string text;
  while (lines.next()) {
    if (text.size() + lines.line().size() > k_largest_file) {
      throw Error(Code::format, "expected rules of at most 64 MB, found a larger file",
                  "Check that this is the file of rules", {path});
    }
    text.append(lines.line()) += '\n';
  }
  return parse_rules(text, path);
}

std::string rules_text(const NamedRules& rules) {
  Json implies = Json::array(), exclusive = Json::array();
  for (const auto& [label, implied] : rules.implied) implies.push_back({label, implied});
  for (const auto& group : rules.exclusive) exclusive.push_back(group);
  std::string out = "{\"implies\": [";
  const auto list = [&](const Json& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      out += (k == 0 ? "\n  " : ",\n  ") + json_text(values[k]);
    }
  };
  list(implies);
  out += "],\n \"exclusive\": [";
  list(exclusive);
  return out + "]}\n";
}

std::string rules_beside(const std::string& data_path) {
  const std::filesystem::path path(std::string(without_compression(data_path)));
  return (path.parent_path() / path.stem()).string() + ".rules.json";
}

bool needs_rules_file(Format format) { return format != Format::arff && format != Format::npz; }

void add_structure(Dataset& data, const std::string& path, Format format,
                   const ReadOptions& options) {
  if (options.label_paths != 0) add_paths(data, options.label_paths, !options.known_labels.empty());
  std::string file = options.rules_file;
  std::error_code ignored;
  const bool beside = file.empty() && needs_rules_file(format) &&
                      std::filesystem::is_regular_file(rules_beside(path), ignored);
  if (beside) file = rules_beside(path);
  if (!file.empty()) {
    try {
      // Rules found by chance may be about labels that a part of the data lacks.
      const Index left_out =
          add_rules(data.rules, read_rules_file(file), data.label_names, in_quotes(file), beside);
      if (left_out > 0) {
        data.notes.push_back(std::to_string(left_out) +
                             (left_out == 1 ? " rule of " : " rules of ") + in_quotes(file) +
                             (left_out == 1 ? " names" : " name") +
                             " labels that this data lacks; what is said of the others is kept");
      }
    } catch (const Error& error) {
      throw error.in_file(file);
    }
  }
  add_rules(data.rules, options.rules, data.label_names,
            options.rules.implied.empty() ? mention("exclusive") : mention("implies"),
            options.remembered);
  if (!options.add_implied) return;
  Index added = 0;
  data.y = with_implied(data.y, data.rules, &added);
  if (added > 0) {
    data.notes.push_back(std::to_string(added) + (added == 1 ? " cell" : " cells") +
                         " got a label that another label of the row implies");
  }
}

}  // namespace mulberry::data

// mulberry list: the learners, what they can do, and their parameters.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/reference.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::cli {
namespace {

using Json = nlohmann::ordered_json;

Json param_json(const ParamInfo& info) {
  Json out = {{"name", info.name},
              {"type", type_name(info.type)},
              {"default", info.fallback},
              {"auto", info.automatic},
              {"help", info.help}};
  if (!info.choices.empty()) out["choices"] = info.choices;
  if (const std::string range = info.range.text(); !range.empty()) out["range"] = range;
  return out;
}

// Learners and base learners have the same fields.
template <class Entry>
Json entry_json(const Entry& entry, const char* kind) {
  Json params = Json::array();
  for (const ParamInfo& info : entry.params) params.push_back(param_json(info));
  return {{"id", entry.id},
          {"kind", kind},
          {"summary", entry.summary},
          {"reference", entry.reference},
          {"tags", tag_names(entry.tags)},
          {"parameters", params}};
}

template <class Entry>
std::string entry_text(const Entry& entry, const char* kind) {
  std::string out = fmt::format("{} ({}): {}\n", entry.id, kind, entry.summary);
  if (!entry.reference.empty()) out += "  reference: " + entry.reference + "\n";
  const auto tags = tag_names(entry.tags);
  out += "  can: " + (tags.empty() ? "dense data with complete labels" : join(tags, ", ")) + "\n";
  if (entry.params.empty()) return out + "  no parameters\n";
  out += "\n  parameter        default        meaning\n";
  for (const ParamInfo& info : entry.params) {
    out += fmt::format("  {:<16} {:<14} {}; {}\n", info.name, info.fallback, info.help,
                       info.expected());
  }
  return out;
}

template <class Entry>
std::string line(const Entry& entry) {
  return fmt::format("  {:<16} {}\n", entry.id, entry.summary);
}

std::string overview() {
  std::string out = "Learners\n";
  for (const Learner& learner : all_learners()) out += line(learner);
  out += "\nShort names\n";
  for (const Alias& alias : all_aliases())
    out += fmt::format("  {:<16} {}\n", alias.id, alias.spec.text());
  out += "\nBase learners, for parameters such as base=\n";
  for (const BaseLearner& base : base_learners()) out += line(base);
  return out +
         "\n`mulberry list NAME` shows the parameters of a learner, `mulberry list --can "
         "missing_labels`\nthe learners with that ability.\n";
}

Json all_json() {
  Json out = {{"learners", Json::array()}, {"bases", Json::array()}, {"aliases", Json::object()}};
  for (const Learner& learner : all_learners())
    out["learners"].push_back(entry_json(learner, "learner"));
  for (const BaseLearner& base : base_learners()) out["bases"].push_back(entry_json(base, "base"));
  for (const Alias& alias : all_aliases()) out["aliases"][alias.id] = alias.spec.text();
  return out;
}

// The learners with a tag, as text or JSON.
std::string learners_that(const std::string& tag, bool json) {
  std::vector<std::string> known;
  std::string text;
  Json found = Json::array();
  for (const Learner& learner : all_learners()) {
    const std::vector<std::string> tags = tag_names(learner.tags);
    known.insert(known.end(), tags.begin(), tags.end());
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) continue;
    text += line(learner);
    found.push_back(entry_json(learner, "learner"));
  }
  for (const Alias& alias : all_aliases()) {
    const std::vector<std::string> tags = tag_names(CompleteSpec(alias.spec).tags());
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) continue;
    text += fmt::format("  {:<16} short for {}\n", alias.id, alias.spec.text());
    found.push_back({{"id", alias.id}, {"stands_for", alias.spec.text()}, {"tags", tags}});
  }
  if (found.empty()) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw Error(Code::usage, "no learner has the tag " + in_quotes(tag),
                did_you_mean(tag, known, "The tags are " + join(known, ", ")));
  }
  return json ? Json{{"learners", found}}.dump() + "\n" : text;
}

// The name of a base learner may be misspelt, too.
const Learner& learner_named(const std::string& name) {
  const std::string id = resolve(Spec(name)).id;
  std::vector<std::string> known;
  for (const Learner& learner : all_learners()) {
    if (learner.id == id) return learner;
    known.push_back(learner.id);
  }
  for (const Alias& alias : all_aliases()) known.push_back(alias.id);
  for (const BaseLearner& base : base_learners()) known.push_back(base.id);
  throw Error(Code::usage, "there is no learner " + in_quotes(name),
              did_you_mean(name, known, "`mulberry list` shows all of them"));
}

int run_list(const Args& args) {
  const bool json = args.flag("json");
  if (args.flag("markdown")) {
    if (json || args.has("can") || !args.words().empty()) {
      throw Error(Code::usage, "--markdown prints the whole reference page",
                  "Leave out LEARNER, --json and --can");
    }
    print_data(reference_page());
    return 0;
  }
  if (args.has("can")) {
    if (!args.words().empty()) {
      throw Error(Code::usage, "--can searches all learners", "Leave out LEARNER");
    }
    print(learners_that(args.text("can"), json));
    return 0;
  }
  if (args.words().empty()) {
    print_data(json ? all_json().dump() + "\n" : overview());
    return 0;
  }
  const std::string& name = args.words()[0];
  for (const Alias& alias : all_aliases()) {
    if (alias.id != name || json) continue;
    print(fmt::format("{} is short for {}\n\n", alias.id, alias.spec.text()));
    if (const SpecValue* base = alias.spec.find("base")) {  // of either kind
      const std::string id = as_spec(*base).id;
      const auto bases = base_learners();
      const bool single = std::any_of(bases.begin(), bases.end(),
                                      [&](const BaseLearner& known) { return known.id == id; });
      print((single ? entry_text(find_base(id), "base learner")
                    : entry_text(learner_named(id), "learner")) +
            "\n");
    }
  }
  for (const BaseLearner& base : base_learners()) {
    if (base.id != name) continue;
    print_data(json ? entry_json(base, "base").dump() + "\n" : entry_text(base, "base learner"));
    return 0;
  }
  const Learner& learner = learner_named(name);
  print_data(json ? entry_json(learner, "learner").dump() + "\n" : entry_text(learner, "learner"));
  return 0;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .summary = "learners with their parameters",
          .usage = "[LEARNER] [--can TAG] [--json]",
          .example = "mulberry list br",
          .options = std::vector<Option>{{.name = "can",
                                          .value = "TAG",
                                          .help = "only learners with this ability: sparse, "
                                                  "missing_labels, probabilities, weights, ..."},
                                         {.name = "markdown",
                                          .help = "print the reference page of all learners"}} +
                     json_option(),
          .least = 0,
          .most = 1,
          .run = run_list};
}

}  // namespace mulberry::cli

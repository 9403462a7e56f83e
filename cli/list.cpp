// mulberry list: the learners, what they can do, and their parameters.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
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

// Learners and base learners have the same things to tell.
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
  out += "\n  parameter        default        what it is\n";
  for (const ParamInfo& info : entry.params) {
    out += fmt::format("  {:<16} {:<14} {}; {}\n", info.name, info.fallback, info.help,
                       info.expected());
  }
  return out;
}

std::string overview() {
  std::string out = "Learners\n";
  for (const Learner& learner : learners())
    out += fmt::format("  {:<16} {}\n", learner.id, learner.summary);
  out += "\nShort names\n";
  for (const Alias& alias : aliases())
    out += fmt::format("  {:<16} {}\n", alias.id, alias.spec.text());
  out += "\nBase learners, for parameters such as base=\n";
  for (const BaseLearner& base : base_learners())
    out += fmt::format("  {:<16} {}\n", base.id, base.summary);
  return out + "\n`mulberry list NAME` shows the parameters of one.\n";
}

Json all_json() {
  Json out = {{"learners", Json::array()}, {"bases", Json::array()}, {"aliases", Json::object()}};
  for (const Learner& learner : learners())
    out["learners"].push_back(entry_json(learner, "learner"));
  for (const BaseLearner& base : base_learners()) out["bases"].push_back(entry_json(base, "base"));
  for (const Alias& alias : aliases()) out["aliases"][alias.id] = alias.spec.text();
  return out;
}

int run_list(const Args& args) {
  const bool json = args.flag("json");
  if (args.words().empty()) {
    print(json ? all_json().dump() + "\n" : overview());
    return 0;
  }
  const std::string& name = args.words()[0];
  for (const Alias& alias : aliases()) {
    if (alias.id != name || json) continue;
    print(fmt::format("{} is short for {}\n\n", alias.id, alias.spec.text()));
    if (const SpecValue* base = alias.spec.find("base")) {
      print(entry_text(find_base(as_spec(*base).id), "base learner") + "\n");
    }
  }
  for (const BaseLearner& base : base_learners()) {
    if (base.id != name) continue;
    print(json ? entry_json(base, "base").dump() + "\n" : entry_text(base, "base learner"));
    return 0;
  }
  const Learner& learner = find_learner(resolve(Spec(name)).id);
  print(json ? entry_json(learner, "learner").dump() + "\n" : entry_text(learner, "learner"));
  return 0;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .summary = "learners with their parameters",
          .usage = "[LEARNER] [--json]",
          .example = "mulberry list br",
          .options = json_option(),
          .least = 0,
          .most = 1,
          .run = run_list};
}

}  // namespace mulberry::cli

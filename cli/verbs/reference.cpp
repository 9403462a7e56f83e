#include "cli/verbs/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "mulberry/core/text.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::cli {
namespace {

// A bar would end the cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

constexpr Tags k_all = {true, true, true, true, true, true, true, true,
                        true, true, true, true, true, true, true, true};

bool has_tag(const Tags& tags, const std::string& name) {
  const std::vector<std::string> names = tag_names(tags);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A column for every tag that some entry has.
template <class Entries>
std::string abilities(const Entries& entries) {
  std::vector<std::string> tags = tag_names(k_all);
  std::erase_if(tags, [&](const std::string& tag) {
    return std::none_of(entries.begin(), entries.end(),
                        [&](const auto& entry) { return has_tag(entry.tags, tag); });
  });
  std::string head = "| |", rule = "|---|", body;
  for (const std::string& tag : tags) {
    std::string words = tag;
    std::replace(words.begin(), words.end(), '_', ' ');
    head += fmt::format(" {} |", words);
    rule += ":-:|";
  }
  for (const auto& entry : entries) {
    body += fmt::format("| [{0}](#{0}) |", entry.id);
    for (const std::string& tag : tags) body += has_tag(entry.tags, tag) ? " ● |" : " |";
    body += '\n';
  }
  return head + '\n' + rule + '\n' + body + '\n';
}

template <class Entry>
std::string section(const Entry& entry) {
  std::string summary = entry.summary;
  summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(summary[0])));
  std::string out = fmt::format("### {}\n\n{}.", entry.id, summary);
  if (!entry.reference.empty()) out += fmt::format(" Reference: {}.", entry.reference);
  out += "\n\n";
  if (entry.params.empty()) return out + "No parameters.\n\n";
  out += "| parameter | default | meaning | values |\n|---|---|---|---|\n";
  for (const ParamInfo& info : entry.params) {
    out += fmt::format("| `{}` | `{}` | {} | {} |\n", info.name, info.fallback, cell(info.help),
                       cell(info.expected()));
  }
  return out + '\n';
}

}  // namespace

std::string reference_page() {
  std::string out =
      "# Learners and their parameters\n\n"
      "Made by `mulberry list --markdown`. With `fit` a parameter is a flag (`--C 2`), "
      "elsewhere\nit is written with the learner: `'ecc(chains=10, base=linear_svm(C=2))'`.\n\n"
      "## Abilities\n\n";
  out += abilities(all_learners());
  out +=
      "`sparse`: sparse data stays sparse. `kernel`: compares all pairs of rows. `labels apart`: "
      "the\n"
      "scores of a label are learnt from its own observed cells, whatever the others are. "
      "`distances`: "
      "the\n"
      "scales of features matter, see `--scale`. `anytime`: keeps its best model so far "
      "when\nstopped. `warm start`: continues from a saved model. `label sets`: needs exclusive "
      "sets.\n"
      "`label rules`: decisions obey rules between labels. `label blocks`, `tree blocks`: models "
      "of "
      "some\nlabels, or some trees, each trained elsewhere, can be put together as one. `row "
      "sums`: "
      "with a\nsmooth loss (not `loss=hinge`), training needs nothing but sums over rows, which "
      "parts "
      "of\nthem add to.\n\n"
      "## Short names\n\n| name | stands for |\n|---|---|\n";
  for (const Alias& alias : all_aliases()) {
    out += fmt::format("| `{}` | `{}` |\n", alias.id, alias.spec.text());
  }
  out += "\n## Learners\n\n";
  for (const Learner& learner : all_learners()) out += section(learner);
  out += "## Base learners\n\nFor parameters such as `base=`.\n\n";
  for (const BaseLearner& base : base_learners()) out += section(base);
  out.pop_back();  // one newline ends the page
  return out;
}

}  // namespace mulberry::cli

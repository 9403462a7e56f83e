#include "mulberry/study/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/study/study_data.hpp"
#include "mulberry/study/toml_tree.hpp"

namespace mulberry::study {
namespace {

using Kind = TomlValue::Kind;
constexpr Index k_most_of_grid = 1000, k_most_repeats = 10000;
constexpr double k_largest = 1e15;

TuneOptions tune_from(const TomlValue& value, const Spec& spec, const std::string& name) {
  const TomlSection section(value, name,
                            {"measure", "search", "grid", "trials", "folds", "holdout"});
  TuneOptions out;
  if (!section.has("measure")) {
    throw Error(Code::format, "expected a measure for " + name + ", found none",
                "For example: tune = {measure = \"micro_f1\"}", value.where);
  }
  out.measure = section.text("measure");
  at_place(value.where, [&] { return measure_info(out.measure).needs; });
  const std::string search = section.choice("search", section.has("grid") ? "grid" : "random",
                                            {"grid", "random", "halving"});
  out.search = search == "grid"     ? Search::grid
               : search == "random" ? Search::random
                                    : Search::halving;
  if (section.has("grid")) {
    out.axes = at_place(value.where, [&] { return parse_grid(section.text("grid"), spec); });
  }
  out.trials = section.integer("trials", search == "grid" ? 200 : 30, 1, 1000000);
  out.evaluate.split.folds = section.integer("folds", 5, 2, 1000000);
  out.evaluate.holdout = section.has("holdout");
  out.evaluate.split.holdout = section.number("holdout", 0.25, 0.0001, 0.9999);
  return out;
}

// The learners that a grid stands for, each with its values in its name.
void add_grid(std::vector<StudyLearner>& out, const StudyLearner& learner,
              const std::string& grid) {
  const std::vector<SearchAxis> axes = parse_grid(grid, learner.spec);
  const std::vector<Spec> specs = grid_specs(learner.spec, axes, 1, k_most_of_grid);
  for (std::size_t k = 0; k < specs.size(); ++k) {
    StudyLearner& added = out.emplace_back(learner);
    added.spec = specs[k];
    std::size_t rest = k;
    std::string words;
    for (std::size_t a = axes.size(); a-- > 0;) {
      const auto& values = axes[a].values;
      words =
          axes[a].name + "=" + values[rest % values.size()] + (words.empty() ? "" : ", ") + words;
      rest /= values.size();
    }
    added.name += " " + words;
  }
}

void add_learner(std::vector<StudyLearner>& out, const std::string& name, const TomlValue& value,
                 const PreprocessOptions& preprocess) {
  StudyLearner learner{.name = name, .preprocess = preprocess, .where = value.where};
  const auto spec_of = [&](const std::string& text) {
    return at_place(value.where, [&] {
      const Spec spec = parse_spec(text);
      return CompleteSpec(spec).given();
    });
  };
  if (value.is(Kind::text)) {
    learner.spec = spec_of(value.text);
    out.push_back(std::move(learner));
    return;
  }
  const std::string where = "[learners." + name + "]";
  const TomlSection section(value, where, {"learner", "grid", "tune", "preprocess", "beta"});
  if (!section.has("learner")) {
    throw Error(Code::format, "expected a learner in " + where + ", found none",
                "For example: learner = \"br_svm(C=2)\"", value.where);
  }
  learner.spec = spec_of(section.text("learner"));
  if (const TomlValue* own = section.find("preprocess")) {
    learner.preprocess = preprocess_from(*own, "preprocess of " + where);
    learner.own_preprocess = true;
  }
  if (const TomlValue* tune = section.find("tune")) {
    learner.tune = tune_from(*tune, learner.spec, "tune of " + where);
  }
  learner.beta = section.number("beta", 0, 1e-9, 1e9);
  if (!section.has("grid")) {
    out.push_back(std::move(learner));
    return;
  }
  if (learner.tune) {
    throw Error(Code::format, where + " has both grid and tune",
                "Keep the one you mean: grid makes one learner per value, tune chooses one",
                value.where);
  }
  at_place(value.where, [&] {
    add_grid(out, learner, section.text("grid"));
    return 0;
  });
}

// One share or several; none without the key.
std::vector<double> shares_from(const TomlSection& section, const std::string& key) {
  if (!section.has(key)) return {};
  std::vector<double> out = section.find(key)->is(Kind::array)
                                ? section.numbers(key)
                                : std::vector<double>{section.number(key, 0, 0, 1)};
  for (const double share : out) {
    if (!(share >= 0 && share < 1)) section.refuse(key, "shares from 0 to below 1");
  }
  return out;
}

StudyProtocol protocol_from(const TomlValue& value) {
  const TomlSection section(value, "[protocol]",
                            {"folds", "holdout", "train_rows", "split", "repeats", "stratify",
                             "seed", "flip", "hide", "hide_mode", "group"});
  StudyProtocol out{.where = value.where};
  int kinds = 0;
  std::string found;
  for (const auto& [key, kind] :
       {std::pair{"folds", ProtocolKind::folds}, std::pair{"holdout", ProtocolKind::holdout},
        std::pair{"train_rows", ProtocolKind::train_rows},
        std::pair{"split", ProtocolKind::official}}) {
    if (!section.has(key)) continue;
    out.kind = kind;
    out.where = section.find(key)->where;
    found += (++kinds == 1 ? "" : " and ") + std::string(key);
  }
  if (kinds != 1) {
    throw Error(Code::format,
                "expected one of folds, holdout, train_rows and split in [protocol], found " +
                    (kinds == 0 ? "none" : found),
                "For example: folds = 5", out.where);
  }
  section.choice("split", "official", {"official"});
  out.folds = section.integer("folds", out.folds, 2, 1000000);
  out.holdout = section.number("holdout", out.holdout, 0.0001, 0.9999);
  out.train_rows = section.integer("train_rows", 0, 1, 1000000000);
  out.repeats = section.integer("repeats", 1, 1, k_most_repeats);
  if (out.kind == ProtocolKind::official && out.repeats != 1) {
    section.refuse("repeats", "1, because there is one official split,");
  }
  // An exact number of training rows is drawn at random.
  const std::string stratify =
      section.choice("stratify", out.kind == ProtocolKind::train_rows ? "none" : "labels",
                     {"none", "labels", "pairs"});
  out.method = stratify == "none"     ? SplitMethod::random
               : stratify == "labels" ? SplitMethod::stratified
                                      : SplitMethod::stratified_pairs;
  out.seed =
      static_cast<std::uint64_t>(section.integer("seed", 0, 0, std::numeric_limits<Index>::max()));
  out.group = section.text("group");
  if (!out.group.empty() && out.kind != ProtocolKind::folds && out.kind != ProtocolKind::holdout) {
    section.refuse("group", "folds or holdout, which can keep groups together,");
  }
  out.flipped = shares_from(section, "flip");
  out.hidden = shares_from(section, "hide");
  out.hide_mode = hide_mode_of(
      section.choice("hide_mode", "negative", {"negative", "missing", "cells", "sets"}));
  return out;
}

void read_measures(Study& study, const TomlValue& value) {
  const TomlSection section(
      value, "[measures]",
      {"names", "results", "convention", "undefined", "ties", "beta", "betas", "k"});
  study.measures = section.texts("names");
  for (const std::string& name : study.measures) {
    at_place(section.find("names")->where, [&] { return measure_info(name).needs; });
  }
  study.results = section.texts("results");
  const auto read = [&](const char* key, const auto& set) {
    if (!section.has(key)) return;
    at_place(section.find(key)->where, [&] {
      set(section.text(key));
      return 0;
    });
  };
  study.measure.convention = Convention::sklearn;
  read("convention", [&](const auto& word) { study.measure.convention = convention_of(word); });
  read("undefined", [&](const auto& word) { study.measure.undefined = undefined_of(word); });
  read("ties", [&](const auto& word) { study.measure.ties = ties_of(word); });
  study.measure.beta = section.number("beta", study.measure.beta, 1e-9, 1e9);
  study.betas = section.numbers("betas");
  for (const double beta : study.betas) {
    if (!(beta >= 1e-9 && beta <= 1e9)) section.refuse("betas", "numbers from 1e-09 to 1e+09");
  }
  study.measure.k = section.integer("k", study.measure.k, 1, 1000000000);
}

// Names of learners or of sets that the file must know.
void require_known(const std::string& name, const std::vector<std::string>& known,
                   const std::string& what, const Place& where) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw Error(Code::format, "the study has no " + what + " " + in_quotes(name),
              did_you_mean(name, known, "It has " + join(known, ", ")), where);
}

std::vector<std::string> learner_names(const Study& study) {
  std::vector<std::string> out;
  for (const StudyLearner& learner : study.learners) out.push_back(learner.name);
  return out;
}

std::vector<std::string> set_names(const Study& study) {
  std::vector<std::string> out;
  for (const StudySet& set : study_sets(study)) out.push_back(set.name);
  return out;
}

PublishedValue published_value(const TomlValue& value) {
  PublishedValue out;
  const bool pair = value.is(Kind::array) && value.items.size() == 2;
  const TomlValue& first = pair ? value.items[0] : value;
  const bool numbers =
      (first.is(Kind::number) || first.is(Kind::integer)) &&
      (!pair || value.items[1].is(Kind::number) || value.items[1].is(Kind::integer));
  if (!numbers) {
    throw Error(Code::format,
                "expected a published value or [value, deviation], found " + value.kind_name(),
                "Write the number, such as 0.44 or [0.822, 0.0082]", value.where);
  }
  out.value = first.number;
  out.deviation = pair ? value.items[1].number : 0;
  return out;
}

// A measure of the study: "macro_f1", "macro_fbeta, beta 0.1" and "set_accuracy:freq", which are
// values of one of its measures, "reuse_score[sea, boat]" of one of its tables, or seconds.
void require_measured(const Study& study, const std::string& name, const Place& where) {
  EvaluateOptions options;
  options.measures = study.measures;
  std::vector<std::string> known;
  for (const std::string& measure : wanted_measures(options)) {
    const bool varied = depends_on_beta(measure) && !study.betas.empty();
    if (!varied) known.push_back(measure);
    for (const double beta : varied ? study.betas : std::vector<double>{}) {
      known.push_back(name_at_beta(measure, beta));
    }
  }
  known.emplace_back(k_fit_seconds);
  const auto one_of = [](const std::vector<std::string>& names, const std::string& one) {
    return std::find(names.begin(), names.end(), one) != names.end();
  };
  if (one_of(known, name) || one_of(known, name.substr(0, name.find(':'))) ||
      (name.ends_with("]") && one_of(study.results, name.substr(0, name.find('['))))) {
    return;
  }
  throw Error(Code::format, "the study does not measure " + in_quotes(name),
              did_you_mean(name, known, "It measures " + join(known, ", ")), where);
}

// [published.MEASURE] LEARNER = {SET = value, ...}
void read_published(Study& study, const TomlValue& value) {
  const auto learners = learner_names(study), sets = set_names(study);
  const std::vector<std::string> keys = {"source", "within", "other_data"};
  for (const auto& [measure, rows] : value.entries) {
    if (std::find(keys.begin(), keys.end(), measure) != keys.end()) continue;
    require_measured(study, measure, rows.where);
    for (const auto& [learner, cells] : rows.entries) {
      require_known(learner, learners, "learner", cells.where);
      for (const auto& [set, cell] : cells.entries) {
        require_known(set, sets, "data set", cell.where);
        PublishedValue& added = study.published.emplace_back(published_value(cell));
        added.measure = measure;
        added.learner = learner;
        added.data = set;
      }
    }
  }
  std::vector<std::string> known = keys;
  for (const auto& [key, unused] : value.entries) known.push_back(key);
  const TomlSection section(value, "[published]", known);
  study.source = section.text("source");
  study.within = section.number("within", study.within, 0, k_largest);
  study.other_data = section.flag("other_data", false);
}

void read_remarks(Study& study, const TomlValue& value) {
  if (!value.is(Kind::array)) {
    throw Error(Code::format, "expected [[remarks]], found " + value.kind_name(),
                "Write [[remarks]] before the keys of each remark", value.where);
  }
  for (const TomlValue& item : value.items) {
    const TomlSection section(item, "[[remarks]]", {"text", "measure", "learner", "data"});
    PublishedRemark& remark = study.remarks.emplace_back();
    remark.text = section.text("text");
    remark.measure = section.text("measure");
    remark.learner = section.text("learner");
    remark.data = section.text("data");
    if (!remark.learner.empty()) {
      require_known(remark.learner, learner_names(study), "learner",
                    section.find("learner")->where);
    }
    if (!remark.data.empty()) {
      require_known(remark.data, set_names(study), "data set", section.find("data")->where);
    }
    if (!remark.measure.empty()) {
      require_measured(study, remark.measure, section.find("measure")->where);
    }
  }
}

// The smaller study of the [quick] section.
void make_quick(Study& study, const TomlValue& value) {
  const TomlSection section(
      value, "[quick]",
      {"data", "learners", "replace", "rows", "folds", "repeats", "flip", "hide"});
  if (const TomlValue* replaced = section.find("replace")) {
    for (const auto& [name, expression] : replaced->entries) {
      require_known(name, learner_names(study), "learner", expression.where);
      if (!expression.is(Kind::text)) {
        throw Error(Code::format, "expected a learner in quotes, found " + expression.kind_name(),
                    "For example: rml = \"rml(C=1)\"", expression.where);
      }
      for (StudyLearner& learner : study.learners) {
        if (learner.name != name) continue;
        learner.spec = at_place(expression.where,
                                [&] { return CompleteSpec(parse_spec(expression.text)).given(); });
      }
    }
  }
  const auto keep = [&](const char* key, auto& all, const std::string& what) {
    if (!section.has(key)) return;
    const std::vector<std::string> wanted = section.texts(key);
    std::vector<std::string> names;
    for (const auto& one : all) names.push_back(one.name);
    for (const std::string& name : wanted) {
      require_known(name, names, what, section.find(key)->where);
    }
    std::erase_if(all, [&](const auto& one) {
      return std::find(wanted.begin(), wanted.end(), one.name) == wanted.end();
    });
  };
  keep("data", study.data, "data set");
  keep("learners", study.learners, "learner");
  const Index rows = section.integer("rows", 0, 2, 1000000000);
  for (StudyData& data : study.data) {
    if (rows == 0) continue;
    if (!data.generator.empty()) data.generate.rows = std::min(rows, data.generate.rows);
    data.rows = data.rows == 0 ? rows : std::min(rows, data.rows);
  }
  study.protocol.folds = section.integer("folds", study.protocol.folds, 2, 1000000);
  study.protocol.repeats = section.integer("repeats", study.protocol.repeats, 1, k_most_repeats);
  if (section.has("flip")) study.protocol.flipped = shares_from(section, "flip");
  if (section.has("hide")) study.protocol.hidden = shares_from(section, "hide");
  const auto learners = learner_names(study), sets = set_names(study);
  std::erase_if(study.published, [&](const PublishedValue& v) {
    return std::find(learners.begin(), learners.end(), v.learner) == learners.end() ||
           std::find(sets.begin(), sets.end(), v.data) == sets.end();
  });
}

void require_distinct(const std::vector<std::string>& names, const std::string& what,
                      const Place& where) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    throw Error(Code::format, "the study has two " + what + " with the name " + in_quotes(name),
                "Give one of them another name", where);
  }
}

}  // namespace

Study parse_study(std::string_view text, const std::string& path, StudySize size) {
  const TomlValue root = parse_toml(text, path);
  const TomlSection top(root, "the study",
                        {"title", "text", "data", "learners", "preprocess", "protocol", "measures",
                         "figure", "limits", "published", "remarks", "costs", "quick"});
  for (const char* key : {"data", "learners", "protocol"}) {
    if (top.has(key)) continue;
    throw Error(Code::format, std::string("expected ") + key + " in the study, found none",
                key == std::string("data")       ? "For example: data = [\"emotions\"]"
                : key == std::string("learners") ? "For example: [learners] and knn = \"ml_knn\""
                                                 : "For example: [protocol] and folds = 5",
                Place{path, 1});
  }
  Study out;
  out.path = path;
  out.title = top.text("title", std::filesystem::path(path).stem().string());
  out.text = top.text("text");
  out.costs = top.flag("costs", false);
  out.data = data_from(*top.find("data"));
  PreprocessOptions preprocess;
  if (const TomlValue* value = top.find("preprocess")) {
    preprocess = preprocess_from(*value, "[preprocess]");
  }
  const TomlValue& learners = *top.find("learners");
  if (!learners.is(Kind::table) || learners.entries.empty()) {
    throw Error(Code::format,
                "expected learners with their names, found " +
                    (learners.is(Kind::table) ? "none" : learners.kind_name()),
                "For example: [learners] and knn = \"ml_knn\"", learners.where);
  }
  for (const auto& [name, value] : learners.entries) {
    add_learner(out.learners, name, value, preprocess);
  }
  out.protocol = protocol_from(*top.find("protocol"));
  if (const TomlValue* value = top.find("measures")) read_measures(out, *value);
  for (const StudyLearner& learner : out.learners) {
    if (learner.beta > 0 && !out.betas.empty() &&
        std::find(out.betas.begin(), out.betas.end(), learner.beta) == out.betas.end()) {
      throw Error(Code::format,
                  "the beta of " + in_quotes(learner.name) + ", " + shortest(learner.beta) +
                      ", is none of the betas of [measures]",
                  "Add it there, or correct it", learner.where);
    }
  }
  if (const TomlValue* value = top.find("figure")) {
    const TomlSection section(*value, "[figure]", {"axis", "per_label"});
    out.figure.axis = section.text("axis");
    out.figure.per_label = section.texts("per_label");
    std::vector<std::string> names;
    for (const auto& [name, unused] : learners.entries) names.push_back(name);
    for (const std::string& name : out.figure.per_label) {
      require_known(name, names, "learner", section.find("per_label")->where);
    }
  }
  if (const TomlValue* value = top.find("limits")) {
    const TomlSection section(*value, "[limits]", {"cpu_seconds", "memory_gb"});
    out.limits.cpu_seconds = section.number("cpu_seconds", 0, 0.01, 1e9);
    out.limits.memory_gb = section.number("memory_gb", 0, 0.01, 1e6);
  }
  require_distinct(learner_names(out), "learners", learners.where);
  require_distinct(set_names(out), "data sets", top.find("data")->where);
  if (const TomlValue* value = top.find("published")) read_published(out, *value);
  if (const TomlValue* value = top.find("remarks")) read_remarks(out, *value);
  if (const TomlValue* value = top.find("quick")) {
    Study quick = out;
    make_quick(quick, *value);  // always, so that its mistakes are found
    if (size == StudySize::quick) {
      out = std::move(quick);
      out.title += " (quick form, on less data: expect other values)";
    }
  }
  return out;
}

Study read_study(const std::string& path, StudySize size) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw Error(Code::io, "cannot read the study " + in_quotes(path),
                "Name a TOML file; docs/experiments.md describes its form");
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  refuse_pointer(text, "a study", path);
  return parse_study(text, path, size);
}

std::vector<StudySet> study_sets(const Study& study) {
  const auto or_none = [](const std::vector<double>& shares) {
    return shares.empty() ? std::vector<double>{0} : shares;
  };
  std::vector<StudySet> out;
  for (std::size_t d = 0; d < study.data.size(); ++d) {
    for (const double flipped : or_none(study.protocol.flipped)) {
      for (const double hidden : or_none(study.protocol.hidden)) {
        StudySet set{study.data[d].name, d, flipped, hidden};
        if (flipped > 0) set.name += fmt::format(", {:g} % wrong", 100 * flipped);
        if (hidden > 0) set.name += fmt::format(", {:g} % hidden", 100 * hidden);
        out.push_back(std::move(set));
      }
    }
  }
  return out;
}

Study with_repeats(Study study, Index repeats) {
  if (study.protocol.kind == ProtocolKind::official) {
    throw Error(Code::usage, "the official split of " + in_quotes(study.title) + " has no repeats",
                "Leave out " + core::mention("repeats"));
  }
  if (repeats < 1 || repeats > k_most_repeats) {
    throw Error(Code::parameter,
                fmt::format("expected {} from 1 to {}, found {}", core::mention("repeats"),
                            k_most_repeats, repeats),
                "Choose a number in this range");
  }
  study.protocol.repeats = repeats;
  return study;
}

std::string describe_protocol(const StudyProtocol& protocol) {
  if (protocol.kind == ProtocolKind::official) return "official split";
  EvaluateOptions options;
  options.split = {.method = protocol.method,
                   .folds = protocol.folds,
                   .repeats = protocol.repeats,
                   .holdout = protocol.holdout};
  if (!protocol.group.empty()) options.split.groups = {0};  // so that they are named
  options.holdout = protocol.kind == ProtocolKind::holdout;
  if (protocol.kind != ProtocolKind::train_rows) return describe_splits(options);
  return fmt::format("{} training rows, {} time{}", protocol.train_rows, protocol.repeats,
                     protocol.repeats == 1 ? "" : "s");
}

}  // namespace mulberry::study

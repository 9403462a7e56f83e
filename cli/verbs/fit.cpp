// mulberry fit: trains a learner and writes a model file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/report/chosen.hpp"

namespace mulberry::cli {
namespace {

// The learner among the words of a command line: the first word that is no option.
std::optional<Spec> learner_of(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.empty() || word[0] == '-') continue;
    try {
      return parse_spec(word);
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Option option_of(const ParamInfo& info, const std::string& prefix, const std::string& section) {
  const std::string value =
      info.type == ParamType::choice ? join(info.choices, "|") : std::string(type_name(info.type));
  const std::string range = info.range.text();
  return {.name = prefix + info.name,
          .value = info.automatic ? value + "|auto" : value,
          .help = range.empty() ? info.help : info.help + " (" + range + ")",
          .fallback = info.fallback,
          .section = section};
}

// The parameters of the learner and of its base as options: --C, --base.C. For an alias such as
// br_svm, the parameters of the base also have their plain names.
std::vector<Option> learner_options(const std::vector<std::string>& words) {
  std::vector<Option> out;
  const auto given = learner_of(words);
  if (!given) return out;
  Spec spec;
  try {
    spec = resolve(*given);
    for (std::size_t k = 0; k + 1 < words.size(); ++k) {
      if (words[k] == "--base") spec.set("base", parse_spec(words[k + 1]));
    }
    spec = complete_spec(spec);
  } catch (const Error&) {
    return out;  // the verb will explain what is wrong
  }
  const Learner& learner = find_learner(spec.id);
  const std::string section = "Parameters of " + given->id;
  for (const ParamInfo& info : learner.params) out.push_back(option_of(info, "", section));
  for (const ParamInfo& info : learner.params) {
    const SpecValue* value = spec.find(info.name);
    if (value == nullptr || (info.type != ParamType::base && info.type != ParamType::learner))
      continue;
    const Spec inner = as_spec(*value);
    const auto& params =
        info.type == ParamType::base ? find_base(inner.id).params : find_learner(inner.id).params;
    const std::string inner_section = "Parameters of its " + info.name + " " + inner.id;
    for (const ParamInfo& own : params) {
      out.push_back(option_of(own, info.name + ".", inner_section));
      const bool free =
          std::none_of(out.begin(), out.end(), [&](const Option& o) { return o.name == own.name; });
      if (free && given->id != spec.id) out.push_back(option_of(own, "", inner_section));
    }
  }
  return out;
}

Spec spec_from(const Args& args, const std::vector<Option>& own) {
  Spec spec = learner_before_data(args.words()[0]);
  const Spec plain = resolve(spec);
  find_learner(plain.id);
  const auto set_all = [&](bool dotted) {
    for (const auto& [name, value] : args.given()) {
      const bool is_parameter =
          std::none_of(own.begin(), own.end(), [&](const Option& o) { return o.name == name; });
      const auto dot = name.find('.');
      if (!is_parameter || (dot != std::string::npos) != dotted) continue;
      if (dotted) {  // --base.C: a parameter of the given base, or of the default one
        spec = resolve(spec);
        const std::string head = name.substr(0, dot);
        if (spec.find(head) == nullptr) spec.set(head, *complete_spec(spec).find(head));
      }
      const bool nested = value.find('(') != std::string::npos;
      spec.set(name, nested ? SpecValue(parse_spec(value)) : SpecValue(value));
    }
  };
  set_all(false);
  set_all(true);
  return spec;
}

std::vector<Option> own_options() {
  return std::vector<Option>{
             {.name = "output",
              .letter = 'o',
              .value = "MODEL",
              .help = "model file to write (required)"},
             {.name = "continue", .value = "MODEL", .help = "continue from this model"},
             {.name = "dry-run",
              .help = "say what training would take in memory, and neither train nor write"}} +
         run_options() + json_option() + data_options() + preprocess_options();
}

// What training would take, for --dry-run.
void print_need(const CompleteSpec& spec, const Dataset& data, const Args& args) {
  Features outline;
  const View view = outline_of(data, outline);
  check_learner(spec, view, args.choice("impute", "none") != "none");
  const int threads = thread_count(args);
  const std::size_t available = available_memory();
  const MemoryNeed need = memory_need(spec, extent_of(view, threads));
  const bool fits = need.fit <= static_cast<double>(available);
  if (args.flag("json")) {
    const nlohmann::ordered_json json = {{"expression", spec.spec().text()},
                                         {"rows", data.rows()},
                                         {"columns", view.columns()},
                                         {"labels", data.labels()},
                                         {"threads", threads},
                                         {"memory",
                                          {{"fit", need.fit},
                                           {"model", need.model},
                                           {"predict", need.predict},
                                           {"available", static_cast<double>(available)},
                                           {"fits", fits}}}};
    print_data(json_text(json) + "\n");
    return;
  }
  print(fmt::format("{} on {} rows, {} features, {} labels, {} threads:\n{}; {} can be had{}\n",
                    spec.spec().text(), data.rows(), view.columns(), data.labels(), threads,
                    memory_sentence(spec, view, threads), size_text(available),
                    fits ? "" : ": it would not fit"));
}

int run_fit(const Args& args) {
  if (!args.has("output") && !args.flag("dry-run")) {
    throw Error(Code::usage, "expected -o MODEL, the model file to write",
                "For example: mulberry fit br_logistic data.arff -o model.mb");
  }
  const CompleteSpec spec(spec_from(args, own_options()));
  TrainOptions options{.preprocess = preprocess_from(args)};
  std::optional<TrainedModel> init;
  if (args.has("continue")) {
    init = TrainedModel::load(args.text("continue"));
    options.init = &*init;
  }
  const std::string& data_path = args.words()[1];
  ReadOptions reading = training_options(args, {&spec, 1});
  if (init) reading = init->reading(reading);
  const Dataset data = read_data(data_path, reading, args);
  if (!args.flag("quiet")) note_before_training(spec, data, options.preprocess);
  if (args.flag("dry-run")) {
    with_file(data_path, [&] { print_need(spec, data, args); });
    return 0;
  }
  const std::string path = args.text("output");
  Run run(args, "training " + spec.id(), spec.tags().anytime);
  TrainedModel model =
      with_file(data_path, [&] { return train(spec, data, options, run.context()); });
  run.done();
  model.save(path);
  if (args.flag("json")) {
    auto json = nlohmann::ordered_json::parse(model.about_json());
    json["training"]["seconds"] = model.seconds;
    json["model"] = path;
    print_data(json_text(json) + "\n");
  } else if (!args.flag("quiet")) {
    print(fmt::format("trained {} on {} rows, {} features, {} labels in {:.2f} s\n",
                      model.spec.text(), data.rows(),
                      data.columns() + model.text.columns() + model.words.columns(), data.labels(),
                      model.seconds));
    const auto chosen = chosen_parameters(model.spec, model.results);
    if (!chosen.empty()) print("chosen: " + join(chosen, "; ") + "\n");
    if (!model.summary.converged && !model.summary.interrupted) {
      const auto scales = options.preprocess.scale == FeatureScale::none
                              ? scale_warning(data.x, data.feature_names)
                              : std::nullopt;
      print("not converged: " +
            (scales
                 ? *scales + "; --scale standardise may help much"
                 : "allow more rounds where the learner has them, or accept the model as it is") +
            "\n");
    }
    print(path + "\n");
  }
  for (const std::string& text : model.summary.remarks) note(text);
  if (!model.summary.interrupted) return 0;
  note("stopped: " + path + " holds the best model so far");
  const int signal = stopping_signal();
  return 128 + (signal != 0 ? signal : 2);
}

}  // namespace

Verb fit_verb() {
  return {
      .name = "fit",
      .summary = "train a learner, write a model",
      .usage = "LEARNER DATA -o MODEL [--parameter value ...]",
      .example =
          "mulberry generate photos -o photos.arff && mulberry fit br_logistic photos.arff -o "
          "photos.mb --C 2",
      .options = own_options(),
      .least = 2,
      .most = 2,
      .details =
          "LEARNER is a name of `mulberry list`, with parameters as options or in parentheses:\n"
          "'ecc(chains=10, base=linear_svm(C=2))'. `mulberry fit LEARNER --help` shows its "
          "parameters.",
      .run = run_fit,
      .more = learner_options};
}

}  // namespace mulberry::cli

// Learners and trained models. A spec comes as text or as (id, {name: text or spec}).
#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/model/base_learner.hpp"
#include "python/src/base.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"
#include "python/src/specs.hpp"

namespace mulberry::python {
Spec spec_of(nb::handle given) {
  if (nb::isinstance<nb::str>(given)) return parse_spec(nb::cast<std::string>(given));
  const auto pair = nb::cast<std::pair<std::string, nb::dict>>(given);
  Spec out(pair.first);
  for (const auto& [name, value] : pair.second) {
    SpecValue inner = nb::isinstance<nb::str>(value) ? SpecValue(nb::cast<std::string>(value))
                                                     : SpecValue(spec_of(value));
    out.params.emplace_back(nb::cast<std::string>(name), std::move(inner));
  }
  return out;
}

nb::tuple tuple_of(const Spec& spec) {
  nb::dict params;
  for (const auto& [name, value] : spec.params) {
    const auto* inner = std::get_if<Spec>(&value);
    params[name.c_str()] =
        inner != nullptr ? nb::object(tuple_of(*inner)) : nb::cast(std::get<std::string>(value));
  }
  return nb::make_tuple(spec.id, params);
}

namespace {

nb::dict to_python(const ParamInfo& info) {
  nb::dict out;
  out["name"] = info.name;
  out["type"] = type_name(info.type);
  out["help"] = info.help;
  out["default"] = info.fallback;
  out["expected"] = info.expected();
  out["auto"] = info.automatic;
  out["choices"] = info.choices;
  return out;
}

template <class Entry>
nb::dict to_python(const Entry& entry) {
  nb::dict out;
  out["id"] = entry.id;
  out["summary"] = entry.summary;
  out["reference"] = entry.reference;
  out["tags"] = tag_names(entry.tags);
  nb::list params;
  for (const ParamInfo& info : entry.params) params.append(to_python(info));
  out["parameters"] = params;
  return out;
}

nb::dict registry() {
  nb::list whole, bases;
  for (const Learner& learner : all_learners()) whole.append(to_python(learner));
  for (const BaseLearner& base : base_learners()) {
    if (!base.id.starts_with("python_")) bases.append(to_python(base));
  }
  nb::dict out;
  out["learners"] = whole;
  out["bases"] = bases;
  return out;
}

std::vector<std::string> tags_of(nb::handle given) {
  const Spec spec = complete_spec(spec_of(given));
  return tag_names(find_learner(spec.id).tags_of(spec));
}

// The spec with all parameters and aliases resolved; `base`: for a base learner.
nb::tuple complete(nb::handle given, bool base) {
  const Spec spec = spec_of(given);
  return tuple_of(base ? find_base(spec.id).complete(spec) : complete_spec(spec));
}

// The model with the Python objects inside, which it keeps alive (base.cpp).
nb::object owner_of(TrainedModel model, const nb::list& objects) {
  nb::object out = nb::cast(std::move(model));
  out.attr("objects") = objects;
  return out;
}

nb::object fit(nb::handle given, const Dataset& data, nb::handle init, int threads,
               std::uint64_t seed, nb::object progress) {
  const Spec spec = spec_of(given);
  const auto* earlier = init.is_none() ? nullptr : nb::cast<const TrainedModel*>(init);
  TrainedModel out;
  run({.threads = threads, .seed = seed, .progress = std::move(progress)},
      [&](const Context& ctx) { out = train(CompleteSpec(spec), data, {.init = earlier}, ctx); });
  nb::list objects = release_objects(spec);
  if (earlier != nullptr && nb::hasattr(init, "objects")) {
    for (const nb::handle object : nb::cast<nb::list>(init.attr("objects"))) objects.append(object);
  }
  return owner_of(std::move(out), objects);
}

// (scores, scale, decided cells, whether the model decides by itself)
nb::tuple predict(const TrainedModel& model, const Dataset& data, int threads, std::uint64_t seed,
                  nb::object progress) {
  Prediction prediction;
  Labels decided;
  run({.threads = threads, .seed = seed, .progress = std::move(progress)}, [&](const Context& ctx) {
    prediction = model.predict(data, ctx);
    decided = model.decide(prediction);
  });
  return nb::make_tuple(to_numpy(std::move(prediction.scores)), scale_name(prediction.scale),
                        to_numpy(decided), prediction.decided.has_value());
}

nb::dict summary(const TrainedModel& model) {
  nb::dict out;
  out["converged"] = model.summary.converged;
  out["interrupted"] = model.summary.interrupted;
  out["objective"] = model.summary.objective;
  out["gap"] = model.summary.gap;
  out["rounds"] = model.summary.rounds;
  out["seconds"] = model.seconds;
  out["rows"] = model.rows;
  return out;
}

// {id: (sentence, names of rows, names of columns, values)}
nb::dict results(const TrainedModel& model) {
  nb::dict out;
  for (const Result& result : model.results) {
    out[result.id.c_str()] = nb::make_tuple(
        result.sentence, model.names_along(result.rows, result.row_names, result.values.rows(), 0),
        model.names_along(result.columns, result.column_names, result.values.cols(), 0),
        to_numpy(Matrix(result.values)));
  }
  return out;
}

// (bytes of a model file, Python objects that belong to it)
nb::tuple to_bytes(TrainedModel& model) {
  nb::list objects;
  const ObjectsBeside scope(objects);
  const std::string content = model.content();
  return nb::make_tuple(nb::bytes(content.data(), content.size()), objects);
}

nb::object from_bytes(const nb::bytes& content, nb::list objects) {
  const ObjectsBeside scope(objects);
  return owner_of(TrainedModel::of_content(std::string(content.c_str(), content.size())), objects);
}

}  // namespace

void bind_learners(nb::module_& m) {
  m.def("registry", &registry, "All learners and base learners with their parameters.");
  m.def("tags_of", &tags_of, nb::arg("spec"), "What a learner can do with these parameters.");
  m.def("complete", &complete, nb::arg("spec"), nb::arg("base") = false);
  m.def("spec_text", [](nb::handle given) { return spec_of(given).text(); }, nb::arg("spec"));
  nb::class_<TrainedModel>(m, "Model", nb::dynamic_attr())
      .def("predict", &predict, nb::arg("data"), nb::arg("threads") = 1, nb::arg("seed") = 0,
           nb::arg("progress") = nb::none())
      .def("save", &TrainedModel::save, nb::arg("path"))
      .def("to_bytes", &to_bytes)
      .def_rw("target", &TrainedModel::target)
      .def_prop_ro("spec", [](const TrainedModel& model) { return tuple_of(model.spec); })
      .def_prop_ro("text", [](const TrainedModel& model) { return model.spec.text(); })
      .def_ro("columns", &TrainedModel::columns)
      .def_prop_ro("text_names", [](const TrainedModel& model) { return model.text.names; })
      .def_prop_ro("word_names", [](const TrainedModel& model) { return model.words.names; })
      .def_ro("feature_names", &TrainedModel::feature_names)
      .def_ro("label_names", &TrainedModel::label_names)
      .def_prop_ro("set_names", [](const TrainedModel& model) { return model.sets.names; })
      .def_prop_ro("set_members", [](const TrainedModel& model) { return model.sets.members; })
      .def_prop_ro("rules",
                   [](const TrainedModel& model) {
                     NamedRules rules = named_rules(model.rules, model.label_names);
                     return std::pair(std::move(rules.implied), std::move(rules.exclusive));
                   })
      .def_prop_ro("preprocessed",
                   [](const TrainedModel& model) { return !model.preprocessing.does_nothing(); })
      .def_prop_ro("about", [](const TrainedModel& model) { return model.about_json(); })
      .def_prop_ro("summary", &summary)
      .def_prop_ro("result_names",
                   [](const TrainedModel& model) {
                     std::vector<std::string> out;
                     for (const Result& result : model.results) out.push_back(result.id);
                     return out;
                   })
      .def_prop_ro("results", &results);
  m.def("fit", &fit, nb::arg("spec"), nb::arg("data"), nb::arg("init").none() = nb::none(),
        nb::arg("threads") = 1, nb::arg("seed") = 0, nb::arg("progress") = nb::none(),
        nb::sig("def fit(spec: object, data: Dataset, init: Model | None = None, threads: int = 1, "
                "seed: int = 0, progress: object | None = None) -> Model"));
  m.def("load", &TrainedModel::load, nb::arg("path"));
  m.def("from_bytes", &from_bytes, nb::arg("content"), nb::arg("objects"),
        nb::sig("def from_bytes(content: bytes, objects: list) -> Model"));
}

}  // namespace mulberry::python

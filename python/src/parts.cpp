// Models in parts: what a model file holds, by name, so that models of some labels, trees or rows
// that were trained apart become one (mulberry/_merge.py).
#include <cstring>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/learners/trees/forest_pieces.hpp"
#include "python/src/base.hpp"
#include "python/src/binding.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"
#include "python/src/specs.hpp"

namespace mulberry::python {
namespace {

using AnyArray = nb::ndarray<nb::numpy, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object copied(const void* data, std::size_t count) {
  auto* kept = new std::vector<T>(static_cast<const T*>(data), static_cast<const T*>(data) + count);
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {count}, owner));
}

// Keeps what a model writes in a dict.
class DictSink final : public ArchiveSink {
 public:
  nb::dict found;

  void number(const std::string& name, double value) override { found[name.c_str()] = value; }
  void integer(const std::string& name, Index value) override { found[name.c_str()] = value; }
  void text(const std::string& name, const std::string& value) override {
    found[name.c_str()] = value;
  }
  void texts(const std::string& name, const std::vector<std::string>& values) override {
    found[name.c_str()] = values;
  }
  void array(const std::string& name, ElementType type, const void* data,
             std::size_t count) override {
    found[name.c_str()] = numbers(type, data, count);
  }

 private:
  static nb::object numbers(ElementType type, const void* data, std::size_t count) {
    switch (type) {
      case ElementType::f64:
        return copied<double>(data, count);
      case ElementType::f32:
        return copied<float>(data, count);
      case ElementType::i64:
        return copied<std::int64_t>(data, count);
      case ElementType::i32:
        return copied<std::int32_t>(data, count);
      case ElementType::u8:
        return copied<std::uint8_t>(data, count);
    }
    throw Bug("an array of another type");
  }
};

nb::dlpack::dtype type_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return nb::dtype<double>();
    case ElementType::f32:
      return nb::dtype<float>();
    case ElementType::i64:
      return nb::dtype<std::int64_t>();
    case ElementType::i32:
      return nb::dtype<std::int32_t>();
    case ElementType::u8:
      return nb::dtype<std::uint8_t>();
  }
  throw Bug("an array of another type");
}

// Gives a model what is in a dict. Values are checked against the bounds that the model declares
// when the file that is made of it is read.
class DictSource final : public ArchiveSource {
 public:
  explicit DictSource(const nb::dict& given) : given_(given) {}

  double number(const std::string& name) const override { return nb::cast<double>(value(name)); }
  Index integer(const std::string& name) const override { return nb::cast<Index>(value(name)); }
  std::string text(const std::string& name) const override {
    return nb::cast<std::string>(value(name));
  }
  std::vector<std::string> texts(const std::string& name) const override {
    return nb::cast<std::vector<std::string>>(value(name));
  }
  Bytes array(const std::string& name, ElementType type, const RealRange&,
              const WholeRange&) const override {
    const auto array = nb::cast<AnyArray>(value(name));
    if (array.ndim() != 1 || array.dtype() != type_of(type)) {
      throw error(name, "expected a list of numbers of another type");
    }
    const std::size_t bytes = array.nbytes();
    auto kept = std::make_shared<std::vector<char>>(bytes);
    if (bytes > 0) std::memcpy(kept->data(), array.data(), bytes);
    return {kept->data(), array.size(), kept};
  }
  bool has(const std::string& name) const override { return given_.contains(name.c_str()); }
  Error error(const std::string& name, const std::string& problem) const override {
    return {Code::model_file, problem + " in the part " + core::in_quotes(name)};
  }

 private:
  nb::object value(const std::string& name) const {
    if (!has(name)) throw error(name, "expected a value, found none");
    return given_[name.c_str()];
  }

  const nb::dict& given_;
};

// `objects` gets the Python objects that belong to them.
nb::dict parts_of(TrainedModel& model, const std::optional<nb::list>& objects) {
  nb::list found = objects.value_or(nb::list());
  const ObjectsBeside scope(found);
  DictSink sink;
  ArchiveWriter out(sink);
  model.model->write(out);
  return sink.found;
}

// As `like`, with another model of these labels inside. `never` and `always` are the labels without
// a positive and without a negative training row.
TrainedModel of_parts(TrainedModel& like, const nb::dict& parts,
                      std::vector<std::string> label_names, std::vector<double> propensities,
                      std::vector<Id> never, std::vector<Id> always, const std::string& fingerprint,
                      Index rows, std::vector<std::string> feature_names) {
  TrainedModel out = TrainedModel::of_content(like.content());
  const Index inputs = out.preprocessing.width() + out.text.columns();
  out.label_names = std::move(label_names);
  out.propensities = std::move(propensities);
  out.one_class = {.never = std::move(never), .always = std::move(always)};
  out.fingerprint = fingerprint;
  out.rows = rows;
  if (!feature_names.empty()) out.feature_names = std::move(feature_names);
  const DictSource source(parts);
  ArchiveReader reader(source, {inputs, count_of(out.label_names)});
  out.model = find_learner(out.spec.id).load(out.spec, reader);
  out.summary = out.model->summary();
  out.results = out.model->results();
  return TrainedModel::of_content(out.content());  // which checks everything
}

// A model that is inside another, as a separate one: `parts` by the names that it gives them, of the
// labels with these numbers. `appended` columns follow the features of the outer one.
nb::object inner_model(TrainedModel& outer, nb::handle spec, const nb::dict& parts,
                       const std::vector<Id>& labels, Index appended, nb::list objects) {
  TrainedModel out;
  out.spec = complete_spec(spec_of(spec));
  for (const Id label : labels) {
    out.label_names.push_back(outer.label_names.at(core::at(label)));
    if (!outer.propensities.empty()) {
      out.propensities.push_back(outer.propensities.at(core::at(label)));
    }
  }
  if (out.label_names == outer.label_names) {
    out.one_class = outer.one_class;
    out.sets = outer.sets;
    out.rules = outer.rules;
  }
  out.columns = outer.columns + appended;
  if (appended == 0) {
    out.feature_names = outer.feature_names;
    out.nominal = outer.nominal;
    out.preprocess = outer.preprocess;
    out.preprocessing = outer.preprocessing;
    out.text = outer.text;
    out.words = outer.words;
    out.source = outer.source;
  } else if (outer.preprocessing.does_nothing() && outer.text.columns() == 0 &&
             outer.words.columns() == 0) {
    out.preprocessing.columns = out.columns;
  } else {
    throw Error(Code::unsupported, "expected a model of features as they are, found preprocessing",
                "Ask the model itself");
  }
  out.rows = outer.rows;
  out.fingerprint = outer.fingerprint;
  const ObjectsBeside scope(objects);
  const DictSource source(parts);
  const Index inputs = out.preprocessing.width() + out.text.columns() + out.words.columns();
  ArchiveReader reader(source, {inputs, count_of(out.label_names)});
  out.model = find_learner(out.spec.id).load(out.spec, reader);
  out.summary = out.model->summary();
  out.results = out.model->results();
  nb::object found = nb::cast(TrainedModel::of_content(out.content()));  // which checks everything
  found.attr("objects") = objects;
  return found;
}

// The trees [first, first + count) of a forest, by name.
nb::dict forest_piece(nb::handle given, const Dataset& data, Index first, Index count,
                      std::uint64_t seed) {
  const Spec spec = complete_spec(spec_of(given));
  ForestPiece piece;
  run({.threads = 1, .seed = seed, .progress = nb::none()}, [&](const Context& ctx) {
    piece = grow_forest_piece(view_of(data), spec, first, count, ctx);
  });
  DictSink sink;
  ArchiveWriter out(sink);
  piece.visit(out);
  return sink.found;
}

// As `like`, a forest of the same data and any number of trees, with the trees of the pieces.
TrainedModel forest_of(TrainedModel& like, nb::handle given, const Dataset& data,
                       const nb::list& given_pieces, int threads, std::uint64_t seed) {
  TrainedModel out = TrainedModel::of_content(like.content());
  out.spec = complete_spec(spec_of(given));
  std::vector<ForestPiece> pieces(nb::len(given_pieces));
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const auto parts = nb::cast<nb::dict>(given_pieces[k]);
    const DictSource source(parts);
    ArchiveReader reader(source, {data.columns(), data.labels()});
    pieces[k].visit(reader);
  }
  run({.threads = threads, .seed = seed, .progress = nb::none()}, [&](const Context& ctx) {
    out.model = learners::forest_of_pieces(view_of(data), out.spec, pieces, ctx);
  });
  out.summary = out.model->summary();
  out.results = out.model->results();
  return TrainedModel::of_content(out.content());
}

}  // namespace

void bind_parts(nb::module_& m) {
  m.def("parts", &parts_of, nb::arg("model"), nb::arg("objects") = nb::none(),
        "What a model file holds of the model, by name.");
  m.def("inner_model", &inner_model, nb::arg("outer"), nb::arg("spec"), nb::arg("parts"),
        nb::arg("labels"), nb::arg("appended"), nb::arg("objects"),
        nb::sig("def inner_model(outer: Model, spec: object, parts: dict, labels: Sequence[int], "
                "appended: int, objects: list) -> Model"));
  m.def("of_parts", &of_parts, nb::arg("like"), nb::arg("parts"), nb::arg("label_names"),
        nb::arg("propensities"), nb::arg("never"), nb::arg("always"), nb::arg("fingerprint"),
        nb::arg("rows"), nb::arg("feature_names") = std::vector<std::string>());
  m.def("forest_piece", &forest_piece, nb::arg("spec"), nb::arg("data"), nb::arg("first"),
        nb::arg("count"), nb::arg("seed"));
  m.def("forest_of_pieces", &forest_of, nb::arg("like"), nb::arg("spec"), nb::arg("data"),
        nb::arg("pieces"), nb::arg("threads"), nb::arg("seed"));
  m.def("one_class", [](const TrainedModel& model) {
    return std::pair(model.one_class.never, model.one_class.always);
  });
  m.def("propensities", [](const TrainedModel& model) { return model.propensities; });
  m.def("fingerprint", [](const Dataset& data) { return fingerprint(data); });
}

}  // namespace mulberry::python

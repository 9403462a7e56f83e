// Text to features, and words to shares of labels.
#include "mulberry/core/index.hpp"
#include "mulberry/data/preprocess/target_words.hpp"
#include "mulberry/data/text/vectoriser.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"

namespace mulberry::python {
namespace {

TextOptions options_of(const nb::dict& given) {
  Spec spec("text");
  for (const auto& [name, value] : given) {
    spec.set(nb::cast<std::string>(name), nb::cast<std::string>(value));
  }
  return read_params<TextOptions>(spec);
}

// (vectoriser, features of the texts)
nb::tuple fit(const std::vector<std::string>& rows, const nb::dict& given) {
  const TextOptions options = options_of(given);
  Vectoriser out;
  Csr features;
  run({.threads = 1, .seed = 0, .progress = nb::none()},
      [&](const Context& ctx) { out = Vectoriser::fit(Texts(rows), options, ctx, &features); });
  return nb::make_tuple(std::move(out), to_numpy(features));
}

nb::tuple apply(const Vectoriser& vectoriser, const std::vector<std::string>& rows, int threads) {
  Csr features;
  run({.threads = threads, .seed = 0, .progress = nb::none()},
      [&](const Context& ctx) { features = vectoriser.apply(Texts(rows), ctx); });
  return to_numpy(features);
}

std::vector<std::string> words(const Vectoriser& vectoriser) {
  std::vector<std::string> out;
  if (vectoriser.hashes()) return out;
  for (Index c = 0; c < vectoriser.columns(); ++c) out.push_back(vectoriser.term(c));
  return out;
}

Matrix dense_of(const Features& features) { return Matrix(to_dense(features)); }

Features nothing(const Dataset& data) { return Matrix(data.rows(), 0); }

// (shares, those of the training rows)
nb::tuple fit_words(const Dataset& data, std::uint64_t seed) {
  TargetWords out;
  Features joined;
  run({.threads = 1, .seed = seed, .progress = nb::none()},
      [&](const Context& ctx) { out = TargetWords::fit(data, nothing(data), ctx, joined); });
  return nb::make_tuple(std::move(out), to_numpy(dense_of(joined)));
}

NumpyMatrix apply_words(const TargetWords& shares, const Dataset& data) {
  Matrix out;
  {
    const nb::gil_scoped_release release;
    out = dense_of(shares.apply(data, nothing(data)));
  }
  return to_numpy(std::move(out));
}

// (words, shares of the labels) of each column
nb::list parts_of(const TargetWords& shares) {
  nb::list out;
  for (const TargetWords::Part& part : shares.parts) {
    out.append(nb::make_tuple(part.words, to_numpy(part.shares)));
  }
  return out;
}

TargetWords words_of(std::vector<std::string> names,
                     const std::vector<std::pair<std::vector<std::string>, DenseArray>>& parts) {
  TargetWords out;
  out.names = std::move(names);
  for (const auto& [known, shares] : parts) {
    out.parts.push_back({known, Matrix(matrix_of(shares))});
  }
  return out;
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<Vectoriser>(m, "Vectoriser")
      .def("apply", &apply, nb::arg("rows"), nb::arg("threads") = 1)
      .def_prop_ro("words", &words)
      .def_prop_ro("columns", &Vectoriser::columns)
      .def_prop_ro(
          "idf", [](const Vectoriser& vectoriser) { return to_numpy(vectoriser.idf().copy()); },
          nb::rv_policy::move);
  nb::class_<TargetWords>(m, "TargetWords")
      .def("apply", &apply_words, nb::arg("data"))
      .def_ro("names", &TargetWords::names)
      .def_prop_ro("parts", &parts_of);
  m.def("fit_words", &fit_words, nb::arg("data"), nb::arg("seed") = 0);
  m.def("target_words", &words_of, nb::arg("names"), nb::arg("parts"));
  m.def("fit_text", &fit, nb::arg("rows"), nb::arg("options"));
  m.def(
      "text_vectoriser",
      [](const nb::dict& given, const std::vector<std::string>& known, std::vector<double> idf) {
        return Vectoriser::of(options_of(given), known, std::move(idf));
      },
      nb::arg("options"), nb::arg("words"), nb::arg("idf"));
}

}  // namespace mulberry::python

// Measures of predictions, and relations between labels.
#include "mulberry/measures/measures.hpp"

#include "mulberry/measures/bootstrap.hpp"
#include "mulberry/measures/label_table.hpp"
#include "mulberry/measures/ranking.hpp"
#include "mulberry/measures/relations.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"

namespace mulberry::python {
namespace {

nb::list catalogue() {
  nb::list out;
  for (const MeasureInfo& info : measure_table()) {
    nb::dict entry;
    entry["name"] = info.name;
    entry["sentence"] = info.sentence;
    entry["needs"] = name_of(info.needs);
    entry["higher_is_better"] = info.higher_is_better;
    entry["low"] = info.low;
    entry["high"] = info.high;
    out.append(entry);
  }
  return out;
}

MeasureOptions options_of(const std::string& convention,
                          const std::optional<std::string>& undefined,
                          const std::optional<std::string>& ties, double beta, Index k, Index bins,
                          std::vector<double> propensities) {
  MeasureOptions out{.convention = convention_of(convention),
                     .beta = beta,
                     .k = k,
                     .bins = bins,
                     .propensities = std::move(propensities)};
  if (undefined) out.undefined = undefined_of(*undefined);
  if (ties) out.ties = ties_of(*ties);
  return out;
}

// A prediction made from Python objects; sets are lists of labels.
struct PyOutcome {
  std::optional<Matrix> scores;
  std::optional<Labels> decided;
  LabelSets sets;
  LabelRules rules;
  bool probabilities = false;

  Outcome view() const {
    return {.scores = scores ? &*scores : nullptr,
            .decided = decided ? &*decided : nullptr,
            .sets = sets.empty() ? nullptr : &sets,
            .rules = rules.empty() ? nullptr : &rules,
            .probabilities = probabilities};
  }
};

// [(name, value, undefined, unobserved, reason)] of the named measures, or of all that apply.
nb::list measure(const std::vector<std::string>& names, const Labels& truth,
                 const PyOutcome& outcome, const MeasureOptions& options,
                 const std::vector<double>& weights, int threads) {
  std::vector<MeasureValue> values;
  run({.threads = threads, .progress = nb::none()}, [&](const Context& ctx) {
    if (!weights.empty()) {
      values = measure_weighted(names, truth, outcome.view(), options, weights, ctx);
    } else {
      values = names.empty() ? measure_all(truth, outcome.view(), options, ctx)
                             : measure_some(names, truth, outcome.view(), options, ctx);
    }
  });
  nb::list out;
  for (const MeasureValue& value : values) {
    out.append(
        nb::make_tuple(value.name, value.value, value.undefined, value.unobserved, value.reason));
  }
  return out;
}

// [(name, value, low, high, deviation)]
nb::list intervals(const std::vector<std::string>& names, const Labels& truth,
                   const PyOutcome& outcome, const MeasureOptions& options, Index resamples,
                   double level, int threads, std::uint64_t seed) {
  std::vector<Interval> found;
  run({.threads = threads, .seed = seed, .progress = nb::none()}, [&](const Context& ctx) {
    found = bootstrap(names, truth, outcome.view(), options,
                      {.resamples = resamples, .level = level}, ctx);
  });
  nb::list out;
  for (const Interval& one : found) {
    out.append(
        nb::make_tuple(one.measured.name, one.measured.value, one.low, one.high, one.deviation));
  }
  return out;
}

// [(label, observed, support, decided, precision, recall, f1, auc)], the worst first
nb::list per_label(const Labels& truth, const PyOutcome& outcome, const MeasureOptions& options,
                   int threads) {
  std::vector<LabelLine> found;
  run({.threads = threads, .progress = nb::none()},
      [&](const Context& ctx) { found = label_table(truth, outcome.view(), options, ctx); });
  nb::list out;
  for (const LabelLine& line : found) {
    out.append(nb::make_tuple(line.label, line.observed, line.support, line.decided, line.precision,
                              line.recall, line.f1, line.auc));
  }
  return out;
}

}  // namespace

void bind_measures(nb::module_& m) {
  m.def("measure_table", &catalogue);
  m.def("conventions", &convention_names);
  nb::class_<Labels>(m, "Labels")
      .def(
          "__init__",
          [](Labels* self, Index labels, const LabelLists& positive,
             const std::optional<LabelLists>& missing) {
            new (self) Labels(labels_of(labels, positive, missing));
          },
          nb::arg("labels"), nb::arg("positive"), nb::arg("missing") = nb::none());
  nb::class_<MeasureOptions>(m, "MeasureOptions")
      .def(
          "__init__",
          [](MeasureOptions* self, const std::string& convention,
             const std::optional<std::string>& undefined, const std::optional<std::string>& ties,
             double beta, Index k, Index bins, std::vector<double> propensities) {
            new (self) MeasureOptions(
                options_of(convention, undefined, ties, beta, k, bins, std::move(propensities)));
          },
          nb::arg("convention") = "sklearn", nb::arg("undefined") = nb::none(),
          nb::arg("ties") = nb::none(), nb::arg("beta") = 1.0, nb::arg("k") = 5,
          nb::arg("bins") = 15, nb::arg("propensities") = std::vector<double>());
  nb::class_<PyOutcome>(m, "Outcome")
      .def(nb::init<>())
      .def("set_scores",
           [](PyOutcome& self, const DenseArray& scores, bool probabilities) {
             self.scores = Matrix(matrix_of(scores));
             self.probabilities = probabilities;
           })
      .def("set_decided", [](PyOutcome& self, const Labels& decided) { self.decided = decided; })
      .def("set_implies",
           [](PyOutcome& self, const std::vector<Id>& label, const std::vector<Id>& implied) {
             for (std::size_t k = 0; k < label.size(); ++k) {
               self.rules.implied.push_back({label[k], implied[k]});
             }
           })
      .def("set_sets", [](PyOutcome& self, std::vector<std::string> names,
                          std::vector<std::vector<Id>> members) {
        self.sets = {.names = std::move(names), .members = std::move(members)};
      });
  m.def("measure", &measure, nb::arg("names"), nb::arg("truth"), nb::arg("outcome"),
        nb::arg("options"), nb::arg("weights") = std::vector<double>(), nb::arg("threads") = 1);
  m.def("intervals", &intervals, nb::arg("names"), nb::arg("truth"), nb::arg("outcome"),
        nb::arg("options"), nb::arg("resamples"), nb::arg("level"), nb::arg("threads") = 1,
        nb::arg("seed") = 0);
  m.def("per_label", &per_label, nb::arg("truth"), nb::arg("outcome"), nb::arg("options"),
        nb::arg("threads") = 1);
  m.def("propensities", [](const Labels& y) { return to_numpy(propensities(y)); });
  m.def("phi", [](const Labels& y) { return to_numpy(phi(y, Context())); });
  m.def("co_occurrence", [](const Labels& y) { return to_numpy(co_occurrence(y, Context())); });
}

}  // namespace mulberry::python

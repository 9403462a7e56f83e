// Splits of rows into training and test parts.
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/resample/split.hpp"
#include "python/src/convert.hpp"

namespace mulberry::python {
namespace {

SplitOptions options_of(const std::string& method, Index folds, Index repeats, double holdout,
                        std::vector<Id> groups) {
  SplitOptions out{
      .folds = folds, .repeats = repeats, .holdout = holdout, .groups = std::move(groups)};
  if (method == "random") {
    out.method = SplitMethod::random;
  } else if (method == "stratified_pairs") {
    out.method = SplitMethod::stratified_pairs;
  } else if (method != "stratified") {
    throw Error(
        Code::parameter,
        "method must be one of random, stratified, stratified_pairs, got " + in_quotes(method));
  }
  return out;
}

nb::tuple to_python(Fold fold) {
  return nb::make_tuple(to_numpy(std::move(fold.train)), to_numpy(std::move(fold.test)));
}

nb::list folds_of(const Labels& y, const std::string& method, Index folds, Index repeats,
                  std::vector<Id> groups, std::uint64_t seed) {
  nb::list out;
  const auto options = options_of(method, folds, repeats, 0.25, std::move(groups));
  for (Fold& fold : k_folds(y, options, Context(1, seed))) out.append(to_python(std::move(fold)));
  return out;
}

nb::tuple hold_out_of(const Labels& y, const std::string& method, double share, Index repeat,
                      std::vector<Id> groups, std::uint64_t seed) {
  const auto options = options_of(method, 10, 1, share, std::move(groups));
  return to_python(hold_out(y, options, Context(1, seed), repeat));
}

}  // namespace

void bind_splits(nb::module_& m) {
  m.def("k_folds", &folds_of, nb::arg("y"), nb::arg("method"), nb::arg("folds"), nb::arg("repeats"),
        nb::arg("groups"), nb::arg("seed"));
  m.def("hold_out", &hold_out_of, nb::arg("y"), nb::arg("method"), nb::arg("share"),
        nb::arg("repeat"), nb::arg("groups"), nb::arg("seed"));
}

}  // namespace mulberry::python

#include "mulberry/measures/convention.hpp"

#include <array>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::measures {
namespace {

constexpr std::array<std::string_view, 5> k_conventions = {"sklearn", "paper", "mulan", "meka",
                                                           "zhang"};
constexpr std::array<std::string_view, 5> k_undefined = {"zero", "one", "skip", "nan", "error"};
constexpr std::array<std::string_view, 5> k_ties = {"worst", "best", "average", "first", "last"};

std::vector<std::string> strings(const std::array<std::string_view, 5>& names) {
  return {names.begin(), names.end()};
}

template <class Enum>
Enum parse(std::string_view name, const std::array<std::string_view, 5>& names,
           std::string_view what) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (same_word(name, names[k])) return static_cast<Enum>(k);
  }
  const auto all = strings(names);
  throw Error(Code::parameter,
              "expected " + std::string(what) + ", one of " + join(all, ", ") + "; found " +
                  in_quotes(name),
              did_you_mean(name, all, ""));
}

constexpr Rule k_natural = {Rule::natural, 0};
constexpr Rule k_zero = {Rule::value, 0};
constexpr Rule k_one = {Rule::value, 1};
constexpr Rule k_skip = {Rule::skip, 0};
constexpr RowRule k_skip_both = {k_skip, k_skip};

Rule rule_of(Undefined policy) {
  switch (policy) {
    case Undefined::zero:
      return k_zero;
    case Undefined::one:
      return k_one;
    case Undefined::skip:
      return k_skip;
    case Undefined::nan:
      return {Rule::nan, 0};
    case Undefined::error:
      break;
  }
  return {Rule::error, 0};
}

Rules paper() {
  return {.ranking_loss_ties = Ties::average,
          .coverage_ties = Ties::first,
          .average_precision_ties = Ties::first,
          .one_error_ties = Ties::first,
          .precision_ties = Ties::first,
          .ndcg_ties = Ties::first,
          .protocol_ties = Ties::first,
          .instance_auc_ties = Ties::average,
          .auc_tie = 0.5,
          .ranking_loss = k_skip_both,
          .coverage = k_skip_both,
          .average_precision = k_skip_both,
          .one_error = k_skip_both,
          .instance_auc = k_skip_both,
          .coverage_base = 1,
          .ratio = k_zero,
          .ratio_empty = k_zero,
          .example_f_empty = k_one,
          .jaccard_empty = k_one,
          .at_k_none = k_skip,
          .average_precision_no = k_skip};
}

Rules sklearn() {
  Rules r = paper();
  r.ranking_loss_ties = r.coverage_ties = r.average_precision_ties = Ties::worst;
  r.ndcg_ties = Ties::average;
  r.ranking_loss = {k_zero, k_zero};
  r.coverage = {k_zero, k_natural};
  r.coverage_base = 0;
  r.average_precision = {k_one, k_natural};
  r.example_f_empty = r.jaccard_empty = k_zero;
  r.at_k_none = r.average_precision_no = k_zero;
  return r;
}

Rules mulan() {
  Rules r = paper();
  r.ranking_loss_ties = r.coverage_ties = r.average_precision_ties = r.one_error_ties = Ties::last;
  r.ranking_loss = {k_zero, k_zero};
  r.coverage = {k_zero, k_natural};
  r.average_precision = {k_skip, k_natural};
  r.one_error = {k_one, k_natural};
  r.ratio_empty = k_one;
  return r;
}

Rules meka() {
  Rules r = paper();
  r.average_precision_ties = Ties::worst;
  r.ranking_loss = {k_zero, k_zero};
  r.average_precision = {k_one, k_natural};
  r.one_error = {k_one, k_natural};
  r.example_f_empty = k_zero;
  return r;
}

Rules zhang() {
  Rules r = paper();
  r.ranking_loss_ties = Ties::worst;
  r.coverage_ties = r.average_precision_ties = Ties::last;
  r.one_error_ties = Ties::best;
  r.coverage = {{Rule::value, -1}, k_natural};
  return r;
}

Rules of_convention(Convention convention) {
  switch (convention) {
    case Convention::paper:
      return paper();
    case Convention::mulan:
      return mulan();
    case Convention::meka:
      return meka();
    case Convention::zhang:
      return zhang();
    case Convention::sklearn:
      break;
  }
  return sklearn();
}

}  // namespace

std::string_view name_of(Convention value) {
  return k_conventions[static_cast<std::size_t>(value)];
}
std::string_view name_of(Undefined value) { return k_undefined[static_cast<std::size_t>(value)]; }
std::string_view name_of(Ties value) { return k_ties[static_cast<std::size_t>(value)]; }

Convention convention_of(std::string_view name) {
  return parse<Convention>(name, k_conventions, "a convention");
}
Undefined undefined_of(std::string_view name) {
  return parse<Undefined>(name, k_undefined, "a policy for undefined cases");
}
Ties ties_of(std::string_view name) { return parse<Ties>(name, k_ties, "a policy for ties"); }

std::vector<std::string> convention_names() { return strings(k_conventions); }

Rules rules_of(const MeasureOptions& options) {
  if (!(options.beta > 0) || !std::isfinite(options.beta)) {
    throw Error(Code::parameter, "expected beta > 0, found " + shortest(options.beta),
                "Use beta = 1 to weight precision and recall alike");
  }
  if (options.k < 1) {
    throw Error(Code::parameter, "expected k >= 1, found " + std::to_string(options.k));
  }
  if (options.bins < 1) {
    throw Error(Code::parameter, "expected bins >= 1, found " + std::to_string(options.bins));
  }
  Rules r = of_convention(options.convention);
  if (options.ties) {
    const Ties ties = *options.ties;
    r.ranking_loss_ties = r.coverage_ties = r.average_precision_ties = r.one_error_ties = ties;
    r.precision_ties = r.ndcg_ties = r.protocol_ties = r.instance_auc_ties = ties;
    if (ties == Ties::worst) r.auc_tie = 0;
    if (ties == Ties::best) r.auc_tie = 1;
  }
  if (options.undefined) {
    const Rule rule = rule_of(*options.undefined);
    r.ranking_loss = r.instance_auc = {rule, rule};
    r.coverage.none = r.average_precision.none = r.one_error.none = rule;
    r.ratio = r.ratio_empty = r.example_f_empty = r.jaccard_empty = rule;
    r.at_k_none = r.average_precision_no = rule;
  }
  return r;
}

}  // namespace mulberry::measures

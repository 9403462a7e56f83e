// Descriptions and pages of HTML: data, models, comparisons, relations, reviews.
#include "mulberry/core/index.hpp"
#include "mulberry/data/describe/describe.hpp"
#include "mulberry/report/find_relations.hpp"
#include "mulberry/report/page/comparison_page.hpp"
#include "mulberry/report/page/data_page.hpp"
#include "mulberry/report/page/model_page.hpp"
#include "mulberry/report/page/relations_page.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"
#include "python/src/scores.hpp"

namespace mulberry::python {
namespace {

using namespace report;

// Every figure of a description under its name.
class DictVisitor {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    out[name] = object(value);
  }
  nb::dict out;

 private:
  template <class T>
  static nb::object object(T& value) {
    if constexpr (requires(DictVisitor& v) { value.visit(v); }) {
      DictVisitor inner;
      value.visit(inner);
      return inner.out;
    } else if constexpr (requires { value.push_back(value.front()); } &&
                         !std::is_same_v<T, std::string>) {
      nb::list list;
      for (auto& item : value) list.append(object(item));
      return list;
    } else {
      return nb::cast(value);
    }
  }
};

nb::dict describe_data(const Dataset& data, Index pairs, int threads) {
  Description found;
  run({.threads = threads, .progress = nb::none()},
      [&](const Context& ctx) { found = describe(data, {.pairs = pairs}, ctx); });
  DictVisitor visitor;
  found.visit(visitor);
  return visitor.out;
}

template <class Make>
std::string html(int threads, std::uint64_t seed, const Make& make) {
  std::string out;
  run({.threads = threads, .seed = seed, .progress = nb::none()},
      [&](const Context& ctx) { out = page_html(make(ctx)); });
  return out;
}

std::string page_of_data(const Dataset& data, int threads) {
  return html(threads, 0, [&](const Context& ctx) { return data_page(data, ctx); });
}

std::string page_of_model(const TrainedModel& model, const Dataset* test,
                          const std::string& convention, double beta, Index k, bool importance,
                          int threads, std::uint64_t seed) {
  const MeasureOptions options{.convention = convention_of(convention), .beta = beta, .k = k};
  return html(threads, seed, [&](const Context& ctx) {
    if (test == nullptr) return learner_page(model);
    return model_page(model, *test, options,
                      importance ? ImportanceOf::all : ImportanceOf::few_features, ctx);
  });
}

// Measures: (name, whether higher is better, sets as scores_of takes them).
using MeasuredSets = std::tuple<std::string, bool, nb::list>;

std::string page_of_sets(const std::vector<std::string>& learners, const nb::list& measures,
                         const std::string& what, double alpha, const std::string& test) {
  std::vector<Scores> scores;
  std::vector<Verdicts> verdicts;
  for (const nb::handle item : measures) {
    const auto [name, higher, sets] = nb::cast<MeasuredSets>(item);
    scores.push_back(scores_of(higher, learners, sets));
    scores.back().measure = name;
    verdicts.push_back(
        judge(scores.back(), {.alpha = alpha, .test = pair_test_of(test)}, Context(1, 0)));
  }
  return page_html(sets_page(scores, verdicts, what));
}

// One data set. Expressions: the learners as they were given.
std::string page_of_comparison(const std::string& data, Index rows, Index labels,
                               const std::string& splits, const std::vector<std::string>& learners,
                               const std::vector<std::string>& expressions,
                               const nb::list& measures) {
  Comparison out{.data = data, .rows = rows, .labels = labels, .splits = splits};
  out.convention = "sklearn";
  for (std::size_t l = 0; l < learners.size(); ++l) {
    out.learners.push_back({.spec = Spec(expressions[l]), .name = learners[l]});
  }
  for (const nb::handle item : measures) {
    const auto [name, higher, sets] = nb::cast<MeasuredSets>(item);
    const Scores scores = scores_of(higher, learners, sets);
    out.measures.push_back(name);
    out.higher_is_better.push_back(higher);
    out.split_rows = scores.sets.at(0).splits;
    for (std::size_t l = 0; l < learners.size(); ++l) {
      out.learners[l].estimates.push_back(summarise(scores.sets[0].cells[l].values));
    }
  }
  return page_html(comparison_page(out));
}

nb::dict relations_of(const TrainedModel& model, const Dataset* data, Index most, double least,
                      Index repeats, const std::string& resample, const std::string& what,
                      int threads, std::uint64_t seed, nb::object progress) {
  const RelationOptions options{
      .least = least, .repeats = repeats, .resample = resample_of(resample)};
  Relations found;
  run({.threads = threads, .seed = seed, .progress = std::move(progress)},
      [&](const Context& ctx) { found = find_relations(model, data, options, ctx); });
  const std::vector<Arrow> arrows = strongest_arrows(found, most, least);
  nb::dict out;
  out["names"] = found.names;
  out["support"] = found.support;
  const auto add = [&](const char* name, const Matrix& values) {
    if (values.size() > 0) out[name] = to_numpy(Matrix(values));
  };
  add("score", found.score);
  add("plain", found.plain);
  add("phi", found.phi);
  add("co_occurrence", found.co_occurrence);
  add("agreement", found.stability.agreement);
  add("repeated_mean", found.stability.mean);
  add("repeated_deviation", found.stability.deviation);
  nb::list list;
  for (const Arrow& a : arrows) {
    list.append(nb::make_tuple(found.names[at(a.helper)], found.names[at(a.learner)], a.score,
                               a.reverse, is_firm(found, a.helper, a.learner)));
  }
  out["arrows"] = list;
  out["sentences"] = arrow_sentences(found, arrows, least);
  out["dot"] = relations_dot(found, arrows);
  out["picture"] = relations_picture(found);
  out["graph"] = relations_graph(found, arrows);
  out["page"] = page_html(relations_page(found, what, least));
  return out;
}

}  // namespace

void bind_pages(nb::module_& m) {
  m.def("describe", &describe_data, nb::arg("data"), nb::arg("pairs") = 10, nb::arg("threads") = 1);
  m.def("data_page", &page_of_data, nb::arg("data"), nb::arg("threads") = 1);
  m.def("model_page", &page_of_model, nb::arg("model"), nb::arg("test").none(),
        nb::arg("convention") = "sklearn", nb::arg("beta") = 1.0, nb::arg("k") = 5,
        nb::arg("importance") = false, nb::arg("threads") = 1, nb::arg("seed") = 0);
  m.def("sets_page", &page_of_sets, nb::arg("learners"), nb::arg("measures"), nb::arg("what"),
        nb::arg("alpha") = 0.05, nb::arg("test") = "wilcoxon-holm");
  m.def("comparison_page", &page_of_comparison, nb::arg("data"), nb::arg("rows"), nb::arg("labels"),
        nb::arg("splits"), nb::arg("learners"), nb::arg("expressions"), nb::arg("measures"));
  m.def("relations", &relations_of, nb::arg("model"), nb::arg("data").none(), nb::arg("most"),
        nb::arg("least"), nb::arg("repeats"), nb::arg("resample"), nb::arg("what"),
        nb::arg("threads") = 1, nb::arg("seed") = 0, nb::arg("progress") = nb::none());
}

}  // namespace mulberry::python

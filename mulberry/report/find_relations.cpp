#include "mulberry/report/find_relations.hpp"

#include <fmt/format.h>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/measures/relations.hpp"

namespace mulberry::report {
namespace {

constexpr const char* k_result = "reuse_score";

Matrix scores_of(const TrainedModel& model) {
  for (const Result& result : model.results) {
    if (result.id == k_result) return result.values;
  }
  throw Error(
      Code::unsupported,
      fmt::format("expected a model with the result '{}', found {}", k_result, model.spec.text()),
      "Train a learner that measures it, such as mahr");
}

}  // namespace

Resample resample_of(const std::string& name) {
  if (name == "bootstrap") return Resample::bootstrap;
  if (name == "halves") return Resample::halves;
  if (name == "folds") return Resample::folds;
  throw Error(Code::usage,
              "expected " + core::mention("resample") + " bootstrap, folds or halves, found " +
                  in_quotes(name),
              "Leave it out for bootstrap samples");
}

void require_repeats(const RelationOptions& options, const Dataset* data) {
  if (options.repeats > 0 && data == nullptr) {
    throw Error(Code::usage,
                "expected data for " + core::mention("repeats") + ", found a model alone",
                "Add the data that the model was trained on, after the model");
  }
  if (options.resample != Resample::folds) return;
  if (options.repeats < 2 || data == nullptr || options.repeats > data->rows()) {
    throw Error(
        Code::usage,
        fmt::format("expected {} from 2 to the number of rows with {}, found {}",
                    core::mention("repeats"), core::mention("resample", "folds"), options.repeats),
        "For example: " + core::mention("repeats", "10"));
  }
}

Relations find_relations(const TrainedModel& model, const Dataset* data,
                         const RelationOptions& options, const Context& ctx) {
  require_repeats(options, data);
  Relations out{.names = model.label_names, .score = scores_of(model)};
  if (data == nullptr) return out;
  const Labels y = align_labels(*data, model.label_names, model.sets);
  out.phi = phi(y, ctx);
  out.co_occurrence = co_occurrence(y, ctx);
  for (Index l = 0; l < y.count(); ++l) out.support.push_back(count_of(y.column(l)));
  out.plain = out.score;
  out.score = shrunk_scores(out.plain, out.support);
  if (options.repeats == 0) return out;
  out.stability = repeat_scores(
      out.plain, options.least, data->rows(), options.repeats, options.resample,
      [&](std::span<const Id> rows, const Context& inner) {
        const TrainedModel again = train(CompleteSpec::inner(model.spec), take_rows(*data, rows),
                                         {.preprocess = model.preprocess}, inner);
        if (again.summary.interrupted) throw Cancelled();
        return scores_of(again);
      },
      ctx);
  return out;
}

}  // namespace mulberry::report

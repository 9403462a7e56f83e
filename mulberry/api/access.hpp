// The way from the handles of the public headers to what is behind them, and back. Names without a
// room are public ones here: the room api does not see the rooms below without naming them.
//
// The rooms see each other through using-directives, so to them a public name of the same spelling
// would be ambiguous. Therefore all files of the rooms come first, and the public headers last; a
// file of this room includes this one instead of either.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/evaluate/tune.hpp"
#include "mulberry/math/dense/blas_core.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

// clang-format off: the public headers
#include <mulberry/mulberry.hpp>
// clang-format on

namespace mulberry::api {

struct ContextState {
  core::Context context;
  ProgressCallback callback = {};
};

// What a Prediction holds: scores, decisions, and what measures want to know of the model.
struct PredictionState {
  model::Prediction prediction = {};
  data::Labels decided = {};
  data::LabelSets sets = {};
  data::LabelRules rules = {};
  std::vector<double> propensities = {};
};

struct ModelState {
  evaluate::TrainedModel trained = {};
  std::string learner = {};  // its text
};

struct Access {
  static const ContextState& of(const Context& handle) {
    return *static_cast<const ContextState*>(handle.state_.get());
  }
  static const data::Features& of(const Features& handle) {
    return *static_cast<const data::Features*>(handle.state_.get());
  }
  static const data::Labels& of(const Labels& handle) {
    return *static_cast<const data::Labels*>(handle.state_.get());
  }
  static const data::Dataset& of(const Dataset& handle) {
    return *static_cast<const data::Dataset*>(handle.state_.get());
  }
  static const PredictionState& of(const Prediction& handle) {
    return *static_cast<const PredictionState*>(handle.state_.get());
  }
  static ModelState& of(const Model& handle) {
    return *static_cast<ModelState*>(handle.state_.get());
  }

  static Context make(ContextState value) {
    return Context(std::make_shared<const ContextState>(std::move(value)));
  }
  static Features make(data::Features value) {
    return Features(std::make_shared<const data::Features>(std::move(value)));
  }
  static Labels make(data::Labels value) {
    return Labels(std::make_shared<const data::Labels>(std::move(value)));
  }
  static Dataset make(data::Dataset value) {
    return Dataset(std::make_shared<const data::Dataset>(std::move(value)));
  }
  static Prediction make(PredictionState value) {
    return Prediction(std::make_shared<const PredictionState>(std::move(value)));
  }
  static Model make(evaluate::TrainedModel value);

  // A part of what a handle holds, which stays alive with it.
  static Features part(const Dataset& whole, const data::Features& x) {
    return Features(std::shared_ptr<const void>(whole.state_, &x));
  }
  static Labels part(const Dataset& whole, const data::Labels& y) {
    return Labels(std::shared_ptr<const void>(whole.state_, &y));
  }
  static Labels part(const Prediction& whole, const data::Labels& y) {
    return Labels(std::shared_ptr<const void>(whole.state_, &y));
  }
};

// The context of one call: its progress begins at 0.
core::Context run_context(const Context& given);

// Options of the public headers as the rooms below want them. They throw core::Error.
data::ReadOptions read_options(const ReadOptions& given);
data::PreprocessOptions preprocess_options(const TrainOptions& given);
measures::MeasureOptions measure_options(const MeasureOptions& given);
data::LabelSets label_sets(const std::vector<LabelSet>& given);
std::vector<LabelSet> label_sets(const data::LabelSets& sets);
LabelRules label_rules(const data::LabelRules& rules, const std::vector<std::string>& names);

// Features that read the caller's memory, checked.
data::Features borrow_rows(const DenseRows& rows, std::shared_ptr<const void> owner);
data::Features borrow_rows(const SparseRows& rows, std::shared_ptr<const void> owner);
// An owner for memory that outlives the use of it.
std::shared_ptr<const void> no_owner();

// Throws core::Error unless `start` cuts 0 .. count into parts in order, and numbers increase
// within each part and are below `limit`. What: "features", "labels", for the message.
void require_lists(const std::int64_t* start, std::int64_t rows, const std::int32_t* index,
                   std::int64_t limit, const std::string& what);
// Throws core::Error unless the number is not negative and fits 32 bits.
void require_size(std::int64_t size, const std::string& what);

}  // namespace mulberry::api

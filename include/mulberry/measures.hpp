// Measures: how good predictions are.
//
//   const mulberry::Prediction prediction = model.predict(test);
//   const auto measures = mulberry::score(test.labels(), prediction, {"macro_f1", "jaccard"});
//   for (const auto& measure : measures) {
//     std::cout << measure.name << " " << measure.value << "\n";
//   }
//
// A convention decides what happens to equal scores and to rows and labels for which a measure has
// no value: "sklearn" (the default; "paper" where scikit-learn lacks the measure), "paper",
// "mulan", "meka", "zhang". docs/measures.md defines them all.
//
// Guarantees: pure functions; the same bits for any number of threads; what was undefined is
// counted; missing cells of the truth are left out. A measure without any value is NaN and says
// why.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <mulberry/model.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mulberry {

struct MeasureInfo {
  std::string name = {};
  std::string sentence = {};
  std::string needs = {};  // "label decisions", "scores", ...
  bool higher_is_better = true;
  double low = 0, high = 1;  // the range of values
};
MULBERRY_API std::vector<MeasureInfo> list_measures();

struct MeasureOptions {
  std::string convention = "sklearn";
  std::string undefined = {};  // overrides: "zero", "one", "skip", "nan", "error"
  std::string ties = {};       // overrides: "worst", "best", "average", "first", "last"
  double beta = 1;             // of *_fbeta
  std::int64_t k = 5;          // of *_at_k
  std::int64_t bins = 15;      // of calibration_error
  // How often labels occur in training, for measures that pay for rare ones. Empty: as the model of
  // a Prediction saw them.
  std::vector<double> propensities = {};
};

struct MeasureValue {
  std::string name = {};
  double value = 0;             // NaN where there is none
  std::int64_t undefined = 0;   // rows or labels that have no value
  std::int64_t unobserved = 0;  // rows or labels without any observed cell: always left out
  std::string reason = {};      // why there is no value
  bool higher_is_better = true;
};

// A prediction of any origin. Without scores, or without decisions, the measures that need them do
// not apply. Nothing is copied.
struct Outcome {
  const double* scores = nullptr;     // row-major, rows times labels of the truth
  const Labels* decisions = nullptr;  // the same shape
  bool probabilities = false;         // whether the scores are
  std::vector<LabelSet> label_sets = {};
  // Pairs of labels, by number, of which the first implies the second: for hierarchical measures.
  std::vector<std::pair<std::int32_t, std::int32_t>> implies = {};
};

// The measures named or, without names, all that apply. Throws Error for an unknown name, for
// shapes that do not fit, and for a measure that needs what is not there.
MULBERRY_API std::vector<MeasureValue> score(const Labels& truth, const Prediction& prediction,
                                             const std::vector<std::string>& names = {},
                                             const MeasureOptions& options = {},
                                             const Context& context = Context(1));
MULBERRY_API std::vector<MeasureValue> score(const Labels& truth, const Outcome& outcome,
                                             const std::vector<std::string>& names = {},
                                             const MeasureOptions& options = {},
                                             const Context& context = Context(1));

// Predicts and scores; the labels of data and model are matched by name.
MULBERRY_API std::vector<MeasureValue> score(const Model& model, const Dataset& data,
                                             const std::vector<std::string>& names = {},
                                             const MeasureOptions& options = {},
                                             const Context& context = Context());

}  // namespace mulberry

// Model: a trained learner with all that is needed to use it on other data: names of features and
// labels, label sets, preprocessing. A model file holds exactly this.
//
//   const mulberry::Dataset data = mulberry::Dataset::read("photos-train.arff");
//   const mulberry::Model model = mulberry::train("ecc(chains=10, base=logistic)", data,
//                                                 {.scale = "standardise"});
//   model.save("photos.mb");
//
//   const mulberry::Model loaded = mulberry::Model::load("photos.mb");
//   const mulberry::Prediction prediction = loaded.predict(loaded.read("photos-test.arff"));
//   std::cout << prediction.decisions().row(0).size() << " labels in the first row\n";
//
// Features are matched by name, whatever their order, when both the model and the data have names;
// otherwise the number of columns must agree.
//
// Guarantees
// * A Model and a Prediction are immutable and cheap to copy.
// * A model file of this version is read by all later ones, by the command line and by Python.
//   A damaged file is an Error, never a crash. Saving is atomic.
// * A loaded model predicts the same bits as the one that was saved.
// * Predictions do not depend on which other rows are predicted with them, apart from rounding.
//
// Thread safety: any number of threads may predict with one Model, save it, and read one Prediction
// at the same time.
#pragma once

#include <mulberry/dataset.hpp>

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mulberry {

class Model;

// What scores mean, and where they turn into a yes.
enum class Scale {
  margin,       // any number; positive means yes
  probability,  // 0 to 1, calibrated or meant to be; at least 0.5 means yes
  votes         // 0 to 1, a share of votes or a confidence; at least 0.5 means yes
};

class MULBERRY_API Prediction {
 public:
  std::int64_t rows() const;
  std::int64_t label_count() const;
  Scale scale() const;
  // Row-major, rows times labels; valid as long as a copy of this prediction lives.
  std::span<const double> scores() const;
  // The scores when they are probabilities. Throws Error that names a remedy when they are not.
  std::span<const double> probabilities() const;
  // The labels that the model assigns: by a decision of its own where it has one, by the best label
  // of each label set, or by the cut of the scale.
  Labels decisions() const;

 private:
  friend struct api::Access;
  explicit Prediction(std::shared_ptr<const void> state);
  std::shared_ptr<const void> state_;
};

// Preprocessing is fitted on the training data, saved with the model, and applied by predict.
struct TrainOptions {
  std::string impute = "none";  // missing features: "none", "mean", "mode"
  std::string scale = "none";   // "none", "standardise", "minmax", "unit"
  bool tfidf = false;           // weigh words by how few rows have them
  bool drop_constant = false;   // leave out features with a single value
  const Model* init = nullptr;  // continue from this model (learners that can `warm_start`)
};

// How training went. A solver that stops before its tolerance is not an error; it says so here.
struct ModelSummary {
  bool converged = true;
  bool interrupted = false;  // stopped by a stop token; this is the best model so far
  double objective = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();  // largest certified relative gap
  std::int64_t rounds = 0;                                // iterations, boosting rounds, ...
  std::int64_t rows = 0;                                  // of the training data
  double seconds = 0;
};

// A table that a model can show besides predictions, such as certificates or relations.
struct ModelTable {
  std::string id = {};
  std::string sentence = {};  // what it shows
  std::vector<std::string> row_names = {}, column_names = {};
  std::vector<double> values = {};  // row-major
};

class MULBERRY_API Model {
 public:
  static Model load(const std::string& path);
  void save(const std::string& path) const;

  const std::string& learner() const;  // its text with all parameters
  std::int64_t columns() const;        // features that it expects
  std::int64_t label_count() const;
  const std::vector<std::string>& feature_names() const;  // empty when the data had none
  const std::vector<std::string>& label_names() const;
  std::vector<LabelSet> label_sets() const;
  LabelRules label_rules() const;
  ModelSummary summary() const;
  std::vector<ModelTable> tables() const;

  // Reads data for this model: words of features get the codes that they had in training, and the
  // labels are found by their names. The file may have no labels.
  Dataset read(const std::string& path, ReadOptions options = {}) const;

  Prediction predict(const Dataset& data, const Context& context = Context(1)) const;
  // From the caller's arrays, which are not copied and are free again after the call.
  Prediction predict(const DenseRows& rows, const Context& context = Context(1)) const;
  Prediction predict(const SparseRows& rows, const Context& context = Context(1)) const;

 private:
  friend struct api::Access;
  explicit Model(std::shared_ptr<void> state);
  std::shared_ptr<void> state_;
};

// Into the caller's memory, which has room for rows times labels.
MULBERRY_API void copy_scores(const Prediction& prediction, std::span<double> out);
MULBERRY_API void copy_probabilities(const Prediction& prediction, std::span<double> out);
MULBERRY_API void copy_decisions(const Prediction& prediction, std::span<std::int8_t> out);  // 0, 1

// Trains on all rows. Throws Error when the learner does not exist or cannot use the data, and
// Cancelled when stopped.
MULBERRY_API Model train(std::string_view learner, const Dataset& data,
                         const TrainOptions& options = {}, const Context& context = Context());

}  // namespace mulberry

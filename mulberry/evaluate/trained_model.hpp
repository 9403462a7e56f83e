// TrainedModel: a model with everything that is needed to use it on other data: names of features
// and labels, exclusive label sets, preprocessing. A model file holds all of this.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/preprocess/preprocess.hpp"
#include "mulberry/data/preprocess/target_words.hpp"
#include "mulberry/data/read/read_options.hpp"
#include "mulberry/data/text/text_step.hpp"
#include "mulberry/evaluate/label_places.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/model/model_file.hpp"

namespace mulberry::evaluate {

// Implications as a model file holds them: the k-th of one list implies the k-th of the other.
struct ImpliedLists {
  std::vector<Id> label = {}, implied = {};
};

struct TrainedModel {
  Spec spec = {};  // the learner with all of its parameters
  std::vector<std::string> feature_names = {};
  std::vector<std::string> label_names = {};
  LabelSets sets = {};
  LabelRules rules = {};            // between labels, as declared
  ImpliedLists implied_lists = {};  // of the rules, while a file is written or read
  // How the caller gave the labels, in the caller's own words: the Python package keeps the values
  // and types of classes here, so that a loaded model predicts what the trained one did.
  std::string target = {};
  NominalFeatures nominal = {};           // words of features and their codes
  std::vector<double> propensities = {};  // of labels, for measures that reward rare ones
  OneClassLabels one_class = {};          // where their scores stand in a row
  Index columns = 0;                      // features that the model expects, before preprocessing
  PreprocessOptions preprocess = {};      // the settings, and the fitted steps
  Preprocessing preprocessing = {};
  TextStep text = {};       // its features follow those of `preprocessing`
  TargetWords words = {};   // its features come last
  ReadOptions source = {};  // how the training data was read, as far as other data needs it
  std::unique_ptr<Model> model = {};

  // The training run.
  Index rows = 0;
  // Not saved, so that the same training gives the same file; NaN for a loaded model.
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::string data_name = {}, fingerprint = {};
  Summary summary = {};
  std::vector<Result> results = {};

  // Features are matched by name if both sides have names, whatever their order; otherwise the
  // number of columns must agree. Throws an Error that names the first missing feature.
  //
  // Data is to be read with what the model knows about it: reading(options).
  // The user's options come first; what they leave open is as in training: the list of labels,
  // columns of text, ids and ignored columns.
  ReadOptions reading(ReadOptions options) const;
  bool takes_missing() const;  // NaN among the features is filled, or the learner accepts it
  Prediction predict(const Dataset& data, const Context& ctx) const;
  Labels decide(const Prediction& prediction) const;
  // The best decisions that obey the rules between labels; an Error if there are none.
  Labels decide_consistently(const Prediction& prediction, const Context& ctx) const;

  void save(const std::string& path);
  static TrainedModel load(const std::string& path);
  // The same without a file.
  std::string content();
  static TrainedModel of_content(std::string content);
  // The features that the learner sees, after preprocessing: "colour", "body:invoice". Empty if the
  // training data had no names.
  std::vector<std::string> seen_features() const;
  // The names along one side of a result; what has none is numbered from `first`.
  std::vector<std::string> names_along(Axis axis, const std::vector<std::string>& given,
                                       Index count, Index first) const;
  // What `inspect --json` prints: the header of the file without the arrays of the model.
  std::string about_json() const;

 private:
  ModelFileWriter written();  // borrows the arrays of this model
  static TrainedModel read(const ModelFileReader& file);
};

struct TrainOptions {
  PreprocessOptions preprocess = {};
  const TrainedModel* init = nullptr;  // continue from
  bool keeps_origin = true;            // the model says which data it was trained on
};

// Fits preprocessing and learner on all rows of `data`.
TrainedModel train(const CompleteSpec& spec, const Dataset& data, const TrainOptions& options,
                   const Context& ctx);

// Columns of `data` in the order that the model knows; cheap if they already are.
Features align_features(const Dataset& data, const std::vector<std::string>& names, Index columns);

// The labels of `data` in the order of `names`, matched by name. A label that the data does not
// have is 0 everywhere if it belongs to one of the exclusive sets, and an Error otherwise; a label
// of the data that is not among `names` is an Error, too.
Labels align_labels(const Dataset& data, const std::vector<std::string>& names,
                    const LabelSets& sets);

// A checksum of features and labels, so that a model can say which data it was trained on.
std::string fingerprint(const Dataset& data);

}  // namespace mulberry::evaluate

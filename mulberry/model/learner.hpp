// Learner: an entry of the registry: a name, its parameters, and how to train and load its models.
// Everything that handles "any learner" (command line, cv, tune, tests) works through this record.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mulberry/core/params.hpp"
#include "mulberry/model/model.hpp"
#include "mulberry/model/tags.hpp"

namespace mulberry::model {

struct Learner {
  std::string id = {};
  std::string summary = {};    // one sentence: what it is good for
  std::string reference = {};  // the paper
  Tags tags = {};              // with default parameters
  std::vector<ParamInfo> params = {};

  // All parameters of a spec checked and filled in, nested learners included.
  std::function<Spec(const Spec&)> complete = {};
  // The tags under these parameters: those of a meta-learner depend on its base.
  std::function<Tags(const Spec&)> tags_of = {};
  // `init`: a model of the same learner to continue from, or null.
  std::function<std::unique_ptr<Model>(const View&, const Spec&, const Context&, Model* init)> fit =
      {};
  std::function<std::unique_ptr<Model>(const Spec&, ArchiveReader&)> load = {};
};

// A shorter name for a learner with some of its parameters set.
struct Alias {
  std::string id = {};
  Spec spec = {};
};

// The registry, made from learners/list.inc; sorted by id.
std::span<const Learner> all_learners();
std::span<const Alias> all_aliases();

// Resolves aliases: `br_svm(C=2)` becomes `br(base=linear_svm(C=2))`: a parameter that the learner
// does not have goes to its base.
Spec resolve(const Spec& spec);
// A parameter as the learner behind an alias names it: the C of br_svm is base.C.
std::string full_name(const std::string& id, const std::string& parameter);
// By id after resolving; an unknown name is an Error that suggests the nearest.
const Learner& find_learner(const std::string& id);

// Resolve, find, complete.
Spec complete_spec(const Spec& spec);

// Throws Error unless the learner's tags allow this data: missing labels, NaN, weights, label sets;
// rows, features and labels must exist.
// `imputed`: missing features will be filled before training.
void check_learner(const Spec& spec, const View& view, bool imputed = false);
bool takes_missing_features(const Spec& spec);

// Trains a learner after check_learner.
std::unique_ptr<Model> fit_learner(const Spec& spec, const View& view, const Context& ctx,
                                   Model* init = nullptr);

}  // namespace mulberry::model

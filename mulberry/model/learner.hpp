// Learner: an entry of the registry: a name, its parameters, and how to train and load its models.
// Everything that handles "any learner" (command line, cv, tune, tests) works through this record.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mulberry/core/params.hpp"
#include "mulberry/model/memory_need.hpp"
#include "mulberry/model/model.hpp"
#include "mulberry/model/tags.hpp"

namespace mulberry::model {

struct Learner {
  std::string id = {};
  std::string summary = {};    // one sentence: what it is good for
  std::string reference = {};  // the paper
  Tags tags = {};              // with default parameters
  Index revision = 1;          // raised whenever its results change for the same parameters
  std::vector<ParamInfo> params = {};

  // All parameters of a spec checked and filled in, nested learners included.
  std::function<Spec(const Spec&)> complete = {};
  // The tags under these parameters: the tags of a meta-learner depend on its base.
  std::function<Tags(const Spec&)> tags_of = {};
  // Whether its features are values of a kernel under these parameters, its bases left aside.
  std::function<bool(const Spec&)> takes_kernel_values = {};
  // What a user should know before it is trained on this data: memory that it will take, parameters
  // that are allowed but seldom meant. Sentences without a full stop.
  std::function<std::vector<std::string>(const View&, const Spec&)> notes = {};
  // The memory that it takes for a problem of this size (memory_need.hpp).
  std::function<MemoryNeed(const Extent&, const Spec&)> memory = {};
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
// does not have is passed to its base.
Spec resolve(const Spec& spec);
// The name of a parameter in the learner behind an alias: the C of br_svm is base.C.
std::string full_name(const std::string& id, const std::string& parameter);
// By id after resolving; an unknown name is an Error that suggests the nearest.
const Learner& find_learner(const std::string& id);

// A learner with all of its parameters, aliases resolved and everything checked. It is made once,
// where a request comes in: whoever takes a CompleteSpec has nothing to look up or fill in again.
class CompleteSpec {
 public:
  explicit CompleteSpec(const Spec& spec);
  CompleteSpec(const char* name) : CompleteSpec(Spec(name)) {}  // NOLINT: a name in a program
  // Of a learner that is complete already: one inside another, or the one of a trained model.
  static CompleteSpec inner(const Spec& spec);
  const Spec& given() const { return given_; }  // as the user wrote it
  const Spec& spec() const { return spec_; }
  operator const Spec&() const { return spec_; }  // NOLINT
  const std::string& id() const { return spec_.id; }
  const Learner& learner() const { return *learner_; }
  Tags tags() const { return learner_->tags_of(spec_); }

 private:
  CompleteSpec(const Spec& spec, const Learner& learner)
      : given_(spec), spec_(spec), learner_(&learner) {}
  Spec given_, spec_;
  const Learner* learner_;
};

inline Spec complete_spec(const Spec& spec) { return CompleteSpec(spec).spec(); }

// Throws Error unless the learner's tags allow this data: missing labels, NaN, weights, label sets;
// rows, features and labels must exist.
// `imputed`: missing features will be filled before training.
void check_learner(const CompleteSpec& spec, const View& view, bool imputed = false);

inline bool takes_missing_features(const CompleteSpec& spec) {
  return spec.tags().missing_features;
}
// Whether the features are values of a kernel, for the learner or one that it builds on.
bool takes_kernel_values(const CompleteSpec& spec);

// "br 1, linear_svm 1": the learner and those that it builds on, with their revisions. Results that
// were kept under other revisions are out of date.
std::string revisions(const CompleteSpec& spec);

// The notes of the learner and of those that it builds on, each with its id in front; what it takes
// to make sparse features dense, for learners without the tag `sparse`; and the memory that it
// states, if that is much of what this process can get.
std::vector<std::string> training_notes(const CompleteSpec& spec, const View& view,
                                        int threads = 1);

// Trains a learner after check_learner.
std::unique_ptr<Model> fit_learner(const CompleteSpec& spec, const View& view, const Context& ctx,
                                   Model* init = nullptr);

}  // namespace mulberry::model

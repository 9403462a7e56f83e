#include "mulberry/model/learner.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::model {
namespace {

// The learners that can do something with data like these, for "use one of ... instead".
std::string learners_with(bool Tags::* ability, const View& view) {
  const bool sets = view.sets != nullptr && !view.sets->empty();
  std::vector<std::string> names;
  for (const Learner& learner : all_learners()) {
    if (learner.tags.*ability && (sets || !learner.tags.label_sets)) names.push_back(learner.id);
  }
  return names.empty() ? "No learner can" : "These can, as they are: " + join(names, ", ");
}

// A learner with those it is made of, because what it can do depends on them: br(base=msvr).
Spec parts_of(const Spec& spec) {
  Spec out(spec.id);
  for (const auto& [name, value] : spec.params) {
    if (name == "base") out.set(name, parts_of(as_spec(value)));
  }
  return out;
}

bool has_param(const Learner& learner, const std::string& name) {
  for (const ParamInfo& info : learner.params) {
    if (info.name == name) return true;
  }
  return false;
}

void require_fits(const Spec& complete, const Tags& tags, const View& view, bool imputed = false) {
  if (view.size() == 0) {
    throw Error(Code::data, "expected at least one training row, found none",
                "Give rows to learn from");
  }
  if (view.y == nullptr || view.labels() == 0) {
    throw Error(Code::data, "expected at least one label to learn, found none",
                "Say which columns are labels, e.g. " + mention("label_count", "6") + " or " +
                    mention("label_xml", "FILE"));
  }
  if (view.columns() == 0) {
    throw Error(Code::data, "expected at least one feature, found none",
                "All columns are labels: check " + mention("label_count") + " and the like");
  }
  if (view.y->has_missing() && !tags.missing_labels) {
    throw Error(Code::unsupported,
                parts_of(complete).text() + " cannot learn from data with missing labels",
                learners_with(&Tags::missing_labels, view));
  }
  if (!view.weights.empty() && !tags.weights) {
    throw Error(Code::unsupported, parts_of(complete).text() + " cannot use instance weights",
                learners_with(&Tags::weights, view));
  }
  if (tags.label_sets && (view.sets == nullptr || view.sets->empty())) {
    throw Error(Code::unsupported, complete.id + " needs data with exclusive label sets",
                "Declare them with " + mention("label_sets", "a,b"));
  }
  require_computable(*view.x, {}, tags.missing_features || imputed);
}

}  // namespace

Spec resolve(const Spec& spec) {
  for (const Alias& alias : all_aliases()) {
    if (alias.id != spec.id) continue;
    Spec out = alias.spec;
    for (const auto& [key, value] : spec.params) out.set(full_name(spec.id, key), value);
    return out;
  }
  return spec;
}

std::string full_name(const std::string& id, const std::string& parameter) {
  for (const Alias& alias : all_aliases()) {
    if (alias.id != id) continue;
    const bool own =
        has_param(find_learner(alias.spec.id), parameter.substr(0, parameter.find('.')));
    return own ? parameter : "base." + parameter;
  }
  return parameter;
}

const Learner& find_learner(const std::string& id) {
  std::vector<std::string> names;
  for (const Learner& learner : all_learners()) {
    if (learner.id == id) return learner;
    names.push_back(learner.id);
  }
  for (const Alias& alias : all_aliases()) names.push_back(alias.id);
  for (const BaseLearner& base : base_learners()) {
    if (base.id != id) continue;
    throw Error(Code::usage, "there is no learner " + quoted(id) + ": it is a base learner",
                "Give it to a learner, as in br(base=" + id + ")");
  }
  throw Error(Code::usage, "there is no learner " + quoted(id),
              did_you_mean(id, names, "`mulberry list` shows all of them"));
}

Spec complete_spec(const Spec& spec) {
  const Spec plain = resolve(spec);
  return find_learner(plain.id).complete(plain);
}

void check_learner(const Spec& spec, const View& view, bool imputed) {
  const Spec complete = complete_spec(spec);
  require_fits(complete, find_learner(complete.id).tags_of(complete), view, imputed);
}

bool takes_missing_features(const Spec& spec) {
  const Spec complete = complete_spec(spec);
  return find_learner(complete.id).tags_of(complete).missing_features;
}

std::unique_ptr<Model> fit_learner(const Spec& spec, const View& view, const Context& ctx,
                                   Model* init) {
  const Spec complete = complete_spec(spec);
  const Learner& learner = find_learner(complete.id);
  const Tags tags = learner.tags_of(complete);
  if (init != nullptr && !tags.warm_start) {
    throw Error(Code::unsupported,
                parts_of(complete).text() + " cannot continue from a saved model",
                learners_with(&Tags::warm_start, view));
  }
  require_fits(complete, tags, view);
  return learner.fit(view, complete, ctx, init);
}

}  // namespace mulberry::model

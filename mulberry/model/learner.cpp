#include "mulberry/model/learner.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/row_weights.hpp"

namespace mulberry::model {
namespace {

// The learners that can handle such data, for "use one of ... instead".
std::string learners_with(bool Tags::* ability, const View& view) {
  const bool sets = view.sets != nullptr && !view.sets->empty();
  std::vector<std::string> names;
  for (const Learner& learner : all_learners()) {
    if (learner.tags.*ability && (sets || !learner.tags.label_sets)) names.push_back(learner.id);
  }
  return names.empty() ? "No learner can" : "These can, as they are: " + join(names, ", ");
}

// A learner with its nested learners, because its abilities depend on them: br(base=msvr).
Spec parts_of(const Spec& spec) {
  Spec out(spec.id);
  for (const auto& [name, value] : spec.params) {
    if (name == "base") out.set(name, parts_of(as_spec(value)));
  }
  return out;
}

// The learners and base learners among the parameters.
std::vector<std::pair<ParamType, Spec>> parts(const CompleteSpec& spec) {
  std::vector<std::pair<ParamType, Spec>> out;
  for (const ParamInfo& info : spec.learner().params) {
    if (info.type != ParamType::base && info.type != ParamType::learner) continue;
    if (const SpecValue* value = spec.spec().find(info.name)) {
      out.emplace_back(info.type, as_spec(*value));
    }
  }
  return out;
}

// What the learner and those that it builds on have to say.
std::vector<std::string> notes_of_parts(const CompleteSpec& spec, const View& view) {
  std::vector<std::string> out = spec.learner().notes(view, spec);
  for (std::string& text : out) text = spec.id() + ": " + text;
  for (const auto& [type, inner] : parts(spec)) {
    if (type != ParamType::learner) continue;
    for (std::string& text : notes_of_parts(CompleteSpec::inner(inner), view))
      out.push_back(std::move(text));
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

// Rows of weight 0 are taken out before a learner sees them, so that in every learner they are the
// same as no rows. `storage` holds the rows that stay.
View with_weight(const View& view, std::vector<Id>& storage) {
  if (view.weights.empty()) return view;
  std::vector<Id> kept;
  for (Index k = 0; k < view.size(); ++k) {
    if (view.weights[at(view.row(k))] > 0) kept.push_back(static_cast<Id>(k));
  }
  if (kept.empty()) {
    throw Error(Code::data, "expected at least one row of positive weight, found none",
                "Give a positive weight to the rows to learn from");
  }
  return static_cast<Index>(kept.size()) == view.size() ? view : part_of(view, kept, storage);
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
    throw Error(Code::usage, "there is no learner " + in_quotes(id) + ": it is a base learner",
                "Give it to a learner, as in br(base=" + id + ")");
  }
  throw Error(Code::usage, "there is no learner " + in_quotes(id),
              did_you_mean(id, names, mention(Action::list) + " shows all of them"));
}

CompleteSpec::CompleteSpec(const Spec& spec) : given_(spec) {
  const Spec plain = resolve(spec);
  learner_ = &find_learner(plain.id);
  spec_ = learner_->complete(plain);
}

CompleteSpec CompleteSpec::inner(const Spec& spec) { return {spec, find_learner(spec.id)}; }

void check_learner(const CompleteSpec& spec, const View& view, bool imputed) {
  require_fits(spec, spec.tags(), view, imputed);
  require_computable_weights(view);
}

bool takes_kernel_values(const CompleteSpec& spec) {
  if (spec.learner().takes_kernel_values(spec)) return true;
  for (const auto& [type, inner] : parts(spec)) {
    if (type == ParamType::base ? find_base(inner.id).takes_kernel_values(inner)
                                : takes_kernel_values(CompleteSpec::inner(inner))) {
      return true;
    }
  }
  return false;
}

std::string revisions(const CompleteSpec& spec) {
  std::string out = spec.id() + " " + std::to_string(spec.learner().revision);
  for (const auto& [type, inner] : parts(spec)) {
    out += ", " + (type == ParamType::base
                       ? inner.id + " " + std::to_string(find_base(inner.id).revision)
                       : revisions(CompleteSpec::inner(inner)));
  }
  return out;
}

std::vector<std::string> training_notes(const CompleteSpec& spec, const View& view, int threads) {
  std::vector<std::string> out = notes_of_parts(spec, view);
  const auto cells = at(view.size()) * at(view.columns());
  if (view.x->is_sparse() && !spec.tags().sparse && cells * sizeof(double) >= k_much_memory) {
    out.push_back(parts_of(spec).text() + ": sparse features become dense, which takes " +
                  size_text(cells * sizeof(double)) + " for each copy");
  }
  if (view.labels() == 0) return out;  // an error will say so
  constexpr double k_large_share = 0.5;
  const double need = memory_need(spec, extent_of(view, threads)).fit;
  if (need >= static_cast<double>(k_much_memory) &&
      need > k_large_share * static_cast<double>(available_memory())) {
    out.push_back(spec.id() + ": " + memory_sentence(spec, view, threads));
  }
  return out;
}

std::unique_ptr<Model> fit_learner(const CompleteSpec& spec, const View& view, const Context& ctx,
                                   Model* init) {
  const Tags tags = spec.tags();
  if (init != nullptr && !tags.warm_start) {
    throw Error(Code::unsupported, parts_of(spec).text() + " cannot continue from a saved model",
                learners_with(&Tags::warm_start, view));
  }
  require_fits(spec, tags, view);
  std::vector<Id> storage;
  return spec.learner().fit(with_weight(view, storage), spec, ctx, init);
}

}  // namespace mulberry::model

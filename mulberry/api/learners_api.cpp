#include "mulberry/api/translate.hpp"

namespace mulberry {

namespace {

// A learner or a base learner: both have these members.
template <class Entry>
LearnerInfo describe(const Entry& entry) {
  LearnerInfo out{.id = entry.id,
                  .summary = entry.summary,
                  .reference = entry.reference,
                  .abilities = model::tag_names(entry.tags)};
  for (const core::ParamInfo& info : entry.params) {
    out.parameters.push_back({.name = info.name,
                              .type = std::string(core::type_name(info.type)),
                              .help = info.help,
                              .fallback = info.fallback,
                              .expected = info.expected(),
                              .choices = info.choices});
  }
  return out;
}

}  // namespace

std::vector<LearnerInfo> list_learners() {
  return api::translated([] {
    std::vector<LearnerInfo> out;
    for (const model::Learner& entry : model::all_learners()) out.push_back(describe(entry));
    return out;
  });
}

std::vector<LearnerInfo> list_base_learners() {
  return api::translated([] {
    std::vector<LearnerInfo> out;
    for (const model::BaseLearner& entry : model::base_learners()) out.push_back(describe(entry));
    return out;
  });
}

LearnerInfo describe_learner(std::string_view id) {
  return api::translated([&] { return describe(model::find_learner(std::string(id))); });
}

std::string complete_learner(std::string_view text) {
  return api::translated([&] { return model::complete_spec(core::parse_spec(text)).text(); });
}

}  // namespace mulberry

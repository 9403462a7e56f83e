#include "mulberry/study/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/fold_parts.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/resample/feature_groups.hpp"
#include "mulberry/study/toml_tree.hpp"

namespace mulberry::study {
namespace {

constexpr std::size_t k_most_cells = 10'000'000;

std::vector<Fold> splits_of(const StudyProtocol& protocol, const LoadedData& loaded,
                            const StudyData& data, const Context& ctx) {
  if (protocol.kind == ProtocolKind::official) return {*loaded.official};
  EvaluateOptions options;
  options.split = {.method = protocol.method,
                   .folds = protocol.folds,
                   .repeats = protocol.repeats,
                   .holdout = protocol.holdout};
  options.holdout = protocol.kind != ProtocolKind::folds;
  if (protocol.kind == ProtocolKind::train_rows) {
    const Index rows = loaded.data.rows();
    if (protocol.train_rows >= rows) {
      throw Error(Code::data,
                  fmt::format("expected more than {} rows, the number to train on, found {} in {}",
                              protocol.train_rows, rows, in_quotes(data.name)),
                  "Choose a smaller train_rows, or other data", data.where);
    }
    options.split.holdout =
        static_cast<double>(rows - protocol.train_rows) / static_cast<double>(rows);
  }
  if (!protocol.group.empty()) {
    options.split.groups =
        at_place(protocol.where, [&] { return feature_groups(loaded.data, protocol.group); });
  }
  return at_place(protocol.where, [&] { return make_splits(loaded.data.y, options, ctx); });
}

// Everything that a search on the training part depends on.
std::string search_text(const StudyLearner& learner) {
  if (!learner.tune) return "";
  const TuneOptions& tune = *learner.tune;
  std::string out =
      fmt::format("{} {} {} {} {} {}", tune.measure, static_cast<int>(tune.search), tune.trials,
                  tune.grid_points, tune.evaluate.split.folds,
                  tune.evaluate.holdout ? shortest(tune.evaluate.split.holdout) : "-");
  for (const SearchAxis& axis : tune.axes) {
    out += fmt::format("; {} {} {} {} {} {}", axis.name, join(axis.values, ","), axis.low,
                       axis.high, axis.logarithmic, axis.integer);
  }
  // A search may vary every parameter that is not given.
  return out + "; " + learner.spec.text();
}

std::string limits_text(const StudyLimits& limits) {
  return fmt::format("{:g} CPU s, {:g} GB", limits.cpu_seconds, limits.memory_gb);
}

}  // namespace

EvaluateOptions Plan::options(std::size_t set, std::size_t learner) const {
  EvaluateOptions out;
  out.measures = study.measures;
  out.results = study.results;
  out.measure = study.measure;
  const StudyLearner& who = study.learners[learner];
  const StudyData& from = study.data[sets[set].set.data];
  out.preprocess = from.preprocess && !who.own_preprocess ? *from.preprocess : who.preprocess;
  out.betas = study.betas;
  if (who.beta > 0) {
    out.measure.beta = who.beta;
    if (!out.betas.empty()) out.betas = {who.beta};
  }
  out.flip = sets[set].set.flipped;
  if (sets[set].set.hidden > 0) {
    out.hide = HideOptions{.share = sets[set].set.hidden, .mode = study.protocol.hide_mode};
  }
  return out;
}

std::optional<SplitResult> Plan::find(const CellStore& store, const PlannedCell& cell) const {
  auto out = store.find(cell.identity);
  if (!out && !cell.limited.empty()) out = store.find(cell.limited);
  return out;
}

Index Plan::finished_repeats(const CellStore& store) const {
  const StudyProtocol& protocol = study.protocol;
  const std::size_t splits = protocol.kind == ProtocolKind::folds ? at(protocol.folds) : 1;
  Index out = protocol.kind == ProtocolKind::official ? 1 : protocol.repeats;
  for (const PlannedCell& cell : cells) {  // in the order of their splits
    const Index repeat = static_cast<Index>(cell.split / splits);
    if (repeat < out && !find(store, cell)) out = repeat;
  }
  return out;
}

Plan only(Plan plan, const std::vector<std::string>& names) {
  if (names.empty()) return plan;
  std::vector<std::string> learners, sets;
  for (const StudyLearner& learner : plan.study.learners) learners.push_back(learner.name);
  for (const PlannedSet& set : plan.sets) sets.push_back(set.set.name);
  std::vector<std::string> known = learners;
  known.insert(known.end(), sets.begin(), sets.end());
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(Code::usage, "the study has no learner or data set " + in_quotes(name),
                did_you_mean(name, known, "It has " + join(known, ", ")));
  }
  // The places of those that stay, in the new plan; all if none was asked for.
  const auto places = [&](const std::vector<std::string>& all) {
    const auto asked = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const bool any = std::any_of(all.begin(), all.end(), asked);
    std::vector<Index> out;
    Index next = 0;
    for (const std::string& name : all) out.push_back(!any || asked(name) ? next++ : -1);
    return out;
  };
  const std::vector<Index> learner_at = places(learners), set_at = places(sets);
  const auto keep = [](auto& all, const std::vector<Index>& at_new) {
    std::size_t k = 0;
    std::erase_if(all, [&](const auto&) { return at_new[k++] < 0; });
  };
  keep(plan.study.learners, learner_at);
  keep(plan.learners, learner_at);
  keep(plan.sets, set_at);
  std::erase_if(plan.cells, [&](const PlannedCell& cell) {
    return learner_at[cell.learner] < 0 || set_at[cell.set] < 0;
  });
  for (PlannedCell& cell : plan.cells) {
    cell.learner = at(learner_at[cell.learner]);
    cell.set = at(set_at[cell.set]);
  }
  const auto gone = [](const std::vector<std::string>& all, const std::vector<Index>& at_new,
                       const std::string& name) {
    return at_new[at(std::find(all.begin(), all.end(), name) - all.begin())] < 0;
  };
  std::erase_if(plan.study.published, [&](const PublishedValue& value) {
    return gone(learners, learner_at, value.learner) || gone(sets, set_at, value.data);
  });
  return plan;
}

std::string Plan::name_of(const PlannedCell& cell) const {
  return fmt::format("{} on {}, split {}", study.learners[cell.learner].name,
                     sets[cell.set].set.name, cell.split + 1);
}

Plan make_plan(Study study, const Context& ctx) {
  LoadOptions load{.study = study.path, .official = study.protocol.kind == ProtocolKind::official};
  std::vector<LoadedData> loaded;
  for (const StudyData& data : study.data) loaded.push_back(load_data(data, load));
  return make_plan(std::move(study), std::move(loaded), ctx);
}

Plan make_plan(Study given, std::vector<LoadedData> loaded, const Context& any) {
  Plan out;
  out.study = std::move(given);
  const Study& study = out.study;
  const Context ctx = any.with_seed(study.protocol.seed).quiet();
  for (const StudyLearner& learner : study.learners) {
    out.learners.emplace_back(learner.spec);
  }
  std::vector<std::string> identities;
  for (LoadedData& one : loaded) {
    identities.push_back(data_identity(one.data));
    out.data.push_back(one.data);
  }
  std::size_t most = 0, total = 0;
  for (const StudySet& set : study_sets(study)) {
    PlannedSet& planned = out.sets.emplace_back(PlannedSet{.set = set});
    planned.splits = splits_of(study.protocol, loaded[set.data], study.data[set.data], ctx);
    most = std::max(most, planned.splits.size());
    total += planned.splits.size() * study.learners.size();
  }
  if (total > k_most_cells) {
    throw Error(Code::unsupported,
                fmt::format("expected at most {} cells, found {}", k_most_cells, total),
                "Divide the study into several");
  }
  for (std::size_t split = 0; split < most; ++split) {
    for (std::size_t set = 0; set < out.sets.size(); ++set) {
      if (split >= out.sets[set].splits.size()) continue;
      for (std::size_t k = 0; k < study.learners.size(); ++k) {
        out.cells.push_back({.set = set, .learner = k, .split = split});
      }
    }
  }
  parallel_for(ctx, count_of(out.cells), [&](Index i) {
    PlannedCell& cell = out.cells[at(i)];
    const PlannedSet& set = out.sets[cell.set];
    cell.identity = cell_identity(out.learners[cell.learner], identities[set.set.data],
                                  set.splits[cell.split], out.options(cell.set, cell.learner),
                                  search_text(study.learners[cell.learner]), ctx);
    if (study.limits.any()) {
      cell.limited = cell.identity.substr(0, cell.identity.size() - 1) + ",\"limits\":\"" +
                     limits_text(study.limits) + "\"}";
    }
  });
  return out;
}

SplitResult run_cell(const Plan& plan, const PlannedCell& cell, const Context& any) {
  const PlannedSet& set = plan.sets[cell.set];
  const Dataset& data = plan.data[set.set.data];
  const Fold& fold = set.splits[cell.split];
  const CompleteSpec& spec = plan.learners[cell.learner];
  const EvaluateOptions options = plan.options(cell.set, cell.learner);
  const Context ctx = any.with_seed(plan.study.protocol.seed).quiet();
  try {
    const auto& search = plan.study.learners[cell.learner].tune;
    if (!search) return evaluate_split(spec, data, fold, options, ctx);
    const bool cpu = ctx.pool() == nullptr;
    const double begin = cpu ? thread_cpu_seconds() : wall_seconds();
    const FoldParts parts = evaluation_parts(spec, data, fold, options, ctx);
    TuneOptions inner = *search;
    inner.evaluate.preprocess = options.preprocess;
    inner.evaluate.measure = options.measure;
    const TuneResult found = tune(spec, parts.train, inner, ctx);
    const Spec& chosen = found.trials[found.best].spec;
    const double spent = (cpu ? thread_cpu_seconds() : wall_seconds()) - begin;
    SplitResult out = evaluate_parts(CompleteSpec(chosen), data, parts, fold, options, ctx);
    out.chosen = chosen.text();
    out.search_seconds = spent;
    return out;
  } catch (const Error& error) {
    SplitResult out;
    out.converged = false;
    out.failure = error.what();
    return out;
  }
}

}  // namespace mulberry::study

// How a learner's plain structs become an entry of the registry. A learner file ends with
//
//     Learner make_br() {
//       return define_learner<Params, Model>({.id = "br", .summary = "...", .reference = "..."},
//       fit);
//     }
//
// where Params has fields() and `MemoryNeed memory(const Extent&) const` (memory_need.hpp), Model
// has predict(view, ctx) and visit(v) and, optionally, summary(), results() and held_out(), and fit
// is Model fit(const View&, const Params&, const Context&) or takes a further `const Model* init`
// to continue from. If Params has `Tags tags() const`, the tags depend on the parameters.
#pragma once

#include <cstring>

#include "mulberry/core/error.hpp"
#include "mulberry/math/kernels/kernels.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::model {

struct LearnerInfo {
  const char* id;
  const char* summary;
  const char* reference;
  Tags tags = {};
  Index revision = 1;  // raise it whenever results change for the same parameters
};

struct BaseInfo {
  const char* id;
  const char* summary;
  const char* reference;
  Scale scale = Scale::margin;
  Tags tags = {};
  bool listed_rows = false;
  Index revision = 1;
};

namespace detail {

// Completes nested learners; the registry does it, so that this header knows no learner.
Spec complete_nested(const std::vector<ParamInfo>& params, Spec spec);

template <class P>
Spec complete_params(const std::string& id, const Spec& spec) {
  return complete_nested(describe_params<P>(), write_params(id, read_params<P>(spec)));
}

// Whether one of the parameters says that the features are values of a kernel.
template <class P>
bool has_kernel_values(const Spec& spec) {
  bool out = false;
  const P params = read_params<P>(spec);
  for (const Field& field : fields_of<P>().all()) {
    if (field.type != &core::detail::type_key<KernelKind>) continue;
    KernelKind kind{};
    std::memcpy(&kind, reinterpret_cast<const char*>(&params) + field.offset, sizeof kind);
    out = out || kind == KernelKind::precomputed;
  }
  return out;
}

template <class P>
Scale scale_with(const P& params, Scale fallback) {
  if constexpr (requires { params.scale(); }) {
    return params.scale();
  } else {
    return fallback;
  }
}

// Every learner states its memory.
template <class P>
MemoryNeed memory_of(const Extent& extent, const Spec& spec) {
  static_assert(
      requires(const P& p) { p.memory(extent); },
      "Params needs `MemoryNeed memory(const Extent&) const`: see model/memory_need.hpp");
  return read_params<P>(spec).memory(extent);
}

template <class M>
Summary summary_of(const M& model) {
  if constexpr (requires { model.summary(); }) {
    return model.summary();
  } else {
    return {};
  }
}

template <class M>
std::vector<Result> results_of(const M& model) {
  if constexpr (requires { model.results(); }) {
    return model.results();
  } else {
    return {};
  }
}

template <class M>
const Matrix* held_out_of(const M& model) {
  if constexpr (requires { model.held_out(); }) {
    return model.held_out();
  } else {
    return nullptr;
  }
}

template <class M>
std::optional<LinearForm> linear_form_of(const M& model) {
  if constexpr (requires { model.linear_form(); }) {
    return model.linear_form();
  } else {
    return {};
  }
}

template <class M>
class ModelOf final : public Model {
 public:
  explicit ModelOf(M fitted) : model(std::move(fitted)) {}
  Prediction predict(const View& view, const Context& ctx) const override {
    return model.predict(view, ctx);
  }
  void write(ArchiveWriter& out) override { model.visit(out); }
  Summary summary() const override { return summary_of(model); }
  std::vector<Result> results() const override { return results_of(model); }
  const Matrix* held_out() const override { return held_out_of(model); }
  M model;
};

template <class M>
class BaseModelOf final : public BaseModel {
 public:
  explicit BaseModelOf(M fitted) : model(std::move(fitted)) {}
  Matrix scores(const Features& x, const Context& ctx) const override {
    return model.scores(x, ctx);
  }
  void write(ArchiveWriter& out) override { model.visit(out); }
  Summary summary() const override { return summary_of(model); }
  std::optional<LinearForm> linear_form() const override { return linear_form_of(model); }
  M model;
};

template <class M>
class LabelsModelOf final : public LabelsModel {
 public:
  explicit LabelsModelOf(M fitted) : model(std::move(fitted)) {}
  Matrix scores(const Features& x, const Context& ctx) const override {
    return model.scores(x, ctx);
  }
  void write(ArchiveWriter& out) override { model.visit(out); }
  Summary summary() const override { return summary_of(model); }
  std::vector<Result> results() const override { return results_of(model); }
  const Matrix* held_out() const override { return held_out_of(model); }
  std::optional<LinearForm> linear_form() const override { return linear_form_of(model); }
  M model;
};

// The default fit_labels of base learners: label by label, in parallel.
using FitColumn = std::function<std::unique_ptr<BaseModel>(const ColumnProblem&, const Context&)>;
using LoadColumn = std::function<std::unique_ptr<BaseModel>(ArchiveReader&)>;
std::unique_ptr<LabelsModel> fit_separately(const Features& x, const Labels& y,
                                            std::span<const double> weights, Scale scale,
                                            const FitColumn& fit, const Context& ctx);
std::unique_ptr<LabelsModel> load_separately(ArchiveReader& in, const LoadColumn& load);

}  // namespace detail

template <class P, class M, class Fit>
Learner define_learner(const LearnerInfo& info, Fit fit) {
  Learner out;
  out.id = info.id;
  out.summary = info.summary;
  out.reference = info.reference;
  out.tags = info.tags;
  out.revision = info.revision;
  out.params = describe_params<P>();
  out.complete = [id = out.id](const Spec& spec) { return detail::complete_params<P>(id, spec); };
  if constexpr (requires(const P& p) { p.tags(); }) {
    out.tags_of = [](const Spec& spec) { return read_params<P>(spec).tags(); };
  } else {
    out.tags_of = [tags = info.tags](const Spec&) { return tags; };
  }
  out.takes_kernel_values = detail::has_kernel_values<P>;
  out.memory = detail::memory_of<P>;
  out.notes = [](const View& view, const Spec& spec) -> std::vector<std::string> {
    if constexpr (requires(const P& p) { p.notes(view); }) {
      return read_params<P>(spec).notes(view);
    } else {
      return {};
    }
  };
  out.fit = [fit](const View& view, const Spec& spec, const Context& ctx,
                  Model* init) -> std::unique_ptr<Model> {
    const P params = read_params<P>(spec);
    if constexpr (requires(const M* from) { fit(view, params, ctx, from); }) {
      auto* from = dynamic_cast<detail::ModelOf<M>*>(init);
      return std::make_unique<detail::ModelOf<M>>(
          fit(view, params, ctx, from != nullptr ? &from->model : nullptr));
    } else {
      MULBERRY_ASSERT(init == nullptr);
      return std::make_unique<detail::ModelOf<M>>(fit(view, params, ctx));
    }
  };
  out.load = [](const Spec&, ArchiveReader& in) -> std::unique_ptr<Model> {
    M model;
    model.visit(in);
    return std::make_unique<detail::ModelOf<M>>(std::move(model));
  };
  return out;
}

// M has scores(x, ctx) and visit(v); fit is M fit(const ColumnProblem&, const P&, const Context&).
// If Params has `Scale scale() const`, the scale depends on the parameters.
template <class P, class M, class Fit>
BaseLearner define_base(const BaseInfo& info, Fit fit) {
  BaseLearner out;
  out.id = info.id;
  out.summary = info.summary;
  out.reference = info.reference;
  out.scale = info.scale;
  out.tags = info.tags;
  out.tags.labels_apart = true;  // by fit_labels below
  out.listed_rows = info.listed_rows;
  out.revision = info.revision;
  out.params = describe_params<P>();
  out.complete = [id = out.id](const Spec& spec) { return detail::complete_params<P>(id, spec); };
  out.scale_of = [scale = info.scale](const Spec& spec) {
    return detail::scale_with(read_params<P>(spec), scale);
  };
  out.takes_kernel_values = detail::has_kernel_values<P>;
  out.memory = detail::memory_of<P>;
  // Label by label, as fit_labels below.
  out.memory_of_labels = [](const Extent& extent, const Spec& spec) {
    return separate_need(detail::memory_of<P>(extent.of_classes(2).alone(), spec), extent);
  };
  const auto load = [](ArchiveReader& in) -> std::unique_ptr<BaseModel> {
    M model;
    model.visit(in);
    return std::make_unique<detail::BaseModelOf<M>>(std::move(model));
  };
  out.fit = [fit](const ColumnProblem& problem, const Spec& spec,
                  const Context& ctx) -> std::unique_ptr<BaseModel> {
    return std::make_unique<detail::BaseModelOf<M>>(fit(problem, read_params<P>(spec), ctx));
  };
  out.load = [load](const Spec&, ArchiveReader& in) { return load(in); };
  out.fit_labels = [fit, scale = info.scale](const Features& x, const Labels& y,
                                             std::span<const double> weights, const Spec& spec,
                                             const Context& ctx) {
    const P params = read_params<P>(spec);
    return detail::fit_separately(
        x, y, weights, detail::scale_with(params, scale),
        [&](const ColumnProblem& problem, const Context& inner) -> std::unique_ptr<BaseModel> {
          return std::make_unique<detail::BaseModelOf<M>>(fit(problem, params, inner));
        },
        ctx);
  };
  out.load_labels = [load](const Spec&, ArchiveReader& in) {
    return detail::load_separately(in, load);
  };
  return out;
}

// Whether a label is learnt from its own cells alone when all labels are trained by one call.
enum class LabelsLearnt { apart, together };

// Replaces fit_labels by one that trains all labels at once: LM has scores and visit; fit_labels is
// LM fit(const Features&, const Labels&, std::span<const double> weights, const P&, const
// Context&), and P has `MemoryNeed memory_of_labels(const Extent&) const`.
template <class P, class LM, class Fit>
BaseLearner with_joint_labels(BaseLearner base, LabelsLearnt how, Fit fit) {
  base.tags.labels_apart = how == LabelsLearnt::apart;
  base.memory_of_labels = [](const Extent& extent, const Spec& spec) {
    return read_params<P>(spec).memory_of_labels(extent);
  };
  base.fit_labels = [fit](const Features& x, const Labels& y, std::span<const double> weights,
                          const Spec& spec, const Context& ctx) -> std::unique_ptr<LabelsModel> {
    return std::make_unique<detail::LabelsModelOf<LM>>(
        fit(x, y, weights, read_params<P>(spec), ctx));
  };
  base.load_labels = [](const Spec&, ArchiveReader& in) -> std::unique_ptr<LabelsModel> {
    LM model;
    model.visit(in);
    return std::make_unique<detail::LabelsModelOf<LM>>(std::move(model));
  };
  return base;
}

// Adds fit_links: fit_links is std::vector<LM> fit(const Features&, std::span<const Index> columns,
// const Labels&, std::span<const double> weights, const P&, const Context&).
template <class P, class LM, class Fit>
BaseLearner with_links(BaseLearner base, Fit fit) {
  base.fit_links = [fit](const Features& x, std::span<const Index> columns, const Labels& y,
                         std::span<const double> weights, const Spec& spec, const Context& ctx) {
    std::vector<std::unique_ptr<LabelsModel>> out;
    for (LM& link : fit(x, columns, y, weights, read_params<P>(spec), ctx)) {
      out.push_back(std::make_unique<detail::LabelsModelOf<LM>>(std::move(link)));
    }
    return out;
  };
  return base;
}

}  // namespace mulberry::model

#include "mulberry/model/base_learner.hpp"

#include <atomic>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::model {

double logistic_share(double t) {
  const double e = std::exp(-std::abs(t));
  return t < 0 ? e / (1 + e) : 1 / (1 + e);
}

double constant_score(bool positive, Scale scale) {
  if (scale == Scale::margin) return positive ? 1.0 : -1.0;
  return positive ? 1.0 : 0.0;
}

Features rows_for(const Spec& base, const Features& x) {
  return find_base(base.id).listed_rows ? x : in_one_piece(x);
}

data::Rows rows_of(const Spec& base) {
  return find_base(base.id).listed_rows ? data::Rows::blocks : data::Rows::in_one_piece;
}

Tags tags_by_label(const Spec& base) {
  Tags out = find_base(base.id).tags;
  out.missing_labels = true;
  out.row_sums = false;
  return out;
}

Tags tags_of_joint(const Spec& base) {
  Tags out = find_base(base.id).tags;
  out.labels_apart = false;
  out.row_sums = false;
  return out;
}

FittedLabels::FittedLabels(const Spec& base, const Features& x, const Labels& y,
                           std::span<const double> weights, const Context& ctx, bool held_out)
    : spec_(base) {
  const BaseLearner& learner = find_base(base.id);
  const auto& fit = held_out && learner.fit_labels_held_out != nullptr ? learner.fit_labels_held_out
                                                                       : learner.fit_labels;
  model_ = fit(rows_for(base, x), y, weights, base, ctx);
}

std::vector<FittedLabels> fit_links(const Spec& base, const Features& x,
                                    std::span<const Index> columns, const Labels& y,
                                    std::span<const double> weights, const Context& ctx) {
  MULBERRY_ASSERT(count_of(columns) == y.count());
  std::vector<FittedLabels> out(columns.size());
  const BaseLearner& learner = find_base(base.id);
  if (learner.fit_links != nullptr) {
    auto models = learner.fit_links(rows_for(base, x), columns, y, weights, base, ctx);
    MULBERRY_ASSERT(models.size() == out.size());
    for (std::size_t l = 0; l < out.size(); ++l) {
      out[l].spec_ = base;
      out[l].model_ = std::move(models[l]);
    }
    return out;
  }
  std::atomic<Index> done = 0;
  parallel_for(ctx, y.count(), [&](Index l) {
    const auto label = static_cast<Id>(l);
    std::vector<Id> seen(at(columns[at(l)]));
    std::iota(seen.begin(), seen.end(), 0);
    out[at(l)] = FittedLabels(base, take_columns(x, seen), take_labels(y, std::span(&label, 1)),
                              weights, ctx.quiet());
    ctx.step(static_cast<double>(++done) / static_cast<double>(y.count()));
  });
  return out;
}

void FittedLabels::write(ArchiveWriter& out) {
  out("spec", spec_);
  model_->write(out);
}

void FittedLabels::read(ArchiveReader& in) {
  in("spec", spec_);
  model_ = find_base(spec_.id).load_labels(spec_, in);
}

FittedClassifier::FittedClassifier(const Spec& base, const ColumnProblem& problem,
                                   const Context& ctx)
    : spec_(base), model_(find_base(base.id).fit(problem, base, ctx)) {}

void FittedClassifier::write(ArchiveWriter& out) {
  out("spec", spec_);
  model_->write(out);
}

void FittedClassifier::read(ArchiveReader& in) {
  in("spec", spec_);
  model_ = find_base(spec_.id).load(spec_, in);
}

namespace detail {
namespace {

// One model per label; null if the label had only one class and its score is a constant.
class SeparateLabels final : public LabelsModel {
 public:
  std::vector<double> constants;
  std::vector<std::unique_ptr<BaseModel>> models;

  Matrix scores(const Features& x, const Context& ctx) const override {
    Matrix out(x.rows(), count_of(models));
    double* data = out.data();
    parallel_for(ctx, out.cols(), [&](Index l) {
      const auto& model = models[at(l)];
      if (model == nullptr) {
        for (Index i = 0; i < x.rows(); ++i) {
          data[i * out.cols() + l] = constants[at(l)];
        }
        return;
      }
      const Matrix column = model->scores(x, ctx);
      for (Index i = 0; i < x.rows(); ++i) data[i * out.cols() + l] = column(i, 0);
    });
    return out;
  }

  void write(ArchiveWriter& out) override {
    std::vector<std::uint8_t> fitted;
    for (const auto& model : models) fitted.push_back(model != nullptr ? 1 : 0);
    fitted_ = std::move(fitted);
    out("fitted", fitted_, whole(0, 1));
    out("constants", constants, finite());
    for (std::size_t l = 0; l < models.size(); ++l) {
      if (models[l] == nullptr) continue;
      ArchiveWriter inner = out.child(std::to_string(l));
      models[l]->write(inner);
    }
  }

  Summary summary() const override {
    Summary total;
    for (const auto& model : models) {
      if (model == nullptr) continue;
      const Summary one = model->summary();
      total.converged = total.converged && one.converged;
      total.interrupted = total.interrupted || one.interrupted;
      total.rounds = std::max(total.rounds, one.rounds);
    }
    return total;
  }

 private:
  std::vector<std::uint8_t> fitted_;  // written arrays must outlive write()
};

}  // namespace

std::unique_ptr<LabelsModel> fit_separately(const Features& x, const Labels& y,
                                            std::span<const double> weights, Scale scale,
                                            const FitColumn& fit, const Context& ctx) {
  auto out = std::make_unique<SeparateLabels>();
  const auto labels = at(y.count());
  out->constants.assign(labels, 0.0);
  out->models.resize(labels);
  parallel_for(ctx, y.count(), [&](Index l) {
    const auto slot = at(l);
    const auto positives = y.column(l);
    const auto missing = y.missing_column(l);
    const Index observed = x.rows() - count_of(missing);
    if (positives.empty() || count_of(positives) == observed) {
      out->constants[slot] = constant_score(!positives.empty(), scale);
      return;
    }
    std::vector<Id> target(at(x.rows()), 0);
    for (const Id i : positives) target[at(i)] = 1;
    if (missing.empty()) {
      out->models[slot] = fit({x, target, 2, weights}, ctx);
      return;
    }
    for (const Id i : missing) target[at(i)] = -1;
    std::vector<Id> rows, kept;
    std::vector<double> kept_weights;
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] < 0) continue;
      rows.push_back(static_cast<Id>(i));
      kept.push_back(target[i]);
      if (!weights.empty()) kept_weights.push_back(weights[i]);
    }
    out->models[slot] = fit({block_rows(x, rows), kept, 2, kept_weights}, ctx);
  });
  return out;
}

std::unique_ptr<LabelsModel> load_separately(ArchiveReader& in, const LoadColumn& load) {
  auto out = std::make_unique<SeparateLabels>();
  std::vector<std::uint8_t> fitted;
  in("fitted", fitted, whole(0, 1).length(in.outputs()));
  in("constants", out->constants, finite().length(in.outputs()));
  for (std::size_t l = 0; l < fitted.size(); ++l) {
    ArchiveReader inner = in.child(std::to_string(l), {in.features(), 1});
    out->models.push_back(fitted[l] != 0 ? load(inner) : nullptr);
  }
  return out;
}

Spec complete_nested(const std::vector<ParamInfo>& params, Spec spec) {
  for (const ParamInfo& info : params) {
    for (auto& [key, value] : spec.params) {
      if (key != info.name) continue;
      try {
        if (info.type == ParamType::base) {
          const Spec inner = as_spec(value);
          value = find_base(inner.id).complete(inner);
        } else if (info.type == ParamType::learner) {
          value = complete_spec(as_spec(value));
        }
      } catch (const Error& error) {  // say which of the nested ones is meant
        throw error.and_then(" (parameter " + in_quotes(key) + ")");
      }
    }
  }
  return spec;
}

}  // namespace detail
}  // namespace mulberry::model

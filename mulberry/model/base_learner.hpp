// Base learners: single-output classifiers that multi-label learners reuse. One interface serves
// binary and multi-class targets; fit_labels trains one binary classifier per label at once; linear
// learners share the passes over X.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mulberry/core/archive.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/model/memory_need.hpp"
#include "mulberry/model/model.hpp"
#include "mulberry/model/prediction.hpp"
#include "mulberry/model/tags.hpp"

namespace mulberry::model {

// One target: the class 0 .. classes-1 of every row. Classes that do not occur are allowed.
struct ColumnProblem {
  const Features& x;
  std::span<const Id> y;
  Id classes = 2;
  std::span<const double> weights = {};  // one per row, or empty: all 1
};

double logistic_share(double t);  // 1 / (1 + exp(-t))

// A classifier of two classes whose score is t = w.x + b, or its logistic share.
struct LinearForm {
  std::span<const double> w = {};
  double b = 0;
  bool logistic = false;
  double score(double t) const { return logistic ? logistic_share(t) : t; }
};

class BaseModel {
 public:
  virtual ~BaseModel() = default;
  // rows x 1 (the score of class 1) for two classes, rows x classes otherwise.
  virtual Matrix scores(const Features& x, const Context& ctx) const = 0;
  virtual void write(ArchiveWriter& out) = 0;
  virtual Summary summary() const { return {}; }
  // For whoever joins many models to one product; empty if the model is not linear.
  virtual std::optional<LinearForm> linear_form() const { return {}; }
};

// One binary classifier per label.
class LabelsModel {
 public:
  virtual ~LabelsModel() = default;
  virtual Matrix scores(const Features& x, const Context& ctx) const = 0;  // rows x labels
  virtual void write(ArchiveWriter& out) = 0;
  virtual Summary summary() const { return {}; }
  virtual std::vector<Result> results() const { return {}; }
  // As Model::held_out.
  virtual const Matrix* held_out() const { return nullptr; }
  // Of a model of one label.
  virtual std::optional<LinearForm> linear_form() const { return {}; }
};

struct BaseLearner {
  std::string id = {};
  std::string summary = {};
  std::string reference = {};
  Tags tags = {};
  Scale scale = Scale::margin;  // with default parameters
  Index revision = 1;           // raised whenever its results change for the same parameters
  std::vector<ParamInfo> params = {};
  bool listed_rows = false;  // reads features row by row; others get them in one piece

  std::function<Spec(const Spec&)> complete = {};
  // The scale under these parameters.
  std::function<Scale(const Spec&)> scale_of = {};
  // Whether its features are values of a kernel under these parameters.
  std::function<bool(const Spec&)> takes_kernel_values = {};
  // The memory that it takes for one target, and for all labels (memory_need.hpp).
  std::function<MemoryNeed(const Extent&, const Spec&)> memory = {}, memory_of_labels = {};
  std::function<std::unique_ptr<BaseModel>(const ColumnProblem&, const Spec&, const Context&)> fit =
      {};
  std::function<std::unique_ptr<BaseModel>(const Spec&, ArchiveReader&)> load = {};
  // Missing cells are left out of the label's problem; a label with one class has a constant score.
  std::function<std::unique_ptr<LabelsModel>(const Features&, const Labels&,
                                             std::span<const double>, const Spec&, const Context&)>
      fit_labels = {};
  // As fit_labels, of a model that also knows scores of the training rows by what has not seen
  // them; null if the base learner has none.
  decltype(fit_labels) fit_labels_held_out = {};
  // One model per label, where label l sees the first columns[l] columns of x: the links of a
  // chain. The models are those that fit_labels makes of a copy of these columns and this label;
  // null if the base learner has no quicker way to them.
  std::function<std::vector<std::unique_ptr<LabelsModel>>(
      const Features&, std::span<const Index> columns, const Labels&, std::span<const double>,
      const Spec&, const Context&)>
      fit_links = {};
  std::function<std::unique_ptr<LabelsModel>(const Spec&, ArchiveReader&)> load_labels = {};
};

// The classes of a model that gives this many columns of scores: a single one tells two apart.
constexpr Index classes_behind(Index outputs) { return outputs == 1 ? 2 : outputs; }

// The registry, made from base/list.inc; sorted by id.
std::span<const BaseLearner> base_learners();
const BaseLearner& find_base(const std::string& id);  // Error with the nearest name if unknown

// The constant score of a label whose training rows all have one class, or that has no rows.
double constant_score(bool positive, Scale scale);

// Features as the base learner of a spec wants them, and how to get them from a view.
Features rows_for(const Spec& base, const Features& x);
data::Rows rows_of(const Spec& base);

// What a learner can do that trains such a base for each label by itself: cells without a label
// leave the problem of their label.
Tags tags_by_label(const Spec& base);
// What a learner can do that poses other problems to such a base, each about several labels.
Tags tags_of_joint(const Spec& base);

// A base learner's fitted labels, with the spec that says how to load them: a field of a model.
class FittedLabels {
 public:
  FittedLabels() = default;
  // `held_out`: with scores of the training rows, if the base learner has some at little cost.
  FittedLabels(const Spec& base, const Features& x, const Labels& y,
               std::span<const double> weights, const Context& ctx, bool held_out = false);
  Matrix scores(const Features& x, const Context& ctx) const {
    return finite_scores(model_->scores(rows_for(spec_, x), ctx), spec_.id);
  }
  Scale scale() const { return find_base(spec_.id).scale_of(spec_); }
  Summary summary() const { return model_->summary(); }
  std::vector<Result> results() const { return model_->results(); }
  const Matrix* held_out() const { return model_->held_out(); }
  std::optional<LinearForm> linear_form() const { return model_->linear_form(); }
  void write(ArchiveWriter& out);
  void read(ArchiveReader& in);

  friend std::vector<FittedLabels> fit_links(const Spec& base, const Features& x,
                                             std::span<const Index> columns, const Labels& y,
                                             std::span<const double> weights, const Context& ctx);

 private:
  Spec spec_;
  std::unique_ptr<LabelsModel> model_;
};

// One classifier per label, each as FittedLabels of the first columns[l] columns of x and of label
// l. Base learners without fit_links get a copy of these columns.
std::vector<FittedLabels> fit_links(const Spec& base, const Features& x,
                                    std::span<const Index> columns, const Labels& y,
                                    std::span<const double> weights, const Context& ctx);

// The counterpart of FittedLabels for one target.
class FittedClassifier {
 public:
  FittedClassifier() = default;
  FittedClassifier(const Spec& base, const ColumnProblem& problem, const Context& ctx);
  Matrix scores(const Features& x, const Context& ctx) const {
    return finite_scores(model_->scores(x, ctx), spec_.id);
  }
  Scale scale() const { return find_base(spec_.id).scale_of(spec_); }
  Summary summary() const { return model_->summary(); }
  std::optional<LinearForm> linear_form() const { return model_->linear_form(); }
  void write(ArchiveWriter& out);
  void read(ArchiveReader& in);

 private:
  Spec spec_;
  std::unique_ptr<BaseModel> model_;
};

}  // namespace mulberry::model

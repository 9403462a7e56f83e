// Ridge regression of all labels: its parameters, the fitted model, and the choice of penalty and
// kernel width by the predictions of left-out rows. Serves the learner and the base learner.
//
//   minimise over f_l, b_l   sum_i w_i (y_il - f_l(x_i) - b_l)^2 + alpha |f_l|^2,   y_il = -1 or +1
//
// Rows whose label is missing are left out of that label's problem: labels with the same missing
// rows share a decomposition. Cost and memory: ridge_path.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mulberry/math/kernels/width_choice.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/kernel_form.hpp"
#include "mulberry/model/memory_need.hpp"

namespace mulberry::base {

struct RidgeParams {
  std::optional<double> alpha = {};
  bool per_label = false;
  std::string measure = "squared_error";
  Index penalties = 20;
  std::optional<Index> landmarks = {};
  std::string gamma = "width";
  KernelParams kernel = {.kernel = KernelKind::rbf};

  static Fields fields() {
    return Fields{
        field("alpha", &RidgeParams::alpha,
              "penalty of the regression; auto: the best for rows that are left out one by one",
              positive().search(1e-4, 1e3)),
        field("per_label", &RidgeParams::per_label,
              "alpha=auto: a penalty for each label, instead of one for all"),
        field("measure", &RidgeParams::measure,
              "what auto chooses by: squared_error, or any measure of scores or decisions"),
        field("penalties", &RidgeParams::penalties, "number of penalties that alpha=auto tries",
              between(2, 1000)),
        field("landmarks", &RidgeParams::landmarks,
              "number of random rows that represent all in the kernel; 0: all rows; auto: all up "
              "to 4000 rows (10000 if alpha is a number), then 2000",
              between(0, 30000)),
        field("gamma", &RidgeParams::gamma, k_gamma_help),
        group(&RidgeParams::kernel)};
  }
  bool searches() const { return !alpha || gamma == "auto"; }
  Tags tags() const;
  std::vector<std::string> notes(const View& view) const;
  MemoryNeed memory(const Extent& extent) const;
  MemoryNeed memory_of_labels(const Extent& extent) const { return memory(extent); }
};

struct RidgeModel {
  std::optional<KernelForm> form = {};  // a kernel, or
  FixedMatrix w = {};                   // weights of the features: labels x features
  std::vector<double> b = {};
  std::vector<double> alpha = {};  // of the labels
  Matrix tried = {};               // rows of gamma, alpha, value, chosen; none without a search
  std::string measure = {};
  Matrix left_out = {};  // scores of the training rows by fits without them; not saved

  Matrix scores(const Features& x, const Context& ctx) const;
  const Matrix* held_out() const { return left_out.size() > 0 ? &left_out : nullptr; }
  std::vector<Result> results() const;
  template <class V>
  void visit(V& v) {
    v("form", form);
    v("w", w, finite());
    v("b", b, finite().length(v.outputs()));
    v("alpha", alpha, real_from(0).length(v.outputs()));
    v("tried", tried, any_real());
    v("measure", measure);
    v.require(form ? w.size() == 0 : w.rows() == v.outputs() && w.cols() == v.features(), "w",
              "does not have the features and labels of the model");
    v.require(tried.rows() == 0 || tried.cols() == 4, "tried", "does not have four columns");
  }
};

// What a fit learns from.
struct RidgeData {
  KernelRows rows;
  const Labels& y;
  std::span<const double> weights = {};
  const LabelSets* sets = nullptr;
};

RidgeModel fit_ridge(const RidgeData& data, const RidgeParams& params, const Context& ctx);

}  // namespace mulberry::base

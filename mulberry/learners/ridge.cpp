// Ridge regression of all labels at once, linear or with a kernel.
//
//   minimise over f_l, b_l   sum_i w_i (y_il - f_l(x_i) - b_l)^2 + alpha |f_l|^2,   y_il = -1 or +1
//
// A label is predicted if its score is above 0. One decomposition serves all labels and all
// penalties: alpha=auto tries a path of penalties by the exact error of rows that are left out one
// by one, gamma=auto several kernel widths in the same way. The scores of left-out rows are kept
// during training: `threshold` and `calibrated` learn from them and need no further fits. A row of
// weight w is left out as a whole.
//
// Hoerl and Kennard, "Ridge regression: biased estimation for nonorthogonal problems",
// Technometrics 12, 1970; Allen, "The relationship between variable selection and data
// augmentation and a method for prediction", Technometrics 16, 1974 (left-out rows); Saunders,
// Gammerman and Vovk, "Ridge regression learning algorithm in dual variables", ICML 1998. Ours:
// missing labels (labels with the same missing rows share a decomposition), landmarks.
//
// Cost: n^2 d for a kernel, n^3/3 for one penalty, about 9 n^3 for a path, and n^2 L per penalty;
// with a linear kernel and d < n features n d^2 + 9 d^3 and n d L; with p landmarks the same with
// d = p. Times the number of different sets of missing rows, and twice where that is above 1.
// Memory: 2 n^2 doubles for one penalty, 3 n^2 for a path; or 3 d^2; or n p + 3 p^2.
#include "mulberry/base/ridge/ridge_model.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::learners {
namespace {

struct Ridge {
  RidgeModel model = {};

  Prediction predict(const View& view, const Context& ctx) const {
    return {.scores = model.scores(Compact(view).x(), ctx), .scale = Scale::margin};
  }
  const Matrix* held_out() const { return model.held_out(); }
  std::vector<Result> results() const { return model.results(); }
  template <class V>
  void visit(V& v) {
    model.visit(v);
  }
};

Ridge fit(const View& view, const RidgeParams& params, const Context& ctx) {
  const bool linear = params.kernel.kernel == KernelKind::linear;
  const Compact data(view, linear ? Rows::blocks : Rows::in_one_piece);
  return {fit_ridge({.rows = kernel_rows(view, data, params.kernel.kernel),
                     .y = data.y(),
                     .weights = data.weights(),
                     .sets = view.sets},
                    params, ctx)};
}

}  // namespace

Learner make_ridge() {
  return define_learner<RidgeParams, Ridge>(
      {.id = "ridge",
       .summary = "ridge regression of all labels at once, linear or with a kernel",
       .reference = "Hoerl and Kennard, Ridge regression, 1970; Saunders, Gammerman and Vovk, "
                    "Ridge regression learning algorithm in dual variables, 1998",
       .tags = RidgeParams().tags()},
      fit);
}

}  // namespace mulberry::learners

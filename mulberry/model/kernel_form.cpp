#include "mulberry/model/kernel_form.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/math/dense/products.hpp"

namespace mulberry::model {

Matrix KernelForm::scores(const Features& x, std::span<const double> b, const Context& ctx) const {
  if (kernel.kind != KernelKind::precomputed)
    return kernel_scores(kernel, x, rows.x, alpha, b, ctx);
  MULBERRY_ASSERT(columns.empty() || columns.back() < x.cols());
  return linear_scores(take_columns(x, columns), alpha, b, ctx);
}

Result KernelForm::result() const {
  Matrix values(1, 2);
  values(0, 0) = kernel.gamma;
  values(0, 1) = static_cast<double>(alpha.cols());
  return {.id = "kernel",
          .sentence = kernel.sampled ? "the kernel: its scale, from the pairs of 2829 random rows, "
                                       "and the stored training rows"
                                     : "the kernel: its scale and the stored training rows",
          .rows = Axis::named,
          .row_names = {std::string(name_of(kernel.kind))},
          .column_names = {"gamma", "rows"},
          .values = std::move(values)};
}

void KernelForm::require_consistent(const ArchiveReader& in) const {
  const bool precomputed = kernel.kind == KernelKind::precomputed;
  in.require(alpha.cols() == (precomputed ? count_of(columns) : rows.x.rows()), "alpha",
             "needs one number per row");
  in.require(precomputed ? rows.x.rows() == 0 : rows.x.cols() == in.features(), "rows",
             "does not have the features of the model");
  in.require(is_increasing(columns), "columns", "is not a list of columns in order");
}

bool maybe_indefinite(const Kernel& kernel) {
  return kernel.kind == KernelKind::modified_chi2 || kernel.kind == KernelKind::precomputed ||
         (kernel.kind == KernelKind::polynomial && kernel.coef0 < 0);
}

KernelRows kernel_rows(const View& view, const Compact& data, KernelKind kind) {
  KernelRows out{.x = data.x()};
  if (kind != KernelKind::precomputed) return out;
  const bool square = view.x->rows() == view.x->cols() && view.extra == nullptr;
  if (view.all || !square) {  // choose_kernel says so if it is not square
    out.columns.resize(at(out.x.cols()));
    std::iota(out.columns.begin(), out.columns.end(), Id{0});
  } else {
    out.columns.assign(view.rows.begin(), view.rows.end());
    out.x = take_columns(out.x, out.columns);
  }
  return out;
}

double kernel_need(double rows, const KernelParams& params, bool single) {
  const double pairs = rows * rows, limit = params.memory * 1e9;
  if (!single && 8 * pairs <= limit) return 8 * pairs;
  return 4 * pairs <= limit ? 4 * pairs : 0;
}

double form_need(const Extent& e) { return e.cells() + e.features(); }

double form_predict_need(const Extent& e) { return e.scores(); }

KernelForm kernel_form(const Kernel& kernel, const KernelRows& rows, MatrixView alpha) {
  std::vector<Id> used;
  for (Index j = 0; j < alpha.cols(); ++j) {
    bool any = false;
    for (Index l = 0; l < alpha.rows() && !any; ++l) any = alpha(l, j) != 0;
    if (any) used.push_back(static_cast<Id>(j));
  }
  KernelForm out{.kernel = kernel};
  out.alpha = to_dense(take_columns(Features(alpha), used));
  if (kernel.kind != KernelKind::precomputed) {
    out.rows.x = take_rows(rows.x, used);
    return out;
  }
  for (const Id j : used) out.columns.push_back(rows.columns[at(j)]);
  return out;
}

}  // namespace mulberry::model

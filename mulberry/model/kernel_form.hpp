// A kernel machine as a field of a model: the training rows that its scorers refer to, and the rows
// of a view as a kernel sees them. It serves every learner with scores of the form sum_j alpha_j
// kappa(x, x_j).
#pragma once

#include <span>
#include <vector>

#include "mulberry/data/extent.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/math/kernels/kernels.hpp"
#include "mulberry/model/model.hpp"
#include "mulberry/model/stored_features.hpp"

namespace mulberry::model {

// Scorers of all labels: score(x) = sum_j alpha_j kappa(x, row_j) + b.
struct KernelForm {
  Kernel kernel = {};
  StoredFeatures rows = {};      // empty with a precomputed kernel,
  std::vector<Id> columns = {};  // which has these columns instead
  FixedMatrix alpha = {};        // labels x rows (or columns)

  Matrix scores(const Features& x, std::span<const double> b, const Context& ctx) const;
  // The kernel's scale and the stored training rows, for `inspect`.
  Result result() const;
  template <class V>
  void visit(V& v) {
    v("kernel", kernel);
    v("rows", rows);
    v("columns", columns, below(v.features()));
    v("alpha", alpha, finite().rows(v.outputs()));
    v.check([this](const ArchiveReader& in) { require_consistent(in); });
  }

 private:
  void require_consistent(const ArchiveReader& in) const;
};

// Whether the kernel may not be positive semi-definite, so that gaps prove nothing.
bool maybe_indefinite(const Kernel& kernel);

// The training rows of a view as a kernel sees them. A precomputed kernel has one column per row of
// the data; a part of the rows uses only its own columns.
struct KernelRows {
  Features x = {};
  std::vector<Id> columns = {};
};
KernelRows kernel_rows(const View& view, const Compact& data, KernelKind kind);

// The scorers with these coefficients (labels x rows), without the rows that no label needs.
// The memory of kernel values of all pairs of rows, in the best precision that `memory` of the
// parameters allows; and of a form of all rows.
double kernel_need(double rows, const KernelParams& params, bool single = false);
double form_need(const Extent& extent);
double form_predict_need(const Extent& extent);

KernelForm kernel_form(const Kernel& kernel, const KernelRows& rows, MatrixView alpha);

}  // namespace mulberry::model

// The space of linear scorers of some rows: their coefficients, and the scores that these give.
//
// A scorer of V rows with features psi_v is expressed either by its weights (one per feature) or,
// if rows are few and features many, by one coefficient per row: theta = sum_v alpha_v psi_v. Both
// give the same scores; solvers work on the coefficients in either form. With a kernel only the
// second form exists.
//
// Features are read in place: a part of the rows (a fold, the observed cells of a label) costs a
// list of row numbers. Cost of every call: the stored values of those rows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mulberry/data/features.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"

namespace mulberry::learners {

class ScoreSpace {
 public:
  virtual ~ScoreSpace() = default;
  virtual Index rows() const = 0;  // V
  virtual Index size() const = 0;  // coefficients of a scorer
  // Whether coefficients belong to rows; then <a, b> of two scorers is a . scores(b), otherwise it
  // is a . b.
  virtual bool by_rows() const = 0;
  // The scorer sum_v c_v psi_v.
  virtual void combine(std::span<const double> c, std::span<double> scorer) const = 0;
  // s_v = <psi_v, scorer>
  virtual void scores(std::span<const double> scorer, std::span<double> s) const = 0;
};

// Rows of `x`, each followed by a constant feature of value `bias` if that is not 0, and without
// the column `ignored` if that is not -1 (its weight stays 0).
class LinearRows {
 public:
  LinearRows(const Features& x, std::vector<Id> rows, double bias, Index ignored = -1)
      : x_(&x), rows_(std::move(rows)), bias_(bias), ignored_(ignored) {}

  Index rows() const { return static_cast<Index>(rows_.size()); }
  Index columns() const { return x_->cols() + (bias_ != 0 ? 1 : 0); }
  Index stored() const;  // values of these rows, about
  // w = sum_v c_v psi_v
  void add_rows(std::span<const double> c, std::span<double> w) const;
  // s_v = <psi_v, w>; the weight of the ignored column must be 0
  void dot_rows(std::span<const double> w, std::span<double> s) const;

 private:
  const Features* x_;
  std::vector<Id> rows_;
  double bias_;
  Index ignored_;
};

// The cheaper of the two forms for a bundle of planes; `rows` must outlive it.
std::unique_ptr<ScoreSpace> linear_space(const LinearRows& rows);
// A chosen form, for tests and special callers.
std::unique_ptr<ScoreSpace> weight_space(const LinearRows& rows);
std::unique_ptr<ScoreSpace> row_space(const LinearRows& rows);

// Features in addition to a kernel: a matrix with all its rows, without the column `ignored`.
struct ExtraColumns {
  const Matrix* values = nullptr;  // none
  Index ignored = -1;

  // sum_v c_v (row v of the extra columns), c for some rows; 0 for the ignored column.
  std::vector<double> weights(std::span<const Id> rows, std::span<const double> c) const;
};

// Some of the rows of a kernel matrix (a row may stand there twice), which must outlive it (extra
// columns too); `bias`: value of a constant feature in addition to the kernel. Cost of scores():
// these rows times all rows of the matrix.
std::unique_ptr<ScoreSpace> kernel_space(const KernelMatrix& values, std::vector<Id> rows,
                                         double bias, ExtraColumns extra = {});

// The weights of a scorer, for either form of the space.
std::vector<double> weights_of(const LinearRows& rows, const ScoreSpace& space,
                               std::span<const double> scorer);

}  // namespace mulberry::learners

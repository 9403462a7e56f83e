#include "mulberry/learners/rml/score_space.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

#include "mulberry/data/row_window.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners {

namespace {

class WeightSpace final : public ScoreSpace {
 public:
  explicit WeightSpace(const LinearRows& rows) : rows_(&rows) {}
  Index rows() const override { return rows_->rows(); }
  Index size() const override { return rows_->columns(); }
  bool by_rows() const override { return false; }
  void combine(std::span<const double> c, std::span<double> scorer) const override {
    rows_->add_rows(c, scorer);
  }
  void scores(std::span<const double> scorer, std::span<double> s) const override {
    rows_->dot_rows(scorer, s);
  }

 private:
  const LinearRows* rows_;
};

class RowSpace final : public ScoreSpace {
 public:
  explicit RowSpace(const LinearRows& rows) : rows_(&rows), weights_(at(rows.columns())) {}
  Index rows() const override { return rows_->rows(); }
  Index size() const override { return rows_->rows(); }
  bool by_rows() const override { return true; }
  void combine(std::span<const double> c, std::span<double> scorer) const override {
    std::copy(c.begin(), c.end(), scorer.begin());
  }
  void scores(std::span<const double> scorer, std::span<double> s) const override {
    rows_->add_rows(scorer, weights_);
    rows_->dot_rows(weights_, s);
  }

 private:
  const LinearRows* rows_;
  mutable std::vector<double> weights_;  // working memory: a space serves one thread
};

class KernelSpace final : public ScoreSpace {
 public:
  KernelSpace(const KernelMatrix& values, std::vector<Id> rows, double bias, ExtraColumns extra)
      : values_(&values),
        rows_(std::move(rows)),
        bias_(bias),
        extra_(extra),
        all_(at(values.rows())) {}
  Index rows() const override { return count_of(rows_); }
  Index size() const override { return rows(); }
  bool by_rows() const override { return true; }
  void combine(std::span<const double> c, std::span<double> scorer) const override {
    std::copy(c.begin(), c.end(), scorer.begin());
  }
  void scores(std::span<const double> scorer, std::span<double> s) const override {
    double sum = 0;
    for (const Id row : rows_) all_[at(row)] = 0;
    for (std::size_t v = 0; v < rows_.size(); ++v) {
      all_[at(rows_[v])] += scorer[v];
      sum += scorer[v];
    }
    values_->times(rows_, all_, s);
    for (double& v : s) v += bias_ * bias_ * sum;
    if (extra_.values == nullptr) return;
    const std::vector<double> weights = extra_.weights(rows_, scorer);
    for (std::size_t v = 0; v < rows_.size(); ++v) {
      s[v] += blas::dot(extra_.values->row(rows_[v]), weights);
    }
  }

 private:
  const KernelMatrix* values_;
  std::vector<Id> rows_;
  double bias_;
  ExtraColumns extra_;
  mutable std::vector<double> all_;  // working memory: coefficients of all rows of the matrix
};

}  // namespace

Index LinearRows::stored() const {
  const double share =
      x_->rows() == 0 ? 0 : static_cast<double>(rows()) / static_cast<double>(x_->rows());
  return static_cast<Index>(share * static_cast<double>(x_->stored()));
}

void LinearRows::add_rows(std::span<const double> c, std::span<double> w) const {
  std::fill(w.begin(), w.end(), 0.0);
  const std::span<double> plain = w.first(at(x_->cols()));
  double sum = 0;
  data::RowWindow window(*x_);
  for (std::size_t v = 0; v < rows_.size(); ++v) {
    if (c[v] == 0) continue;
    sum += c[v];
    if (x_->is_sparse()) {
      x_->add_row(rows_[v], c[v], plain);
    } else {
      blas::axpy(c[v], window.values(rows_[v]), plain);
    }
  }
  if (ignored_ >= 0) w[at(ignored_)] = 0;
  if (bias_ != 0) w.back() = bias_ * sum;
}

void LinearRows::dot_rows(std::span<const double> w, std::span<double> s) const {
  const std::span<const double> plain = w.first(at(x_->cols()));
  const double constant = bias_ != 0 ? bias_ * w.back() : 0;
  data::RowWindow window(*x_);
  for (std::size_t v = 0; v < rows_.size(); ++v) {
    s[v] = constant + (x_->is_sparse() ? x_->row_dot(rows_[v], plain)
                                       : blas::dot(window.values(rows_[v]), plain));
  }
}

std::unique_ptr<ScoreSpace> linear_space(const LinearRows& rows) {
  // A step of a bundle with m planes visits m coefficients twice and, in the form by rows, the
  // features three more times. m is a few tens.
  constexpr Index k_planes = 40;
  const bool by_rows =
      2 * k_planes * rows.rows() + 3 * rows.stored() < 2 * k_planes * rows.columns();
  return by_rows ? row_space(rows) : weight_space(rows);
}

std::unique_ptr<ScoreSpace> weight_space(const LinearRows& rows) {
  return std::make_unique<WeightSpace>(rows);
}

std::unique_ptr<ScoreSpace> row_space(const LinearRows& rows) {
  return std::make_unique<RowSpace>(rows);
}

std::unique_ptr<ScoreSpace> kernel_space(const KernelMatrix& values, std::vector<Id> rows,
                                         double bias, ExtraColumns extra) {
  return std::make_unique<KernelSpace>(values, std::move(rows), bias, extra);
}

std::vector<double> ExtraColumns::weights(std::span<const Id> rows,
                                          std::span<const double> c) const {
  std::vector<double> out(at(values->cols()), 0.0);
  for (std::size_t v = 0; v < rows.size(); ++v) blas::axpy(c[v], values->row(rows[v]), out);
  if (ignored >= 0) out[at(ignored)] = 0;
  return out;
}

std::vector<double> weights_of(const LinearRows& rows, const ScoreSpace& space,
                               std::span<const double> scorer) {
  if (!space.by_rows()) return {scorer.begin(), scorer.end()};
  std::vector<double> out(at(rows.columns()));
  rows.add_rows(scorer, out);
  return out;
}

}  // namespace mulberry::learners

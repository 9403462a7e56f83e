// The training rows of a multi-label ranker as its solver sees them: values of a kernel, or
// features whose inner product is the kernel.
#pragma once

#include <memory>
#include <optional>

#include "mulberry/learners/mlr/mlr.hpp"

namespace mulberry::learners::mlr {

class Inputs {
 public:
  // Chooses the kernel's scale and computes the stored values. Throws Error if the values are not a
  // kernel, or if exact training would need too much memory.
  Inputs(const View& view, const Settings& settings, const Context& ctx);

  const Labels& y() const { return data_.y(); }
  PairScores& scores() { return *scores_; }
  double jitter() const { return jitter_; }

  // The scorers with these coefficients (rows x labels), as fields of a model.
  void store(MatrixView a, Ranker& to, const Context& ctx) const;

  // Scores of other rows for one set of coefficients after the other.
  class Others {
   public:
    Others(const Inputs& inputs, const View& view, const Context& ctx);
    Matrix scores(MatrixView a, const Context& ctx) const;

   private:
    const Inputs& inputs_;
    Features x_;  // of these rows: kernel values with the training rows, or features
  };

 private:
  Compact data_;
  KernelRows rows_;
  Kernel kernel_;
  std::optional<KernelMatrix> values_;
  std::optional<StoredNystrom> map_;
  Features phi_;
  std::unique_ptr<PairScores> scores_;
  double jitter_ = 0;
};

}  // namespace mulberry::learners::mlr

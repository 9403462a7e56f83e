// Scores F = K A of the training rows for solvers that change A row by row: one block of rows at a
// time, from the values of a kernel or, without ever forming them, from features.
//
// The work is matrix products, in parallel over fixed parts, with the same bits for any number of
// threads. Cost of all blocks: n^2 m for a kernel, 2 n d m for d features (or stored values).
#pragma once

#include <vector>

#include "mulberry/math/kernels/kernel_matrix.hpp"

namespace mulberry::learners {

class PairScores {
 public:
  virtual ~PairScores() = default;
  virtual Index rows() const = 0;
  // The following blocks are scores of `a`.
  virtual void begin(MatrixView a, const Context& ctx) = 0;
  // f = rows [first, first + f.rows) of K A; own = the values between these rows.
  virtual void block(Index first, MatrixView a, blas::Block<double> f, blas::Block<double> own,
                     const Context& ctx) = 0;
  // The rows of A from `first` on have changed by `da`.
  virtual void changed(Index first, MatrixView a, blas::Block<const double> da,
                       const Context& ctx) = 0;
  // All of K A.
  virtual Matrix all(MatrixView a, const Context& ctx) const = 0;
};

// How products with a kernel are computed. single: in single precision over parts of the sum, which
// are added up in double; errors are about 1e-7 of the largest term.
enum class PairPrecision { single, full };

class KernelPairScores final : public PairScores {
 public:
  // `values` must outlive it; `jitter` is added to its diagonal. single needs values in single
  // precision.
  explicit KernelPairScores(const KernelMatrix& values, PairPrecision precision, double jitter = 0);

  Index rows() const override { return values_.rows(); }
  void begin(MatrixView a, const Context& ctx) override;
  void block(Index first, MatrixView a, blas::Block<double> f, blas::Block<double> own,
             const Context& ctx) override;
  void changed(Index first, MatrixView a, blas::Block<const double> da,
               const Context& ctx) override;
  Matrix all(MatrixView a, const Context& ctx) const override;

 private:
  void single_product(Index first, blas::Block<double> f, const Context& ctx);
  void full_product(Index first, MatrixView a, blas::Block<double> f) const;

  const KernelMatrix& values_;
  bool single_;
  double jitter_;
  Index used_ = 0;              // number of leading rows of A that may not be 0: none at first
  std::vector<float> rounded_;  // A in single precision
  std::vector<float> parts_;    // of the sums of a block
};

// The kernel x.y: keeps W = X' A.
class FeaturePairScores final : public PairScores {
 public:
  // `x` must outlive it.
  explicit FeaturePairScores(const Features& x);

  Index rows() const override { return x_.rows(); }
  void begin(MatrixView a, const Context& ctx) override;
  void block(Index first, MatrixView a, blas::Block<double> f, blas::Block<double> own,
             const Context& ctx) override;
  void changed(Index first, MatrixView a, blas::Block<const double> da,
               const Context& ctx) override;
  Matrix all(MatrixView a, const Context& ctx) const override;

 private:
  void product(Index first, MatrixView w, blas::Block<double> f) const;

  const Features& x_;
  KernelBlocks own_;
  Matrix w_;  // features x labels
};

// Another kernel plus 1: every label gets a constant term, the sum of its column of A, which is
// penalised like a weight.
class ConstantPairScores final : public PairScores {
 public:
  // `inner` must outlive it.
  explicit ConstantPairScores(PairScores& inner) : inner_(inner) {}

  Index rows() const override { return inner_.rows(); }
  void begin(MatrixView a, const Context& ctx) override;
  void block(Index first, MatrixView a, blas::Block<double> f, blas::Block<double> own,
             const Context& ctx) override;
  void changed(Index first, MatrixView a, blas::Block<const double> da,
               const Context& ctx) override;
  Matrix all(MatrixView a, const Context& ctx) const override;

 private:
  PairScores& inner_;
  std::vector<double> sums_;  // of the columns of A
};

// The sum of each column.
std::vector<double> column_sums(blas::Block<const double> a);

}  // namespace mulberry::learners

// LIBSVM on a precomputed kernel, for tests and benchmarks of our own solver (smo.hpp).
#pragma once

#include <libsvm/svm.h>

#include <span>
#include <vector>

#include "mulberry/math/dense/blas.hpp"

namespace mulberry::tests::reference {

class Libsvm {
 public:
  struct Fit {
    std::vector<double> c = {};  // signed coefficients, one per row
    double bias = 0;
  };

  // Keeps its own copy of the kernel, in the form that LIBSVM reads.
  explicit Libsvm(blas::Block<const float> kernel)
      : nodes_(static_cast<std::size_t>(kernel.rows * (kernel.cols + 2))) {
    std::size_t next = 0;
    for (Index i = 0; i < kernel.rows; ++i) {
      rows_.push_back(nodes_.data() + next);
      nodes_[next++] = {0, static_cast<double>(i + 1)};
      for (Index j = 0; j < kernel.cols; ++j) {
        nodes_[next++] = {static_cast<int>(j + 1),
                          static_cast<double>(kernel.data[i * kernel.stride + j])};
      }
      nodes_[next++] = {-1, 0};
    }
    svm_set_print_string_function([](const char*) {});
  }
  Libsvm(const Libsvm&) = delete;
  Libsvm& operator=(const Libsvm&) = delete;

  // Both classes must occur. `up` multiplies the cost of the rows of +1.
  Fit solve(std::span<const std::int8_t> y, double cost, double up, double tolerance) {
    std::vector<double> signs(y.begin(), y.end());
    svm_problem problem{static_cast<int>(signs.size()), signs.data(), rows_.data()};
    int heavier = 1;
    svm_parameter how{};
    how.svm_type = C_SVC;
    how.kernel_type = PRECOMPUTED;
    how.cache_size = 1000;
    how.eps = tolerance;
    how.C = cost;
    how.nr_weight = 1;
    how.weight_label = &heavier;
    how.weight = &up;
    how.shrinking = 1;
    svm_model* trained = svm_train(&problem, &how);
    const double sign = trained->label[0] > 0 ? 1 : -1;  // scores are for the class seen first
    Fit out{.c = std::vector<double>(signs.size()), .bias = -sign * trained->rho[0]};
    for (int k = 0; k < trained->l; ++k) {
      const auto row = static_cast<std::size_t>(trained->sv_indices[k] - 1);
      out.c[row] = sign * trained->sv_coef[0][k];
    }
    svm_free_and_destroy_model(&trained);
    return out;
  }

 private:
  std::vector<svm_node> nodes_;
  std::vector<svm_node*> rows_;
};

}  // namespace mulberry::tests::reference

// The losses that `boost` lowers, for one row with truth y in {-1, +1} (0: missing) and scores p:
//
//   logistic       sum_k c_k ln(1 + exp(-y_k p_k))
//   row_logistic   ln(1 + sum_k c_k exp(-y_k p_k)): the labels of a row share one loss, which is
//                  low only if all of them are right (Dembczynski et al. 2012; Rapp et al. 2020)
//   squared        1/2 sum_k c_k (p_k - y_k)^2
//
// c_k is the weight of the cell. Missing cells are left out of the sums, and their derivatives are
// 0. Derivatives are exact; second ones are the diagonal, the rest of the Hessian of row_logistic
// is applied by multiply_hessian. Cost: O(L) with one exponential per cell.
#pragma once

#include <cstdint>
#include <span>

#include "mulberry/core/index.hpp"

namespace mulberry::base {

enum class BoostLoss { logistic, row_logistic, squared };

// The truth and the scores of one row, and the weights of its cells: of positive ones by label, or
// empty: 1; negative cells weigh 1.
struct LossRow {
  std::span<const std::int8_t> truth;
  std::span<const double> scores;
  std::span<const double> positive_weight = {};

  double weight(std::size_t k) const {
    return positive_weight.empty() || truth[k] < 0 ? 1.0 : positive_weight[k];
  }
};

double loss_of(BoostLoss loss, const LossRow& row);
// First derivatives, and the diagonal of the second ones.
void derivatives(BoostLoss loss, const LossRow& row, std::span<double> g, std::span<double> h);
// One label of a row. `log_z` is ln(1 + sum_k c_k exp(-y_k p_k)) of the row, for row_logistic.
void cell_derivatives(BoostLoss loss, double truth, double weight, double score, double log_z,
                      double& g, double& h);
double log_z_of(const LossRow& row);

// out += weight x (Hessian of row_logistic at the row) v. `q` has -g_k y_k of the row: the share of
// each cell in the loss.
void multiply_hessian(std::span<const double> q, std::span<const std::int8_t> truth, double weight,
                      std::span<const double> v, std::span<double> out);

double sigmoid(double score);

}  // namespace mulberry::base

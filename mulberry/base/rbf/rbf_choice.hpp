// Number of centres and width of an RBF network by leave-one-out: `centres=auto`.
//
// Centres do not see the classes, so the outputs are a ridge regression on fixed activations, and
// the network that was trained without row i answers for it in closed form:
//
//   f_-i(x_i) = (f(x_i) - h_i t_i) / (1 - h_i),   h_i = s_i phi_i' (Phi' S Phi + ridge I)^-1 phi_i
//
// Tried are 25, 50, 100, ... centres, up to most_centres, each with 0.1, 0.25, 0.5, 1 and 2 times
// the given width. The share of rows that get a wrong class, mean over the sets of classes,
// decides; the smaller network wins ties. Cost: n k^2 for every candidate.
#pragma once

#include <span>
#include <vector>

#include "mulberry/base/rbf/rbf_network.hpp"

namespace mulberry::base {

struct RbfTarget {
  std::span<const Id> y;
  Id classes = 0;
};

// `params` with centres and width filled in, if its centres are auto. `x`: rows as the network
// sees them, after scaling; `weights`: one per row, or empty.
RbfParams choose_rbf(const RbfParams& params, MatrixView x, std::span<const double> weights,
                     std::span<const RbfTarget> targets, const Context& ctx);

// The share of rows, by mass, whose class is wrong when they are left out, summed over the targets.
double left_out_error(MatrixView activations, std::span<const RbfTarget> targets,
                      std::span<const double> mass, double ridge, const Context& ctx);

}  // namespace mulberry::base

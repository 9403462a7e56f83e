// RBF network: Gaussian units around k-means centres, linear outputs by ridge least squares.
//
//   score_c(x) = sum_j phi_j(x) W_jc,   phi and W as in rbf_network.hpp, S = weights of rows
//
// For two classes the score is the score of class 1 minus the score of class 0; with `softmax`,
// scores are the softmax of the outputs. Columns are standardised first by default: distances mean
// little when one column is in Hz and the next in kHz. Cost: n d k for each step of k-means, n k^2
// for the outputs.
#include "mulberry/base/rbf/rbf_network.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mulberry/base/rbf/rbf_choice.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/standardise.hpp"
#include "mulberry/math/neighbours/kmeans.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {
namespace {

void to_shares(std::span<double> row) {
  const double top = *std::max_element(row.begin(), row.end());
  double total = 0;
  for (double& value : row) total += value = std::exp(value - top);
  for (double& value : row) value /= total;
}

ActivationRows rows_of(MatrixView activations) {
  return {activations.rows(), activations.cols(), [activations](Index i, std::span<double> out) {
            const auto row = activations.row(i);
            std::copy(row.begin(), row.end(), out.begin());
          }};
}

struct RbfNetwork {
  std::optional<Standardiser> scaling;
  FixedMatrix centres;
  double width = 1;
  FixedMatrix weights;
  bool softmax = false;

  FixedMatrix inputs(const Features& x) const {
    return scaling ? FixedMatrix(scaling->apply(x)) : to_dense(x);
  }

  Matrix scores(const Features& x, const Context& ctx) const {
    const Matrix activations = rbf_activations(inputs(x), centres, width, ctx);
    Matrix out = outputs(rows_of(activations), weights, ctx);
    if (softmax) {
      for (Index i = 0; i < out.rows(); ++i) to_shares(out.row(i));
    }
    if (out.cols() != 2) return out;
    Matrix second(out.rows(), 1);
    for (Index i = 0; i < out.rows(); ++i) {
      const auto row = out.row(i);
      second(i, 0) = softmax ? row[1] : row[1] - row[0];
    }
    return second;
  }
  template <class V>
  void visit(V& v) {
    v("scaling", scaling);
    v("centres", centres, finite().cols(scaling ? scaling->columns() : v.features()));
    v("width", width, real_from(0));
    v("weights", weights, finite().rows(centres.rows() + 1).cols(classes_behind(v.outputs())));
    v("softmax", softmax);
  }
};

RbfNetwork fit(const ColumnProblem& problem, const RbfParams& params, const Context& ctx) {
  RbfNetwork out;
  out.softmax = params.softmax;
  if (params.standardise) out.scaling.emplace(problem.x, problem.weights);
  const FixedMatrix x = out.inputs(problem.x);
  const RbfTarget target{problem.y, problem.classes};
  const RbfParams chosen = choose_rbf(params, x, problem.weights, {&target, 1}, ctx);
  out.centres = k_means(x, problem.weights, {.centres = *chosen.centres, .steps = chosen.steps},
                        ctx.rng("rbf_network.centres"), ctx)
                    .centres;
  out.width = rbf_width(out.centres, chosen.width);
  std::vector<double> mass(problem.weights.begin(), problem.weights.end());
  mass.resize(at(x.rows()), 1.0);
  const Matrix activations = rbf_activations(x, out.centres, out.width, ctx);
  out.weights =
      fit_outputs(rows_of(activations), problem.y, problem.classes, mass, params.ridge, ctx);
  return out;
}

}  // namespace

BaseLearner make_rbf_network() {
  return define_base<RbfParams, RbfNetwork>(
      {.id = k_rbf_network,
       .summary = "Gaussian units around k-means centres, outputs by ridge least squares",
       .reference = "Broomhead and Lowe, Multivariable functional interpolation and adaptive "
                    "networks, 1988",
       .scale = Scale::margin,
       .tags = {.sparse = false, .weights = true}},
      fit);
}

}  // namespace mulberry::base

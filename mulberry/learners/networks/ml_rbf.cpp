// ML-RBF: a network of Gaussian units around the rows of each label, with linear outputs.
//
//   centres   k-means of the rows that have label l, ceil(ratio n_l) of them, for every label l;
//             the centres of all labels are pooled
//   phi_j(x)  = exp(-|x - c_j|^2 / (2 sigma^2)),   sigma = width * mean distance between centres
//   score_l   = w_l0 + sum_j w_lj phi_j(x)
//   w_l       = argmin sum_i (score_l(x_i) - y_il)^2 + ridge |w_l|^2,   y_il = -1 or +1
//
// Zhang, "ML-RBF: RBF neural networks for multi-label learning", Neural Processing Letters 29,
// 2009. A label is predicted if its score is above 0. Differences: the paper finds the least
//       squares solution of smallest norm by a singular value decomposition, while a tiny ridge has
//       the same effect here; a missing cell is left out of the fit of its label; a label of one
//       class is answered with that class. Centres and distances of sparse rows are computed from
//       the stored values.
//
// Cost, for k = sum_l ceil(ratio n_l) centres: n LCard ratio n_l stored values per step of k-means,
// n d k for the activations, n k^2 + k^3 / 3 for the outputs of all labels that have no missing
// cell, and as much again for each of the others. Memory: n k + k^2.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/dense_factor.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/kernels/kernels.hpp"
#include "mulberry/math/neighbours/kmeans.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/stored_features.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners {
namespace {

constexpr Index k_means_steps = 100;

struct Params {
  double ratio = 0.01;
  double width = 1.0;
  double ridge = 1e-8;

  static Fields fields() {
    return Fields{
        field("ratio", &Params::ratio,
              "number of centres of a label, as a share of the rows that have it",
              between(1e-6, 1).search(0.005, 0.1)),
        field("width", &Params::width, "width of a unit, in units of the mean distance of centres",
              positive().search(0.1, 10)),
        field("ridge", &Params::ridge, "penalty on the output weights",
              positive().search(1e-8, 10))};
  }
  MemoryNeed memory(const Extent& e) const {
    const double units = ratio * e.positives + 0.5 * e.labels;
    const double rows = e.labels > 0 ? e.positives / e.labels : 0;
    const Extent own = e.of_rows(rows);
    const double centres = e.sparse ? 12 * units * e.columns : 8 * units * e.columns;
    const double model = centres + 8 * units * e.labels;
    return {.fit = e.pieces() + centres +
                   std::max(centres + e.at_once(e.labels) * own.features(),
                            model + 8 * e.rows * (units + 1) + e.cells() + 3 * 8 * units * units),
            .model = model,
            .predict = e.asked_pieces() + e.scores()};
  }
};

struct MlRbf {
  Kernel kernel = {.kind = KernelKind::rbf};
  StoredFeatures centres = {};
  FixedMatrix weights = {};  // labels x centres
  std::vector<double> bias = {};

  Prediction predict(const View& view, const Context& ctx) const {
    return {.scores = kernel_scores(kernel, Compact(view).x(), centres.x, weights, bias, ctx),
            .scale = Scale::margin};
  }
  template <class V>
  void visit(V& v) {
    v("kernel", kernel);
    v("centres", centres);
    v("weights", weights, finite().rows(v.outputs()).cols(centres.x.rows()));
    v("bias", bias, finite().length(v.outputs()));
    v.require(kernel.kind == KernelKind::rbf, "kernel", "is not a width of Gaussian units");
    v.require(centres.x.cols() == v.features(), "centres",
              "does not have the features of the model");
  }
};

Matrix centres_of(const Features& rows, Index count, Random random, const Context& ctx) {
  const KMeansOptions options{.centres = count, .steps = k_means_steps};
  return rows.is_sparse() ? k_means(rows.sparse(), {}, options, random, ctx).centres
                          : k_means(rows.dense(), {}, options, random, ctx).centres;
}

// The rows of all parts, one after the other; sparse or dense like the parts.
Features stack(const std::vector<Features>& parts, Index cols, bool sparse) {
  Index rows = 0;
  for (const Features& part : parts) rows += part.rows();
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  for (const Features& part : parts) {
    const auto& values = sparse ? part.sparse().value : part.dense().values();
    value.insert(value.end(), values.begin(), values.end());
    if (!sparse) continue;
    const Csr& from = part.sparse();
    index.insert(index.end(), from.index.begin(), from.index.end());
    const Index before = start.back();
    for (Index i = 1; i <= from.rows; ++i) {
      start.push_back(before + from.start[at(i)]);
    }
  }
  if (!sparse) return Matrix(rows, cols, std::move(value));
  return Csr{rows, cols, std::move(start), std::move(index), std::move(value)};
}

// The centres of every label, in the order of labels.
Features pooled_centres(const Features& x, const Labels& y, double ratio, const Context& ctx) {
  std::vector<Features> found(at(y.count()));
  std::atomic<Index> done = 0;
  parallel_for(ctx, y.count(), [&](Index l) {
    const auto rows = y.column(l);
    Features centres = Matrix(0, x.cols());
    if (!rows.empty()) {
      const auto count =
          static_cast<Index>(std::ceil(ratio * static_cast<double>(rows.size()) * (1 - 1e-12)));
      centres = centres_of(take_rows(x, rows), std::max<Index>(count, 1),
                           ctx.rng("ml_rbf centres", static_cast<std::uint64_t>(l)), ctx);
    }
    found[at(l)] = x.is_sparse() ? Features(to_sparse(centres)) : std::move(centres);
    ctx.step(static_cast<double>(++done) / static_cast<double>(y.count()));
  });
  return stack(found, x.cols(), x.is_sparse());
}

// One column per centre and a last one of ones.
Features activations(const Kernel& kernel, const Features& x, const Features& centres,
                     const Context& ctx) {
  const Index k = centres.rows();
  const KernelBlocks blocks(kernel, x, centres);
  Matrix out(x.rows(), k + 1, 1.0);
  double* const cells = out.data();
  parallel_chunks(ctx, x.rows(), 128, [&](Index begin, Index end) {
    blocks.fill(begin, 0, {cells + begin * (k + 1), end - begin, k, k + 1});
  });
  return out;
}

// (Phi' Phi + ridge I)^-1 Phi' T: one column per label.
Matrix output_weights(const Features& phi, MatrixView targets, double ridge, const Context& ctx) {
  const Matrix gram = transposed_product(phi, phi.dense(), ctx);
  Matrix out = transposed_product(phi, targets, ctx);
  DenseFactor::of_raised(gram, ridge, ctx).solve(out, ctx);
  return out;
}

// Fits the outputs of labels whose cells are all observed in these rows of phi and y.
void fit_outputs_of(std::span<const Id> labels, const Features& phi, const Labels& y, double ridge,
                    Matrix& weights, std::vector<double>& bias, const Context& ctx) {
  const auto count = count_of(labels);
  Matrix targets(phi.rows(), count, -1.0);
  for (Index c = 0; c < count; ++c) {
    for (const Id i : y.column(labels[at(c)])) targets(i, c) = 1;
  }
  const Matrix found = output_weights(phi, targets, ridge, ctx);
  const Index k = found.rows() - 1;
  for (Index c = 0; c < count; ++c) {
    const Id l = labels[at(c)];
    for (Index j = 0; j < k; ++j) weights(l, j) = found(j, c);
    bias[at(l)] = found(k, c);
  }
}

MlRbf fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view);
  const Labels& y = data.y();
  MlRbf out;
  out.centres.x = pooled_centres(data.x(), y, params.ratio, ctx.part(0, 0.5));
  out.kernel =
      choose_kernel({.kernel = KernelKind::rbf, .width = "mean_root", .width_factor = params.width},
                    out.centres.x, ctx);
  Matrix weights(y.count(), out.centres.x.rows());
  out.bias.resize(at(y.count()));

  std::vector<Id> complete, incomplete;
  for (Id l = 0; l < static_cast<Id>(y.count()); ++l) {
    const std::size_t positives = y.column(l).size(), missing = y.missing_column(l).size();
    if (positives == 0 || positives == at(y.rows()) - missing) {
      out.bias[at(l)] = constant_score(positives > 0, Scale::margin);
    } else {
      (missing == 0 ? complete : incomplete).push_back(l);
    }
  }
  if (complete.empty() && incomplete.empty()) {
    out.weights = std::move(weights);
    return out;
  }
  const Features phi = activations(out.kernel, data.x(), out.centres.x, ctx);
  ctx.step(0.6);
  if (!complete.empty()) {
    fit_outputs_of(complete, phi, y, params.ridge, weights, out.bias, ctx);
  }
  for (std::size_t k = 0; k < incomplete.size(); ++k) {
    ctx.step(0.7 + 0.3 * static_cast<double>(k) / static_cast<double>(incomplete.size()));
    std::vector<Id> rows;
    for_observed(y, incomplete[k], [&](Index i, bool) { rows.push_back(static_cast<Id>(i)); });
    fit_outputs_of({&incomplete[k], 1}, take_rows(phi, rows), take_rows(y, rows), params.ridge,
                   weights, out.bias, ctx);
  }
  out.weights = std::move(weights);
  return out;
}

}  // namespace

Learner make_ml_rbf() {
  return define_learner<Params, MlRbf>(
      {.id = "ml_rbf",
       .summary = "Gaussian units around the rows of each label, outputs by least squares",
       .reference = "Zhang, ML-RBF: RBF neural networks for multi-label learning, Neural "
                    "Processing Letters 29, 2009",
       .tags = {.missing_labels = true, .distances = true}},
      fit);
}

}  // namespace mulberry::learners

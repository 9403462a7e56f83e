// CCA: binary relevance on the directions of the features that correlate most with the labels.
//
//   Sxy (Syy + ry I)^-1 Syx u = rho^2 (Sxx + rx I) u     (canonical_directions.hpp)
//   z_k = u_k'(x - mean),   score_l = h_l(z),   h_l = base(Z, Y_l)
//
// All directions with rho > 0 are kept, at most min(d, L, n). Labels help each other through the
// shared directions; there are at most as many as labels, whatever the number of features. Sun, Ji
// and Ye, "Canonical correlation analysis for multilabel classification", IEEE TPAMI 33(1), 2011.
//
// A missing cell counts as the mean of its label in the covariances and is left out of the problem
// of its label's classifier; labels of one class are left out of the directions and answered with
// that class. Cost: the directions, with one factorisation of min(n, d)^3 / 3, and L base learners
// on min(d, L, n) dense columns.
#include "mulberry/core/index.hpp"
#include "mulberry/learners/transform/canonical_directions.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  double ridge = 1e-3;
  Spec base = "linear_svm";

  static Fields fields() {
    return Fields{
        field("ridge", &Params::ridge,
              "added to the variances of features and of labels, as a share of their mean",
              between(1e-12, 1e6).search(1e-4, 10)),
        learner_field("base", &Params::base, "classifier of one label")};
  }
  // The base sees only dense projections of complete rows.
  Tags tags() const {
    const Tags inner = find_base(base.id).tags;
    return {.missing_labels = true, .probabilities = inner.probabilities};
  }
  MemoryNeed memory(const Extent& e) const {
    const double side = std::min(e.rows, e.columns), shifted = e.sparse ? 0 : e.dense();
    const double turned = e.rows < e.columns ? 0 : e.features();
    const double directions = 8 * e.labels * e.columns, products = 8 * side * side;
    const Extent projected = e.of_dense(e.labels);
    const MemoryNeed inner = labels_need(base, projected);
    return {.fit = e.pieces() + e.cells() +
                   std::max(shifted + e.cells() + std::max(turned, products) + 2 * products +
                                2 * directions,
                            directions + projected.features() + inner.fit),
            .model = directions + inner.model,
            .predict = e.asked_pieces() + projected.asked_features() + inner.predict};
  }
};

struct Cca {
  FixedMatrix directions = {};  // one per row
  std::vector<double> offset = {};
  std::vector<double> correlations = {};
  FittedLabels labels = {};

  Features projected(const Features& x, const Context& ctx) const {
    return linear_scores(x, directions, offset, ctx);
  }
  Prediction predict(const View& view, const Context& ctx) const {
    return {.scores = labels.scores(projected(Compact(view).x(), ctx), ctx),
            .scale = labels.scale()};
  }
  Summary summary() const { return labels.summary(); }
  std::vector<Result> results() const {
    std::vector<Result> out = labels.results();
    out.push_back(
        {.id = "correlations",
         .sentence = "how strongly each direction of the features correlates with the labels",
         .column_names = {"correlation"},
         .values = Matrix(count_of(correlations), 1, correlations)});
    return out;
  }
  template <class V>
  void visit(V& v) {
    v("directions", directions, finite().cols(v.features()));
    v("offset", offset, finite().length(directions.rows()));
    v("correlations", correlations, any_real().length(directions.rows()));
    v("labels", labels, ModelShape{directions.rows(), v.outputs()});
  }
};

// Labels as numbers minus the mean of their known cells; 0 if unknown.
Matrix centred(const Labels& y) {
  Matrix out(y.rows(), y.count());
  for (Index l = 0; l < y.count(); ++l) {
    const auto observed =
        static_cast<double>(y.rows()) - static_cast<double>(y.missing_column(l).size());
    const double mean = static_cast<double>(y.column(l).size()) / std::max(observed, 1.0);
    for_observed(y, l, [&](Index i, bool positive) { out(i, l) = (positive ? 1 : 0) - mean; });
  }
  return out;
}

Cca fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, Rows::blocks);
  CanonicalDirections found =
      canonical_directions(data.x(), centred(data.y()), params.ridge, ctx.part(0, 0.5));
  ctx.step(0.5);
  Cca out;
  out.directions = std::move(found.directions);
  out.offset = std::move(found.offset);
  out.correlations = std::move(found.correlations);
  if (out.directions.rows() == 0) {  // the base learner needs a feature, even if it is all zeros
    out.directions = Matrix(1, data.x().cols());
    out.offset = out.correlations = {0.0};
  }
  out.labels =
      FittedLabels(params.base, out.projected(data.x(), ctx), data.y(), {}, ctx.part(0.5, 1));
  return out;
}

}  // namespace

Learner make_cca() {
  return define_learner<Params, Cca>(
      {.id = "cca",
       .summary = "classifiers on the directions of features that correlate most with the labels",
       .reference = "Sun, Ji and Ye, Canonical correlation analysis for multilabel classification, "
                    "IEEE TPAMI 33(1), 2011",
       .tags = Params().tags()},
      fit);
}

}  // namespace mulberry::learners

#include "mulberry/base/rbf/shared_rbf.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/base/class_predictor.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/neighbours/kmeans.hpp"

namespace mulberry::base {
namespace {

// `rows`, `factors` and `others` must outlive the result.
ActivationRows scaled_rows(const SharedRbf::Rows& rows, std::span<const Matrix> factors,
                           std::span<const ClassColumns> others) {
  MULBERRY_ASSERT(factors.size() == others.size());
  return {rows.size(), rows.activations.cols(),
          [&rows, factors, others](Index i, std::span<double> out) {
            const auto from = rows.activations.row(i);
            std::copy(from.begin(), from.end(), out.begin());
            for (std::size_t s = 0; s < others.size(); ++s) {
              const auto factor = factors[s].row(others[s].classes[at(i)]);
              for (std::size_t j = 0; j < out.size(); ++j) out[j] *= factor[j];
            }
          }};
}

}  // namespace

SharedRbf::SharedRbf(const RbfParams& given, const Features& x, std::span<const RbfTarget> targets,
                     Rows& rows, const Context& ctx)
    : ridge_(given.ridge) {
  if (given.standardise) scaling_.emplace(x);
  const FixedMatrix z = inputs(x);
  const RbfParams params = choose_rbf(given, z, {}, targets, ctx);
  KMeans found = k_means(z, {}, {.centres = *params.centres, .steps = params.steps},
                         ctx.rng("shared_rbf.centres"), ctx);
  centres_ = std::move(found.centres);
  width_ = rbf_width(centres_, params.width);
  rows = {rbf_activations(z, centres_, width_, ctx), std::move(found.nearest)};
}

SharedRbf::Rows SharedRbf::prepare(const Features& x, const Context& ctx) const {
  return {.activations = rbf_activations(inputs(x), centres_, width_, ctx)};
}

// exp(-|e_c - z_j|^2 / (2 width^2)) for every class c and centre j, |e_c - z|^2 = 1 - 2 z_c +
// |z|^2.
Matrix SharedRbf::factors_of(const Rows& rows, const ClassColumns& other) const {
  const Index k = centres_.rows();
  Matrix z(k, other.count);
  std::vector<double> size(at(k), 0.0);
  for (std::size_t i = 0; i < rows.nearest.size(); ++i) {
    z(rows.nearest[i], other.classes[i]) += 1;
    size[at(rows.nearest[i])] += 1;
  }
  Matrix out(other.count, k);
  for (Index j = 0; j < k; ++j) {
    const auto place = z.row(j);
    double norm = 0;
    for (double& share : place) {
      share /= std::max(1.0, size[at(j)]);
      norm += share * share;
    }
    for (Id c = 0; c < other.count; ++c) {
      const double distance2 = 1 - 2 * place[at(c)] + norm;
      out(c, j) = std::exp(-distance2 / (2 * width_ * width_));
    }
  }
  return out;
}

SharedRbf::Classifier SharedRbf::fit(const Rows& rows, std::span<const Id> y, Id classes,
                                     std::span<const double> mass,
                                     std::span<const ClassColumns> others,
                                     const Context& ctx) const {
  Classifier out;
  out.seen = classes_seen(y, classes, mass);
  MULBERRY_ASSERT(!out.seen.empty());
  for (const ClassColumns& other : others) out.factors.push_back(factors_of(rows, other));
  if (out.seen.size() == 1) return out;
  out.weights =
      fit_outputs(scaled_rows(rows, out.factors, others), positions_in(out.seen, classes, y),
                  static_cast<Id>(out.seen.size()), mass, ridge_, ctx);
  return out;
}

bool SharedRbf::fits(const Classifier& model, Id classes,
                     std::span<const ClassColumns> others) const {
  const auto known = [&](Id c) { return c >= 0 && c < classes; };
  bool out = !model.seen.empty() && std::all_of(model.seen.begin(), model.seen.end(), known) &&
             model.factors.size() == others.size();
  for (std::size_t s = 0; out && s < others.size(); ++s) {
    out = model.factors[s].rows() == others[s].count && model.factors[s].cols() == centres_.rows();
  }
  if (model.seen.size() < 2) return out;
  return out && model.weights.rows() == centres_.rows() + 1 &&
         model.weights.cols() == count_of(model.seen);
}

std::vector<Id> SharedRbf::predict(const Classifier& model, const Rows& rows,
                                   std::span<const ClassColumns> others, const Context& ctx) const {
  if (model.seen.size() == 1) {
    return std::vector<Id>(at(rows.size()), model.seen[0]);
  }
  return best_classes(outputs(scaled_rows(rows, model.factors, others), model.weights, ctx),
                      model.seen);
}

}  // namespace mulberry::base

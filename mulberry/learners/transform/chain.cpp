#include "mulberry/learners/transform/chain.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners {
namespace {

Matrix first_columns(MatrixView from, Index count) {
  Matrix out(from.rows(), count);
  double* to = out.data();
  for (Index i = 0; i < from.rows(); ++i) {
    std::copy_n(from.row(i).begin(), count, to + i * count);
  }
  return out;
}

// The labels as columns, in the order of the chain; the rate of the label if it is missing.
Matrix label_columns(const Labels& y, std::span<const Id> order, std::span<const double> weights) {
  Matrix out(y.rows(), count_of(order));
  double* to = out.data();
  for (Index j = 0; j < out.cols(); ++j) {
    const Id label = order[at(j)];
    double positives = 0, observed = 0;
    for_observed(y, label, [&](Index i, bool positive) {
      const double weight = weights.empty() ? 1.0 : weights[at(i)];
      observed += weight;
      if (!positive) return;
      positives += weight;
      to[i * out.cols() + j] = 1;
    });
    const double rate = observed > 0 ? positives / observed : 0.0;
    for (const Id i : y.missing_column(label)) to[i * out.cols() + j] = rate;
  }
  return out;
}

}  // namespace

std::vector<Id> chain_order(ChainOrder order, Index labels, const Context& ctx) {
  std::vector<Id> out(at(labels));
  std::iota(out.begin(), out.end(), 0);
  if (order == ChainOrder::random) ctx.rng("chain order").shuffle(std::span(out));
  return out;
}

MemoryNeed chain_need(const Spec& base, const Extent& e) {
  const double labels = e.labels, links = e.at_once(labels);
  // The links in the middle have the mean of the columns; those at work last, nearly all.
  const MemoryNeed mean = labels_need(base, e.with_columns(labels / 2).of_labels(1).alone());
  const Extent last = e.with_columns(labels).of_labels(1).alone();
  const MemoryNeed link = labels_need(base, last);
  const double prepared = JoinableFeatures::copies(base) ? e.dense() : 0;
  const double asked = JoinableFeatures::copies(base) ? e.asked_dense() : 0;
  const double model = labels * mean.model;
  return {.fit = prepared + e.cells() + model +
                 links * (link.work() + last.features() + e.cells() + e.of_labels(1).truth()),
          .model = model,
          .predict = asked + 3 * e.scores() + last.asked_features() + link.predict +
                     e.of_labels(1).decisions()};
}

Chain::Chain(const Spec& base, std::vector<Id> order, const Features& x, const Labels& y,
             std::span<const double> weights, const Context& ctx)
    : order_(std::move(order)), features_(base, x, weights), links_(order_.size()) {
  MULBERRY_ASSERT(size() == y.count() && is_order());
  const Features prepared = prepare(x);
  const Matrix columns = label_columns(y, order_, weights);
  std::atomic<Index> done = 0;
  parallel_for(ctx, size(), [&](Index j) {
    const auto k = at(j);
    links_[k] = FittedLabels(features_.base(), append_columns(prepared, first_columns(columns, j)),
                             take_labels(y, std::span(&order_[k], 1)), weights, ctx.quiet());
    ctx.step(static_cast<double>(++done) / static_cast<double>(size()));
  });
}

Matrix Chain::link_scores(Index j, const Features& x, MatrixView before, const Context& ctx) const {
  MULBERRY_ASSERT(before.cols() == j);
  return link_scores(j, append_columns(x, before), ctx);
}

bool Chain::takes_sparse() const { return find_base(features_.base().id).tags.sparse; }

Matrix Chain::link_scores(Index j, const Features& joined, const Context& ctx) const {
  Matrix out = links_[at(j)].scores(joined, ctx);
  MULBERRY_ASSERT(out.cols() == 1);
  return out;
}

Matrix Chain::scores(const Features& x, const Context& ctx) const {
  const Features prepared = prepare(x);
  Matrix out(x.rows(), size()), decided(x.rows(), size());
  double *score = out.data(), *fed = decided.data();
  for (Index j = 0; j < size(); ++j) {
    ctx.check();
    const Prediction link{.scores = link_scores(j, prepared, first_columns(decided, j), ctx),
                          .scale = scale()};
    const Id label = order_[at(j)];
    for (Index i = 0; i < x.rows(); ++i) score[i * size() + label] = link.scores(i, 0);
    const Labels yes = decide(link);
    for (const Id i : yes.column(0)) fed[i * size() + j] = 1;
  }
  return out;
}

Result Chain::places() const {
  Result out{.id = "chain",
             .sentence = "the place of each label in the chain, 1 for the first",
             .rows = Axis::labels,
             .columns = Axis::named,
             .column_names = {"place"},
             .values = Matrix(size(), 1)};
  for (std::size_t j = 0; j < order_.size(); ++j) {
    out.values(order_[j], 0) = static_cast<double>(j + 1);
  }
  return out;
}

bool Chain::is_order() const {
  std::vector<bool> found(order_.size(), false);
  for (const Id l : order_) {
    if (l < 0 || at(l) >= found.size()) return false;
    found[at(l)] = true;
  }
  return !found.empty() && std::find(found.begin(), found.end(), false) == found.end();
}

}  // namespace mulberry::learners

#include "mulberry/learners/transform/chain.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners {
namespace {

// The share of each label among the observed rows, by weight.
std::vector<double> label_rates(const Labels& y, std::span<const double> weights) {
  std::vector<double> out;
  for (Index l = 0; l < y.count(); ++l) {
    double positives = 0, observed = 0;
    for_observed(y, l, [&](Index i, bool positive) {
      const double weight = weights.empty() ? 1.0 : weights[at(i)];
      observed += weight;
      if (positive) positives += weight;
    });
    out.push_back(observed > 0 ? positives / observed : 0.0);
  }
  return out;
}

// Sparse columns after sparse features: add(i, put) calls put(column, value) for what row i has
// there, in increasing order.
template <class Add>
Features append_sparse(const Features& x, Index columns, Index expected, const Add& add) {
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  const auto stored = at(x.stored() + expected);
  start.reserve(at(x.rows()) + 1);
  index.reserve(stored);
  value.reserve(stored);
  SparseLine line;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i, line);
    index.insert(index.end(), row.index.begin(), row.index.end());
    value.insert(value.end(), row.value.begin(), row.value.end());
    add(i, [&](Id column, double v) {
      if (v == 0) return;
      index.push_back(static_cast<Id>(x.cols() + column));
      value.push_back(v);
    });
    start.push_back(count_of(index));
  }
  return Csr{.rows = x.rows(),
             .cols = x.cols() + columns,
             .start = std::move(start),
             .index = std::move(index),
             .value = std::move(value)};
}

// A column per link for what the links before decided: yes[i] are the places of row i.
Features append_decisions(const Features& x, std::span<const std::vector<Id>> yes, Index columns) {
  if (x.is_sparse()) {
    return append_sparse(x, columns, 0, [&](Index i, const auto& put) {
      for (const Id place : yes[at(i)]) put(place, 1.0);
    });
  }
  Matrix out(x.rows(), columns);
  for (Index i = 0; i < x.rows(); ++i) {
    for (const Id place : yes[at(i)]) out(i, place) = 1;
  }
  return append_columns(x, out);
}

}  // namespace

Features append_labels(const Features& x, const Labels& y, std::span<const double> weights) {
  MULBERRY_ASSERT(x.rows() == y.rows());
  const std::vector<double> rates =
      y.has_missing() ? label_rates(y, weights) : std::vector<double>();
  if (!x.is_sparse()) {
    Matrix columns(y.rows(), y.count());
    for (Index i = 0; i < y.rows(); ++i) {
      for (const Id l : y.row(i)) columns(i, l) = 1;
      for (const Id l : y.missing_row(i)) columns(i, l) = rates[at(l)];
    }
    return append_columns(x, columns);
  }
  return append_sparse(x, y.count(), y.positives() + y.missing(), [&](Index i, const auto& put) {
    const auto yes = y.row(i), unknown = y.missing_row(i);
    auto gap = unknown.begin();
    for (const Id l : yes) {
      for (; gap != unknown.end() && *gap < l; ++gap) put(*gap, rates[at(*gap)]);
      put(l, 1.0);
    }
    for (; gap != unknown.end(); ++gap) put(*gap, rates[at(*gap)]);
  });
}

std::vector<Id> chain_order(ChainOrder order, Index labels, const Context& ctx) {
  std::vector<Id> out(at(labels));
  std::iota(out.begin(), out.end(), 0);
  if (order == ChainOrder::random) ctx.rng("chain order").shuffle(std::span(out));
  return out;
}

MemoryNeed chain_need(const Spec& base, const Extent& e) {
  const double labels = e.labels, links = e.at_once(labels);
  const bool copies = JoinableFeatures::copies(base);
  const double prepared = copies ? e.dense() : 0, asked = copies ? e.asked_dense() : 0;
  Extent joined = e;  // with all labels
  joined.columns += labels;
  joined.stored += e.sparse ? e.positives : e.rows * labels;
  const Extent last = joined.of_labels(1).alone();
  // The links in the middle have the mean of the columns; those at work last, nearly all.
  const MemoryNeed mean = labels_need(base, e.with_columns(labels / 2).of_labels(1).alone());
  const MemoryNeed link = labels_need(base, last);
  const double model = labels * mean.model, columns = e.sparse ? 0 : e.cells();
  const double held = prepared + e.truth() + joined.features();
  const double own = links * (link.work() + last.features() + e.of_labels(1).truth());
  if (find_base(base.id).fit_links == nullptr) {
    return {.fit = held + std::max(columns, model + own),
            .model = model,
            .predict = asked + e.scores() + (e.sparse ? 0 : e.scores()) + last.asked_features() +
                       link.predict + e.decisions()};
  }
  // Margins are learnt on copies of the columns of a link, probabilities in panels of links.
  const bool panels = find_base(base.id).scale_of(base) == Scale::probability;
  const double work = panels ? labels_need(base, joined).work() : own;
  return {.fit = held + std::max(columns, model + work),
          .model = model,
          .predict = asked + e.scores() + (e.sparse ? 16 : 8) * labels * e.columns + e.decisions()};
}

Chain::Chain(const Spec& base, std::vector<Id> order, const Features& x, const Labels& y,
             std::span<const double> weights, const Context& ctx)
    : order_(std::move(order)), features_(base, x, weights) {
  MULBERRY_ASSERT(size() == y.count() && is_order());
  const Features prepared = prepare(x);
  const Labels ordered = take_labels(y, order_);
  std::vector<Index> columns;
  for (Index j = 0; j < size(); ++j) columns.push_back(prepared.cols() + j);
  links_ = fit_links(features_.base(), append_labels(prepared, ordered, weights), columns, ordered,
                     weights, ctx);
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
  std::vector<LinearForm> forms;
  for (const FittedLabels& link : links_) {
    const std::optional<LinearForm> form = link.linear_form();
    if (!form) return scores_by_link(x, ctx);
    forms.push_back(*form);
  }
  return scores_of_linear(forms, prepare(x), ctx);
}

Matrix Chain::scores_of_linear(std::span<const LinearForm> links, const Features& prepared,
                               const Context& ctx) const {
  const Index d = prepared.cols(), labels = size();
  Matrix w(labels, d);
  std::vector<double> b;
  for (Index j = 0; j < labels; ++j) {
    const LinearForm& link = links[at(j)];
    std::copy_n(link.w.begin(), d, w.row(j).begin());
    b.push_back(link.b);
  }
  Matrix out = linear_scores(prepared, w, b, ctx);  // of x alone, in the order of the chain
  double* const cells = out.data();
  parallel_chunks(ctx, out.rows(), 256, [&](Index begin, Index end) {
    std::vector<std::vector<Id>> yes(at(end - begin));
    for (Index j = 0; j < labels; ++j) {
      ctx.check();
      const LinearForm& link = links[at(j)];
      const double* const before = link.w.data() + d;
      for (Index i = begin; i < end; ++i) {
        double& score = cells[i * labels + j];
        std::vector<Id>& places = yes[at(i - begin)];
        for (const Id place : places) score += before[place];
        score = link.score(score);
        if (says_yes(score)) places.push_back(static_cast<Id>(j));
      }
    }
    std::vector<double> row(at(labels));
    for (Index i = begin; i < end; ++i) {
      const auto given = std::span(cells + i * labels, at(labels));
      for (std::size_t j = 0; j < row.size(); ++j) row[at(order_[j])] = given[j];
      std::copy(row.begin(), row.end(), given.begin());
    }
  });
  return finite_scores(std::move(out), features_.base().id);
}

Matrix Chain::scores_by_link(const Features& x, const Context& ctx) const {
  const Features prepared = prepare(x);
  Matrix out(x.rows(), size());
  double* const cells = out.data();
  std::vector<std::vector<Id>> yes(at(x.rows()));
  for (Index j = 0; j < size(); ++j) {
    ctx.check();
    const Matrix scores = link_scores(j, append_decisions(prepared, yes, j), ctx);
    const Id label = order_[at(j)];
    for (Index i = 0; i < x.rows(); ++i) {
      const double score = cells[i * size() + label] = scores(i, 0);
      if (says_yes(score)) yes[at(i)].push_back(static_cast<Id>(j));
    }
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

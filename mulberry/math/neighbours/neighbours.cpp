#include "mulberry/math/neighbours/neighbours.hpp"
#include "mulberry/core/index.hpp"

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/neighbours/neighbour_candidates.hpp"
#include "mulberry/math/neighbours/neighbour_distances.hpp"

namespace mulberry::math {

namespace {

// The terms in the order of the features; features that are zero in both rows change nothing.
double exact_distance2(const SparseRow& a, const SparseRow& b) {
  double sum = 0;
  std::size_t p = 0, q = 0;
  while (p < a.index.size() || q < b.index.size()) {
    double gap = 0;
    if (q == b.index.size() || (p < a.index.size() && a.index[p] < b.index[q])) {
      gap = a.value[p++];
    } else if (p == a.index.size() || b.index[q] < a.index[p]) {
      gap = b.value[q++];
    } else {
      gap = a.value[p++] - b.value[q++];
    }
    sum += gap * gap;
  }
  return sum;
}

// The distances of row i to the rows named in `exact`.
void measure(const Features& query, Index i, const Features& train,
             std::span<ExactNeighbour> exact) {
  if (!train.is_sparse()) return measure_dense(query.dense_row(i), train, exact);
  for (auto& [distance2, t] : exact) {
    distance2 = exact_distance2(query.sparse_row(i), train.sparse_row(t));
  }
}

// The first k candidates by exact distance, then row.
void settle(Candidates& candidates, const Features& query, Index i, const Features& train,
            Neighbours& out) {
  candidates.prune(out.k);
  thread_local std::vector<ExactNeighbour> exact;
  exact.clear();
  for (const bool open : {true, false}) {
    for (const Candidate& c : candidates.kept()) {
      if (open == (c.low != c.high)) exact.emplace_back(c.low, c.row);
    }
    if (open) measure(query, i, train, exact);
  }
  MULBERRY_ASSERT(count_of(exact) >= out.k);
  if (count_of(exact) < 2 * out.k) {
    std::sort(exact.begin(), exact.end());
  } else {
    std::partial_sort(exact.begin(), exact.begin() + out.k, exact.end());
  }
  for (Index e = 0; e < out.k; ++e) {
    const auto cell = at(i * out.k + e);
    out.distance2[cell] = exact[at(e)].first;
    out.index[cell] = exact[at(e)].second;
  }
}

Neighbours search(const Features& train, const Features& query, Index k, const Context& ctx) {
  const bool same = &train == &query;
  MULBERRY_ASSERT(train.cols() == query.cols());
  Neighbours out;
  out.k = std::clamp<Index>(k, 0, std::max<Index>(0, train.rows() - (same ? 1 : 0)));
  const auto cells = at(query.rows() * out.k);
  out.index.resize(cells);
  out.distance2.resize(cells);
  if (cells == 0) return out;
  if (train.is_sparse()) {
    sparse_candidates(train, query, out.k, ctx,
                      [&](Index i, Candidates& found) { settle(found, query, i, train, out); });
    return out;
  }
  std::vector<Candidates> found = dense_candidates(train, query, out.k, ctx);
  parallel_chunks(ctx, query.rows(), 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      settle(found[at(i)], query, i, train, out);
    }
  });
  return out;
}

}  // namespace

Lengths lengths_of(const Features& x) {
  Lengths out;
  out.norm2.resize(at(x.rows()));
  out.terms = x.is_sparse() ? 0 : x.cols();
  for (Index i = 0; i < x.rows(); ++i) {
    const auto values = x.is_sparse() ? x.sparse_row(i).value : x.dense_row(i);
    double sum = 0;
    for (const double v : values) {
      sum += v * v;
      out.whole = out.whole && std::abs(v) < 0x1p50 &&
                  v == static_cast<double>(static_cast<std::int64_t>(v));
    }
    out.norm2[at(i)] = sum;
    out.largest = std::max(out.largest, sum);
    if (x.is_sparse()) out.terms = std::max(out.terms, count_of(values));
  }
  return out;
}

Neighbours nearest_neighbours(const Features& train, const Features& query, Index k,
                              const Context& ctx) {
  if (&train == &query) {         // the same object would mean "others" below
    const Features copy = query;  // NOLINT(performance-unnecessary-copy-initialization)
    return search(train, copy, k, ctx);
  }
  if (train.is_sparse() == query.is_sparse()) return search(train, query, k, ctx);
  const Features converted =
      train.is_sparse() ? Features(to_sparse(query)) : Features(to_dense(query));
  return search(train, converted, k, ctx);
}

double neighbours_need(const Extent& e, double queries, double k, bool same) {
  const double result = 12 * queries * k;
  if (e.sparse) return result + e.features() + 8 * e.threads * e.rows;
  // Candidates of every row (neighbour_candidates.hpp), and both sides in single precision.
  const double candidates =
      sizeof(Candidates) + sizeof(std::mutex) + 1.3 * sizeof(Candidate) * (2 * k + 8);
  return result + queries * candidates + 4 * e.columns * (e.rows + (same ? 0 : queries));
}

Neighbours nearest_others(const Features& x, Index k, const Context& ctx) {
  return search(x, x, k, ctx);
}

}  // namespace mulberry::math

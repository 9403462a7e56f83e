// Deterministic parallel loops: work is cut into chunks whose borders depend only on the sizes, and
// partial results are combined in chunk order, so any number of threads gives the same bits.
#pragma once

#include <functional>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::core {

inline Index chunk_count(Index n, Index grain) { return (n + grain - 1) / grain; }

// The loop of parallel_chunks, compiled once.
void run_chunks(const Context& ctx, Index n, Index grain,
                const std::function<void(Index, Index)>& body);

// body(begin, end) for the chunks [0, grain), [grain, 2 grain), ... of 0..n. Chunks may run in any
// order and at the same time. Stops between chunks when cancelled.
template <class Body>
void parallel_chunks(const Context& ctx, Index n, Index grain, const Body& body) {
  run_chunks(ctx, n, grain, std::cref(body));
}

// body(i) for every i: one task per index, for few and heavy tasks (labels, folds).
template <class Body>
void parallel_for(const Context& ctx, Index n, const Body& body) {
  parallel_chunks(ctx, n, 1, [&](Index begin, Index) { body(begin); });
}

// combine(total, map(begin, end)) over the chunks, in chunk order, starting from `total`.
template <class T, class Map, class Combine>
T parallel_reduce(const Context& ctx, Index n, Index grain, T total, const Map& map,
                  const Combine& combine) {
  std::vector<T> parts(at(chunk_count(n, grain)));
  parallel_chunks(ctx, n, grain,
                  [&](Index begin, Index end) { parts[at(begin / grain)] = map(begin, end); });
  for (T& part : parts) combine(total, std::move(part));
  return total;
}

}  // namespace mulberry::core

#include "mulberry/core/parallel.hpp"

#include <algorithm>

#include "mulberry/core/thread_pool.hpp"

namespace mulberry::core {

void run_chunks(const Context& ctx, Index n, Index grain,
                const std::function<void(Index, Index)>& body) {
  const Index chunks = chunk_count(n, grain);
  const auto run = [&](Index c) {
    ctx.check();
    body(c * grain, std::min(n, (c + 1) * grain));
  };
  if (ctx.pool() == nullptr || chunks <= 1) {
    for (Index c = 0; c < chunks; ++c) run(c);
  } else {
    ctx.pool()->run(static_cast<int>(chunks), [&](int c) { run(c); });
  }
}

}  // namespace mulberry::core

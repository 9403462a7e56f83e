// Compares the rate of the factorisation of mll_le with the machine's rate of matrix products.
//   mll_le_bench factor N ...   one line per size: rows, billions of operations per second of a
//                               product of matrices, of the factorisation, of solving for 20
//                               columns
// All on two threads, by the clock, the best of several.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/dense_factor.hpp"

namespace {

using namespace mulberry::bench;

// Seconds of the fastest of `times` runs; `prepare` is not counted.
template <class Prepare, class Run>
double best_of(int times, const Prepare& prepare, const Run& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < times; ++k) {
    auto&& input = prepare();
    const auto begin = std::chrono::steady_clock::now();
    run(input);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count());
  }
  return best;
}

void factor(Index n) {
  constexpr Index k_columns = 20;
  const Context ctx(2);
  Random random = ctx.rng("mll_le_bench");
  Matrix phi(n, n), system(n, n), sides(n, k_columns);
  for (Index c = 0; c < phi.size(); ++c) phi.data()[c] = random.normal();
  for (Index c = 0; c < sides.size(); ++c) sides.data()[c] = random.normal();
  const auto multiply = [&](Matrix& out) {
    const auto all = blas::block(out);
    parallel_chunks(ctx, n, (n + 1) / 2, [&](Index begin, Index end) {
      blas::gemm(1, blas::block(std::as_const(phi)).row_range(begin, end), blas::Op::plain,
                 blas::block(std::as_const(phi)), blas::Op::transposed, 0,
                 all.row_range(begin, end));
    });
  };
  const double product = best_of(3, [&] { return Matrix(n, n); }, multiply);
  multiply(system);
  const double factored = best_of(
      3, [&]() -> MatrixView { return system; },
      [&](MatrixView a) { DenseFactor::of(a, 1, ctx).value(); });
  const DenseFactor ready = DenseFactor::of(system, 1, ctx).value();
  const double solved = best_of(5, [&] { return sides; }, [&](Matrix& b) { ready.solve(b, ctx); });
  const auto size = static_cast<double>(n);
  const double giga = 1e-9 * size * size;
  const double rates[] = {2 * giga * size / product, giga * size / 3 / factored,
                          2 * giga * k_columns / solved};
  fmt::print("{:6} {:10.1f} {:10.1f} {:10.1f}\n", n, rates[0], rates[1], rates[2]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "factor") {
    fmt::print(stderr, "usage: mll_le_bench factor N ...\n");
    return 2;
  }
  for (int k = 2; k < argc; ++k) factor(std::atol(argv[k]));
  return 0;
}

// Times iterative stratification on made-up labels and writes its inputs and results, so that
// bench_stratify.py can run a peer on the same labels and judge both by the same measure.
//   stratify_bench ROWS LABELS FOLDS OUT      (OUT.labels: one row per line; OUT.parts: one part
//   per line)
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/resample/stratify.hpp"

int main(int argc, char** argv) {
  using namespace mulberry::bench;
  if (argc != 5) {
    fmt::print(stderr, "usage: stratify_bench ROWS LABELS FOLDS OUT\n");
    return 2;
  }
  GenerateOptions options;
  options.rows = std::atoll(argv[1]);
  options.labels = std::atoll(argv[2]);
  options.cardinality = std::min(4.0, static_cast<double>(options.labels) / 2.0);
  options.noise = 0.5;
  const Index folds = std::atoll(argv[3]);
  const Context ctx(1, 1);
  const Labels y = generate("linear", options, ctx).y;
  const std::vector<double> shares(static_cast<std::size_t>(folds),
                                   1.0 / static_cast<double>(folds));

  std::vector<Id> part;
  for (const bool pairs : {true, false}) {  // the first order last: its parts are written
    double best = 1e300;
    for (int round = 0; round < 5; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      part = stratify(y, shares, {.pairs = pairs}, ctx.rng("bench"), ctx);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      best = std::min(best, spent.count());
    }
    fmt::print("{} {:.6f}\n", pairs ? "pairs" : "labels", best);
  }

  const std::string out = argv[4];
  std::ofstream labels(out + ".labels"), parts(out + ".parts");
  for (Index i = 0; i < y.rows(); ++i) {
    for (const Id l : y.row(i)) labels << l << ' ';
    labels << '\n';
    parts << part[static_cast<std::size_t>(i)] << '\n';
  }
  return labels && parts ? 0 : 1;
}

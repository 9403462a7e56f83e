// Compares binary relevance over linear models with liblinear one-vs-rest, on the same data in
// memory, to the same objective.
//   linear_bench LOSS THREADS FILE...        LOSS: logistic, hinge or squared_hinge
// The files are parts of one data set. liblinear runs with its default tolerance, then ours with
// the loosest tolerance whose objective, summed over the labels, is not above liblinear's. Prints
// seconds and objectives of both.
#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "bench/read_parts.hpp"
#include "bench/run_liblinear.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/math/linear/linear.hpp"

namespace {

using namespace mulberry::bench;

Outcome run_ours(const Dataset& data, const std::vector<Index>& labels, Loss loss, double tolerance,
                 const Context& ctx) {
  const auto fill = [&](Index k, std::span<std::int8_t> y, std::span<double> cost) {
    std::fill(y.begin(), y.end(), std::int8_t{-1});
    std::fill(cost.begin(), cost.end(), 1.0);
    for (const Id i : data.y.column(labels[static_cast<std::size_t>(k)])) {
      y[static_cast<std::size_t>(i)] = 1;
    }
  };
  const Stopwatch watch(ctx.threads());
  const auto results =
      solve_linear({.x = data.x, .count = static_cast<Index>(labels.size()), .fill = fill},
                   {.loss = loss, .tolerance = tolerance}, ctx);
  Outcome out{.seconds = watch.seconds()};
  for (const LinearResult& r : results) out.objective += r.certificate.objective;
  return out;
}

int run(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: linear_bench LOSS THREADS FILE...\n");
    return 2;
  }
  const std::string name = argv[1];
  const Loss loss = name == "logistic" ? Loss::logistic
                    : name == "hinge"  ? Loss::hinge
                                       : Loss::squared_hinge;
  const Context ctx(std::atoi(argv[2]));
  const Dataset data = read_parts(argc - 3, argv + 3);
  const std::vector<Index> labels = labels_of_two_classes(data);
  const Outcome theirs = run_liblinear(data, labels, loss, ctx.threads());
  for (double tolerance = loss == Loss::logistic ? 30 : 0.5; tolerance > 1e-9; tolerance /= 3) {
    const Outcome ours = run_ours(data, labels, loss, tolerance, ctx);
    if (ours.objective > theirs.objective) continue;
    fmt::print("{:.4f} {:.4f} {:.8g} {:.8g} {:.1e}\n", ours.seconds, theirs.seconds, ours.objective,
               theirs.objective, tolerance);
    return 0;
  }
  fmt::print(stderr, "linear_bench: no tolerance reaches liblinear's objective\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "linear_bench: {}\n", e.what());
    return 1;
  }
}

// Compares binary relevance over linear models with liblinear one-vs-rest, on the same data in
// memory, to the same objective.
//   linear_bench LOSS THREADS FILE...        LOSS: logistic, hinge or squared_hinge
// The files are parts of one data set. liblinear runs with its default tolerance, then ours with
// the loosest tolerance whose objective, summed over the labels, is not above liblinear's. Prints
// seconds and objectives of both.
#include <fmt/core.h>
#include <linear.h>  // liblinear

#include <time.h>

#include <cstdlib>
#include <string>

#include "bench/read_parts.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/math/linear/linear.hpp"
#include "tests/support/linear_objective.hpp"

namespace {

using namespace mulberry::bench;

// Seconds of work: of the processor for one thread, which other programs do not disturb, and of the
// wall clock for more.
class Stopwatch {
 public:
  explicit Stopwatch(int threads)
      : clock_(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC), begin_(now()) {}
  double seconds() const { return now() - begin_; }

 private:
  double now() const {
    timespec t{};
    clock_gettime(clock_, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  clockid_t clock_;
  double begin_;
};

struct Outcome {
  double seconds = 0, objective = 0;
};

Outcome run_liblinear(const Dataset& data, const std::vector<Index>& labels, Loss loss,
                      int threads) {
  const auto n = static_cast<std::size_t>(data.rows());
  const auto d = static_cast<int>(data.columns());
  std::vector<feature_node> nodes;
  nodes.reserve(static_cast<std::size_t>(data.x.stored()) + 2 * n);
  std::vector<std::size_t> begin;
  for (Index i = 0; i < data.rows(); ++i) {
    begin.push_back(nodes.size());
    if (data.x.is_sparse()) {
      const SparseRow row = data.x.sparse().row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k) {
        nodes.push_back({row.index[k] + 1, row.value[k]});
      }
    } else {
      const auto row = data.x.dense().row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] != 0) nodes.push_back({static_cast<int>(j) + 1, row[j]});
      }
    }
    nodes.push_back({d + 1, 1.0});
    nodes.push_back({-1, 0.0});
  }
  std::vector<feature_node*> rows;
  for (const std::size_t b : begin) rows.push_back(nodes.data() + b);
  std::vector<double> y(n);
  problem prob{};
  prob.l = static_cast<int>(n);
  prob.n = d + 1;
  prob.y = y.data();
  prob.x = rows.data();
  prob.bias = 1;
  parameter how{};
  how.solver_type = loss == Loss::logistic ? L2R_LR
                    : loss == Loss::hinge  ? L2R_L1LOSS_SVC_DUAL
                                           : L2R_L2LOSS_SVC_DUAL;
  how.eps = loss == Loss::logistic ? 0.01 : 0.1;
  how.C = 1;
  set_print_string_function([](const char*) {});

  Outcome out;
  std::vector<std::int8_t> sign(n);
  const std::vector<double> cost(n, 1.0);
  for (const Index l : labels) {
    std::fill(y.begin(), y.end(), -1.0);
    for (const Id i : data.y.column(l)) y[static_cast<std::size_t>(i)] = 1.0;
    const Stopwatch watch(threads);
    ::model* trained = train(&prob, &how);
    out.seconds += watch.seconds();
    const double flip = trained->label[0] > 0 ? 1.0 : -1.0;  // scores are for the class seen first
    std::vector<double> w;
    for (int j = 0; j < d; ++j) w.push_back(flip * trained->w[j]);
    for (std::size_t i = 0; i < n; ++i) sign[i] = y[i] > 0 ? 1 : -1;
    out.objective += mulberry::tests::reference::linear_objective(
        data.x, sign, cost, {.loss = loss}, w, flip * trained->w[d]);
    free_and_destroy_model(&trained);
  }
  return out;
}

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
  std::vector<Index> labels;
  for (Index l = 0; l < data.labels(); ++l) {
    const auto positives = static_cast<Index>(data.y.column(l).size());
    if (positives > 0 && positives < data.rows()) labels.push_back(l);
  }
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

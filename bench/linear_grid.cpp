// Whether linear support vector machines reach their optimum whatever the cost of errors and the
// scales of the features, and what that takes.
//   linear_grid LIMIT COSTS FILE...     COSTS: 0.001,1,1000    LIMIT: CPU seconds for a line
// The files are parts of one data set. Every line trains all labels with the default tolerance of
// linear_svm, a proven relative gap of 1e-3, on one thread, on features as they are or
// standardised: labels of proven gap, the largest gap, by how much the objective, summed over the
// labels, may be above its optimum, and seconds; then the same for liblinear with its default
// tolerance, where its distance is to our bound. The free bias has no counterpart there.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>

#include "bench/read_parts.hpp"
#include "bench/run_liblinear.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/data/preprocess/preprocess.hpp"

namespace {

using namespace mulberry::bench;

constexpr double k_tolerance = 1e-3;

struct Line {
  Loss loss = Loss::hinge;
  Bias bias = Bias::regularised;
  double C = 1;
};

// Asks for a stop after some CPU seconds of the process.
class Alarm {
 public:
  explicit Alarm(double limit)
      : thread_([this, limit](const std::stop_token& done) {
          const Stopwatch watch(1);
          while (!done.stop_requested()) {
            if (watch.seconds() > limit) source_.request_stop();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

void print_line(const Dataset& data, const std::vector<Index>& labels, const char* scale,
                const Line& line, double limit) {
  const auto fill = [&](Index k, std::span<std::int8_t> y, std::span<double> cost) {
    std::fill(y.begin(), y.end(), std::int8_t{-1});
    std::fill(cost.begin(), cost.end(), line.C);
    for (const Id i : data.y.column(labels[static_cast<std::size_t>(k)])) {
      y[static_cast<std::size_t>(i)] = 1;
    }
  };
  fmt::print("{:8} {:13} {:8} {:6g}", scale, line.loss == Loss::hinge ? "hinge" : "squared_hinge",
             line.bias == Bias::free ? "free" : "", line.C);
  const Stopwatch watch(1);
  std::vector<LinearResult> results;
  try {
    const Alarm alarm(limit);
    results = solve_linear({.x = data.x, .count = count_of(labels), .fill = fill},
                           {.loss = line.loss, .bias = line.bias, .tolerance = k_tolerance},
                           Context(1).with_stop(alarm.token()));
  } catch (const Cancelled&) {
    fmt::print("  stopped after {:.1f} s\n", watch.seconds());
    return;
  }
  const double seconds = watch.seconds();
  Index proven = 0;
  double worst = 0, objective = 0, bound = 0;
  for (const LinearResult& r : results) {
    const double gap =
        std::isfinite(r.certificate.gap) ? r.certificate.gap : r.certificate.objective;
    if (r.certificate.converged && gap <= k_tolerance * r.certificate.objective) ++proven;
    worst = std::max(worst, gap / r.certificate.objective);
    objective += r.certificate.objective;
    bound += r.certificate.objective - gap;
  }
  fmt::print("  {:3}/{:3} {:8.1e} {:8.1e} {:8.2f}", proven, results.size(), worst,
             (objective - bound) / objective, seconds);
  if (line.bias == Bias::regularised) {
    const Outcome theirs = run_liblinear(data, labels, line.loss, 1, line.C);
    fmt::print(" {:8.1e} {:8.2f} {:7.2f}", (theirs.objective - bound) / theirs.objective,
               theirs.seconds, theirs.seconds / seconds);
  }
  fmt::print("\n");
}

int run(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: linear_grid LIMIT COSTS FILE...\n");
    return 2;
  }
  const double limit = std::atof(argv[1]);
  const Dataset raw = read_parts(argc - 3, argv + 3);
  const std::vector<Index> labels = labels_of_two_classes(raw);
  fmt::print("{} rows, {} columns, {} labels\n", raw.rows(), raw.columns(), labels.size());
  fmt::print("{:8} {:13} {:8} {:>6}  {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}\n", "scale", "loss",
             "bias", "C", "proven", "gap", "above", "ours s", "liblin.", "its s", "ratio");
  for (const FeatureScale scale : {FeatureScale::none, FeatureScale::standardise}) {
    Dataset data = raw;
    data.x =
        Preprocessing::fit(raw.x, {.scale = scale}, Context(), raw.nominal_columns).apply(raw.x);
    for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
      for (const Bias bias : {Bias::regularised, Bias::free}) {
        std::istringstream costs(argv[2]);
        for (std::string cost; std::getline(costs, cost, ',');) {
          print_line(data, labels, scale == FeatureScale::none ? "as it is" : "standard",
                     {.loss = loss, .bias = bias, .C = std::stod(cost)}, limit);
          std::fflush(stdout);
        }
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "linear_grid: {}\n", e.what());
    return 1;
  }
}

// liblinear's one-vs-rest training of a whole data set in memory, timed.
#pragma once

#include <linear.h>  // liblinear

#include <time.h>

#include <string>
#include <vector>

#include "mulberry/data/dataset.hpp"
#include "mulberry/math/linear/linear.hpp"
#include "tests/support/linear_objective.hpp"

namespace mulberry::bench {

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

// One model per label with its default tolerance, and a bias that is penalised; the objective is the
// sum over the labels, and of each in `objectives` if asked for.
inline Outcome run_liblinear(const Dataset& data, const std::vector<Index>& labels, Loss loss,
                             int threads, double C = 1, std::vector<double>* objectives = nullptr) {
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
  how.C = C;
  set_print_string_function([](const char*) {});

  Outcome out;
  std::vector<std::int8_t> sign(n);
  const std::vector<double> cost(n, C);
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
    const double objective = mulberry::tests::reference::linear_objective(
        data.x, sign, cost, {.loss = loss}, w, flip * trained->w[d]);
    out.objective += objective;
    if (objectives != nullptr) objectives->push_back(objective);
    free_and_destroy_model(&trained);
  }
  return out;
}

// The labels that occur in some rows, but not in all.
inline std::vector<Index> labels_of_two_classes(const Dataset& data) {
  std::vector<Index> out;
  for (Index l = 0; l < data.labels(); ++l) {
    const auto positives = static_cast<Index>(data.y.column(l).size());
    if (positives > 0 && positives < data.rows()) out.push_back(l);
  }
  return out;
}

}  // namespace mulberry::bench

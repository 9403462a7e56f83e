// Multi-label ranking with a kernel, shared by mlr_gl and mlr_l1: parameters, the model, training,
// and the choice of C and eta by cross-validation.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/learners/mlr/pair_machine.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/kernel_form.hpp"
#include "mulberry/model/stored_nystrom.hpp"

namespace mulberry::learners::mlr {

// The parameters that both learners have.
struct Common {
  std::optional<double> C = 1.0;
  Index folds = 3;
  double tolerance = 1e-3;
  std::optional<Index> sweeps = {};
  bool shuffle = false;
  PairPrecision precision = PairPrecision::full;
  Index landmarks = 0;
  Index top = 0;
  KernelParams kernel = {.kernel = KernelKind::rbf};

  static Fields fields() {
    return Fields{
        field("C", &Common::C, "cost of pairs in the wrong order; auto: by cross-validation",
              positive().search(1e-3, 1e2)),
        field("folds", &Common::folds, "folds of the cross-validation", between(2, 100)),
        field("tolerance", &Common::tolerance,
              "stop once a sweep changes the coefficients by no more than this share; exact: once "
              "this close to the optimum",
              between(1e-12, 0.5)),
        field("sweeps", &Common::sweeps,
              "largest number of visits of every row; auto: 50, exact 5000", between(1, 1e9)),
        field("shuffle", &Common::shuffle, "visit blocks of rows in a random order"),
        choice("precision", &Common::precision,
               "single: kernel values and their products in single precision, twice as fast",
               {"single", "full"}, false),
        field("landmarks", &Common::landmarks,
              "number of random rows that represent all in the kernel, for large data; 0: all rows",
              between(0, 1e6)),
        field("top", &Common::top,
              "predict this many best labels; 0: the labels with positive scores", between(0, 1e9)),
        group(&Common::kernel)};
  }
  // Whether the kernel's values of all pairs are needed.
  bool uses_pairs() const { return landmarks == 0 && kernel.kernel != KernelKind::linear; }
  Tags tags() const {
    return {
        .kernel = uses_pairs(), .missing_labels = true, .distances = has_distance(kernel.kernel)};
  }
  // What the kernel's values take and, for exact training, the pairs of labels.
  std::vector<std::string> notes(const View& view, bool exact) const;
  // `exact`: the coefficients of all pairs of labels are kept, with earlier ones.
  MemoryNeed memory(const Extent& extent, bool exact, bool searches) const;
};

// The common parameters, and those in which the two learners differ.
struct Settings {
  PairLoss loss = PairLoss::group;
  bool exact = false;
  // NaN: not used; empty: chosen by cross-validation.
  std::optional<double> eta = std::numeric_limits<double>::quiet_NaN();
  Common common = {};

  // For one C and eta.
  PairSettings machine(double C, double with_eta) const;
};

// The candidates of cross-validation: one row per pair of C and eta, with the area of the protocol
// curve.
struct Search {
  std::vector<double> C = {}, eta = {}, area = {};

  std::size_t best() const;  // the first of the highest
  template <class V>
  void visit(V& v) {
    v("C", C, any_real());
    v("eta", eta, any_real().length(count_of(C)));
    v("area", area, any_real().length(count_of(C)));
    v.require(!C.empty(), "C", "is empty");
  }
};

// How training ended.
struct Report {
  double C = 0, eta = 0, change = 0, objective = 0, gap = 0, jitter = 0;
  Index sweeps = 0;
  bool converged = false;

  template <class V>
  void visit(V& v) {
    v("C", C, any_real());
    v("eta", eta, any_real());
    v("change", change, any_real());
    v("objective", objective, any_real());
    v("gap", gap, any_real());
    v("jitter", jitter, any_real());
    v("sweeps", sweeps, any_count());
    v("converged", converged);
  }
};

struct Ranker {
  std::optional<KernelForm> form = {};    // scores by the kernel with training rows, or
  std::optional<StoredNystrom> map = {};  // by weights of features, these or the plain ones
  FixedMatrix w = {};                     // labels x features
  std::vector<Id> constant = {};          // of each label: 0, 1, or -1 if it has both
  Index top = 0;
  Report report = {};
  std::optional<Search> search = {};

  Prediction predict(const View& view, const Context& ctx) const;
  Summary summary() const;
  std::vector<Result> results() const;
  template <class V>
  void visit(V& v) {
    v("form", form);
    v("map", map);
    v("w", w, finite().rows(v.outputs()));
    v("constant", constant, whole(-1, 1).length(v.outputs()));
    v("top", top, any_count());
    v("report", report);
    v("search", search);
    v.require(form || w.cols() == (map ? map->root.cols() : v.features()), "w",
              "needs one column per feature or landmark");
  }
};

Report report_of(const PairMachine& machine, double jitter);
// For each label: 0 or 1 if every known cell has that value, -1 if both occur.
std::vector<Id> constants_of(const Labels& y);

Ranker fit(const View& view, const Settings& settings, const Context& ctx);

}  // namespace mulberry::learners::mlr

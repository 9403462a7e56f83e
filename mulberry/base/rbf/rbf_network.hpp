// The parts of an RBF network: Gaussian activations around k-means centres, and an output layer
// fitted by ridge least squares to 0/1 targets, one column per class.
//
//   phi_j(x) = exp(-|x - c_j|^2 / (2 width^2)),  phi_k(x) = 1 (the constant)
//   (Phi' S Phi + ridge I) W = Phi' S T,         S = diag(mass)
//
// Learners that train many networks on the same centres compute activations once and give them to
// fit_outputs row by row. The bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "mulberry/core/context.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/model/memory_need.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::base {

// The base learner whose centres can be shared.
inline constexpr const char* k_rbf_network = "rbf_network";

// The largest number of centres that centres=auto tries for so many rows.
inline double most_centres(double rows) { return std::clamp(rows / 2, 1.0, 800.0); }

struct RbfParams {
  std::optional<Index> centres = 100;  // auto: see rbf_choice.hpp
  double width = 1.0;
  double ridge = 1e-3;
  Index steps = 20;
  bool standardise = true;
  bool softmax = false;

  static Fields fields() {
    return Fields{
        field("centres", &RbfParams::centres,
              "number of k-means centres, at most one per distinct row; auto: by leave-one-out, "
              "with 0.1 to 2 times the width",
              between(1, 1e6).search(20, 500)),
        field("width", &RbfParams::width,
              "width of a unit, in units of the mean distance of centres",
              positive().search(0.1, 10)),
        field("ridge", &RbfParams::ridge, "penalty on the output weights",
              positive().search(1e-6, 1e2)),
        field("steps", &RbfParams::steps, "k-means steps after the seeding", between(0, 1e6)),
        field("standardise", &RbfParams::standardise, "scale columns to mean 0 and deviation 1"),
        field("softmax", &RbfParams::softmax, "turn the outputs into shares that sum to 1")};
  }
  Scale scale() const { return softmax ? Scale::probability : Scale::margin; }
  double units(const Extent& e) const {
    return 1 + (centres ? static_cast<double>(*centres) : most_centres(e.rows));
  }
  MemoryNeed memory(const Extent& e) const {
    const double units = this->units(e);
    const double outputs = e.classes > 2 ? e.classes : 1;
    const bool copies = standardise || e.sparse;
    const double sums = 8 * units * (units + e.classes);
    const double parts = std::clamp(std::ceil(e.rows / 1024), 1.0, 32.0);
    const double choice = centres ? 0 : 8 * (2 * e.rows * (units + e.classes) + 2 * units * units);
    return {.fit = (copies ? e.dense() : 0) + 8 * e.rows * units + 8 * e.rows +
                   std::max((parts + 2) * sums, choice),
            .model = 8 * units * (e.columns + e.classes),
            .predict = 8 * e.asked * units +
                       std::max(copies ? e.asked_dense() : 0, 8 * e.asked * (e.classes + outputs))};
  }
};

// The width of all units: `factor` times the mean distance between centres; 1 if that is 0.
double rbf_width(MatrixView centres, double factor);

// exp(-|x_i - c_j|^2 / (2 width^2)), without the constant.
Matrix rbf_activations(MatrixView x, MatrixView centres, double width, const Context& ctx);

// Rows of activations, written on demand: fill(i, out) with one value per centre.
struct ActivationRows {
  Index rows = 0;
  Index centres = 0;
  std::function<void(Index, std::span<double>)> fill = {};
};

// The output weights, (centres + 1) x classes, the constant last. `y` holds the class of each row;
// rows without mass are skipped. Cost: rows with mass x centres^2.
Matrix fit_outputs(const ActivationRows& activations, std::span<const Id> y, Id classes,
                   std::span<const double> mass, double ridge, const Context& ctx);
// Phi W: rows x classes.
Matrix outputs(const ActivationRows& activations, MatrixView weights, const Context& ctx);

}  // namespace mulberry::base

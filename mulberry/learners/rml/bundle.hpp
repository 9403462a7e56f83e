// A scorer of one label, trained for a measure of the whole column: minimises
//
//   J(theta) = (lambda / 2) |theta|^2 + R(theta),
//   R(theta) = max_z [ loss(z, y) + <z - y, scores(theta)> ]
//
// to a certified gap. This is a bundle method: R is bounded from below by planes, one per labelling
// z found by MeasureOracle; the minimum over the planes (a small QP) is a lower bound of J, and a
// line search from the best point so far towards its minimiser lowers the upper bound. Line
// searches move only in scores: each evaluation is a call of the oracle and touches no feature.
//
// Planes do not depend on lambda: solve() for one lambda after another starts from all of them.
// Another labelling may stand for y in <z - y, scores> (the anchor; the loss remains that against
// y): the steps of the tighter bound in ramp.hpp are such problems. Planes then move along.
// Deterministic; use one object per thread. Memory: bytes() is known before it is allocated, and
// planes never exceed it: unused planes are dropped first, then the least used are merged into one,
// which stays valid.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/learners/rml/measure_oracle.hpp"
#include "mulberry/learners/rml/score_space.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners {

struct BundleOptions {
  double tolerance = 1e-3;  // of J - lower, relative to J
  double absolute = 1e-9;   // or this gap, if J is nearly 0
  int max_iterations = 5000;
  std::size_t plane_bytes = std::size_t{128} << 20;  // for planes; see Bundle::capacity
};

struct BundleCertificate {
  double objective = 0;  // J at the scorer
  double lower = 0;      // no scorer has a smaller J
  int iterations = 0;
  bool converged = false;
  double gap() const { return objective > 0 ? (objective - lower) / objective : 0; }
};

class Bundle {
 public:
  // `space` must outlive the bundle and have the rows of the oracle's truth.
  Bundle(const ScoreSpace& space, MeasureOracle oracle, BundleOptions options = {});

  // The largest number of planes for scorers of `size` coefficients, and the memory of a bundle.
  static Index capacity(Index size, const BundleOptions& options);
  static std::size_t bytes(Index rows, Index size, const BundleOptions& options);

  BundleCertificate solve(double lambda, const Context& ctx);

  // The risk is max_z [ loss(z, y) + <z - labelling, scores> ] from now on. The scorer stays, and
  // the next solution is at least as good for the new problem.
  void anchor_at(std::span<const char> labelling);

  double objective(double lambda) const { return 0.5 * lambda * best_.norm2 + best_.risk; }
  std::span<const double> scorer() const { return best_.point; }
  std::span<const double> scores() const { return best_.scores; }
  Index planes() const { return static_cast<Index>(offset_.size()); }

 private:
  struct Point {
    std::vector<double> point, scores;
    double norm2 = 0;
    double risk = 0;  // R
  };
  // phi(t) = J(best + t (target - best)) and a slope of it.
  struct Trial {
    double t = 0, value = 0, slope = 0, risk = 0;
    Violation found = {};  // valid until the next evaluation
  };

  double solve_planes(double lambda, double tolerance);
  double slope_of(const Violation& found, std::span<const double> direction) const;
  Trial evaluate(double lambda, double t);
  void line_search(double lambda, double lower);
  void move_best(const Trial& trial);
  void add_plane(const Violation& found);
  void append(double offset, double weight);
  void drop_idle();
  void merge_least_used();
  void remove(const std::vector<char>& drop);
  blas::Block<const double> plane_block() const;
  double inner(const Point& a, const Point& b) const;

  const ScoreSpace& space_;
  MeasureOracle oracle_;
  BundleOptions options_;
  Index capacity_;
  std::vector<double> planes_;  // one row per plane; plane 0 is the anchor, all zeros
  std::vector<double> offset_;  // the loss of each plane's labelling
  std::vector<double> weight_;  // in the last solution of the planes
  std::vector<int> idle_;       // solutions since the weight was last positive
  std::vector<double> gram_;    // capacity x capacity
  Point best_, target_;
  double best_target_ = 0;    // <best, target>
  std::vector<char> anchor_;  // the truth, unless another was set
  std::vector<double> trial_, change_, cells_, plane_;
};

}  // namespace mulberry::learners

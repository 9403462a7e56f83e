// The tighter bound of reverse multi-label learning, for one label: minimises
//
//   J(theta) = (lambda / 2) |theta|^2 + max_z [ loss(z, y) + <z, s> ] - max_z <z, s>,  s =
//   scores(theta)
//
// The convex bound has <y, s> in place of the last maximum, which is reached by the predicted
// labelling, so J lies between the loss of the prediction and the convex objective. For F1 a label
// that no scorer separates is worth the F1 of its best labelling here, where the convex bound may
// have its optimum at the scorer 0.
//
// J is convex minus convex. A step (the concave-convex procedure, Yuille and Rangarajan 2003) puts
// the plane of the labelling a that is predicted now, <a, s>, in place of the last maximum and
// solves the convex problem that remains: bundle.hpp with the anchor a. J never
// increases, and the planes of all steps serve each other. From a = y the first step is the convex
// bound itself.
#pragma once

#include <functional>
#include <vector>

#include "mulberry/learners/rml/bundle.hpp"

namespace mulberry::learners {

struct RampOptions {
  int max_steps = 20;
  double tolerance = 1e-3;  // ends when a step gains less than this share of J
  bool select_ties = true;  // rows with a score of 0 are in the predicted labelling
};

struct RampPath {
  std::vector<double> objective = {};  // J after each step
  std::vector<double> scorer = {};     // coefficients, as in ScoreSpace
  double lower = 0;                    // of the last convex problem: no bound of J
  int iterations = 0;                  // of all steps
  bool converged = true;               // every convex problem was solved
};

// Steps from the labelling `start`; leaves `bundle` at the last scorer.
RampPath descend_ramp(Bundle& bundle, std::vector<char> start, double lambda,
                      const RampOptions& options, const Context& ctx);

}  // namespace mulberry::learners

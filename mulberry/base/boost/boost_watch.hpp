// The held-out rows of a training of Boost, and the measure on them that says when to stop.
//
// Decisions are those that the model would make: its own cut, and one label of each exclusive set.
// Propensities come from the rows that are trained on.
#pragma once

#include <string>

#include "mulberry/base/boost/boost_model.hpp"
#include "mulberry/base/boost/boost_steps.hpp"
#include "mulberry/measures/convention.hpp"

namespace mulberry::base {

// Throws Error unless the measure of the options can be computed from what boost predicts.
void require_stop_measure(const BoostOptions& options);

class BoostWatch {
 public:
  // `data`: the held-out rows; `training`: the labels of the others. Both, and the options, must
  // outlive it. Throws Error if the data lacks what the measure needs.
  BoostWatch(const BoostData& data, const Labels& training, const BoostOptions& options,
             const Boost& model, const Context& ctx);

  // After a round: adds its trees.
  void follow(const Boost& model, const Context& ctx);
  // Of the rounds so far.
  double value(const Context& ctx) const;
  bool is_better(double value, double best) const;

 private:
  const BoostData data_;
  const BoostOptions& options_;
  BoostLoss loss_;
  BoostTruth truth_;
  MeasureOptions measure_;
  Matrix margins_;
  Index rounds_;  // that are in the margins
};

}  // namespace mulberry::base

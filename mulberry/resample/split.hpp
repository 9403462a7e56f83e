// Splits of the rows into training and test parts: hold-out, k-fold, repeated. Stratified by label
// by default, see stratify.hpp; rows of one group are never on both sides. The seed comes from the
// context; repeat r of k folds is the same for any number of repeats.
#pragma once

#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

struct Fold {
  std::vector<Id> train, test;  // row numbers, increasing
};

enum class SplitMethod { random, stratified, stratified_pairs };

struct SplitOptions {
  SplitMethod method = SplitMethod::stratified;
  Index folds = 10;
  Index repeats = 1;
  double holdout = 0.25;        // share of the rows in the test part
  std::vector<Id> groups = {};  // group of each row, any numbers; empty: no groups
};

// folds * repeats splits; the splits of one repeat are adjacent.
std::vector<Fold> k_folds(const Labels& y, const SplitOptions& options, const Context& ctx);
// One split; it depends on `repeat`.
Fold hold_out(const Labels& y, const SplitOptions& options, const Context& ctx, Index repeat = 0);

}  // namespace mulberry::resample

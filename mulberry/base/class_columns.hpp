// Classes of other label sets as features: one 0/1 column per class, after the columns of X.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mulberry/core/spec.hpp"
#include "mulberry/math/dense/standardise.hpp"

namespace mulberry::base {

// The class of every row in one label set.
struct ClassColumns {
  std::span<const Id> classes;
  Id count = 0;
};

Features join_columns(const Features& x, std::span<const ClassColumns> others);

// How X must be prepared for a base learner before class columns are joined. rbf_network measures
// distances: X is standardised here once and the 0/1 columns are left as they are, so the base must
// not standardise again. Other base learners use X as it is.
class JoinableFeatures {
 public:
  JoinableFeatures() = default;
  JoinableFeatures(const Spec& base, const Features& x, std::span<const double> weights = {});

  // Whether features are copied for such a base.
  static bool copies(const Spec& base);

  const Spec& base() const { return base_; }  // to train on joined columns
  Features prepare(const Features& x) const { return scaling_ ? scaling_->apply(x) : x; }
  // The columns of prepared features.
  Index width(Index columns) const { return scaling_ ? scaling_->columns() : columns; }

  template <class V>
  void visit(V& v) {
    v("base", base_);
    v("scaling", scaling_);
  }

 private:
  Spec base_;
  std::optional<Standardiser> scaling_;
};

}  // namespace mulberry::base

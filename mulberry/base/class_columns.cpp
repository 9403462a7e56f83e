#include "mulberry/base/class_columns.hpp"

#include "mulberry/base/rbf/rbf_network.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::base {

Features join_columns(const Features& x, std::span<const ClassColumns> others) {
  Index width = 0;
  for (const ClassColumns& other : others) width += other.count;
  if (width == 0) return x;
  Matrix columns(x.rows(), width);
  Index first = 0;
  for (const ClassColumns& other : others) {
    for (Index i = 0; i < x.rows(); ++i) {
      columns(i, first + other.classes[at(i)]) = 1;
    }
    first += other.count;
  }
  return append_columns(x, columns);
}

JoinableFeatures::JoinableFeatures(const Spec& base, const Features& x,
                                   std::span<const double> weights)
    : base_(base) {
  if (!copies(base)) return;
  scaling_.emplace(x, weights);
  base_.set("standardise", std::string("false"));
}

bool JoinableFeatures::copies(const Spec& base) {
  return base.id == k_rbf_network && read_params<RbfParams>(base).standardise;
}

}  // namespace mulberry::base

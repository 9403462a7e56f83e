// SharedRbf: many RBF networks over the same centres, which may also see classes of other label
// sets. Centres, width and activations of X are computed once; a network that sees classes e of
// other sets scales a row of activations by a factor that depends only on e:
//
//   |[x, e] - [c, z]|^2 = |x - c|^2 + |e - z|^2
//
// where z, the position of a centre in the class columns, is the mean of these columns over the
// training rows nearest to it. So another network costs one product per cell instead of one
// exponential.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mulberry/base/class_columns.hpp"
#include "mulberry/base/rbf/rbf_choice.hpp"
#include "mulberry/base/rbf/rbf_network.hpp"
#include "mulberry/core/bounds.hpp"

namespace mulberry::base {

class SharedRbf {
 public:
  // Activations of rows around the shared centres.
  struct Rows {
    Matrix activations = {};
    std::vector<Id> nearest = {};  // the centre of each row; training rows only
    Index size() const { return activations.rows(); }
  };
  struct Classifier {
    std::vector<Id> seen = {};         // the classes that it can predict
    std::vector<Matrix> factors = {};  // of each other set: classes x centres
    Matrix weights = {};
    template <class V>
    void visit(V& v) {
      v("seen", seen, below(v.outputs()));
      v("factors", factors, finite());
      v("weights", weights, finite());
    }
  };

  SharedRbf() = default;
  // Finds the centres of x and gives its activations. With centres=auto the classes of all
  // `targets` have a say in their number.
  SharedRbf(const RbfParams& params, const Features& x, std::span<const RbfTarget> targets,
            Rows& rows, const Context& ctx);

  Rows prepare(const Features& x, const Context& ctx) const;
  // `mass` has one entry per row, 0 for rows that are left out; it sums to the number of rows.
  Classifier fit(const Rows& rows, std::span<const Id> y, Id classes, std::span<const double> mass,
                 std::span<const ClassColumns> others, const Context& ctx) const;
  std::vector<Id> predict(const Classifier& model, const Rows& rows,
                          std::span<const ClassColumns> others, const Context& ctx) const;
  // Whether a classifier of `classes` classes that sees sets of these sizes can work here.
  bool fits(const Classifier& model, Id classes, std::span<const ClassColumns> others) const;

  // The columns of the features that classifiers see: none but the activations.
  Index width(Index) const { return 0; }

  template <class V>
  void visit(V& v) {
    v("scaling", scaling_);
    v("centres", centres_, finite().cols(scaling_ ? scaling_->columns() : v.features()));
    v("width", width_, real_from(0));
    v("ridge", ridge_, real_from(0));
  }

 private:
  Matrix factors_of(const Rows& rows, const ClassColumns& other) const;
  FixedMatrix inputs(const Features& x) const {
    return scaling_ ? FixedMatrix(scaling_->apply(x)) : to_dense(x);
  }

  std::optional<Standardiser> scaling_;
  FixedMatrix centres_;
  double width_ = 1;
  double ridge_ = 1;
};

}  // namespace mulberry::base

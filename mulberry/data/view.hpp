// View: what fit and predict see of a data set. Owns nothing and copies nothing; a part of the rows
// and appended columns cost memory only if a learner needs them in one piece.
#pragma once

#include <optional>
#include <span>

#include "mulberry/core/index.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

struct View {
  const Features* x = nullptr;
  std::span<const Id> rows = {};  // the rows in use, in this order; with all = true: every row
  bool all = true;
  const Matrix* extra = nullptr;      // appended columns, one row per row in use: chains, stacking
  const Labels* y = nullptr;          // all rows of x; absent when predicting
  const LabelSets* sets = nullptr;    // exclusive groups, if declared
  const LabelRules* rules = nullptr;  // what labels imply and exclude, if declared
  std::span<const double> weights = {};  // one per row of x, or empty: all 1

  Index size() const { return all ? x->rows() : static_cast<Index>(rows.size()); }
  Index columns() const { return x->cols() + (extra != nullptr ? extra->cols() : 0); }
  Index labels() const { return y != nullptr ? y->count() : 0; }
  Id row(Index k) const { return all ? static_cast<Id>(k) : rows[at(k)]; }
};

View view_of(const Dataset& data);
// Rows of the view, numbered within it; `storage` holds them and must outlive the result.
View part_of(const View& view, std::span<const Id> rows, std::vector<Id>& storage);

// The rows and columns of a view. In one piece they are shared where the view has all of them, and
// copied where not: most learners start with this. Learners that read features row by row take a
// list of rows instead, which copies no features; those that read blocks of them (RowWindow) leave
// values of another program where they are, and get others in one piece.
enum class Rows { in_one_piece, listed, blocks };

class Compact {
 public:
  explicit Compact(const View& view, Rows rows = Rows::in_one_piece);
  const Features& x() const { return x_ ? *x_ : *view_x_; }
  const Labels& y() const { return y_ ? *y_ : *view_y_; }
  std::span<const double> weights() const { return weights_; }  // empty: all 1
  double weight(Index i) const { return weights_.empty() ? 1.0 : weights_[at(i)]; }

 private:
  std::optional<Features> x_;
  std::optional<Labels> y_;
  const Features* view_x_;
  const Labels* view_y_;
  std::vector<double> own_weights_;
  std::span<const double> weights_;
};

}  // namespace mulberry::data

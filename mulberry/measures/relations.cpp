#include "mulberry/measures/relations.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::measures {
namespace {

// Which cells of a label to use.
enum class Kind { positive, missing };

std::span<const Id> column(const Labels& y, Index l, Kind kind) {
  return kind == Kind::positive ? y.column(l) : y.missing_column(l);
}

std::span<const Id> row(const Labels& y, Index i, Kind kind) {
  return kind == Kind::positive ? y.row(i) : y.missing_row(i);
}

Matrix pair_counts(const Labels& y, Kind first, Kind second, const Context& ctx) {
  const Index labels = y.count();
  Matrix out(labels, labels);
  double* const counts = out.data();
  parallel_for(ctx, labels, [&](Index l) {
    double* const of_l = counts + l * labels;
    for (const Id i : column(y, l, first)) {
      for (const Id other : row(y, i, second)) of_l[other] += 1;
    }
  });
  return out;
}

// a(i, j): rows with both labels; i_observed(i, j): rows with label i in which j is observed.
struct Pairs {
  Matrix both, first_observed;
};

Pairs count_pairs(const Labels& y, const Context& ctx) {
  Pairs pairs = {pair_counts(y, Kind::positive, Kind::positive, ctx), Matrix(y.count(), y.count())};
  if (y.has_missing()) pairs.first_observed = pair_counts(y, Kind::positive, Kind::missing, ctx);
  for (Index i = 0; i < y.count(); ++i) {
    const auto count = static_cast<double>(y.column(i).size());
    for (double& value : pairs.first_observed.row(i)) value = count - value;
  }
  return pairs;
}

}  // namespace

Matrix co_occurrence(const Labels& y, const Context& ctx) {
  Pairs pairs = count_pairs(y, ctx);
  for (Index i = 0; i < y.count(); ++i) {
    for (Index j = 0; j < y.count(); ++j) {
      const double base = pairs.first_observed(i, j);
      double& value = pairs.both.row(i)[at(j)];
      value = base > 0 ? value / base : 0;
    }
  }
  return std::move(pairs.both);
}

Matrix phi(const Labels& y, const Context& ctx) {
  const Pairs pairs = count_pairs(y, ctx);
  const Matrix both_missing = y.has_missing() ? pair_counts(y, Kind::missing, Kind::missing, ctx)
                                              : Matrix(y.count(), y.count());
  Matrix out(y.count(), y.count());
  for (Index i = 0; i < y.count(); ++i) {
    for (Index j = 0; j < y.count(); ++j) {
      const double rows = static_cast<double>(y.rows()) -
                          static_cast<double>(y.missing_column(i).size()) -
                          static_cast<double>(y.missing_column(j).size()) + both_missing(i, j);
      const double both = pairs.both(i, j);                 // A
      const double first = pairs.first_observed(i, j);      // A + B
      const double second = pairs.first_observed(j, i);     // A + C
      const double neither = rows - first - second + both;  // D
      const double root = std::sqrt(first * (rows - first) * second * (rows - second));
      const double product = both * neither - (first - both) * (second - both);
      out.row(i)[at(j)] = root > 0 ? product / root : 0;
    }
  }
  return out;
}

}  // namespace mulberry::measures

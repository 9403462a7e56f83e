// The linear system of a Newton step whose Hessian comes from some rows F that are on parabolas,
//
//   (I + X_F' D X_F) step = -gradient,
//
// with a bias as a further unknown. The matrix is factored as it stands or, if F has fewer rows
// than there are columns, by Woodbury's formula as D^-1 + X_F X_F'.
// Cost: min(|F| d^2 + d^3 / 3, |F|^3 / 3), with sparse rows fewer for the products.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mulberry/data/features.hpp"

namespace mulberry::math {

// Columns or rows of a matrix that is factored, at most.
inline constexpr Index k_largest_system = 3000;

// The rows F and the diagonal of D.
struct CurvedRows {
  std::vector<Index> rows = {};
  std::vector<double> curves = {};
};

struct NewtonSystem {
  const Features& x;
  const Matrix& products;  // of all pairs of rows of x, or empty
  const CurvedRows& curved;
  std::span<const double> gradient;
  bool has_bias = false;
  double bias_gradient = 0, bias_curvature = 0;  // the latter besides that of the rows
};

struct NewtonStep {
  std::vector<double> w = {};
  double b = 0;
};

// Nothing if the matrix cannot be factored.
std::optional<NewtonStep> solve(const NewtonSystem& system);
// Bytes that it takes with any F of so many rows and columns.
double newton_system_bytes(double rows, double cols);

}  // namespace mulberry::math

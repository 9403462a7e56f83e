#include "mulberry/math/neighbours/kmeans.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/products.hpp"

namespace mulberry::math {
namespace {

constexpr Index k_block_rows = 256;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

std::vector<double> squared_norms(MatrixView m) {
  std::vector<double> out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(blas::dot(m.row(i), m.row(i)));
  return out;
}

// Each of these exists for dense and for sparse rows.

Index rows_of(MatrixView x) { return x.rows(); }
Index rows_of(const Csr& x) { return x.rows; }
Index columns_of(MatrixView x) { return x.cols(); }
Index columns_of(const Csr& x) { return x.cols; }

// |x_i - x_k|^2; equal rows have distance 0 exactly.
double distance_of_rows(MatrixView x, Index i, Index k) {
  return squared_distance(x.row(i), x.row(k));
}
double distance_of_rows(const Csr& x, Index i, Index k) {
  const SparseRow a = x.row(i), b = x.row(k);
  double sum = 0;
  for (std::size_t p = 0, q = 0; p < a.index.size() || q < b.index.size();) {
    const bool left = q == b.index.size() || (p < a.index.size() && a.index[p] <= b.index[q]);
    const bool right = p == a.index.size() || (q < b.index.size() && b.index[q] <= a.index[p]);
    const double gap = (left ? a.value[p] : 0.0) - (right ? b.value[q] : 0.0);
    sum += gap * gap;
    p += left ? 1 : 0;
    q += right ? 1 : 0;
  }
  return sum;
}

// to += weight * x_i.
void add_row(MatrixView x, Index i, double weight, double* to) {
  const auto row = x.row(i);
  for (std::size_t j = 0; j < row.size(); ++j) to[j] += weight * row[j];
}
void add_row(const Csr& x, Index i, double weight, double* to) {
  const SparseRow row = x.row(i);
  for (std::size_t k = 0; k < row.index.size(); ++k) to[row.index[k]] += weight * row.value[k];
}

// |x_i - c|^2, given |c|^2.
double distance_to(MatrixView x, Index i, std::span<const double> centre, double) {
  return squared_distance(x.row(i), centre);
}
double distance_to(const Csr& x, Index i, std::span<const double> centre, double norm2) {
  const SparseRow row = x.row(i);
  for (std::size_t k = 0; k < row.index.size(); ++k) {
    const double c = centre[at(row.index[k])];
    norm2 += row.value[k] * (row.value[k] - 2 * c);
  }
  return std::max(0.0, norm2);
}

// Sparse rows are multiplied with the transposed centres, one row per feature: each value then
// reads whole cache lines.
Matrix by_feature(MatrixView, MatrixView) { return {}; }
Matrix by_feature(const Csr&, MatrixView centres) { return transpose(centres); }

void fill_products(MatrixView x, Index begin, MatrixView centres, MatrixView, Matrix& products) {
  if (x.cols() == 0) return;
  blas::gemm(1.0, blas::block(x).row_range(begin, begin + products.rows()), blas::Op::plain,
             blas::block(centres), blas::Op::transposed, 0.0, blas::block(products));
}
void fill_products(const Csr& x, Index begin, MatrixView, MatrixView transposed, Matrix& products) {
  for (Index i = 0; i < products.rows(); ++i) {
    const SparseRow row = x.row(begin + i);
    const auto out = products.row(i);
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      const auto from = transposed.row(row.index[k]);
      for (std::size_t c = 0; c < out.size(); ++c) out[c] += row.value[k] * from[c];
    }
  }
}

// visit(i, products of row i with every centre), blocks of rows in parallel.
template <class X, class Visit>
void for_each_product(const X& x, MatrixView centres, const Context& ctx, const Visit& visit) {
  const Matrix transposed = by_feature(x, centres);
  parallel_chunks(ctx, rows_of(x), k_block_rows, [&](Index begin, Index end) {
    Matrix products(end - begin, centres.rows());
    fill_products(x, begin, centres, transposed, products);
    for (Index i = begin; i < end; ++i) visit(i, products.row(i - begin));
  });
}

// The state of seeding.
struct Nearest {
  std::vector<Id> centre;
  std::vector<double> distance2;
};

// Makes row `drawn` a centre.
template <class X>
void add_centre(const X& x, Matrix& centres, Index count, Index drawn, Nearest& nearest,
                const Context& ctx) {
  add_row(x, drawn, 1.0, centres.row(count).data());
  std::vector<double> between;  // squared distance of the new centre to each older one
  for (Index c = 0; c < count; ++c) {
    between.push_back(squared_distance(centres.row(count), centres.row(c)));
  }
  parallel_chunks(ctx, rows_of(x), k_block_rows * 8, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = at(i);
      // |new - old| >= 2 |x - old| implies |x - new| >= |x - old|.
      if (count > 0 && between[at(nearest.centre[row])] >= 4 * nearest.distance2[row]) {
        continue;
      }
      const double distance2 = distance_of_rows(x, i, drawn);
      if (distance2 < nearest.distance2[row]) {
        nearest.distance2[row] = distance2;
        nearest.centre[row] = static_cast<Id>(count);
      }
    }
  });
}

// k-means++: each further centre is a row drawn in proportion to its weighted squared distance to
// the centres so far. Ends early if every row of positive weight is a centre.
template <class X>
Matrix seed_centres(const X& x, std::span<const double> weights, Index wanted, Random& random,
                    std::vector<Id>& assignment, const Context& ctx) {
  const auto n = at(rows_of(x));
  Nearest nearest{std::vector<Id>(n, 0),
                  std::vector<double>(n, std::numeric_limits<double>::infinity())};
  Matrix centres(wanted, columns_of(x));
  Index count = 0;
  while (count < wanted) {
    double total = 0;
    const auto mass = [&](std::size_t i) {
      const double weight = weights.empty() ? 1.0 : weights[i];
      return count == 0 ? weight : weight * nearest.distance2[i];
    };
    for (std::size_t i = 0; i < n; ++i) total += mass(i);
    if (!(total > 0)) break;
    double rest = random.uniform() * total;
    std::size_t drawn = n;
    for (std::size_t i = 0; i < n; ++i) {
      const double here = mass(i);
      if (!(here > 0)) continue;
      drawn = i;
      if (rest < here) break;
      rest -= here;
    }
    add_centre(x, centres, count, static_cast<Index>(drawn), nearest, ctx);
    ++count;
  }
  assignment = std::move(nearest.centre);
  const double* first = centres.data();
  std::vector<double> kept(first, first + count * centres.cols());
  return {count, centres.cols(), std::move(kept)};
}

// Means of the rows of each centre. The grain keeps the number of partial sums bounded.
template <class X>
void move_centres(const X& x, std::span<const double> weights, const std::vector<Id>& nearest,
                  Matrix& centres, const Context& ctx) {
  struct Sums {
    Matrix sum;
    std::vector<double> mass;
  };
  const Index k = centres.rows(), n = rows_of(x);
  const Sums zero{Matrix(k, centres.cols()), std::vector<double>(at(k), 0.0)};
  const Index grain = std::max<Index>(1024, (n + 31) / 32);
  const Sums total = parallel_reduce(
      ctx, n, grain, zero,
      [&](Index begin, Index end) {
        Sums part = zero;
        double* sums = part.sum.data();
        for (Index i = begin; i < end; ++i) {
          const Index c = nearest[at(i)];
          const double weight = weights.empty() ? 1.0 : weights[at(i)];
          add_row(x, i, weight, sums + c * centres.cols());
          part.mass[at(c)] += weight;
        }
        return part;
      },
      [](Sums& sum, Sums&& part) {
        double* to = sum.sum.data();
        for (Index v = 0; v < sum.sum.size(); ++v) to[v] += part.sum.data()[v];
        for (std::size_t c = 0; c < sum.mass.size(); ++c) sum.mass[c] += part.mass[c];
      });
  for (Index c = 0; c < k; ++c) {
    const double mass = total.mass[at(c)];
    if (!(mass > 0)) continue;
    const auto centre = centres.row(c);
    const auto sum = total.sum.row(c);
    for (std::size_t j = 0; j < centre.size(); ++j) centre[j] = sum[j] / mass;
  }
}

// Moves every row to its nearest centre; true if any changed.
template <class X>
bool assign_rows(const X& x, MatrixView centres, std::vector<Id>& nearest, const Context& ctx) {
  const std::vector<double> norms = squared_norms(centres);
  std::vector<std::uint8_t> changed(nearest.size(), 0);
  for_each_product(x, centres, ctx, [&](Index i, std::span<const double> products) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < products.size(); ++c) {
      const double distance =
          norms[c] - 2 * products[c];  // without |x|^2, which is the same for all
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    const auto row = at(i);
    changed[row] = nearest[row] != static_cast<Id>(best) ? 1 : 0;
    nearest[row] = static_cast<Id>(best);
  });
  return std::find(changed.begin(), changed.end(), 1) != changed.end();
}

template <class X>
KMeans run(const X& x, std::span<const double> weights, const KMeansOptions& options, Random random,
           const Context& ctx) {
  const Index n = rows_of(x);
  MULBERRY_ASSERT(options.centres >= 1 && n >= 1);
  MULBERRY_ASSERT(weights.empty() || count_of(weights) == n);
  KMeans out;
  out.centres = seed_centres(x, weights, std::min(options.centres, n), random, out.nearest, ctx);
  MULBERRY_ASSERT(out.centres.rows() >= 1);
  while (out.steps < options.steps && !out.converged) {
    move_centres(x, weights, out.nearest, out.centres, ctx);
    out.converged = !assign_rows(x, out.centres, out.nearest, ctx);
    ++out.steps;
  }
  const std::vector<double> norms = squared_norms(out.centres);
  for (Index i = 0; i < n; ++i) {
    const auto row = at(i);
    const Id own = out.nearest[row];
    out.cost += (weights.empty() ? 1.0 : weights[row]) *
                distance_to(x, i, out.centres.row(own), norms[at(own)]);
  }
  return out;
}

}  // namespace

KMeans k_means(MatrixView x, std::span<const double> weights, const KMeansOptions& options,
               Random random, const Context& ctx) {
  return run(x, weights, options, random, ctx);
}

KMeans k_means(const Csr& x, std::span<const double> weights, const KMeansOptions& options,
               Random random, const Context& ctx) {
  return run(x, weights, options, random, ctx);
}

Matrix squared_distances(MatrixView x, MatrixView centres, const Context& ctx) {
  MULBERRY_ASSERT(x.cols() == centres.cols());
  const std::vector<double> norms = squared_norms(centres);
  Matrix out(x.rows(), centres.rows());
  double* distances = out.data();
  for_each_product(x, centres, ctx, [&](Index i, std::span<const double> products) {
    const double norm = blas::dot(x.row(i), x.row(i));
    double* row = distances + i * centres.rows();
    for (std::size_t c = 0; c < products.size(); ++c) {
      row[c] = std::max(0.0, norm + norms[c] - 2 * products[c]);
    }
  });
  return out;
}

double mean_distance(MatrixView centres) {
  const Index k = centres.rows();
  double sum = 0;
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < a; ++b) {
      sum += std::sqrt(squared_distance(centres.row(a), centres.row(b)));
    }
  }
  return k < 2 ? 0.0 : 2 * sum / static_cast<double>(k * (k - 1));
}

}  // namespace mulberry::math

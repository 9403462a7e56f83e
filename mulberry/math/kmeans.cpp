#include "mulberry/math/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/blas.hpp"

namespace mulberry {
namespace {

constexpr Index k_block_rows = 256;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

std::vector<double> squared_norms(const Matrix& m) {
  std::vector<double> out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(blas::dot(m.row(i), m.row(i)));
  return out;
}

// visit(i, products of row i with every centre), blocks of rows in parallel.
template <class Visit>
void for_each_product(const Matrix& x, const Matrix& centres, const Context& ctx,
                      const Visit& visit) {
  parallel_chunks(ctx, x.rows(), k_block_rows, [&](Index begin, Index end) {
    Matrix products(end - begin, centres.rows());
    if (x.cols() > 0) {
      blas::gemm(1.0, blas::block(x).row_range(begin, end), blas::Op::plain, blas::block(centres),
                 blas::Op::transposed, 0.0, blas::block(products));
    }
    for (Index i = begin; i < end; ++i) visit(i, std::as_const(products).row(i - begin));
  });
}

// What seeding knows of the rows so far.
struct Nearest {
  std::vector<Id> centre;
  std::vector<double> distance2;
};

void add_centre(const Matrix& x, Matrix& centres, Index count, std::span<const double> centre,
                Nearest& nearest, const Context& ctx) {
  std::copy(centre.begin(), centre.end(), centres.row(count).begin());
  std::vector<double> between;  // squared distance of the new centre to each older one
  for (Index c = 0; c < count; ++c) {
    between.push_back(squared_distance(centre, std::as_const(centres).row(c)));
  }
  parallel_chunks(ctx, x.rows(), k_block_rows * 8, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = static_cast<std::size_t>(i);
      // |new - old| >= 2 |x - old| implies |x - new| >= |x - old|.
      if (count > 0 &&
          between[static_cast<std::size_t>(nearest.centre[row])] >= 4 * nearest.distance2[row]) {
        continue;
      }
      const double distance2 = squared_distance(x.row(i), centre);
      if (distance2 < nearest.distance2[row]) {
        nearest.distance2[row] = distance2;
        nearest.centre[row] = static_cast<Id>(count);
      }
    }
  });
}

// k-means++: each further centre is a row drawn in proportion to its weighted squared distance to
// the centres so far. Ends early when every row of positive weight is a centre.
Matrix seed_centres(const Matrix& x, std::span<const double> weights, Index wanted, Random& random,
                    std::vector<Id>& assignment, const Context& ctx) {
  const auto n = static_cast<std::size_t>(x.rows());
  Nearest nearest{std::vector<Id>(n, 0),
                  std::vector<double>(n, std::numeric_limits<double>::infinity())};
  Matrix centres(wanted, x.cols());
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
    add_centre(x, centres, count, x.row(static_cast<Index>(drawn)), nearest, ctx);
    ++count;
  }
  assignment = std::move(nearest.centre);
  const double* first = std::as_const(centres).data();
  std::vector<double> kept(first, first + count * x.cols());
  return {count, x.cols(), std::move(kept)};
}

// Means of the rows of each centre. The grain keeps the number of partial sums bounded.
void move_centres(const Matrix& x, std::span<const double> weights, const std::vector<Id>& nearest,
                  Matrix& centres, const Context& ctx) {
  struct Sums {
    Matrix sum;
    std::vector<double> mass;
  };
  const Index k = centres.rows();
  const Sums zero{Matrix(k, x.cols()), std::vector<double>(static_cast<std::size_t>(k), 0.0)};
  const Index grain = std::max<Index>(1024, (x.rows() + 31) / 32);
  const Sums total = parallel_reduce(
      ctx, x.rows(), grain, zero,
      [&](Index begin, Index end) {
        Sums part = zero;
        double* sums = part.sum.data();
        for (Index i = begin; i < end; ++i) {
          const Index c = nearest[static_cast<std::size_t>(i)];
          const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
          const auto row = x.row(i);
          double* sum = sums + c * x.cols();
          for (std::size_t j = 0; j < row.size(); ++j) sum[j] += weight * row[j];
          part.mass[static_cast<std::size_t>(c)] += weight;
        }
        return part;
      },
      [](Sums& sum, Sums&& part) {
        double* to = sum.sum.data();
        for (Index v = 0; v < sum.sum.size(); ++v) to[v] += std::as_const(part.sum).data()[v];
        for (std::size_t c = 0; c < sum.mass.size(); ++c) sum.mass[c] += part.mass[c];
      });
  for (Index c = 0; c < k; ++c) {
    const double mass = total.mass[static_cast<std::size_t>(c)];
    if (!(mass > 0)) continue;
    const auto centre = centres.row(c);
    const auto sum = total.sum.row(c);
    for (std::size_t j = 0; j < centre.size(); ++j) centre[j] = sum[j] / mass;
  }
}

// Moves every row to its nearest centre; true when one changed.
bool assign_rows(const Matrix& x, const Matrix& centres, std::vector<Id>& nearest,
                 const Context& ctx) {
  const std::vector<double> norms = squared_norms(centres);
  std::vector<std::uint8_t> changed(static_cast<std::size_t>(x.rows()), 0);
  for_each_product(x, centres, ctx, [&](Index i, std::span<const double> products) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < products.size(); ++c) {
      const double distance = norms[c] - 2 * products[c];  // without |x|^2, the same for all
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    const auto row = static_cast<std::size_t>(i);
    changed[row] = nearest[row] != static_cast<Id>(best) ? 1 : 0;
    nearest[row] = static_cast<Id>(best);
  });
  return std::find(changed.begin(), changed.end(), 1) != changed.end();
}

}  // namespace

KMeans k_means(const Matrix& x, std::span<const double> weights, const KMeansOptions& options,
               Random random, const Context& ctx) {
  MULBERRY_ASSERT(options.centres >= 1 && x.rows() >= 1);
  MULBERRY_ASSERT(weights.empty() || static_cast<Index>(weights.size()) == x.rows());
  KMeans out;
  out.centres =
      seed_centres(x, weights, std::min(options.centres, x.rows()), random, out.nearest, ctx);
  MULBERRY_ASSERT(out.centres.rows() >= 1);
  while (out.steps < options.steps && !out.converged) {
    move_centres(x, weights, out.nearest, out.centres, ctx);
    out.converged = !assign_rows(x, out.centres, out.nearest, ctx);
    ++out.steps;
  }
  for (Index i = 0; i < x.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    out.cost += (weights.empty() ? 1.0 : weights[row]) *
                squared_distance(x.row(i), std::as_const(out.centres).row(out.nearest[row]));
  }
  return out;
}

Matrix squared_distances(const Matrix& x, const Matrix& centres, const Context& ctx) {
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

double mean_distance(const Matrix& centres) {
  const Index k = centres.rows();
  double sum = 0;
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < a; ++b) {
      sum += std::sqrt(squared_distance(centres.row(a), centres.row(b)));
    }
  }
  return k < 2 ? 0.0 : sum / static_cast<double>(k * (k - 1) / 2);
}

}  // namespace mulberry

#include "mulberry/math/optimise/simplex_qp.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::math {

namespace {

// Lower Cholesky factor of a matrix that grows by a last row and loses any row, O(n^2) each.
class GrowingCholesky {
 public:
  Index size() const { return count_of(rows_); }

  // column: the new row of the matrix, its diagonal entry last. False (and no change) if the matrix
  // would not be positive definite.
  bool append(std::vector<double> column) {
    const std::size_t n = rows_.size();
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = (column[i] - blas::dot(head(rows_[i], i), head(column, i))) / rows_[i][i];
    }
    const double rest = column.back() - blas::dot(head(column, n), head(column, n));
    if (!(rest > 0)) return false;
    column.back() = std::sqrt(rest);
    rows_.push_back(std::move(column));
    return true;
  }

  // Without row k the rows below extend by one column: rotations restore the triangle.
  void remove(Index k) {
    rows_.erase(rows_.begin() + k);
    for (std::size_t i = at(k); i < rows_.size(); ++i) {
      const double r = std::hypot(rows_[i][i], rows_[i][i + 1]);
      const double c = rows_[i][i] / r, s = rows_[i][i + 1] / r;
      for (std::size_t j = i; j < rows_.size(); ++j) {
        const double x = rows_[j][i], y = rows_[j][i + 1];
        rows_[j][i] = c * x + s * y;
        rows_[j][i + 1] = c * y - s * x;
      }
      rows_[i].pop_back();
    }
  }

  void solve(std::span<double> b) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      b[i] = (b[i] - blas::dot(head(rows_[i], i), b.first(i))) / rows_[i][i];
    }
    for (std::size_t i = rows_.size(); i-- > 0;) {
      b[i] /= rows_[i][i];
      blas::axpy(-b[i], head(rows_[i], i), b.first(i));
    }
  }

 private:
  static std::span<const double> head(const std::vector<double>& row, std::size_t n) {
    return std::span(row).first(n);
  }

  std::vector<std::vector<double>> rows_;  // row i has i + 1 entries
};

class ActiveSet {
 public:
  ActiveSet(blas::Block<const double> gram, std::span<const double> linear, double curvature,
            std::span<double> a)
      : gram_(gram), linear_(linear), curvature_(curvature), a_(a), gradient_(a.size()) {
    double largest = 0;
    for (Index j = 0; j < size(); ++j) largest = std::max(largest, curvature_ * entry(j, j));
    // On the simplex 1'd = 0 for every direction d, so adding shift_ to every entry of G changes
    // nothing but makes planes that differ by a shift independent. The ridge keeps the factor
    // positive definite; it only shortens steps, since each starts from the exact gradient.
    shift_ = largest > 0 ? largest : 1;
    ridge_ = 1e-13 * shift_;
    start();
  }

  // Wolfe's scheme: settle the support first (full Newton steps), then add the best candidate.
  SimplexQpResult run(double tolerance) {
    SimplexQpResult out;
    const int limit = 100 + 50 * static_cast<int>(a_.size());
    bool settled = true;
    for (;; ++out.steps) {
      update_gradient();
      const auto lowest = std::min_element(gradient_.begin(), gradient_.end());
      const double mean = dot_support(gradient_);
      out.gap = std::max(0.0, mean - *lowest);
      if (out.gap <= tolerance || out.steps >= limit) break;
      const auto candidate = static_cast<Id>(lowest - gradient_.begin());
      if (settled && !contains(candidate)) {
        add(candidate);
      } else if (settled && rounding(mean)) {
        break;
      }
      settled = step(mean);
    }
    out.value = 0.5 * (dot_support(linear_) - dot_support(gradient_));
    return out;
  }

 private:
  Index size() const { return count_of(a_); }
  double entry(Index i, Index j) const { return gram_.data[i * gram_.stride + j]; }
  bool contains(Id j) const {
    return std::find(support_.begin(), support_.end(), j) != support_.end();
  }
  double dot_support(std::span<const double> values) const {
    double sum = 0;
    for (const Id j : support_) sum += a_[at(j)] * values[at(j)];
    return sum;
  }
  // Whether the gradient on the support is flat up to rounding errors.
  bool rounding(double mean) const {
    double spread = 0, size_of_terms = 0;
    for (const Id j : support_) {
      spread = std::max(spread, std::abs(gradient_[at(j)] - mean));
      size_of_terms = std::max(size_of_terms, curvature_ * entry(j, j) + std::abs(linear_[at(j)]));
    }
    return spread <= 1e-14 * size_of_terms;
  }

  void start() {
    double total = 0;
    for (const double x : a_) total += x;
    if (!(total > 0)) {
      Index best = 0;
      for (Index j = 1; j < size(); ++j) {
        const auto value = [&](Index k) { return linear_[at(k)] - 0.5 * curvature_ * entry(k, k); };
        if (value(j) > value(best)) best = j;
      }
      a_[at(best)] = total = 1;
    }
    for (Index j = 0; j < size(); ++j) {
      a_[at(j)] /= total;
      if (a_[at(j)] > 0) add(static_cast<Id>(j));
    }
  }

  void add(Id j) {
    std::vector<double> column;
    column.reserve(support_.size() + 1);
    for (const Id i : support_) column.push_back(curvature_ * entry(i, j) + shift_);
    column.push_back(curvature_ * entry(j, j) + shift_ + ridge_);
    double ridge = ridge_;
    while (!factor_.append(column)) {
      column.back() += ridge;
      ridge *= 10;
    }
    support_.push_back(j);
  }

  void drop(std::size_t k) {
    a_[at(support_[k])] = 0;
    factor_.remove(static_cast<Index>(k));
    support_.erase(support_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // Of the minimised form: curvature G a - o.
  void update_gradient() {
    for (Index j = 0; j < size(); ++j) gradient_[at(j)] = -linear_[at(j)];
    for (const Id i : support_) {
      blas::axpy(curvature_ * a_[at(i)], {gram_.data + i * gram_.stride, a_.size()}, gradient_);
    }
  }

  // A Newton step on the support with sum d = 0, cut where a weight reaches zero. True if uncut.
  bool step(double mean) {
    const std::size_t n = support_.size();
    direction_.resize(n);
    ones_.assign(n, 1.0);
    for (std::size_t k = 0; k < n; ++k) direction_[k] = mean - gradient_[at(support_[k])];
    factor_.solve(direction_);
    factor_.solve(ones_);
    double sum = 0, sum_ones = 0;
    for (std::size_t k = 0; k < n; ++k) {
      sum += direction_[k];
      sum_ones += ones_[k];
    }
    double length = 1;
    std::size_t blocking = n;
    for (std::size_t k = 0; k < n; ++k) {
      direction_[k] -= sum / sum_ones * ones_[k];
      const double weight = a_[at(support_[k])];
      if (weight + length * direction_[k] <= 0 && direction_[k] < 0) {
        length = weight / -direction_[k];
        blocking = k;
      }
    }
    double total = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double& weight = a_[at(support_[k])];
      weight = std::max(0.0, weight + length * direction_[k]);
      if (k == blocking) weight = 0;
      total += weight;
    }
    for (std::size_t k = 0; k < n; ++k) a_[at(support_[k])] /= total;
    if (blocking < n) drop(blocking);
    return blocking == n;
  }

  blas::Block<const double> gram_;
  std::span<const double> linear_;
  double curvature_, shift_ = 1, ridge_ = 0;
  std::span<double> a_;
  std::vector<double> gradient_, direction_, ones_;
  std::vector<Id> support_;
  GrowingCholesky factor_;
};

}  // namespace

SimplexQpResult solve_simplex_qp(blas::Block<const double> gram, std::span<const double> linear,
                                 double curvature, double tolerance, std::span<double> a) {
  MULBERRY_ASSERT(!a.empty() && gram.rows == count_of(a) && gram.cols == gram.rows &&
                  linear.size() == a.size() && curvature >= 0);
  return ActiveSet(gram, linear, curvature, a).run(tolerance);
}

}  // namespace mulberry::math

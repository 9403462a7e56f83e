#include "mulberry/learners/mahr/hinge_lp.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners {
namespace {

constexpr double k_tolerance = 1e-12;
constexpr double k_perturbation = 1e-7;
constexpr int k_refresh = 50;  // pivots between two fresh inverses

// A number in [0, 1) that depends only on the signs of a row.
double hash_of(std::span<const double> row) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const double v : row) h = (h ^ (v > 0 ? 1u : 2u)) * 0x100000001b3ull;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9ull;
  h ^= h >> 32;
  return static_cast<double>(h >> 11) * 0x1p-53;
}

// Data rows first, then for each variable its rows +e_k and -e_k, which are the prices.
class Simplex {
 public:
  Simplex(const HingeRows& rows, std::span<const double> prices)
      : n_(rows.variables()), data_rows_(rows.size()), a_(rows.size() + 2 * n_, n_) {
    double total = 0;
    for (Index r = 0; r < data_rows_; ++r) {
      const auto row = rows.row(r);
      std::copy(row.begin(), row.end(), a_.row(r).begin());
      c_.push_back(rows.targets()[at(r)] + k_perturbation * hash_of(row));
      w_.push_back(rows.weights()[at(r)]);
      total += w_.back();
    }
    for (Index k = 0; k < n_; ++k) {
      for (const double sign : {1.0, -1.0}) {
        a_(data_rows_ + 2 * k + (sign > 0 ? 0 : 1), k) = sign;
        c_.push_back(0);
        w_.push_back(prices[at(k)]);
      }
      basis_.push_back(data_rows_ + 2 * k);
    }
    w_[at(data_rows_)] = 10 * (1 + total);  // b_0 >= 0
    inverse_ = Matrix(n_, n_);
    for (Index k = 0; k < n_; ++k) inverse_(k, k) = 1;
    for (const double c : c_) active_.push_back(c > 0 ? 1 : 0);
    b_.assign(at(n_), 0.0);
    in_basis_.assign(c_.size(), 0);
    for (const Index r : basis_) in_basis_[at(r)] = 1;
    refresh_sums();
  }

  HingeLpResult run(const HingeRows& rows, std::span<const double> prices) {
    HingeLpResult out;
    const int most = static_cast<int>(200 * n_ + 10 * data_rows_ + 100);
    while (out.pivots < most && !(out.optimal = !pivot())) {
      if (++out.pivots % k_refresh == 0) refresh();
    }
    // The perturbation is no longer needed: continue with this basis and the true right-hand sides.
    for (Index r = 0; r < data_rows_; ++r) c_[at(r)] = rows.targets()[at(r)];
    solve_basis();
    out.b = b_;
    out.b[0] = std::max(out.b[0], 0.0);
    for (double& v : out.b) {
      if (std::abs(v) < k_tolerance) v = 0;
    }
    for (Index r = 0; r < data_rows_; ++r) {
      out.value += rows.weights()[at(r)] *
                   std::max(0.0, rows.targets()[at(r)] - blas::dot(rows.row(r), out.b));
    }
    for (Index k = 0; k < n_; ++k) out.value += prices[at(k)] * std::abs(out.b[at(k)]);
    return out;
  }

 private:
  struct Breakpoint {
    double t;
    Index row;
    double slope;
  };

  // One step along an edge; false at the optimum.
  bool pivot() {
    Index leaving = -1;
    double worst = k_tolerance, sign = 0;
    std::vector<double> multipliers(at(n_));
    blas::gemv(-1, blas::block(inverse_), blas::Op::transposed, gradient_, 0, multipliers);
    for (Index j = 0; j < n_; ++j) {
      const double m = multipliers[at(j)], over = m - w_[at(basis_[at(j)])];
      const double violation = std::max(-m, over);
      if (violation > worst) {
        worst = violation;
        leaving = j;
        sign = m < 0 ? 1 : -1;
      }
    }
    if (leaving < 0) return false;
    std::vector<double> direction(at(n_));
    for (Index k = 0; k < n_; ++k) direction[at(k)] = sign * inverse_(k, leaving);
    std::vector<double> change(at(a_.rows()));
    blas::gemv(1, blas::block(a_), blas::Op::plain, direction, 0, change);
    return move(leaving, sign, worst, direction, change);
  }

  bool move(Index leaving, double sign, double slope, std::span<const double> direction,
            std::span<const double> change) {
    std::vector<Breakpoint> points;
    for (Index r = 0; r < a_.rows(); ++r) {
      const double d = change[at(r)];
      if (in_basis_[at(r)] != 0 || std::abs(d) < 1e-11) continue;
      if ((active_[at(r)] != 0) != (d > 0)) continue;
      points.push_back({std::max(0.0, residual_[at(r)] / d), r, w_[at(r)] * std::abs(d)});
    }
    // A heap meets the nearest first; most are never reached.
    const auto later = [](const Breakpoint& a, const Breakpoint& b) {
      return a.t != b.t ? a.t > b.t : a.row > b.row;
    };
    std::make_heap(points.begin(), points.end(), later);
    double rest = -slope;
    while (!points.empty()) {
      std::pop_heap(points.begin(), points.end(), later);
      const Breakpoint point = points.back();
      points.pop_back();
      rest += point.slope;
      if (rest >= 0) {
        enter(leaving, sign, point, direction, change);
        return true;
      }
      flip(point.row);
    }
    return false;  // only rounding leads here: prices bound every direction
  }

  void flip(Index r) {
    const double w = active_[at(r)] != 0 ? -w_[at(r)] : w_[at(r)];
    active_[at(r)] ^= 1;
    blas::axpy(w, a_.row(r), gradient_);
  }

  void enter(Index leaving, double sign, const Breakpoint& point, std::span<const double> direction,
             std::span<const double> change) {
    const Index out = basis_[at(leaving)];
    in_basis_[at(out)] = 0;
    if (sign < 0) flip(out);  // it leaves the basis on the costly side
    if (active_[at(point.row)] != 0) flip(point.row);
    for (std::size_t k = 0; k < b_.size(); ++k) b_[k] += point.t * direction[k];
    for (std::size_t r = 0; r < residual_.size(); ++r) residual_[r] -= point.t * change[r];
    residual_[at(point.row)] = 0;
    basis_[at(leaving)] = point.row;
    in_basis_[at(point.row)] = 1;
    std::vector<double> in_old(at(n_));
    blas::gemv(1, blas::block(inverse_), blas::Op::transposed, a_.row(point.row), 0, in_old);
    const double scale = 1 / in_old[at(leaving)];
    in_old[at(leaving)] = 0;
    for (Index k = 0; k < n_; ++k) {
      const auto row = inverse_.row(k);
      row[at(leaving)] *= scale;
      blas::axpy(-row[at(leaving)], in_old, row);
    }
  }

  // Gauss-Jordan elimination of the basis, then everything that depends on it.
  void refresh() {
    Matrix left(n_, n_);
    inverse_ = Matrix(n_, n_);
    for (Index k = 0; k < n_; ++k) {
      const auto row = a_.row(basis_[at(k)]);
      std::copy(row.begin(), row.end(), left.row(k).begin());
      inverse_(k, k) = 1;
    }
    for (Index k = 0; k < n_; ++k) {
      Index best = k;
      for (Index i = k + 1; i < n_; ++i) {
        if (std::abs(left(i, k)) > std::abs(left(best, k))) best = i;
      }
      std::swap_ranges(left.row(k).begin(), left.row(k).end(), left.row(best).begin());
      std::swap_ranges(inverse_.row(k).begin(), inverse_.row(k).end(), inverse_.row(best).begin());
      const double scale = 1 / left(k, k);
      for (double& v : left.row(k)) v *= scale;
      for (double& v : inverse_.row(k)) v *= scale;
      for (Index i = 0; i < n_; ++i) {
        const double factor = left(i, k);
        if (i == k || factor == 0) continue;
        blas::axpy(-factor, left.row(k), left.row(i));
        blas::axpy(-factor, inverse_.row(k), inverse_.row(i));
      }
    }
    solve_basis();
    refresh_sums();
  }

  void solve_basis() {
    std::vector<double> tight(at(n_));
    for (Index k = 0; k < n_; ++k) tight[at(k)] = c_[at(basis_[at(k)])];
    blas::gemv(1, blas::block(inverse_), blas::Op::plain, tight, 0, b_);
  }

  void refresh_sums() {
    residual_ = c_;
    blas::gemv(-1, blas::block(a_), blas::Op::plain, b_, 1, residual_);
    gradient_.assign(at(n_), 0.0);
    for (Index r = 0; r < a_.rows(); ++r) {
      if (in_basis_[at(r)] != 0) residual_[at(r)] = 0;
      if (active_[at(r)] != 0) blas::axpy(w_[at(r)], a_.row(r), gradient_);
    }
  }

  Index n_, data_rows_;
  Matrix a_;
  std::vector<double> c_, w_;
  std::vector<Index> basis_;  // the tight rows
  Matrix inverse_;            // of the basis
  std::vector<char> active_;  // the hinge of a row is active: it costs
  std::vector<char> in_basis_;
  std::vector<double> b_, residual_;
  std::vector<double> gradient_;  // sum of w a over active rows
};

}  // namespace

void HingeRows::add(std::span<const double> row, double weight, double target) {
  MULBERRY_ASSERT(count_of(row) == variables_);
  std::string key(row.size() / 8 + 1, '\0');
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] > 0) key[k / 8] = static_cast<char>(key[k / 8] | (1 << (k % 8)));
  }
  key.append(reinterpret_cast<const char*>(&target), sizeof target);
  const auto [place, is_new] = place_.emplace(std::move(key), size());
  if (is_new) {
    values_.insert(values_.end(), row.begin(), row.end());
    weights_.push_back(weight);
    targets_.push_back(target);
  } else {
    weights_[at(place->second)] += weight;
  }
}

HingeLpResult solve_hinge_lp(const HingeRows& rows, std::span<const double> prices) {
  MULBERRY_ASSERT(count_of(prices) == rows.variables());
  return Simplex(rows, prices).run(rows, prices);
}

}  // namespace mulberry::learners

#include "mulberry/math/enhancement/smoothness.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/optimise/simplex_qp.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_rows = 64;  // of a chunk

// The differences x_i - x_j to some rows, over the columns in which any of them may differ from 0.
class Differences {
 public:
  explicit Differences(const Features& x)
      : x_(x), place_(x.is_sparse() ? at(x.cols()) : 0, Index{-1}) {}

  Matrix of(Index i, std::span<const Id> near) {
    const auto k = count_of(near);
    if (!x_.is_sparse()) {
      Matrix out(k, x_.cols());
      const auto own = x_.dense().row(i);
      for (Index r = 0; r < k; ++r) {
        const auto other = x_.dense().row(near[at(r)]);
        std::transform(own.begin(), own.end(), other.begin(), out.row(r).begin(), std::minus<>());
      }
      return out;
    }
    used_.clear();
    note_columns(i);
    for (const Id j : near) note_columns(j);
    Matrix out(k, count_of(used_));
    for (Index r = 0; r < k; ++r) {
      add(i, 1, out.row(r));
      add(near[at(r)], -1, out.row(r));
    }
    for (const Id c : used_) place_[at(c)] = -1;
    return out;
  }

 private:
  void note_columns(Index i) {
    for (const Id c : x_.sparse().row(i).index) {
      if (place_[at(c)] >= 0) continue;
      place_[at(c)] = count_of(used_);
      used_.push_back(c);
    }
  }
  void add(Index i, double sign, std::span<double> to) const {
    const SparseRow row = x_.sparse().row(i);
    for (std::size_t e = 0; e < row.index.size(); ++e) {
      to[at(place_[at(row.index[e])])] += sign * row.value[e];
    }
  }

  const Features& x_;
  std::vector<Index> place_;  // of a column among those in use, or -1
  std::vector<Id> used_;
};

// The weights of one row.
std::vector<double> weights_of(MatrixView differences, double ridge) {
  const Index k = differences.rows();
  Matrix gram(k, k);
  blas::syrk(1, blas::block(differences), blas::Op::plain, 0, blas::block(gram));
  double mean = 0;
  for (Index j = 0; j < k; ++j) mean += gram(j, j) / static_cast<double>(k);
  std::vector<double> w(at(k), 0.0);
  if (!(mean > 0)) {
    std::fill(w.begin(), w.end(), 1 / static_cast<double>(k));
    return w;
  }
  double* const cells = gram.data();
  for (Index c = 0; c < gram.size(); ++c) cells[c] /= mean;
  for (Index j = 0; j < k; ++j) cells[j * k + j] += ridge;
  const std::vector<double> linear(at(k), 0.0);
  solve_simplex_qp(blas::block(gram), linear, 2, 1e-14, w);
  double total = 0;
  for (const double v : w) total += v;
  for (double& v : w) v /= total;
  return w;
}

// The positive weights of neighbours (rows x k), in the order of columns.
Csr sparse_weights(const Neighbours& near, Index rows, const std::vector<double>& weights) {
  const Index k = near.k;
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  std::vector<std::pair<Id, double>> row;
  for (Index i = 0; i < rows; ++i) {
    row.clear();
    for (Index j = 0; j < k; ++j) {
      if (weights[at(i * k + j)] > 0) row.emplace_back(near.row(i)[at(j)], weights[at(i * k + j)]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [j, w] : row) {
      index.push_back(j);
      value.push_back(w);
    }
    start.push_back(count_of(index));
  }
  return {.rows = rows,
          .cols = rows,
          .start = std::move(start),
          .index = std::move(index),
          .value = std::move(value)};
}

// Q u, row by row.
template <class Store>
void multiply(const Csr& q, MatrixView u, const Context& ctx, const Store& store) {
  const Index columns = u.cols();
  parallel_chunks(ctx, q.rows, k_rows, [&](Index begin, Index end) {
    std::vector<double> sum(at(columns));
    for (Index i = begin; i < end; ++i) {
      std::fill(sum.begin(), sum.end(), 0.0);
      const SparseRow row = q.row(i);
      for (std::size_t e = 0; e < row.index.size(); ++e) {
        const double* const from = u.data() + row.index[e] * columns;
        const double factor = row.value[e];
        for (Index l = 0; l < columns; ++l) sum[at(l)] += factor * from[l];
      }
      store(i, std::span<const double>(sum));
    }
  });
}

Matrix product(const Csr& q, MatrixView u, const Context& ctx) {
  Matrix out(q.rows, u.cols());
  double* const cells = out.data();
  multiply(q, u, ctx, [&](Index i, std::span<const double> sum) {
    std::copy(sum.begin(), sum.end(), cells + i * u.cols());
  });
  return out;
}

}  // namespace

Csr reconstruction_weights(const Features& x, const Neighbours& near, double ridge,
                           const Context& ctx) {
  const Index n = x.rows(), k = near.k;
  std::vector<double> dense(at(n * k));
  parallel_chunks(ctx, n, k_rows, [&](Index begin, Index end) {
    Differences differences(x);
    for (Index i = begin; i < end && k > 0; ++i) {
      const std::vector<double> w = weights_of(differences.of(i, near.row(i)), ridge);
      std::copy(w.begin(), w.end(), dense.begin() + i * k);
    }
  });
  return sparse_weights(near, n, dense);
}

Csr equal_weights(const Neighbours& near, Index rows) {
  const double share = 1 / static_cast<double>(std::max<Index>(near.k, 1));
  return sparse_weights(near, rows, std::vector<double>(at(rows * near.k), share));
}

Smoothness::Smoothness(Csr q) : q_(std::move(q)), transposed_(transpose(q_)) {}

Smoothness Smoothness::reconstruction(const Csr& weights) {
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  const auto add = [&](Index j, double v) {
    index.push_back(static_cast<Id>(j));
    value.push_back(v);
  };
  for (Index i = 0; i < weights.rows; ++i) {
    const SparseRow row = weights.row(i);
    bool own = false;
    for (std::size_t e = 0; e < row.index.size(); ++e) {
      if (!own && row.index[e] > i) {
        add(i, 1);
        own = true;
      }
      add(row.index[e], -row.value[e]);
    }
    if (!own) add(i, 1);
    start.push_back(count_of(index));
  }
  return Smoothness(Csr{.rows = weights.rows,
                        .cols = weights.cols,
                        .start = std::move(start),
                        .index = std::move(index),
                        .value = std::move(value)});
}

Smoothness Smoothness::laplacian(const Neighbours& near, Index rows) {
  double mean = 0;
  for (const double d : near.distance2) mean += d / static_cast<double>(near.distance2.size());
  std::map<std::pair<Id, Id>, double> pairs;  // neighbours in either direction, once
  for (Index i = 0; i < rows; ++i) {
    const auto row = near.row(i);
    for (std::size_t e = 0; e < row.size(); ++e) {
      const auto own = static_cast<Id>(i);
      const double d2 = near.distance2[at(i * near.k) + e];
      pairs[std::minmax(own, row[e])] = mean > 0 ? std::exp(-d2 / mean) : 1.0;
    }
  }
  double degree = 0;
  for (const auto& [pair, s] : pairs) degree += 2 * s / static_cast<double>(rows);
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  for (const auto& [pair, s] : pairs) {
    const double root = std::sqrt(s / degree);
    index.insert(index.end(), {pair.first, pair.second});
    value.insert(value.end(), {root, -root});
    start.push_back(count_of(index));
  }
  return Smoothness(Csr{.rows = count_of(pairs),
                        .cols = rows,
                        .start = std::move(start),
                        .index = std::move(index),
                        .value = std::move(value)});
}

void Smoothness::add_product(double factor, MatrixView u, Matrix& out, const Context& ctx) const {
  if (empty() || factor == 0) return;
  MULBERRY_ASSERT(u.rows() == q_.cols && out.rows() == u.rows() && out.cols() == u.cols());
  double* const cells = out.data();
  multiply(transposed_, product(q_, u, ctx), ctx, [&](Index i, std::span<const double> sum) {
    double* const to = cells + i * u.cols();
    for (std::size_t l = 0; l < sum.size(); ++l) to[l] += factor * sum[l];
  });
}

double Smoothness::value(MatrixView u, const Context& ctx) const {
  if (empty()) return 0;
  const Matrix differences = product(q_, u, ctx);
  return blas::dot(differences.values(), differences.values());
}

std::vector<double> Smoothness::diagonal(Index rows) const {
  std::vector<double> out(at(rows), 0.0);
  for (Index i = 0; i < transposed_.rows; ++i) {
    for (const double v : transposed_.row(i).value) out[at(i)] += v * v;
  }
  return out;
}

}  // namespace mulberry::math

#include "mulberry/math/linear/row_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_tile = 64;  // rows whose scores are in memory at a time

// B problems ("lanes"), side by side: the numbers of feature j are at j * B. For curvatures, the
// direction follows the weights, so that both are found in one place: S = 2 B numbers per
// feature.
template <int B, int S>
struct Panel {
  const RowBlock& block;
  const RowProblems& problems;
  Index first, lanes;  // its problems, and how many of them there are
  std::vector<double> given, out = std::vector<double>(at((block.cols + 1) * B));
  std::array<double, B> losses = {}, curves = {};
  // Logarithms are expensive: rows of a class share one, of a product that cannot overflow.
  std::array<std::array<double, B>, 2> products = filled(1.0);

  static std::array<std::array<double, B>, 2> filled(double value) {
    std::array<std::array<double, B>, 2> all;
    for (auto& each : all) each.fill(value);
    return all;
  }
  double cost(bool positive, Index l) const {
    return (positive ? problems.positive : problems.negative)[at(first + l)];
  }
  void flush(bool positive, Index l) {
    double& product = products[positive ? 1 : 0][at(l)];
    losses[at(l)] += cost(positive, l) * std::log(product);
    product = 1;
  }
};

void require_columns(const RowBlock& block, Index begin, Index count) {
  const Index from = block.start[at(begin)], to = block.start[at(begin + count)];
  std::uint32_t largest = 0;
  for (Index e = from; e < to; ++e) {
    largest = std::max(largest, static_cast<std::uint32_t>(block.index[at(e)]));
  }
  if (from < to && static_cast<Index>(largest) >= block.cols) {
    throw Error(Code::data, "expected columns below the number of columns in a block of rows",
                "Delete the block: it is made again");
  }
}

// Scores of the rows of a tile, S per row.
template <int B, int S>
MULBERRY_INLINE void multiply(const Panel<B, S>& a, Index begin, Index count, double* scores) {
  constexpr int units = S / 4;
  const RowBlock& block = a.block;
  const auto numbers = [&a](Index feature) __attribute__((always_inline)) {
    return reinterpret_cast<const Vector4*>(a.given.data() + feature * S);
  };
  const Vector4* const bias = numbers(block.cols);
  if (!block.start.empty()) {
    for (Index i = 0; i < count; ++i) {
      Vector4 sum[units];
      for (int k = 0; k < units; ++k) sum[k] = bias[k];
      const Index end = block.start.data()[begin + i + 1];
      for (Index e = block.start.data()[begin + i]; e < end; ++e) {
        const Vector4* const from = numbers(block.index.data()[e]);
        for (int k = 0; k < units; ++k) sum[k] += from[k] * block.value.data()[e];
      }
      for (int k = 0; k < units; ++k) reinterpret_cast<Vector4*>(scores + i * S)[k] = sum[k];
    }
    return;
  }
  constexpr Index few = 4;  // rows at a time: independent sums hide the latency of an addition
  for (Index i0 = 0; i0 < count; i0 += few) {
    const double* row[few];
    Vector4 sum[few][units];
    for (Index i = 0; i < few; ++i) {
      row[i] = block.value.data() + (begin + std::min(i0 + i, count - 1)) * block.cols;
      for (int k = 0; k < units; ++k) sum[i][k] = bias[k];
    }
    for (Index j = 0; j < block.cols; ++j) {
      const Vector4* const from = numbers(j);
      for (Index i = 0; i < few; ++i) {
        for (int k = 0; k < units; ++k) sum[i][k] += from[k] * row[i][j];
      }
    }
    for (Index i = 0; i < std::min(few, count - i0); ++i) {
      for (int k = 0; k < units; ++k) {
        reinterpret_cast<Vector4*>(scores + (i0 + i) * S)[k] = sum[i][k];
      }
    }
  }
}

// Adds the rows of a tile, each times its share, in their order.
template <int B, int S>
MULBERRY_INLINE void multiply_transposed(Panel<B, S>& a, Index begin, Index count,
                                         const double* shares) {
  constexpr int units = B / 4;
  const RowBlock& block = a.block;
  const auto numbers = [&a](Index feature) __attribute__((always_inline)) {
    return reinterpret_cast<Vector4*>(a.out.data() + feature * B);
  };
  Vector4* const bias = numbers(block.cols);
  if (!block.start.empty()) {
    for (Index i = 0; i < count; ++i) {
      Vector4 share[units];
      for (int k = 0; k < units; ++k) {
        share[k] = reinterpret_cast<const Vector4*>(shares + i * B)[k];
        bias[k] += share[k];
      }
      const Index end = block.start.data()[begin + i + 1];
      for (Index e = block.start.data()[begin + i]; e < end; ++e) {
        Vector4* const to = numbers(block.index.data()[e]);
        for (int k = 0; k < units; ++k) to[k] += share[k] * block.value.data()[e];
      }
    }
    return;
  }
  constexpr Index few = 4;  // rows at a time: each visit of the sums does the work of four
  for (Index i0 = 0; i0 < count; i0 += few) {
    const double* row[few];
    Vector4 share[few][units] = {};  // rows past the end have share 0
    for (Index i = 0; i < few; ++i) {
      row[i] = block.value.data() + (begin + std::min(i0 + i, count - 1)) * block.cols;
      if (i0 + i >= count) continue;
      for (int k = 0; k < units; ++k) {
        share[i][k] = reinterpret_cast<const Vector4*>(shares + (i0 + i) * B)[k];
        bias[k] += share[i][k];
      }
    }
    for (Index j = 0; j < block.cols; ++j) {
      Vector4* const to = numbers(j);
      for (int k = 0; k < units; ++k) {
        Vector4 sum = to[k];
        for (Index i = 0; i < few; ++i) sum += share[i][k] * row[i][j];
        to[k] = sum;
      }
    }
  }
}

// What the rows of a tile add to the losses, and their shares of the gradient.
template <int B, int S>
MULBERRY_INLINE void add_losses(Panel<B, S>& a, Index begin, Index count, const double* scores,
                                double* shares) {
  constexpr double k_large = 1e300;
  const RowBlock& block = a.block;
  const bool logistic = a.problems.loss == Loss::logistic, weighted = !block.weights.empty();
  for (Index l = 0; l < a.lanes; ++l) {
    const Index column = a.problems.signs[at(a.first + l)];
    double losses = 0, curves = 0;
    for (Index i = 0; i < count; ++i) {
      double& share = shares[i * B + l];
      const double sign = block.signs.data()[(begin + i) * block.sign_columns + column];
      if (sign == 0) {
        share = 0;
        continue;
      }
      const double cost = a.cost(sign > 0, l) * (weighted ? block.weights.data()[begin + i] : 1.0);
      const double t = sign * scores[i * S + l];
      if (!logistic) {
        const double slack = std::max(0.0, 1 - t);
        losses += cost * slack * slack;
        curves += slack > 0 ? 2 * cost : 0.0;
        share = -2 * cost * slack * sign;
        continue;
      }
      const double e = std::exp(-std::abs(t)), rest = 1 / (1 + e);
      curves += cost * e * rest * rest;
      share = -sign * cost * (t < 0 ? rest : e * rest);
      losses += t < 0 ? -t * cost : 0.0;
      if (weighted) {
        losses += cost * std::log1p(e);
        continue;
      }
      double& product = a.products[sign > 0 ? 1 : 0][at(l)];
      product *= 1 + e;
      if (product > k_large) a.flush(sign > 0, l);
    }
    a.losses[at(l)] += losses;
    a.curves[at(l)] += curves;
  }
}

// The shares of the rows of a tile in the Hessian times the direction.
template <int B, int S>
MULBERRY_INLINE void bend(const Panel<B, S>& a, Index begin, Index count, const double* scores,
                          double* shares) {
  const RowBlock& block = a.block;
  const bool logistic = a.problems.loss == Loss::logistic;
  for (Index i = 0; i < count; ++i) {
    const double weight = block.weights.empty() ? 1.0 : block.weights.data()[begin + i];
    const std::int8_t* const signs = block.signs.data() + (begin + i) * block.sign_columns;
    for (Index l = 0; l < a.lanes; ++l) {
      const double sign = signs[a.problems.signs.data()[a.first + l]];
      const double t = sign * scores[i * S + l];
      double curve = 0;
      if (logistic) {
        const double e = std::exp(-std::abs(t)), rest = 1 / (1 + e);
        curve = e * rest * rest;
      } else {
        curve = t < 1 ? 2.0 : 0.0;
      }
      shares[i * B + l] =
          sign == 0 ? 0.0 : a.cost(sign > 0, l) * weight * curve * scores[i * S + B + l];
    }
  }
}

template <int B, int S>
MULBERRY_INLINE void pass_body(Panel<B, S>& a) {
  std::array<double, k_tile * S> scores;
  std::array<double, k_tile * B> shares = {};  // lanes that are not in use have none
  for (Index begin = 0; begin < a.block.rows; begin += k_tile) {
    const Index count = std::min(k_tile, a.block.rows - begin);
    if (!a.block.start.empty()) require_columns(a.block, begin, count);
    multiply(a, begin, count, scores.data());
    if constexpr (S == B) {
      add_losses(a, begin, count, scores.data(), shares.data());
    } else {
      bend(a, begin, count, scores.data(), shares.data());
    }
    multiply_transposed(a, begin, count, shares.data());
  }
}
MULBERRY_DISPATCH(pass, pass_body)

template <int B, int S>
void place(Panel<B, S>& a, MatrixView from, Index offset) {
  for (Index l = 0; l < a.lanes; ++l) {
    const auto row = from.row(a.first + l);
    for (std::size_t j = 0; j < row.size(); ++j) a.given[j * S + at(offset + l)] = row[j];
  }
}

template <int B, int S>
void take(const Panel<B, S>& a, Matrix& to) {
  for (Index l = 0; l < a.lanes; ++l) {
    const auto row = to.row(a.first + l);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = a.out[j * B + at(l)];
  }
}

void require_fit(const RowBlock& block) {
  const bool is_sparse = !block.start.empty();
  const bool fits = is_sparse
                        ? count_of(block.start) == block.rows + 1 && block.start.front() == 0 &&
                              block.start.back() == count_of(block.index) &&
                              block.index.size() == block.value.size() &&
                              std::is_sorted(block.start.begin(), block.start.end())
                        : count_of(block.value) == block.rows * block.cols;
  if (fits && count_of(block.signs) == block.rows * block.sign_columns &&
      (block.weights.empty() || count_of(block.weights) == block.rows)) {
    return;
  }
  throw Error(Code::data, "expected parts of a block of rows that fit each other",
              "Delete the block: it is made again");
}

void require_fit(const RowBlock& block, const RowProblems& problems, MatrixView w) {
  require_fit(block);
  const Index count = count_of(problems.signs);
  MULBERRY_ASSERT(w.rows() == count && w.cols() == block.cols + 1);
  MULBERRY_ASSERT(count_of(problems.negative) == count && count_of(problems.positive) == count);
  for (const Index column : problems.signs) {
    MULBERRY_ASSERT(column >= 0 && column < block.sign_columns);
  }
}

template <int B>
void gradients_of(const RowBlock& block, const RowProblems& problems, MatrixView w, RowSums& out) {
  const Index count = w.rows();
  for (Index first = 0; first < count; first += B) {
    Panel<B, B> panel{.block = block,
                      .problems = problems,
                      .first = first,
                      .lanes = std::min<Index>(B, count - first),
                      .given = std::vector<double>(at((block.cols + 1) * B))};
    place(panel, w, 0);
    pass(panel);
    take(panel, out.slopes);
    for (Index l = 0; l < panel.lanes; ++l) {
      panel.flush(false, l);
      panel.flush(true, l);
      out.losses[at(first + l)] = panel.losses[at(l)];
      out.curves[at(first + l)] = panel.curves[at(l)];
    }
  }
}

template <int B>
void curvatures_of(const RowBlock& block, const RowProblems& problems, MatrixView w, MatrixView v,
                   Matrix& out) {
  const Index count = w.rows();
  for (Index first = 0; first < count; first += B) {
    Panel<B, 2 * B> panel{.block = block,
                          .problems = problems,
                          .first = first,
                          .lanes = std::min<Index>(B, count - first),
                          .given = std::vector<double>(at((block.cols + 1) * 2 * B))};
    place(panel, w, 0);
    place(panel, v, B);
    pass(panel);
    take(panel, out);
  }
}

}  // namespace

RowSums sum_gradients(const RowBlock& block, const RowProblems& problems, MatrixView w) {
  require_fit(block, problems, w);
  RowSums out = {.losses = std::vector<double>(at(w.rows())),
                 .curves = std::vector<double>(at(w.rows())),
                 .slopes = Matrix(w.rows(), w.cols())};
  w.rows() > 4 ? gradients_of<8>(block, problems, w, out)
               : gradients_of<4>(block, problems, w, out);
  return out;
}

Matrix sum_curvatures(const RowBlock& block, const RowProblems& problems, MatrixView w,
                      MatrixView v) {
  require_fit(block, problems, w);
  MULBERRY_ASSERT(v.rows() == w.rows() && v.cols() == w.cols());
  Matrix out(w.rows(), w.cols());
  w.rows() > 4 ? curvatures_of<8>(block, problems, w, v, out)
               : curvatures_of<4>(block, problems, w, v, out);
  return out;
}

std::vector<double> sum_squares(const RowBlock& block) {
  require_fit(block);
  std::vector<double> out(at(block.cols) + 1);
  for (Index i = 0; i < block.rows; ++i) {
    const double weight = block.weights.empty() ? 1.0 : block.weights[at(i)];
    out.back() += weight;
    if (block.start.empty()) {
      const double* const row = block.value.data() + i * block.cols;
      for (std::size_t j = 0; j < at(block.cols); ++j) out[j] += weight * row[j] * row[j];
      continue;
    }
    if (i % k_tile == 0) require_columns(block, i, std::min(k_tile, block.rows - i));
    for (Index e = block.start[at(i)]; e < block.start[at(i + 1)]; ++e) {
      const double x = block.value[at(e)];
      out[at(block.index[at(e)])] += weight * x * x;
    }
  }
  return out;
}

}  // namespace mulberry::math

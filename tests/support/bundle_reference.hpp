// The plain cutting-plane method of the paper, only for tests and benchmarks: the O(V^2) search for
// the most violated labelling, no line search, no warm start of the inner problem, dense features.
// Slow and short; mulberry/learners/rml/bundle.hpp must agree with it.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/learners/rml/measure_oracle.hpp"

namespace mulberry::tests::reference {

// For every size k of the prediction the loss is linear in it: keep the k largest entries of
// s - (1 + b2) y / (k + b2 P). fbeta with P > 0 only.
inline std::vector<char> quadratic_oracle(double b2, const std::vector<char>& truth,
                                          const std::vector<double>& scores) {
  const std::size_t rows = truth.size();
  const double positives = std::accumulate(truth.begin(), truth.end(), 0.0);
  std::vector<std::size_t> order(rows), best_order;
  std::vector<double> z(rows);
  double best = 0;  // of the empty prediction
  for (std::size_t k = 1; k <= rows; ++k) {
    for (std::size_t v = 0; v < rows; ++v) {
      z[v] = scores[v] - (1 + b2) * truth[v] / (static_cast<double>(k) + b2 * positives);
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k - 1), order.end(),
                     [&](std::size_t a, std::size_t b) { return z[a] > z[b]; });
    double value = 0;
    for (std::size_t i = 0; i < k; ++i) value += z[order[i]];
    if (value > best) {
      best = value;
      best_order.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  std::vector<char> cell(rows, 0);
  for (const std::size_t v : best_order) cell[v] = 1;
  return cell;
}

// The planes' problem by pairwise steps from scratch: max o.a - a'Ga / (2 lambda) on the simplex.
inline std::vector<double> pairwise_qp(const std::vector<std::vector<double>>& gram,
                                       const std::vector<double>& offset, double lambda) {
  const std::size_t m = offset.size();
  std::vector<double> a(m, 0.0), slope = offset;
  a[0] = 1;  // plane 0 is all zeros, so the slopes are the offsets
  for (int round = 0; round < 1000000; ++round) {
    std::size_t up = 0, down = m;
    for (std::size_t j = 0; j < m; ++j) {
      if (slope[j] > slope[up]) up = j;
      if (a[j] > 0 && (down == m || slope[j] < slope[down])) down = j;
    }
    const double gain = slope[up] - slope[down];
    if (gain <= 1e-10) break;
    const double curve = (gram[up][up] + gram[down][down] - 2 * gram[up][down]) / lambda;
    const double step = std::min(a[down], curve > 0 ? gain / curve : a[down]);
    a[up] += step;
    a[down] = step == a[down] ? 0 : a[down] - step;
    for (std::size_t j = 0; j < m; ++j) slope[j] -= step * (gram[j][up] - gram[j][down]) / lambda;
  }
  return a;
}

struct PlainResult {
  std::vector<double> theta = {};
  double objective = std::numeric_limits<double>::infinity();
  double lower = 0;
  int iterations = 0;
};

// `oracle` maps scores to the most violated labelling.
inline PlainResult plain_bundle(
    MatrixView x, const std::vector<char>& truth, const SetLoss& loss, double lambda,
    double tolerance, int max_iterations,
    const std::function<std::vector<char>(const std::vector<double>&)>& oracle) {
  const auto rows = static_cast<std::size_t>(x.rows()), cols = static_cast<std::size_t>(x.cols());
  const Index positives = std::count(truth.begin(), truth.end(), char{1});
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  std::vector<std::vector<double>> planes = {std::vector<double>(cols, 0.0)}, gram = {{0.0}};
  std::vector<double> offset = {0.0}, theta(cols, 0.0), scores(rows, 0.0);
  PlainResult out;
  for (; out.iterations < max_iterations; ++out.iterations) {
    for (std::size_t v = 0; v < rows; ++v) {
      const auto row = x.row(static_cast<Index>(v));
      scores[v] = std::inner_product(row.begin(), row.end(), theta.begin(), 0.0);
    }
    const std::vector<char> cell = oracle(scores);
    std::vector<double> plane(cols, 0.0);
    Index p = 0, q = 0;
    for (std::size_t v = 0; v < rows; ++v) {
      if (cell[v] != 0) ++(truth[v] != 0 ? p : q);
      for (std::size_t j = 0; j < cols && cell[v] != truth[v]; ++j) {
        plane[j] += (cell[v] - truth[v]) * x(static_cast<Index>(v), static_cast<Index>(j));
      }
    }
    const double delta = loss.value(x.rows(), positives, p, q);
    const double value = 0.5 * lambda * dot(theta, theta) + delta + dot(plane, theta);
    if (value < out.objective) {
      out.objective = value;
      out.theta = theta;
    }
    if (out.objective - out.lower <= tolerance * out.objective) break;
    gram.emplace_back();
    for (std::size_t j = 0; j < planes.size(); ++j) {
      gram.back().push_back(dot(planes[j], plane));
      gram[j].push_back(gram.back().back());
    }
    gram.back().push_back(dot(plane, plane));
    planes.push_back(std::move(plane));
    offset.push_back(delta);
    const std::vector<double> a = pairwise_qp(gram, offset, lambda);
    std::fill(theta.begin(), theta.end(), 0.0);
    for (std::size_t j = 0; j < planes.size(); ++j) {
      for (std::size_t i = 0; i < cols; ++i) theta[i] -= a[j] * planes[j][i] / lambda;
    }
    out.lower = std::max(out.lower, dot(a, offset) - 0.5 * lambda * dot(theta, theta));
  }
  return out;
}

}  // namespace mulberry::tests::reference

#include "mulberry/base/boost/boost_steps.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/parallel.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::base {
namespace {

constexpr Index k_sum_rows = 256;  // rows of a partial sum
constexpr Index k_newton_steps = 30;
constexpr double k_newton_gradient = 1e-3;

}  // namespace

BoostTruth::BoostTruth(const Labels& y, std::span<const double> weights, bool balanced)
    : labels_(y.count()),
      even_(!y.has_missing() && !balanced),
      signs_(at(y.rows() * y.count()), -1),
      weights_(at(y.rows()), 1.0),
      positive_(at(y.count()), 0.0),
      observed_(at(y.count()), 0.0) {
  for (Index i = 0; i < y.rows(); ++i) {
    if (!weights.empty()) weights_[at(i)] = weights[at(i)];
    if (count_of(y.missing_row(i)) == labels_) weights_[at(i)] = 0;
    total_ += weights_[at(i)];
    for (const Id l : y.row(i)) signs_[at(i * labels_ + l)] = 1;
    for (const Id l : y.missing_row(i)) signs_[at(i * labels_ + l)] = 0;
  }
  for (Index l = 0; l < labels_; ++l) {
    for_observed(y, l, [&](Index i, bool positive) {
      observed_[at(l)] += weights_[at(i)];
      positive_[at(l)] += positive ? weights_[at(i)] : 0.0;
    });
  }
  if (!balanced) return;
  for (std::size_t l = 0; l < positive_.size(); ++l) {
    const double negative = observed_[l] - positive_[l];
    const bool both = positive_[l] > 0 && negative > 0;
    positive_weight_.push_back(both ? negative / positive_[l] : 1.0);
    if (both) positive_[l] *= positive_weight_[l];
    observed_[l] = positive_[l] + negative;
  }
}

void BoostTruth::derivatives_of(BoostLoss loss, Index i, std::span<const double> scores,
                                std::span<double> g, std::span<double> h) const {
  derivatives(loss, row(i, scores), g, h);
  const double w = weights_[at(i)];
  if (w == 1) return;
  for (std::size_t k = 0; k < g.size(); ++k) {
    g[k] *= w;
    h[k] *= w;
  }
}

double BoostTruth::cell_derivatives_of(BoostLoss loss, Index i, Index l, double score, double log_z,
                                       double& g, double& h) const {
  const double truth = signs_[at(i * labels_ + l)], w = weights_[at(i)];
  const double cell = truth > 0 && !positive_weight_.empty() ? positive_weight_[at(l)] : 1.0;
  cell_derivatives(loss, truth, cell, score, log_z, g, h);
  return truth == 0 ? 0.0 : w;
}

std::vector<double> BoostTruth::start(BoostLoss loss) const {
  std::vector<double> out;
  for (std::size_t l = 0; l < positive_.size(); ++l) {
    const double p = (positive_[l] + 1) / (observed_[l] + 2);
    out.push_back(loss == BoostLoss::squared ? 2 * p - 1 : std::log(p / (1 - p)));
  }
  return out;
}

std::vector<double> BoostTruth::start_hessians(BoostLoss loss,
                                               std::span<const double> start) const {
  std::vector<double> out;
  for (std::size_t l = 0; l < start.size(); ++l) {
    const double p = sigmoid(start[l]);
    out.push_back(observed_[l] * (loss == BoostLoss::squared ? 1.0 : p * (1 - p)));
  }
  return out;
}

namespace {

std::vector<double> add_vectors(std::vector<double> total, const std::vector<double>& part) {
  for (std::size_t k = 0; k < total.size(); ++k) total[k] += part[k];
  return total;
}

}  // namespace

std::vector<double> BoostTruth::gradient_sizes(BoostLoss loss, MatrixView scores,
                                               const Context& ctx) const {
  return parallel_reduce(
      ctx, scores.rows(), k_sum_rows, std::vector<double>(at(labels_), 0.0),
      [&](Index begin, Index end) {
        std::vector<double> sums(at(labels_), 0.0), g(at(labels_)), h(at(labels_));
        for (Index i = begin; i < end; ++i) {
          derivatives_of(loss, i, scores.row(i), g, h);
          for (std::size_t k = 0; k < g.size(); ++k) sums[k] += std::abs(g[k]);
        }
        return sums;
      },
      [](std::vector<double>& total, const std::vector<double>& part) {
        total = add_vectors(std::move(total), part);
      });
}

std::vector<double> BoostTruth::log_z(MatrixView scores, const Context& ctx) const {
  std::vector<double> out(weights_.size());
  parallel_chunks(ctx, count_of(out), 64, [&](Index begin, Index end) {
    std::vector<double> line(at(labels_));
    for (Index i = begin; i < end; ++i) {
      for (Index l = 0; l < labels_; ++l) line[at(l)] = scores(l, i);
      out[at(i)] = log_z_of(row(i, line));
    }
  });
  return out;
}

double BoostTruth::mean_loss(BoostLoss loss, MatrixView scores, bool by_label) const {
  double out = 0;
  std::vector<double> line(at(labels_));
  for (Index i = 0; i < count_of(weights_); ++i) {
    if (weights_[at(i)] == 0) continue;
    for (Index l = 0; l < labels_; ++l) line[at(l)] = by_label ? scores(l, i) : scores(i, l);
    out += weights_[at(i)] * loss_of(loss, row(i, line));
  }
  return total_ > 0 ? out / total_ : 0.0;
}

Matrix LeafStep::values(const GrownTree& tree, std::span<const GrownNode> leaves, bool full,
                        std::vector<double>& hessians, const Context& ctx) const {
  const Index labels = truth_.labels();
  struct Task {
    std::size_t leaf;
    std::span<const Id> rows;
  };
  std::vector<Task> tasks;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const auto rows = tree.rows_of(leaves[k]);
    for (std::size_t begin = 0; begin < rows.size(); begin += at(k_sum_rows)) {
      tasks.push_back({k, rows.subspan(begin, std::min(at(k_sum_rows), rows.size() - begin))});
    }
  }
  std::vector<std::vector<double>> sums(tasks.size());
  parallel_for(ctx, count_of(tasks), [&](Index t) {
    std::vector<double> g(at(labels)), h(at(labels)), sum(at(2 * labels), 0.0);
    for (const Id i : tasks[at(t)].rows) {
      truth_.derivatives_of(loss_, i, scores_.row(i), g, h);
      for (Index k = 0; k < labels; ++k) {
        sum[at(k)] += g[at(k)];
        sum[at(labels + k)] += h[at(k)];
      }
    }
    sums[at(t)] = std::move(sum);
  });
  Matrix gradient(count_of(leaves), labels), hessian(count_of(leaves), labels);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const auto leaf = static_cast<Index>(tasks[t].leaf);
    for (Index k = 0; k < labels; ++k) {
      gradient(leaf, k) += sums[t][at(k)];
      hessian(leaf, k) += sums[t][at(labels + k)];
    }
  }
  hessians.assign(at(labels), 0.0);
  Matrix out(count_of(leaves), labels);
  for (Index leaf = 0; leaf < out.rows(); ++leaf) {
    for (Index k = 0; k < labels; ++k) {
      hessians[at(k)] += hessian(leaf, k);
      out(leaf, k) = penalty_.leaf(gradient(leaf, k), hessian(leaf, k));
    }
  }
  if (full && loss_ == BoostLoss::row_logistic) {
    double* const values = out.data();
    parallel_for(ctx, out.rows(), [&](Index leaf) {
      newton(tree.rows_of(leaves[at(leaf)]), gradient.row(leaf),
             {values + leaf * labels, at(labels)});
    });
  }
  return out;
}

// Solves (H + l2) value = -gradient from the value that is there.
void LeafStep::newton(std::span<const Id> rows, std::span<const double> gradient,
                      std::span<double> value) const {
  const std::size_t labels = gradient.size();
  Matrix shares(count_of(rows), count_of(gradient));  // q of every row
  std::vector<double> g(labels), h(labels);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto i = rows[r];
    derivatives(loss_, truth_.row(i, scores_.row(i)), g, h);
    const auto to = shares.row(static_cast<Index>(r));
    for (std::size_t k = 0; k < labels; ++k) to[k] = -g[k] * truth_.signs(i)[k];
  }
  const auto multiply = [&](std::span<const double> v) {
    std::vector<double> out(labels);
    for (std::size_t k = 0; k < labels; ++k) out[k] = penalty_.l2 * v[k];
    for (std::size_t r = 0; r < rows.size(); ++r) {
      multiply_hessian(shares.row(static_cast<Index>(r)), truth_.signs(rows[r]),
                       truth_.weight(rows[r]), v, out);
    }
    return out;
  };
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double out = 0;
    for (std::size_t k = 0; k < a.size(); ++k) out += a[k] * b[k];
    return out;
  };
  std::vector<double> rest = multiply(value);
  double target = 0;
  for (std::size_t k = 0; k < labels; ++k) {
    rest[k] = -gradient[k] - rest[k];
    target += gradient[k] * gradient[k];
  }
  std::vector<double> direction = rest;
  double length = dot(rest, rest);
  for (Index step = 0; step < k_newton_steps; ++step) {
    if (length <= k_newton_gradient * k_newton_gradient * target) break;
    const std::vector<double> image = multiply(direction);
    const double size = length / dot(direction, image);
    for (std::size_t k = 0; k < labels; ++k) {
      value[k] += size * direction[k];
      rest[k] -= size * image[k];
    }
    const double next = dot(rest, rest);
    for (std::size_t k = 0; k < labels; ++k) direction[k] = rest[k] + next / length * direction[k];
    length = next;
  }
}

}  // namespace mulberry::base

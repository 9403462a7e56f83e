#include "mulberry/resample/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::resample {
namespace {

struct Scored {
  double score;
  bool positive;
  double weight;
};

std::vector<Scored> observed_cells(MatrixView scores, const Labels& truth,
                                   std::span<const double> weights, Index l) {
  std::vector<Scored> cells;
  for_observed(truth, l, [&](Index i, bool positive) {
    const double weight = weights.empty() ? 1.0 : weights[at(i)];
    cells.push_back({scores(i, l), positive, weight});
  });
  return cells;
}

// 1 / (1 + exp(z)) without overflow.
double sigmoid_down(double z) {
  return z >= 0 ? std::exp(-z) / (1 + std::exp(-z)) : 1 / (1 + std::exp(z));
}

struct Line {
  double a = 0, b = 0;
};

class PlattFit {
 public:
  explicit PlattFit(const std::vector<Scored>& cells) : cells_(cells) {
    double positives = 0, negatives = 0;
    for (const Scored& c : cells) (c.positive ? positives : negatives) += c.weight;
    high_ = (positives + 1) / (positives + 2);
    low_ = 1 / (negatives + 2);
    mean_ = (positives * high_ + negatives * low_) / (positives + negatives);
    at_.b = std::log((negatives + 1) / (positives + 1));
  }

  // Newton steps with backtracking. The last step promises less than the rounding of the loss and
  // is accepted unchecked: so close to the optimum it squares the error.
  Line run() {
    constexpr int k_most_steps = 100;
    constexpr double k_shortest_step = 1e-10, k_small_gain = 1e-12, k_decrease = 1e-4;
    double loss = loss_at(at_);
    for (int step = 0; step < k_most_steps; ++step) {
      const Newton n = newton();
      if (-n.slope < k_small_gain * (1 + loss)) {
        at_ = {at_.a + n.step_a, at_.b + n.step_b};
        break;
      }
      double length = 1;
      for (; length >= k_shortest_step; length /= 2) {
        const Line next = {at_.a + length * n.step_a, at_.b + length * n.step_b};
        const double next_loss = loss_at(next);
        if (next_loss < loss + k_decrease * length * n.slope) {
          at_ = next;
          loss = next_loss;
          break;
        }
      }
      if (length < k_shortest_step) break;
    }
    // Few or misleading cells can make it fall with the score: of the lines that do not fall, the
    // flat one is most likely.
    return at_.a <= 0 ? at_ : Line{0, std::log((1 - mean_) / mean_)};
  }

 private:
  struct Newton {
    double step_a, step_b, slope;
  };

  double target(const Scored& c) const { return c.positive ? high_ : low_; }

  double loss_at(const Line& line) const {
    double loss = 0;
    for (const Scored& c : cells_) {
      const double z = c.score * line.a + line.b, t = target(c);
      loss += c.weight *
              (z >= 0 ? t * z + std::log1p(std::exp(-z)) : (t - 1) * z + std::log1p(std::exp(z)));
    }
    return loss;
  }

  Newton newton() const {
    constexpr double k_ridge = 1e-12;
    double aa = k_ridge, bb = k_ridge, ab = 0, ga = 0, gb = 0;
    for (const Scored& c : cells_) {
      const double p = sigmoid_down(c.score * at_.a + at_.b), weight = c.weight * p * (1 - p);
      aa += c.score * c.score * weight;
      bb += weight;
      ab += c.score * weight;
      ga += c.weight * c.score * (target(c) - p);
      gb += c.weight * (target(c) - p);
    }
    const double determinant = aa * bb - ab * ab;
    const double step_a = -(bb * ga - ab * gb) / determinant;
    const double step_b = -(aa * gb - ab * ga) / determinant;
    return {step_a, step_b, ga * step_a + gb * step_b};
  }

  const std::vector<Scored>& cells_;
  double high_ = 0, low_ = 0, mean_ = 0;  // the targets of both classes, and of all cells
  Line at_;
};

struct Knots {
  std::vector<double> score, probability;
};

// Pool adjacent violators. A pool is stored as its first and last score, so that the function is
// constant on it and linear up to the next.
Knots isotonic(std::vector<Scored> cells) {
  struct Pool {
    double first, last, positives, count;
    double mean() const { return positives / count; }
  };
  std::sort(cells.begin(), cells.end(), [](const Scored& x, const Scored& y) {
    return x.score != y.score ? x.score < y.score : x.positive < y.positive;
  });
  std::vector<Pool> pools;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const double weight = cells[k].weight, positive = cells[k].positive ? weight : 0;
    if (k > 0 && cells[k].score == cells[k - 1].score) {
      pools.back().positives += positive;
      pools.back().count += weight;
    } else {
      pools.push_back({cells[k].score, cells[k].score, positive, weight});
    }
    if (k + 1 < cells.size() && cells[k + 1].score == cells[k].score) continue;
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      const Pool top = pools.back();
      pools.pop_back();
      pools.back().last = top.last;
      pools.back().positives += top.positives;
      pools.back().count += top.count;
    }
  }
  Knots knots;
  for (const Pool& pool : pools) {
    knots.score.push_back(pool.first);
    knots.probability.push_back(pool.mean());
    if (pool.last == pool.first) continue;
    knots.score.push_back(pool.last);
    knots.probability.push_back(pool.mean());
  }
  return knots;
}

}  // namespace

Index Calibration::labels() const {
  return static_cast<Index>(method == CalibrationMethod::platt ? a.size() : start.size() - 1);
}

double Calibration::apply(double value, Index label) const {
  const auto l = at(label);
  if (method == CalibrationMethod::platt) return sigmoid_down(a[l] * value + b[l]);
  const auto begin = score.begin() + start[l], end = score.begin() + start[l + 1];
  if (begin == end) return 0.5;
  const auto above = std::upper_bound(begin, end, value);
  const auto value_at = [&](auto knot) { return probability[at(knot - score.begin())]; };
  if (above == begin) return value_at(begin);
  const auto below = above - 1;
  if (above == end || *below == value) return value_at(below);
  const double share = (value - *below) / (*above - *below);
  return value_at(below) + share * (value_at(above) - value_at(below));
}

Matrix Calibration::apply(MatrixView scores, const Context& ctx) const {
  MULBERRY_ASSERT(scores.cols() == labels());
  Matrix out(scores.rows(), scores.cols());
  double* const to = out.data();
  parallel_chunks(ctx, scores.rows(), 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index l = 0; l < scores.cols(); ++l) {
        to[i * scores.cols() + l] = apply(scores(i, l), l);
      }
    }
  });
  return out;
}

Calibration learn_calibration(MatrixView scores, const Labels& truth, CalibrationMethod method,
                              const Context& ctx, std::span<const double> weights) {
  MULBERRY_ASSERT(scores.rows() == truth.rows() && scores.cols() == truth.count());
  const auto labels = at(truth.count());
  Calibration out;
  out.method = method;
  if (method == CalibrationMethod::platt) {
    out.a.resize(labels);
    out.b.resize(labels);
    parallel_for(ctx, truth.count(), [&](Index l) {
      const auto cells = observed_cells(scores, truth, weights, l);
      const Line line = cells.empty() ? Line{} : PlattFit(cells).run();
      out.a[at(l)] = line.a;
      out.b[at(l)] = line.b;
    });
    return out;
  }
  std::vector<Knots> knots(labels);
  parallel_for(ctx, truth.count(), [&](Index l) {
    knots[at(l)] = isotonic(observed_cells(scores, truth, weights, l));
  });
  out.start = {0};
  for (const Knots& k : knots) {
    out.score.insert(out.score.end(), k.score.begin(), k.score.end());
    out.probability.insert(out.probability.end(), k.probability.begin(), k.probability.end());
    out.start.push_back(count_of(out.score));
  }
  return out;
}

}  // namespace mulberry::resample

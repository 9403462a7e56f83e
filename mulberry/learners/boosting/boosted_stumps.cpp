#include "mulberry/learners/boosting/boosted_stumps.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/resample/observed.hpp"

namespace mulberry::learners {

void require_same_shape(const std::string& learner, Index labels, Index features,
                        const Compact& data) {
  if (labels == data.y().count() && features == data.x().cols()) return;
  throw Error(Code::unsupported,
              learner + ": expected data with the labels and features of the model to continue",
              "Continue on the data that the model was trained on");
}

MemoryNeed stumps_need(const Extent& e, double rounds, Index bins, double cells, double more) {
  const double padded = std::ceil(e.labels / 4) * 4;
  const double model = grown(rounds) * (3 * 8 * e.labels + 40);
  return {
      .fit = e.pieces() + StumpColumns::bytes(e, bins) + model +
             std::max(StumpColumns::work_bytes(e), 8 * cells * e.rows * padded + 2 * e.rows + more),
      .model = model,
      .predict = e.asked_pieces() + e.scores()};
}

namespace {

// To sum 1; returns the sum before.
double rescale(Matrix& vectors) {
  double total = 0;
  for (const double v : vectors.values()) total += v;
  double* const values = vectors.data();
  for (Index k = 0; total > 0 && k < vectors.size(); ++k) values[k] /= total;
  return total;
}

}  // namespace

StartWeights::StartWeights(const Compact& data, MatrixView scores)
    : vectors(data.y().rows(), 2 * padded_labels(data.y().count())), smoothing(1) {
  const Index labels = data.y().count();
  double cells = 0;
  for (Index l = 0; l < labels; ++l) {
    for_observed(data.y(), l, [&](Index i, bool positive) {
      const double margin = positive ? scores(i, l) : -scores(i, l);
      vectors(i, positive ? l : padded_labels(labels) + l) = data.weight(i) * std::exp(-margin);
      cells += data.weight(i);
    });
  }
  rescale(vectors);
  if (cells > 0) smoothing = 1 / cells;
}

Sums answers_of(const Sums& branch, Index labels, double smoothing) {
  const auto half = at(padded_labels(labels));
  Sums out(at(labels));
  for (std::size_t l = 0; l < out.size(); ++l) {
    out[l] = 0.5 * std::log((std::max(branch[l], 0.0) + smoothing) /
                            (std::max(branch[half + l], 0.0) + smoothing));
  }
  return out;
}

Sums factors_of(const Sums& answers) {
  const auto half = at(padded_labels(count_of(answers)));
  Sums out(2 * half, 1.0);
  for (std::size_t l = 0; l < answers.size(); ++l) {
    out[l] = std::exp(-answers[l]);
    out[half + l] = std::exp(answers[l]);
  }
  return out;
}

CellWeights::CellWeights(const Compact& data, MatrixView scores) : labels_(data.y().count()) {
  StartWeights start(data, scores);
  vectors_ = std::move(start.vectors);
  smoothing_ = start.smoothing;
}

double CellWeights::update(std::span<const char> branch, std::span<const Sums> answers,
                           std::span<const char> inside) {
  std::vector<Sums> factors;
  for (const Sums& c : answers) factors.push_back(factors_of(c));
  for (std::size_t i = 0; i < branch.size(); ++i) {
    if (!inside.empty() && inside[i] == 0) continue;
    const Sums& factor = factors[at(branch[i])];
    const auto row = vectors_.row(static_cast<Index>(i));
    for (std::size_t k = 0; k < row.size(); ++k) row[k] *= factor[k];
  }
  return rescale(vectors_);
}

}  // namespace mulberry::learners

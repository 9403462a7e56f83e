#include "mulberry/resample/row_threshold.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::resample {

double best_row_cut(std::span<const double> scores, std::span<const Id> relevant,
                    std::span<const Id> missing) {
  constexpr double k_beyond = 0.1;
  struct Scored {
    double score;
    bool relevant;
  };
  std::vector<Scored> order;
  for (Id l = 0; l < static_cast<Id>(scores.size()); ++l) {
    if (std::binary_search(missing.begin(), missing.end(), l)) continue;
    order.push_back({scores[at(l)], std::binary_search(relevant.begin(), relevant.end(), l)});
  }
  if (order.empty()) return 0;
  std::stable_sort(order.begin(), order.end(),
                   [](const Scored& a, const Scored& b) { return a.score < b.score; });
  // A cut below everything makes all labels relevant. Moving it above one score after the other
  // loses a relevant label or removes an irrelevant one.
  std::vector<std::size_t> below = {0};  // how many scores lie below a cut
  std::vector<Index> wrong = {
      std::count_if(order.begin(), order.end(), [](const Scored& s) { return !s.relevant; })};
  Index errors = wrong.front();
  for (std::size_t k = 0; k < order.size(); ++k) {
    errors += order[k].relevant ? 1 : -1;
    if (k + 1 < order.size() && order[k + 1].score == order[k].score) continue;
    below.push_back(k + 1);
    wrong.push_back(errors);
  }
  const auto best = at(std::min_element(wrong.begin(), wrong.end()) - wrong.begin());
  std::size_t last = best;
  while (last + 1 < wrong.size() && wrong[last + 1] == wrong[best]) ++last;
  const double low =
      below[best] == 0 ? order.front().score - 2 * k_beyond : order[below[best] - 1].score;
  const double high =
      below[last] == order.size() ? order.back().score + 2 * k_beyond : order[below[last]].score;
  return (low + high) / 2;
}

namespace {

// The rows with an observed cell; the others say nothing about where to cut.
std::vector<Id> observed_rows(const Labels& truth) {
  std::vector<Id> out;
  for (Index i = 0; i < truth.rows(); ++i) {
    const auto missing = static_cast<Index>(truth.missing_row(i).size());
    if (missing < truth.count()) out.push_back(static_cast<Id>(i));
  }
  return out;
}

}  // namespace

double RowThreshold::cut(std::span<const double> scores) const {
  MULBERRY_ASSERT(scores.size() == weight.size());
  return constant + blas::dot(weight, scores);
}

RowThreshold learn_row_threshold(MatrixView scores, const Labels& truth, const Context& ctx) {
  // Enough to choose among equally good weights, too little to matter otherwise.
  constexpr double k_ridge = 1e-8;
  const Index n = scores.rows(), labels = scores.cols();
  MULBERRY_ASSERT(truth.rows() == n && truth.count() == labels);
  RowThreshold out{.weight = std::vector<double>(at(labels))};
  if (n == 0 || labels == 0) return out;
  if (const std::vector<Id> rows = observed_rows(truth); static_cast<Index>(rows.size()) < n) {
    Matrix kept(static_cast<Index>(rows.size()), labels);
    for (Index k = 0; k < kept.rows(); ++k) {
      const auto from = scores.row(rows[at(k)]);
      std::copy(from.begin(), from.end(), kept.row(k).begin());
    }
    return learn_row_threshold(kept, take_rows(truth, rows), ctx);
  }
  std::vector<double> target(at(n));
  parallel_chunks(ctx, n, 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      target[at(i)] = best_row_cut(scores.row(i), truth.row(i), truth.missing_row(i));
    }
  });
  const auto rows = static_cast<double>(n);
  const double mean = std::accumulate(target.begin(), target.end(), 0.0) / rows;
  for (double& t : target) t -= mean;
  std::vector<double> centre(at(labels));
  for (Index i = 0; i < n; ++i) blas::axpy(1 / rows, scores.row(i), centre);
  Matrix centred(scores);
  for (Index i = 0; i < n; ++i) blas::axpy(-1, centre, centred.row(i));
  Matrix gram(labels, labels);
  const auto x = blas::block(centred);
  blas::syrk(1.0, x, blas::Op::transposed, 0.0, blas::block(gram));
  double largest = 0;
  for (Index l = 0; l < labels; ++l) largest = std::max(largest, gram(l, l));
  out.constant = mean;
  if (largest == 0) return out;  // all rows alike
  for (Index l = 0; l < labels; ++l) gram(l, l) += k_ridge * largest;
  blas::gemv(1.0, x, blas::Op::transposed, target, 0.0, out.weight);
  const bool solved = blas::cholesky(blas::block(gram));
  MULBERRY_ASSERT(solved);
  blas::cholesky_solve(blas::block(gram), std::span<double>(out.weight));
  out.constant = mean - blas::dot(out.weight, centre);
  return out;
}

}  // namespace mulberry::resample

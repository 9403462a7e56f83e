#include "mulberry/learners/mahr_booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/blas.hpp"
#include "mulberry/math/products.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::mahr {
namespace {

constexpr double k_finished = 1e-300;  // less weight than this: every row is safely right
constexpr Index k_labels = 32;         // a task

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A sum of logarithms of 1 + e, 0 <= e <= 1, with a logarithm for every 512 of them.
class LogSum {
 public:
  void add(double e) {
    product_ *= 1 + e;
    if (++count_ % 512 == 0) close();
  }
  double value() {
    close();
    return sum_;
  }

 private:
  void close() {
    sum_ += std::log(product_);
    product_ = 1;
  }
  double sum_ = 0, product_ = 1;
  int count_ = 0;
};

}  // namespace

Booster::Booster(const Features& x, const Labels& y, std::span<const double> weights,
                 const Settings& settings, Rounds rounds, Matrix reuse, const Context& ctx)
    : settings_(settings),
      columns_(x, settings.bins, ctx),
      rounds_(std::move(rounds)),
      reuse_(std::move(reuse)),
      truth_(y.count(), y.rows()),
      weights_(weights.begin(), weights.end()) {
  weights_.resize(at(y.rows()), 1.0);
  Matrix scores = rounds_.start(y.rows());
  rounds_.advance(x, 0, rounds_.count(), scores, ctx);
  scores_ = transpose(scores);
  for (Index l = 0; l < y.count(); ++l) {
    Index positives = 0, observed = 0;
    for_observed(y, l, [&](Index i, bool positive) {
      truth_(l, i) = positive ? 1 : -1;
      positives += positive ? 1 : 0;
      ++observed;
    });
    observed_.push_back(observed);
    if (positives > 0 && positives < observed) learning_.push_back(static_cast<Id>(l));
  }
  losses_.resize(at(y.count()));
  weigh();
}

// The weights of every label that still learns, and the losses of all; labels without weight are
// finished.
void Booster::weigh() {
  Matrix found(static_cast<Index>(learning_.size()), truth_.cols());
  std::vector<Id> learning;
  for (Index l = 0; l < truth_.rows(); ++l) {
    const bool learns = std::binary_search(learning_.begin(), learning_.end(), static_cast<Id>(l));
    const auto k = static_cast<Index>(learning.size());
    const double total = weigh_label(l, learns ? found.row(k) : std::span<double>());
    if (!learns || total < k_finished) continue;
    for (double& d : found.row(k)) d /= total;
    learning.push_back(static_cast<Id>(l));
  }
  if (learning.size() == learning_.size()) {
    weighted_ = std::move(found);
  } else {
    weighted_ = Matrix(static_cast<Index>(learning.size()), truth_.cols());
    std::copy_n(found.data(), weighted_.size(), weighted_.data());
  }
  learning_ = std::move(learning);
}

// D y of one label unless `out` is empty; returns the sum of D.
double Booster::weigh_label(Index label, std::span<double> out) {
  const auto y = std::as_const(truth_).row(label), h = std::as_const(scores_).row(label);
  LogSum logistic;
  Losses& losses = losses_[at(label)];
  losses = {};
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    const double margin = y[i] * h[i], e = std::exp(-std::abs(margin));
    losses.logistic += std::max(-margin, 0.0);
    logistic.add(e);
    losses.wrong += (h[i] > 0) != (y[i] > 0) ? 1 : 0;
    if (out.empty()) continue;
    const double d = weights_[i] * (margin >= 0 ? e : 1.0) / (1 + e);
    total += d;
    out[i] = y[i] * d;
  }
  losses.logistic += logistic.value();
  return total;
}

std::vector<Mix> Booster::mix(const Matrix& own, const Matrix& signs, const Context& ctx) const {
  std::vector<Mix> out(learning_.size());
  // Without scores to reuse, or nobody to take them from.
  if (settings_.reuse == Reuse::none || rounds_.count() == 0 || truth_.rows() < 2) return out;
  parallel_chunks(ctx, own.rows(), k_labels, [&](Index begin, Index end) {
    if (settings_.reuse != Reuse::best_edge) {
      for (Index k = begin; k < end; ++k) {
        out[at(k)] = by_programme(weighted_.row(k), own.row(k), signs, learning_[at(k)],
                                  settings_.rho, settings_.reuse == Reuse::normalised);
      }
      return;
    }
    Matrix edges(end - begin, signs.rows());
    blas::gemm(1, blas::block(weighted_).row_range(begin, end), blas::Op::plain, blas::block(signs),
               blas::Op::transposed, 0, blas::block(edges));
    for (Index k = begin; k < end; ++k) {
      const double own_edge = blas::dot(weighted_.row(k), own.row(k));
      const double price = settings_.kappa * blas::norm2(weighted_.row(k));
      out[at(k)] =
          best_edge(own_edge, std::as_const(edges).row(k - begin), learning_[at(k)], price);
    }
  });
  return out;
}

void Booster::add_to_reuse(Index label, double alpha, const Mix& mix, const Twins& twins) {
  reuse_(label, label) += alpha * mix.own;
  for (std::size_t h = 0; h < mix.helpers.size(); ++h) {
    const Id helper = mix.helpers[h];
    std::vector<Id> group = twins.members[at(twins.first[at(helper)])];
    std::erase(group, static_cast<Id>(label));
    for (const Id member : group) {
      const double agrees = twins.agrees[at(member)] * twins.agrees[at(helper)];
      reuse_(label, member) += alpha * mix.weights[h] * agrees / static_cast<double>(group.size());
    }
  }
}

bool Booster::add_round(const Context& ctx) {
  if (learning_.empty()) return false;
  const Index n = truth_.cols(), count = static_cast<Index>(learning_.size());
  const auto splits = best_splits(columns_, weighted_, settings_.criterion, ctx);
  Matrix answers(count, n);
  std::vector<Stump> stumps;
  for (Index k = 0; k < count; ++k) {
    stumps.emplace_back(splits[at(k)]);
    training_answers(columns_, stumps.back(), answers.row(k));
  }
  Matrix signs(truth_.rows(), n);
  std::transform(scores_.values().begin(), scores_.values().end(), signs.data(), sign_of);
  const std::vector<Mix> mixes = mix(answers, signs, ctx);

  std::vector<double> alpha(at(count));
  bool learnt = false, reuses = false;
  for (Index k = 0; k < count; ++k) {
    const Mix& chosen = mixes[at(k)];
    const auto h = answers.row(k);
    if (chosen.own != 1 || !chosen.helpers.empty()) {
      reuses = true;
      for (std::size_t i = 0; i < h.size(); ++i) {
        double sum = chosen.own == 0 ? 0.0 : chosen.own * h[i];
        for (std::size_t c = 0; c < chosen.helpers.size(); ++c) {
          sum += chosen.weights[c] * std::as_const(signs)(chosen.helpers[c], static_cast<Index>(i));
        }
        h[i] = std::clamp(sum, -1.0, 1.0);
      }
    }
    const double gamma = 0.5 * blas::dot(std::as_const(weighted_).row(k), h);
    alpha[at(k)] = step_of(gamma, observed_[at(learning_[at(k)])]);
    learnt = learnt || alpha[at(k)] > 0;
  }
  if (!learnt) return false;

  // From here on nothing can be cancelled.
  const Twins twins = reuses ? find_twins(signs) : Twins{};
  const bool first = rounds_.count() == 0;
  reused_ = 0;
  Index k = 0;
  for (Index l = 0; l < truth_.rows(); ++l) {
    if (k == count || learning_[at(k)] != l) {
      rounds_.add(0, Stump(), {});
      continue;
    }
    const Mix& chosen = mixes[at(k)];
    rounds_.add(alpha[at(k)], stumps[at(k)], chosen);
    const auto h = std::as_const(answers).row(k);
    const auto score = scores_.row(l);
    // As replaying does it, so that the bits agree.
    for (std::size_t i = 0; i < h.size(); ++i) score[i] += alpha[at(k)] * h[i];
    if (!first) add_to_reuse(l, alpha[at(k)], chosen, twins);
    reused_ += chosen.helpers.empty() ? 0.0 : 1.0 / static_cast<double>(truth_.rows());
    ++k;
  }
  weigh();
  return true;
}

double Booster::hamming_loss() const {
  Index wrong = 0;
  for (const Losses& losses : losses_) wrong += losses.wrong;
  return static_cast<double>(wrong) / static_cast<double>(std::max<Index>(observed(), 1));
}

double Booster::logistic_loss() const {
  double sum = 0;
  for (const Losses& losses : losses_) sum += losses.logistic;
  return sum / static_cast<double>(std::max<Index>(observed(), 1));
}

Index Booster::observed() const {
  return std::accumulate(observed_.begin(), observed_.end(), Index{0});
}

}  // namespace mulberry::mahr

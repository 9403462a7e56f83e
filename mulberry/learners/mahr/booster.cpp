#include "mulberry/learners/mahr/booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners::mahr {
namespace {

constexpr double k_finished = 1e-300;  // with less weight than this, every row is safely right

// A sum of logarithms of 1 + e, 0 <= e <= 1, with one logarithm per 512 terms.
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
      history_(std::move(rounds), std::move(reuse)),
      truth_(y.count(), y.rows()),
      weights_(weights.begin(), weights.end()) {
  weights_.resize(at(y.rows()), 1.0);
  Matrix scores = this->rounds().start(y.rows());
  this->rounds().advance(x, 0, this->rounds().count(), scores, ctx);
  scores_ = transpose(scores);
  if (settings.reuse != Reuse::none) {
    signs_ = Matrix(scores_.rows(), scores_.cols());
    std::transform(scores_.values().begin(), scores_.values().end(), signs_.data(), sign_of);
  }
  for (Index l = 0; l < y.count(); ++l) {
    Index positives = 0, observed = 0;
    double mass = 0;
    for_observed(y, l, [&](Index i, bool positive) {
      truth_(l, i) = positive ? 1 : -1;
      positives += positive ? 1 : 0;
      ++observed;
      mass += weights_[at(i)];
    });
    observed_.push_back(observed);
    mass_.push_back(mass);
    if (positives > 0 && positives < observed) learning_.push_back(static_cast<Id>(l));
  }
  losses_.resize(at(y.count()));
  reused_.resize(at(y.count()), 0);
  MULBERRY_ASSERT(settings.shared == nullptr || this->rounds().count() == 0);
  if (settings.shared != nullptr) settings.shared->resize(at(y.count()));
  weigh();
}

// The weights of every label that still learns, and the losses of all; labels without weight are
// finished.
void Booster::weigh() {
  Matrix found(count_of(learning_), truth_.cols());
  std::vector<Id> learning;
  for (Index l = 0; l < truth_.rows(); ++l) {
    const bool learns = std::binary_search(learning_.begin(), learning_.end(), static_cast<Id>(l));
    const auto k = count_of(learning);
    const double total = weigh_label(l, learns ? found.row(k) : std::span<double>());
    if (!learns || total < k_finished) continue;
    for (double& d : found.row(k)) d /= total;
    learning.push_back(static_cast<Id>(l));
  }
  if (learning.size() == learning_.size()) {
    weighted_ = std::move(found);
  } else {
    weighted_ = Matrix(count_of(learning), truth_.cols());
    std::copy_n(found.data(), weighted_.size(), weighted_.data());
  }
  learning_ = std::move(learning);
}

// D y of one label unless `out` is empty; returns the sum of D.
double Booster::weigh_label(Index label, std::span<double> out) {
  const auto y = truth_.row(label), h = scores_.row(label);
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

// The best stump of every label that still learns, taken from the shared ones if they are known.
std::vector<Stump> Booster::own_stumps(const Context& ctx) {
  const std::size_t round = at(rounds().count());
  std::vector<Stump> out(learning_.size());
  std::vector<Id> wanted;  // among those that learn
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::size_t label = at(learning_[k]);
    const bool known = settings_.shared != nullptr && reused_[label] == 0 &&
                       round < (*settings_.shared)[label].size();
    if (known) {
      out[k] = (*settings_.shared)[label][round];
    } else {
      wanted.push_back(static_cast<Id>(k));
    }
  }
  const bool all = wanted.size() == out.size();
  Matrix part;  // of the weights
  if (!all) {
    part = Matrix(count_of(wanted), weighted_.cols());
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      const auto from = weighted_.row(wanted[w]);
      std::copy(from.begin(), from.end(), part.row(static_cast<Index>(w)).begin());
    }
  }
  const auto splits = best_splits(columns_, all ? weighted_ : part, settings_.criterion, ctx);
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const Stump& found = out[at(wanted[w])] = Stump(splits[w]);
    const std::size_t label = at(learning_[at(wanted[w])]);
    if (settings_.shared != nullptr && reused_[label] == 0)
      (*settings_.shared)[label].push_back(found);
  }
  return out;
}

bool Booster::add_round(const Context& ctx) {
  if (learning_.empty()) return false;
  const Index n = truth_.cols(), count = count_of(learning_);
  Matrix answers(count, n);
  std::vector<Step> steps;
  std::vector<double> edges;
  for (const Stump& stump : own_stumps(ctx)) {
    const Index k = count_of(steps);
    steps.push_back({.stump = stump});
    training_answers(columns_, stump, answers.row(k));
    edges.push_back(blas::dot(weighted_.row(k), answers.row(k)));
  }
  // Before the first round there is nothing to reuse.
  if (settings_.reuse != Reuse::none && rounds().count() > 0) {
    auto mixes = choose_mixes(settings_, weighted_, answers, edges, signs_, truth_, learning_, ctx);
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k].mix = std::move(mixes[k]);
  }
  bool learnt = false;
  for (Index k = 0; k < count; ++k) {
    Step& step = steps[at(k)];
    if (!step.mix.is_stump()) {
      apply_mix(step.mix, signs_, answers.row(k));
      edges[at(k)] = blas::dot(weighted_.row(k), answers.row(k));
    }
    step.alpha = step_of(0.5 * edges[at(k)], mass_[at(learning_[at(k)])]);
    learnt = learnt || step.alpha > 0;
  }
  if (!learnt) return false;

  // From here on nothing can be cancelled.
  history_.add(learning_, steps, signs_);
  for (Index k = 0; k < count; ++k) {
    const auto h = answers.row(k);
    const auto score = scores_.row(learning_[at(k)]);
    if (!steps[at(k)].mix.helpers.empty()) reused_[at(learning_[at(k)])] = 1;
    // In the same order as replaying, so that the bits agree.
    for (std::size_t i = 0; i < h.size(); ++i) score[i] += steps[at(k)].alpha * h[i];
    if (settings_.reuse != Reuse::none)
      std::transform(score.begin(), score.end(), signs_.row(learning_[at(k)]).begin(), sign_of);
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

}  // namespace mulberry::learners::mahr

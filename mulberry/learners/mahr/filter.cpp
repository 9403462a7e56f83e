#include "mulberry/learners/mahr/filter.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/statistics/distributions.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners::mahr {
namespace {

constexpr Index k_sample = 300;       // training rows per label
constexpr double k_small_edge = 0.1;  // smaller edges are not worth more rows

}  // namespace

// Rows that labels accepted, each row once.
struct FilteredBooster::Sample {
  std::vector<Id> rows = {};
  std::unordered_map<Id, Id> place = {};
  std::vector<std::vector<Id>> accepted;  // of each label that learns: places, with repetition

  explicit Sample(std::size_t labels) : accepted(labels) {}
  Index count(std::size_t label) const { return static_cast<Index>(accepted[label].size()); }
  void add(std::size_t label, Index row) {
    const auto [found, is_new] = place.emplace(static_cast<Id>(row), static_cast<Id>(rows.size()));
    if (is_new) rows.push_back(static_cast<Id>(row));
    accepted[label].push_back(found->second);
  }
};

FilteredBooster::FilteredBooster(const Features& x, const Labels& y,
                                 std::span<const double> weights, const Settings& settings,
                                 const Filter& filter, Rounds rounds, Matrix reuse)
    : x_(x),
      settings_(settings),
      filter_(filter),
      history_(std::move(rounds), std::move(reuse)),
      truth_(y.count(), y.rows()),
      chance_(at(y.rows()), 1.0),
      scores_(this->rounds().start(y.rows())),
      round_(at(y.rows()), 0) {
  if (!weights.empty()) {
    const double most = *std::max_element(weights.begin(), weights.end());
    for (std::size_t i = 0; i < chance_.size(); ++i)
      chance_[i] = most > 0 ? weights[i] / most : 1.0;
  }
  for (Index l = 0; l < y.count(); ++l) {
    bool kinds[2] = {};
    for_observed(y, l, [&](Index i, bool positive) {
      truth_(l, i) = positive ? 1 : -1;
      kinds[positive ? 1 : 0] = true;
    });
    if (kinds[0] && kinds[1] && !has_finished(l)) learning_.push_back(static_cast<Id>(l));
  }
}

bool FilteredBooster::has_finished(Index label) const {
  return rounds().count() > 0 && rounds().rested(rounds().count() - 1, label);
}

double FilteredBooster::accepts(Index label, Index row) const {
  const double y = truth_(label, row);
  return y == 0 ? 0.0 : 1 / (1 + std::exp(y * scores_(row, label)));
}

template <class Look>
void FilteredBooster::draw(Random& random, Index most, const Look& look, const Context& ctx) {
  for (Index k = 0; k < most; ++k) {
    if (k % 256 == 0) ctx.check();
    const Index row = random.below(truth_.cols());
    ++drawn_;
    if (chance_[at(row)] < 1 && !random.chance(chance_[at(row)])) continue;
    rounds().advance_row(x_, row, round_[at(row)], rounds().count(), scores_.row(row), ctx);
    round_[at(row)] = rounds().count();
    if (look(row)) return;
  }
}

FilteredBooster::Sample FilteredBooster::draw_for_training(Random& random, Index most,
                                                           const Context& ctx) {
  Sample out(learning_.size());
  Index wrong = 0, cells = 0;
  double logistic = 0;
  draw(
      random, most,
      [&](Index row) {
        for (Index l = 0; l < truth_.rows(); ++l) {
          const double y = truth_(l, row), h = scores_(row, l);
          if (y == 0) continue;
          wrong += (h > 0) != (y > 0) ? 1 : 0;
          logistic += std::max(-y * h, 0.0) + std::log1p(std::exp(-std::abs(h)));
          ++cells;
        }
        bool enough = true;
        for (std::size_t k = 0; k < learning_.size(); ++k) {
          if (out.count(k) < k_sample && random.chance(accepts(learning_[k], row))) out.add(k, row);
          enough = enough && out.count(k) == k_sample;
        }
        return enough;
      },
      ctx);
  hamming_ = static_cast<double>(wrong) / static_cast<double>(std::max<Index>(cells, 1));
  logistic_ = logistic / static_cast<double>(std::max<Index>(cells, 1));
  return out;
}

FilteredBooster::Sample FilteredBooster::draw_for_edges(Random& random, Index most,
                                                        std::span<const Id> learning,
                                                        std::span<const Step> steps,
                                                        const Context& ctx) {
  Sample out(learning.size());
  const double z = student_t_quantile(1 - filter_.delta / 2, 1e6);
  std::vector<Index> right(learning.size(), 0);
  std::vector<char> known(learning.size(), 0);
  draw(
      random, most,
      [&](Index row) {
        for (std::size_t k = 0; k < learning.size(); ++k) {
          if (known[k] != 0 || !random.chance(accepts(learning[k], row))) continue;
          out.add(k, row);
          const double truth = truth_(learning[k], row);
          right[k] += steps[k].stump.answer(x_, row) == truth ? 1 : 0;
          const auto n = static_cast<double>(out.count(k));
          const double edge = 2 * static_cast<double>(right[k]) / n - 1;
          const double error = z * std::sqrt((1 - edge * edge) / n);
          known[k] = out.count(k) >= k_sample &&
                             error <= filter_.tau * std::max(std::abs(edge), k_small_edge)
                         ? 1
                         : 0;
        }
        return std::find(known.begin(), known.end(), 0) == known.end();
      },
      ctx);
  return out;
}

// D y of the sample: the rows that a label accepted, with sizes summing to 1.
Matrix FilteredBooster::weighted(const Sample& sample, std::span<const Id> learning) const {
  Matrix out(count_of(learning), count_of(sample.rows));
  for (std::size_t k = 0; k < learning.size(); ++k) {
    const auto row = out.row(static_cast<Index>(k));
    for (const Id place : sample.accepted[k]) {
      row[at(place)] += truth_(learning[k], sample.rows[at(place)]) /
                        static_cast<double>(sample.accepted[k].size());
    }
  }
  return out;
}

bool FilteredBooster::add_round(const Context& ctx) {
  const Index t = rounds().count() + 1;
  const double allowed =
      2 / filter_.epsilon * std::log(static_cast<double>(t * (t + 1)) / filter_.delta) * k_sample;
  Random random = ctx.rng("mahr.filter", static_cast<std::uint64_t>(t));
  drawn_ = 0;
  Sample sample = draw_for_training(random, static_cast<Index>(allowed), ctx);
  std::vector<Id> learning;
  for (std::size_t k = 0; k < learning_.size(); ++k) {
    if (sample.count(k) < k_sample) continue;
    std::swap(sample.accepted[learning.size()], sample.accepted[k]);
    learning.push_back(learning_[k]);
  }
  if (learning.empty()) return false;

  const Features seen = take_rows(x_, sample.rows);
  const StumpColumns columns(seen, settings_.bins, ctx);
  std::vector<Step> steps;
  for (const Split& split :
       best_splits(columns, weighted(sample, learning), settings_.criterion, ctx))
    steps.push_back({.stump = Stump(split)});

  const Sample fresh = draw_for_edges(random, static_cast<Index>(allowed), learning, steps, ctx);
  const auto n = count_of(fresh.rows);
  Matrix signs(truth_.rows(), n), truth(truth_.rows(), n), answers(count_of(steps), n);
  for (Index i = 0; i < n; ++i) {
    const Id row = fresh.rows[at(i)];
    for (Index l = 0; l < truth_.rows(); ++l) {
      signs(l, i) = sign_of(scores_(row, l));
      truth(l, i) = truth_(l, row);
    }
    for (std::size_t k = 0; k < steps.size(); ++k)
      answers(static_cast<Index>(k), i) = steps[k].stump.answer(x_, row);
  }
  const Matrix weights = weighted(fresh, learning);
  std::vector<double> edges;
  for (Index k = 0; k < answers.rows(); ++k)
    edges.push_back(blas::dot(weights.row(k), answers.row(k)));
  if (rounds().count() > 0) {
    auto mixes = choose_mixes(settings_, weights, answers, edges, signs, truth, learning, ctx);
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k].mix = std::move(mixes[k]);
  }
  bool learnt = false;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!steps[k].mix.is_stump()) {
      const auto row = answers.row(static_cast<Index>(k));
      apply_mix(steps[k].mix, signs, row);
      edges[k] = blas::dot(weights.row(static_cast<Index>(k)), row);
    }
    const double gamma = 0.5 * edges[k];
    steps[k].alpha = step_of(gamma / (1 + filter_.tau), static_cast<double>(fresh.count(k)));
    learnt = learnt || steps[k].alpha > 0;
  }
  if (!learnt) return false;
  history_.add(learning, steps, signs);
  std::erase_if(learning_, [&](Id l) { return has_finished(l); });
  return true;
}

}  // namespace mulberry::learners::mahr

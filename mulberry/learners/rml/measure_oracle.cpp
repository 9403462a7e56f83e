// How fbeta and precision are solved. With b2 = beta^2 and d = b2 P + p,
//
//   G(p, q+1) - G(p, q) = (1 + b2) p / ((d + q)(d + q + 1)) + (next negative score).
//
// The first term falls with q and the scores are sorted, so G(p, .) is concave: the best q for a p
// is the first whose increment is not positive. For beta >= 1 that q never falls as p grows, and
// one sweep finds all of them; for beta < 1 it may fall, and each p takes a binary search.
//
// Cells that are settled by their score alone need no sorting:
// - a negative with score > 0 is always taken: its increment is positive. Call their number q0;
//   only q >= q0 matter from here on.
// - a positive with score <= 0 is never needed: taking it lowers the loss.
// - a positive with score > (1 + b2) / (b2 P + q0 + 1) is always taken: no positive lowers the
//   loss by more than that, the fall being largest at p = 0 and q = q0.
// - a negative whose score, negated, is at least the largest first term over the p that remain is
//   never taken. That term grows with p while p <= b2 P + q0, then falls. The same test with q0 + k
//   for q0 ends the sorting early: only the negatives that some p may take are ever in order.
//
// Loops over cells have no branches on scores, which would be unpredictable.
#include "mulberry/learners/rml/measure_oracle.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "mulberry/core/error.hpp"

namespace mulberry::learners {

namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();

double real(Index n) { return static_cast<double>(n); }

double score_of(std::span<const double> scores, Id row) { return scores[at(row)]; }

// The gain of one more negative for fixed p >= 1, without its score; d = b2 P + p.
double negative_gain(double b2, Index p, double d, Index q) {
  return (1 + b2) * real(p) / ((d + real(q)) * (d + real(q) + 1));
}

}  // namespace

SetLoss::SetLoss(SetMeasure measure, double beta) : measure_(measure), beta2_(0) {
  if (measure != SetMeasure::fbeta) return;
  MULBERRY_ASSERT(beta >= 0);
  beta2_ = beta * beta;
  if (beta2_ == 0) measure_ = SetMeasure::precision;
  // Beyond this the counts added to b2 P are lost to rounding: the measure is recall.
  if (beta2_ > 1e100) {
    measure_ = SetMeasure::recall;
    beta2_ = 0;
  }
}

bool SetLoss::selects_ties() const {
  return measure_ == SetMeasure::fbeta || measure_ == SetMeasure::recall;
}

double SetLoss::value(Index rows, Index positives, Index p, Index q) const {
  if (measure_ == SetMeasure::hamming) {
    return rows == 0 ? 0 : real(positives - p + q) / real(rows);
  }
  if (measure_ == SetMeasure::recall) return positives == 0 ? 0 : 1 - real(p) / real(positives);
  if (p + q == 0) return positives == 0 ? 0 : 1;
  return 1 - (1 + beta2_) * real(p) / (beta2_ * real(positives) + real(p) + real(q));
}

MeasureOracle::MeasureOracle(SetLoss loss, std::vector<char> truth)
    : loss_(loss), truth_(std::move(truth)), cell_(truth_.size()) {
  for (std::size_t v = 0; v < truth_.size(); ++v) {
    (truth_[v] != 0 ? positive_ : negative_).push_back(static_cast<Id>(v));
  }
}

Violation MeasureOracle::operator()(std::span<const double> scores) {
  MULBERRY_ASSERT(scores.size() == truth_.size());
  std::fill(cell_.begin(), cell_.end(), char{0});
  const Index total = rows();
  if (loss_.measure() == SetMeasure::hamming) {
    select(scores, positive_, 1 / real(total));
    select(scores, negative_, -1 / real(total));
  } else if (loss_.measure() == SetMeasure::recall) {
    select(scores, positive_, 1 / real(positives()));
    select(scores, negative_, 0);
  } else {
    open_pos_.clear();
    open_neg_.clear();
    const auto [p, q] = choose(scores);
    select_top(scores, positive_, certain_pos_, open_pos_, p);
    select_top(scores, negative_, certain_neg_, open_neg_, q);
  }
  Violation out;
  double sum = 0;
  for (std::size_t v = 0; v < cell_.size(); ++v) {
    sum += static_cast<double>(cell_[v]) * scores[v];
    out.positives += cell_[v] & truth_[v];
    out.negatives += cell_[v] & ~truth_[v];
  }
  out.loss = loss_.value(total, positives(), out.positives, out.negatives);
  out.value = out.loss + sum;
  out.cell = cell_;
  return out;
}

// The number of undecided positives and negatives to take; fills open_* and certain_*.
MeasureOracle::Choice MeasureOracle::choose(std::span<const double> scores) {
  const double b2 = loss_.beta2();
  const Index all = positives();
  Index q0 = 0;
  for (const Id v : negative_) q0 += score_of(scores, v) > 0 ? 1 : 0;
  certain_neg_ = 0;
  certain_pos_ = k_never;
  if (all == 0) {
    // Any selection costs 1: take the positive scores, at least one cell, or nothing at all.
    if (q0 > 0 || negative_.empty()) return {};
    double best = -k_never;
    for (const Id v : negative_) best = std::max(best, score_of(scores, v));
    open_neg_.assign(1, best);
    return {.p = 0, .q = 1 + best > 0 ? 1 : 0};
  }

  const double base = b2 * real(all);
  certain_pos_ = (1 + b2) / (base + real(q0) + 1);
  Index p0 = 0;
  for (const Id v : positive_) p0 += score_of(scores, v) > certain_pos_ ? 1 : 0;
  collect(scores, positive_, 0, certain_pos_, open_pos_);
  sort_(open_pos_, [](Index, double) { return true; });
  const Index p1 = p0 + count_of(open_pos_);
  if (p1 == 0) return {};  // p = 0: only the negatives above 0 are a gain

  // The largest gain of a negative after k undecided ones, over all p; the last factor keeps
  // rounding from dropping a cell on the border.
  const auto most_gain = [&](Index k) {
    const double turn = std::min(std::floor(base + real(q0 + k)) + 1, real(p1));
    const Index p = std::max({static_cast<Index>(turn), p0, Index{1}});
    return negative_gain(b2, p, base + real(p), q0 + k) * (1 + 1e-12);
  };
  collect(scores, negative_, -most_gain(0), 0, open_neg_);
  sort_(open_neg_, [&](Index k, double s) { return most_gain(k) + s > 0; });
  prefix_.assign(1, 0);
  for (const double s : open_neg_) prefix_.push_back(prefix_.back() + s);

  const auto open = count_of(open_neg_);
  Choice best = {};
  double best_value = -k_never;
  double sum_pos = 0;  // of the undecided positives taken; the certain ones are always there
  Index q = 0;         // of the undecided negatives
  for (Index p = p0; p <= p1; ++p) {
    if (p > p0) sum_pos += open_pos_[at(p - p0 - 1)];
    const double d = base + real(p);
    const auto grows = [&](Index k) {  // negative_gain + score > 0, without a division
      const double size = d + real(q0 + k);
      return (1 + b2) * real(p) > -open_neg_[at(k)] * size * (size + 1);
    };
    if (p == 0) {
      q = 0;
    } else if (b2 >= 1) {
      while (q < open && grows(q)) ++q;
    } else {
      Index low = 0, high = open;
      while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (grows(middle)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      q = low;
    }
    const double value = loss_.value(rows(), all, p, q0 + q) + sum_pos + prefix_[at(q)];
    if (value > best_value) {
      best_value = value;
      best = {.p = p - p0, .q = q};
    }
  }
  return best;
}

// The scores of some rows that are in (above, most], in any order.
void MeasureOracle::collect(std::span<const double> scores, std::span<const Id> rows, double above,
                            double most, std::vector<double>& out) {
  out.resize(rows.size() + 1);
  std::size_t count = 0;
  for (const Id v : rows) {
    const double s = score_of(scores, v);
    out[count] = s;
    count += at(s <= most) & at(s > above);
  }
  out.resize(count);
}

void MeasureOracle::select(std::span<const double> scores, std::span<const Id> rows, double above) {
  for (const Id v : rows) cell_[at(v)] = score_of(scores, v) > above ? 1 : 0;
}

// The rows above `certain`, and the `extra` highest of the undecided ones; of equals the first.
void MeasureOracle::select_top(std::span<const double> scores, std::span<const Id> rows,
                               double certain, std::span<const double> undecided, Index extra) {
  if (extra == 0) {
    select(scores, rows, certain);
    return;
  }
  const double border = undecided[at(extra - 1)];
  Index equals =
      extra - (std::lower_bound(undecided.begin(), undecided.end(), border, std::greater<>()) -
               undecided.begin());
  for (const Id v : rows) {
    const double s = score_of(scores, v);
    cell_[at(v)] = s > border ? 1 : 0;
    if (s == border && equals-- > 0) cell_[at(v)] = 1;
  }
}

}  // namespace mulberry::learners

#include "mulberry/learners/svm/smo.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/learners/svm/smo_loops.hpp"

namespace mulberry::learners {

namespace {

using smo_loops::k_infinity;

constexpr Index k_shrink_every = 1000;
// A smaller matrix is worth making only if it is sufficiently smaller.
constexpr double k_shrink_share = 0.9;
constexpr std::size_t k_own_bytes = std::size_t{64} << 20;

// The active rows, numbered by position, and the kernel between them.
class ActiveRows {
 public:
  explicit ActiveRows(const GramRows& gram) : gram_(gram), ids_(at(gram.rows())) { take_all(); }

  Index count() const { return count_of(ids_); }
  bool all() const { return count() == gram_.rows(); }
  Index id(Index position) const { return ids_[at(position)]; }

  void take_all() {
    ids_.resize(at(gram_.rows()));
    std::iota(ids_.begin(), ids_.end(), Id{0});
    forget();
  }
  void take(std::vector<Id> ids) {
    ids_ = std::move(ids);
    forget();
    own_.resize(ids_.size());
  }

  // Kernel values of one row with all active rows. The values of the last requested pair are valid.
  const float* first(Index position) {
    if (held_ * ids_.size() * sizeof(float) > k_own_bytes) {
      std::fill(own_.begin(), own_.end(), nullptr);
      held_ = 0;
    }
    return values(position, first_);
  }
  const float* second(Index position) { return values(position, second_); }

 private:
  void forget() {
    own_.clear();
    held_ = 0;
  }
  const float* values(Index position, GramRows::Row& keep) {
    if (all()) {
      keep = gram_.row(position);
      return keep.data();
    }
    std::unique_ptr<float[]>& own = own_[at(position)];
    if (!own) {
      const GramRows::Row row = gram_.row(id(position));
      own.reset(new float[ids_.size()]);
      for (std::size_t k = 0; k < ids_.size(); ++k) own[k] = row.data()[ids_[k]];
      ++held_;
    }
    return own.get();
  }

  const GramRows& gram_;
  std::vector<Id> ids_;
  std::vector<std::unique_ptr<float[]>> own_;  // of a part of the rows, in the order of requests
  std::size_t held_ = 0;
  GramRows::Row first_, second_;
};

class Smo {
 public:
  Smo(const GramRows& gram, const SmoProblem& problem, const SmoOptions& options)
      : gram_(gram), problem_(problem), options_(options), active_(gram) {
    const auto n = at(gram.rows());
    MULBERRY_ASSERT(problem.y.size() == n && problem.cost.size() == n);
    MULBERRY_ASSERT(problem.start.empty() || problem.start.size() == n);
    low_.resize(n);
    high_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      MULBERRY_ASSERT(problem.cost[i] >= 0);
      (problem.y[i] > 0 ? high_ : low_)[i] = problem.y[i] > 0 ? problem.cost[i] : -problem.cost[i];
    }
    choose_start();
  }

  SmoResult run(const Context& ctx) {
    open(ctx);
    leave_out([&](Index i) { return low_[at(i)] == high_[at(i)]; });
    bool reopened = false;
    Index until_shrink = std::min(gram_.rows(), k_shrink_every);
    while (steps_ < options_.max_steps) {
      ctx.check();
      if (solved()) {
        if (active_.all()) break;
        open(ctx);
        until_shrink = 1;
        if (solved()) break;
      }
      if (options_.shrink && --until_shrink <= 0) {
        until_shrink = std::min(gram_.rows(), k_shrink_every);
        if (!reopened && highest_ - lowest_ <= 10 * options_.tolerance) {
          reopened = true;  // once, because rows set aside early were judged by a rough gradient
          open(ctx);
        }
        shrink();
      }
      step();
    }
    if (!active_.all()) open(ctx);
    return result();
  }

 private:
  bool solved() const { return !(highest_ - lowest_ >= options_.tolerance); }

  void choose_start() {
    c_.assign(problem_.start.begin(), problem_.start.end());
    c_.resize(low_.size());
    double up = 0, down = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      c_[i] = std::clamp(c_[i], low_[i], high_[i]);
      (c_[i] > 0 ? up : down) += std::abs(c_[i]);
    }
    for (double& c : c_) {
      if (c > 0 && up > down) c *= down / up;
      if (c < 0 && down > up) c *= up / down;
    }
  }

  // Makes all rows active, with a gradient computed from scratch.
  void open(const Context& ctx) {
    active_.take_all();
    const auto n = c_.size();
    gradient_.assign(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      if (c_[j] == 0) continue;
      ctx.check();  // a row that is not kept costs all of its kernel values
      const GramRows::Row row = gram_.row(static_cast<Index>(j));
      smo_loops::AddRow task{gradient_.data(), row.data(), -c_[j], gram_.rows()};
      smo_loops::add_row(task);
    }
    for (std::size_t i = 0; i < n; ++i) gradient_[i] += static_cast<double>(problem_.y[i]);
    diagonal_.assign(gram_.diagonal().begin(), gram_.diagonal().end());
    no_rise_.resize(n);
    no_fall_.resize(n);
    for (Index i = 0; i < gram_.rows(); ++i) note_bounds(i);
    scan();
  }

  void note_bounds(Index position) {
    const std::size_t i = at(active_.id(position));
    constexpr float k_never = std::numeric_limits<float>::infinity();
    no_rise_[at(position)] = c_[i] < high_[i] ? 0.0F : -k_never;
    no_fall_[at(position)] = c_[i] > low_[i] ? 0.0F : k_never;
  }

  // The extremes of the gradient, after a move if there is one.
  template <bool moves>
  void advance(const float* a, const float* b, double step) {
    smo_loops::Advance<moves> task{.count = active_.count(),
                                   .gradient = gradient_.data(),
                                   .no_rise = no_rise_.data(),
                                   .no_fall = no_fall_.data(),
                                   .a = a,
                                   .b = b,
                                   .step = step};
    smo_loops::advance(task);
    top_ = task.top;
    highest_ = task.highest;
    lowest_ = task.lowest;
  }
  void scan() { advance<false>(nullptr, nullptr, 0); }

  // Rows at a bound whose gradient keeps them there for any pair.
  void shrink() {
    leave_out([&](Index position) {
      const bool rises = no_rise_[at(position)] == 0, falls = no_fall_[at(position)] == 0;
      if (rises && falls) return false;
      const double g = gradient_[at(position)];
      return (rises && g < lowest_) || (falls && g > highest_) || (!rises && !falls);
    });
  }

  // Sets aside the positions for which settled(position), if they are enough to be worth it.
  template <class Settled>
  void leave_out(const Settled& settled) {
    std::vector<Id> kept;
    for (Index p = 0; p < active_.count(); ++p) {
      if (!settled(p)) kept.push_back(static_cast<Id>(p));
    }
    if (static_cast<double>(kept.size()) > k_shrink_share * static_cast<double>(active_.count())) {
      return;
    }
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const std::size_t p = at(kept[k]);
      gradient_[k] = gradient_[p];
      no_rise_[k] = no_rise_[p];
      no_fall_[k] = no_fall_[p];
      diagonal_[k] = diagonal_[p];
      kept[k] = static_cast<Id>(active_.id(kept[k]));
    }
    active_.take(std::move(kept));
    scan();
  }

  void step() {
    const float* const risen = active_.first(top_);
    smo_loops::Partner search{.count = active_.count(),
                              .gradient = gradient_.data(),
                              .no_fall = no_fall_.data(),
                              .diagonal = diagonal_.data(),
                              .row = risen,
                              .top = highest_,
                              .own = diagonal_[at(top_)]};
    smo_loops::partner(search);
    MULBERRY_ASSERT(search.best >= 0);  // some gradient is lower: there is a violation
    const Index fallen = search.best;
    const double curvature = std::max(
        diagonal_[at(top_)] + diagonal_[at(fallen)] - 2 * static_cast<double>(risen[fallen]),
        smo_loops::k_least_curvature);
    const std::size_t i = at(active_.id(top_)), j = at(active_.id(fallen));
    const double rise = high_[i] - c_[i], fall = c_[j] - low_[j];
    const double size = std::min({(highest_ - gradient_[at(fallen)]) / curvature, rise, fall});
    c_[i] = size == rise ? high_[i] : c_[i] + size;
    c_[j] = size == fall ? low_[j] : c_[j] - size;
    note_bounds(top_);
    note_bounds(fallen);
    const float* const other = active_.second(fallen);
    advance<true>(risen, other, size);
    ++steps_;
  }

  // The mean gradient of the rows between their bounds or, if there are none, the middle of the
  // range that the optimum allows.
  double bias() const {
    double sum = 0;
    Index free = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] <= low_[i] || c_[i] >= high_[i]) continue;
      sum += gradient_[i];
      ++free;
    }
    if (free > 0) return sum / static_cast<double>(free);
    if (std::isinf(highest_) && std::isinf(lowest_)) return 0;
    if (std::isinf(highest_)) return lowest_;
    return std::isinf(lowest_) ? highest_ : (highest_ + lowest_) / 2;
  }

  SmoResult result() {
    SmoResult out;
    out.bias = bias();
    out.violation = std::max(0.0, highest_ - lowest_);
    out.converged = solved();
    out.steps = steps_;
    out.score.resize(c_.size());
    double quadratic = 0, linear = 0, loss = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      const auto y = static_cast<double>(problem_.y[i]);
      const double plain = y - gradient_[i];
      out.score[i] = plain + out.bias;
      quadratic += c_[i] * plain;
      linear += c_[i] * y;
      loss += problem_.cost[i] * std::max(0.0, 1 - y * out.score[i]);
    }
    out.objective = linear - quadratic / 2;
    out.primal = quadratic / 2 + loss;
    out.c = std::move(c_);
    return out;
  }

  const GramRows& gram_;
  const SmoProblem& problem_;
  const SmoOptions& options_;

  std::vector<double> c_, low_, high_;  // one per row

  ActiveRows active_;
  std::vector<double> gradient_, diagonal_;  // one per position
  std::vector<float> no_rise_, no_fall_;
  Index top_ = -1;
  double highest_ = -k_infinity, lowest_ = k_infinity;
  Index steps_ = 0;
};

}  // namespace

SmoResult solve_smo(const GramRows& gram, const SmoProblem& problem, const SmoOptions& options,
                    const Context& ctx) {
  return Smo(gram, problem, options).run(ctx);
}

}  // namespace mulberry::learners

#include "mulberry/learners/mlr/pair_machine.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mulberry/core/error.hpp"

namespace mulberry::learners {

namespace {

// Rows that are corrected one by one; the effect of earlier rows of a block on them is one product.
constexpr Index k_inner = 32;
constexpr std::size_t k_memory = 5;  // steps that an extrapolation looks at
constexpr double k_settled = 1e-4;   // of the first pass: a block that moves less has settled
constexpr double k_alike = 1e-12;    // keeps their Gram matrix invertible

// The labels of a row that take part, and their scores.
class RowPairs {
 public:
  void choose(const Labels& y, Index i) {
    const auto assigned = y.row(i), missing = y.missing_row(i);
    up_.assign(assigned.begin(), assigned.end());
    runs_.clear();
    unassigned_ = 0;
    Id next = 0;
    const auto cut = [&](Id end) {
      if (end > next) {
        const Run run = {at(next), at(end)};
        runs_.push_back(run);
        unassigned_ += run.end - run.begin;
      }
      next = end + 1;
    };
    auto a = assigned.begin();
    auto u = missing.begin();
    while (a != assigned.end() || u != missing.end()) {
      cut(u == missing.end() || (a != assigned.end() && *a < *u) ? *a++ : *u++);
    }
    cut(static_cast<Id>(y.count()));
  }
  bool empty() const { return up_.empty() || unassigned_ == 0; }
  std::size_t assigned() const { return up_.size(); }
  std::size_t unassigned() const { return unassigned_; }

  // Scores f - self * own, and f alone without `own`.
  PairProblem problem(std::span<const double> f, std::span<const double> own, double self,
                      double C) {
    up_scores_.resize(up_.size());
    for (std::size_t j = 0; j < up_.size(); ++j) {
      const auto l = at(up_[j]);
      up_scores_[j] = own.empty() ? f[l] : f[l] - self * own[l];
    }
    down_scores_.resize(unassigned_);
    double* to = down_scores_.data();
    for (const Run& run : runs_) {
      if (own.empty()) {
        to = std::copy(f.data() + run.begin, f.data() + run.end, to);
      } else {
        to = std::transform(f.data() + run.begin, f.data() + run.end, own.data() + run.begin, to,
                            [self](double score, double a) { return score - self * a; });
      }
    }
    return {.assigned = up_scores_, .unassigned = down_scores_, .C = C, .self = self};
  }

  // A row of A from the coefficients of a step.
  void scatter(const PairCoefficients& found, std::span<double> to) const {
    std::fill(to.begin(), to.end(), 0.0);
    for (std::size_t k = 0; k < up_.size(); ++k) {
      to[at(up_[k])] = found.assigned[k];
    }
    const double* from = found.unassigned.data();
    for (const Run& run : runs_) {
      const std::size_t size = run.end - run.begin;
      std::transform(from, from + size, to.data() + run.begin, std::negate<>());
      from += size;
    }
  }

 private:
  struct Run {
    std::size_t begin, end;
  };
  std::vector<Id> up_;
  std::vector<Run> runs_;  // of unassigned labels: long, because few are assigned
  std::size_t unassigned_ = 0;
  std::vector<double> up_scores_, down_scores_;
};

// The primal value, given F = K A, with cost(i) the C of row i.
template <class Cost>
double objective(MatrixView f, MatrixView a, const Labels& y, PairLoss loss, const Cost& cost) {
  RowPairs pairs;
  double sum = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    pairs.choose(y, i);
    if (pairs.empty()) continue;
    sum += cost(i) * pair_loss(loss, pairs.problem(f.row(i), {}, 0, cost(i)));
  }
  return 0.5 * blas::dot(a.values(), f.values()) + sum;
}

class Trainer {
 public:
  Trainer(PairScores& scores, const Labels& y, const PairSettings& settings, const Context& ctx)
      : scores_(scores), y_(y), settings_(settings), ctx_(ctx) {
    const Index block = std::min(settings.block, scores.rows());
    f_ = Matrix(block, y.count());
    da_ = Matrix(block, y.count());
    own_ = Matrix(block, block);
    MULBERRY_ASSERT(settings.weights.empty() || count_of(settings.weights) == scores.rows());
  }

  PairMachine run(const PairMachine* start) {
    begin(start);
    const Index blocks = (scores_.rows() + settings_.block - 1) / settings_.block;
    std::vector<Index> order(at(blocks));
    std::iota(order.begin(), order.end(), Index{0});
    const double total = static_cast<double>(settings_.sweeps * blocks);
    while (out_.sweeps < settings_.sweeps && !out_.converged) {
      if (settings_.shuffle) {
        Random rng = ctx_.rng("sweep", static_cast<std::uint64_t>(out_.sweeps));
        rng.shuffle(std::span(order));
      }
      moved_ = 0;
      for (std::size_t k = 0; k < order.size(); ++k) {
        const Index first = order[k] * settings_.block;
        visit(first, std::min(scores_.rows(), first + settings_.block));
        ctx_.step(
            static_cast<double>(out_.sweeps * blocks + static_cast<Index>(k) + 1) / total,
            out_.duals.empty() ? std::numeric_limits<double>::quiet_NaN() : out_.duals.back());
      }
      ++out_.sweeps;
      judge();
      if (settings_.exact && !out_.converged) extrapolate();
    }
    if (!settings_.exact && settings_.certify) certify();
    return std::move(out_);
  }

 private:
  double cost(Index i) const {
    return settings_.weights.empty() ? settings_.C : settings_.C * settings_.weights[at(i)];
  }

  void begin(const PairMachine* start) {
    const Index n = scores_.rows(), m = y_.count();
    out_.C = settings_.C;
    out_.a = start != nullptr ? start->a : Matrix(n, m);
    MULBERRY_ASSERT(out_.a.rows() == n && out_.a.cols() == m && y_.rows() == n);
    if (settings_.exact) {
      // With a larger C most coefficients stay; with a smaller one their bounds shrink.
      const bool warm = start != nullptr && !start->gamma.empty();
      if (warm) {
        out_.gamma = start->gamma;
        const double ratio = settings_.C / start->C, grown = std::max(1.0, ratio);
        for (auto& row : out_.gamma) {
          for (double& g : row) g /= grown;
        }
        double* const a = out_.a.data();
        for (Index k = 0; k < out_.a.size(); ++k) a[k] *= ratio / grown;
      } else {
        out_.a = Matrix(n, m);
        out_.gamma.resize(at(n));
      }
    }
    scores_.begin(out_.a, ctx_);
  }

  void visit(Index first, Index end) {
    const Index count = end - first;
    const blas::Block<double> f = blas::block(f_).row_range(0, count);
    const blas::Block<double> da = blas::block(da_).row_range(0, count);
    const blas::Block<double> own = blas::block(own_).row_range(0, count).col_range(0, count);
    scores_.block(first, out_.a, f, own, ctx_);
    if (settings_.exact && scores_.rows() >= 4 * settings_.block) {
      settle(first, f, own, da);
    } else {
      pass(first, f, own, da);
    }
    scores_.changed(first, out_.a, da, ctx_);
  }

  // Several passes over the rows of a block: they cost little next to its scores, as long as the
  // block is small against all rows.
  void settle(Index first, blas::Block<double> f, blas::Block<const double> own,
              blas::Block<double> da) {
    const std::size_t size = at(f.rows * f.cols);
    begin_f_.assign(f.data, f.data + size);
    total_.assign(size, 0.0);
    const double whole = moved_;
    double first_move = 0;
    for (Index k = 0; k < settings_.passes; ++k) {
      const double before = moved_;
      pass(first, f, own, da);
      for (std::size_t j = 0; j < size; ++j) total_[j] += da.data[j];
      const double move = moved_ - before;
      if (k == 0) first_move = move;
      if (k + 1 == settings_.passes || move <= k_settled * first_move) break;
      std::copy(begin_f_.begin(), begin_f_.end(), f.data);
      std::copy(total_.begin(), total_.end(), da.data);
      blas::gemm(1.0, own, blas::Op::plain, blas::Block<const double>(da), blas::Op::plain, 1.0, f);
    }
    std::copy(total_.begin(), total_.end(), da.data);
    moved_ = whole + blas::dot(std::span<const double>(total_), std::span<const double>(total_));
  }

  // One step of every row of a block; `da` is what it changes.
  void pass(Index first, blas::Block<double> f, blas::Block<const double> own,
            blas::Block<double> da) {
    const Index count = f.rows, m = y_.count();
    double* const a = out_.a.data();
    const blas::Block<const double> changes = da;
    for (Index inner = 0; inner < count; inner += k_inner) {
      const Index stop = std::min(count, inner + k_inner);
      blas::gemm(1.0, own.row_range(inner, stop).col_range(0, inner), blas::Op::plain,
                 changes.row_range(0, inner), blas::Op::plain, 1.0, f.row_range(inner, stop));
      for (Index i = inner; i < stop; ++i) {
        const auto width = at(m);
        const std::span<double> row(a + (first + i) * m, width), change(da.data + i * m, width);
        const std::span<double> scores(f.data + i * m, width);
        const double* const self = own.data + i * own.stride + i;
        blas::gemv(1.0, changes.row_range(inner, i), blas::Op::transposed,
                   {self - (i - inner), self}, 1.0, scores);
        update(first + i, scores, *self, row, change);
      }
    }
  }

  void update(Index i, std::span<const double> f, double self, std::span<double> row,
              std::span<double> change) {
    pairs_.choose(y_, i);
    if (pairs_.empty()) {
      std::fill(change.begin(), change.end(), 0.0);
      return;
    }
    const PairProblem problem = pairs_.problem(f, row, self, cost(i));
    if (settings_.exact) {
      auto& gamma = out_.gamma[at(i)];
      gamma.resize(problem.assigned.size() * problem.unassigned.size());
      exact_step(settings_.loss, problem, settings_.steps, gamma, found_);
    } else if (settings_.loss == PairLoss::group) {
      approximate_group_step(problem, settings_.eta, found_);
    } else {
      relaxed_sum_step(problem, found_);
    }
    pairs_.scatter(found_, change);
    for (std::size_t l = 0; l < row.size(); ++l) {
      const double next = change[l];
      change[l] -= row[l];
      row[l] = next;
    }
    moved_ += blas::dot(change, change);
  }

  void judge() {
    const double squares = blas::dot(out_.a.values(), out_.a.values());
    out_.change = squares > 0 ? std::sqrt(moved_ / squares) : 0;
    if (!settings_.exact) {
      out_.converged = out_.change <= settings_.tolerance;
      return;
    }
    // Values cost as much as a sweep: only where they are needed.
    const bool last = out_.sweeps >= settings_.sweeps;
    if (history_.size() < k_memory && out_.sweeps > 1 && !last) return;
    certify();
    out_.converged = out_.primal - out_.duals.back() <= settings_.tolerance * out_.primal;
  }

  // The value of A, and a bound from below on all values.
  void certify() {
    const Matrix f = scores_.all(out_.a, ctx_);
    out_.primal = objective(f, out_.a, y_, settings_.loss, [&](Index i) { return cost(i); });
    if (settings_.exact) {
      out_.duals.push_back(dual_value(f));
    } else if (settings_.loss == PairLoss::group) {
      out_.duals.push_back(best_dual_value(f));
    }
  }

  // The dual value is L - Q / 2, with L = C sum_i sum gamma^i and Q = sum_k A_k' K A_k.
  double dual_value(MatrixView f) const {
    return sum_of_gamma() - 0.5 * blas::dot(out_.a.values(), f.values());
  }

  // The largest dual value of t gamma for t from 0 to 1, all of which are feasible: t L - t^2 Q / 2
  // has its maximum at t = L / Q. It is positive unless all coefficients are 0.
  double best_dual_value(MatrixView f) const {
    const double sum = sum_of_gamma(), square = blas::dot(out_.a.values(), f.values());
    return sum < square ? sum * sum / (2 * square) : sum - 0.5 * square;
  }

  double sum_of_gamma() const {  // times C, which is half of sum |A|
    double sum = 0;
    for (const double v : out_.a.values()) sum += 0.5 * std::abs(v);
    return sum;
  }

  // Anderson's extrapolation: every few sweeps, the combination of the last iterates whose steps
  // cancel best is tried, and kept if its dual value is higher.
  void extrapolate() {
    history_.push_back({out_.a, out_.gamma});
    if (history_.size() <= k_memory) return;
    const std::vector<double> weights = cancelling_weights();
    if (!weights.empty()) {
      combine(weights);
      const double dual = dual_value(scores_.all(out_.a, ctx_));
      if (dual > out_.duals.back()) {
        out_.duals.back() = dual;
      } else {
        out_.a = std::move(history_.back().a);
        out_.gamma = std::move(history_.back().gamma);
      }
      scores_.begin(out_.a, ctx_);
    }
    history_.clear();
  }

  // The weights c, with sum 1, that minimise |sum_k c_k (A_{k+1} - A_k)|; empty if the steps are
  // too similar.
  std::vector<double> cancelling_weights() const {
    const std::size_t count = history_.size() - 1;
    const auto size = static_cast<Index>(count);
    Matrix steps(size, history_.front().a.size());
    for (std::size_t k = 0; k < count; ++k) {
      const auto &from = history_[k].a.values(), &to = history_[k + 1].a.values();
      std::transform(to.begin(), to.end(), from.begin(), steps.row(static_cast<Index>(k)).begin(),
                     std::minus<>());
    }
    Matrix gram(size, size);
    blas::syrk(1.0, blas::block(steps), blas::Op::plain, 0.0, blas::block(gram));
    double trace = 0;
    for (Index k = 0; k < size; ++k) trace += gram(k, k);
    for (Index k = 0; k < size; ++k) gram(k, k) += k_alike * trace;
    if (!blas::cholesky(blas::block(gram))) return {};
    std::vector<double> out(count, 1.0);
    blas::cholesky_solve(blas::block(gram), std::span<double>(out));
    const double sum = std::accumulate(out.begin(), out.end(), 0.0);
    for (double& v : out) v /= sum;
    return out;
  }

  // A and gamma of the weighted last iterates.
  void combine(const std::vector<double>& weights) {
    for (Index i = 0; i < y_.rows(); ++i) {
      pairs_.choose(y_, i);
      if (pairs_.empty()) continue;
      const auto row = at(i);
      std::vector<double>& gamma = out_.gamma[row];
      std::fill(gamma.begin(), gamma.end(), 0.0);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        blas::axpy(weights[k], history_[k + 1].gamma[row], gamma);
      }
      project_pairs(settings_.loss, pairs_.assigned(), pairs_.unassigned(), gamma);
      add_up_pairs(pairs_.assigned(), pairs_.unassigned(), gamma, cost(i), found_);
      pairs_.scatter(found_, out_.a.row(i));
    }
  }

  struct Iterate {
    Matrix a;
    std::vector<std::vector<double>> gamma;
  };

  PairScores& scores_;
  const Labels& y_;
  const PairSettings& settings_;
  const Context& ctx_;
  PairMachine out_;
  RowPairs pairs_;
  PairCoefficients found_;
  Matrix f_, da_, own_;
  std::vector<double> begin_f_, total_;  // of a block that is passed over several times
  double moved_ = 0;                     // squared change of A over this sweep
  std::vector<Iterate> history_;         // since the last extrapolation
};

}  // namespace

double PairMachine::gap() const {
  if (duals.empty()) return std::numeric_limits<double>::quiet_NaN();
  return primal > 0 ? (primal - duals.back()) / primal : 0;
}

std::size_t exact_bytes(const Labels& y) {
  std::size_t out = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    const std::size_t a = y.row(i).size(), missing = y.missing_row(i).size();
    out += a * (at(y.count()) - a - missing) * sizeof(double);
  }
  return (k_memory + 2) * out;
}

PairMachine train_pairs(PairScores& scores, const Labels& y, const PairSettings& settings,
                        const Context& ctx, const PairMachine* start) {
  return Trainer(scores, y, settings, ctx).run(start);
}

}  // namespace mulberry::learners

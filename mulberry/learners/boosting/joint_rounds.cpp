#include "mulberry/learners/boosting/joint_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mulberry/core/parallel.hpp"

namespace mulberry::learners {
namespace {

constexpr Index k_least_rows = 8;    // a column with fewer is as quickly summed as kept
constexpr Index k_most_rounds = 64;  // before a new start
constexpr double k_most_moved =
    25;                           // e to this, times the unit of rounding, is what sums may err by
constexpr double k_slack = 1e-8;  // relative, for the values of kept columns
constexpr Index k_grain = 64;     // numbers of a vector per task

bool has_kept_sums(const StumpColumn& column) {
  return column.groups() == 2 && column.zero_group >= 0 && column.missing.empty() &&
         count_of(column.rows) >= k_least_rows;
}

// The listed rows on either side of a cut. The rows that are 0 are on the side that is not `few`,
// or, if there are none, the larger one is not.
struct Sides {
  std::span<const Id> side[2];  // left, right
  std::size_t few;
};

Sides sides_of(const StumpColumn& column, double cut) {
  const auto after = std::lower_bound(column.cuts.begin(), column.cuts.end(), cut);
  const auto end = at(column.group_end[at(after - column.cuts.begin())]);
  const std::span<const Id> rows(column.rows);
  Sides out{{rows.first(end), rows.subspan(end)}, 0};
  const bool right = column.zero_group >= 0 ? 0.0 <= cut : 2 * end >= rows.size();
  out.few = right ? 1 : 0;
  return out;
}

// total + low += v, with nothing lost.
void add_exactly(double v, double& total, double& low) {
  const double sum = total + v, part = sum - total;
  low += (total - (sum - part)) + (v - part);
  total = sum;
}

}  // namespace

double JointRounds::bytes(const Extent& e) {
  const double kept = std::min(e.columns, e.stored / static_cast<double>(k_least_rows));
  return 16 * kept * std::ceil(e.labels / 4) * 4 + 4 * e.stored + 8 * e.rows;
}

JointRounds::JointRounds(const StumpColumns& columns, const Compact& data, MatrixView scores,
                         const Context& ctx)
    : columns_(columns), labels_(data.y().count()) {
  StartWeights start(data, scores);
  vectors_ = std::move(start.vectors);
  smoothing_ = start.smoothing;
  row_start_.resize(at(columns.rows()) + 1, 0);
  for (const Id j : columns.distinct()) {
    (has_kept_sums(columns[j]) ? kept_ : others_).push_back(j);
    if (!has_kept_sums(columns[j])) continue;
    for (const Id i : columns[j].rows) ++row_start_[at(i) + 1];
  }
  std::partial_sum(row_start_.begin(), row_start_.end(), row_start_.begin());
  row_kept_.resize(at(row_start_.back()));
  std::vector<Index> next(row_start_.begin(), row_start_.end() - 1);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    for (const Id i : columns[kept_[k]].rows) row_kept_[at(next[at(i)]++)] = static_cast<Id>(k);
  }
  scale_.resize(at(vectors_.cols()), 1.0);
  sums_ = Matrix(count_of(kept_), vectors_.cols());
  start_again(ctx);
}

void JointRounds::start_again(const Context& ctx) {
  const Index n = vectors_.rows(), width = vectors_.cols();
  double* const values = vectors_.data();
  parallel_chunks(ctx, n, 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index k = 0; k < width; ++k) values[i * width + k] *= scale_[at(k)];
    }
  });
  std::fill(scale_.begin(), scale_.end(), 1.0);
  unit_ = 1;
  all_.assign(at(width), 0.0);
  all_low_.assign(at(width), 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < width; ++k)
      add_exactly(values[i * width + k], all_[at(k)], all_low_[at(k)]);
  }
  double* const sums = sums_.data();
  parallel_for(ctx, count_of(kept_), [&](Index c) {
    const Sums found = sum_of(columns_[kept_[at(c)]].rows);
    std::copy(found.begin(), found.end(), sums + c * width);
  });
  rounds_ = 0;
  moved_ = 0;
}

Sums JointRounds::sum_of(std::span<const Id> rows) const {
  Sums out(at(vectors_.cols()), 0.0);
  for (const Id i : rows) {
    const auto v = vectors_.row(i);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += v[k];
  }
  return out;
}

Sums JointRounds::scaled(Sums sums) const {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = std::max(sums[k], 0.0) * scale_[k];
  return sums;
}

std::vector<Id> JointRounds::candidates(const Context& ctx) const {
  std::vector<double> values(kept_.size());
  parallel_chunks(ctx, count_of(kept_), 16, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      values[at(c)] = joint_value(JointCriterion::half_z, sums_.row(c), all_);
  });
  std::vector<Id> out = others_;
  if (values.empty()) return out;
  const double near = *std::min_element(values.begin(), values.end()) * (1 + k_slack);
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c] <= near) out.push_back(kept_[c]);
  }
  std::inplace_merge(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(others_.size()),
                     out.end());
  return out;
}

JointSplit JointRounds::best_split(const Context& ctx) const {
  JointSplit out =
      best_cut_among(columns_, candidates(ctx), vectors_, all_, JointCriterion::half_z, {}, ctx);
  const Sums all = scaled(all_);
  out.left = out.right = out.missing = all;
  if (out.column < 0) {
    out.value = unit_ * joint_value(JointCriterion::half_z, all_, all_);
    return out;
  }
  out.value *= unit_;
  const StumpColumn& column = columns_[out.column];
  const Sums missing = sum_of(column.missing);
  if (!column.missing.empty()) out.missing = scaled(missing);
  // The side of few rows is summed; the other is the rest.
  const Sides sides = sides_of(column, out.cut);
  const Sums side = sum_of(sides.side[sides.few]);
  Sums rest = all_;
  for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= side[k] + missing[k];
  (sides.few == 0 ? out.left : out.right) = scaled(side);
  (sides.few == 0 ? out.right : out.left) = scaled(std::move(rest));
  return out;
}

// Every number of the vectors apart from the others, so threads share them out.
void JointRounds::change_rows(std::span<const Id> rows, const Sums& factor, const Context& ctx) {
  const Index width = vectors_.cols();
  double *const values = vectors_.data(), *const sums = sums_.data();
  parallel_chunks(ctx, width, k_grain, [&](Index begin, Index end) {
    double changes[k_grain];
    for (const Id i : rows) {
      double* const v = values + i * width;
      for (Index k = begin; k < end; ++k) {
        const double before = v[k];
        v[k] *= factor[at(k)];
        changes[k - begin] = v[k] - before;
        add_exactly(changes[k - begin], all_[at(k)], all_low_[at(k)]);
      }
      for (Index at_row = row_start_[at(i)]; at_row < row_start_[at(i) + 1]; ++at_row) {
        double* const sum = sums + row_kept_[at(at_row)] * width;
        for (Index k = begin; k < end; ++k) sum[k] += changes[k - begin];
      }
    }
  });
}

double JointRounds::update(const JointSplit& split, std::span<const Sums> answers,
                           const Context& ctx) {
  std::vector<Sums> factors;
  for (const Sums& c : answers) factors.push_back(factors_of(c));
  std::size_t usual = 0;  // the branch that is not touched
  if (split.column >= 0) {
    const StumpColumn& column = columns_[split.column];
    const Sides sides = sides_of(column, split.cut);
    usual = 1 - sides.few;
    double moved = 0;
    for (const std::size_t b : {sides.few, std::size_t{2}}) {
      const std::span<const Id> rows = b == 2 ? column.missing : sides.side[b];
      if (rows.empty()) continue;
      Sums factor = factors[b];
      for (std::size_t k = 0; k < factor.size(); ++k) factor[k] /= factors[usual][k];
      for (std::size_t l = 0; l < answers[b].size(); ++l)
        moved = std::max(moved, std::abs(answers[b][l] - answers[usual][l]));
      change_rows(rows, factor, ctx);
    }
    moved_ += moved;
  }
  double total = 0;
  for (std::size_t k = 0; k < scale_.size(); ++k) {
    scale_[k] *= factors[usual][k];
    const double lacking = std::exchange(all_low_[k], 0.0);
    add_exactly(lacking, all_[k], all_low_[k]);
    total += std::max(all_[k], 0.0) * scale_[k];
  }
  if (!(total > 0)) return 0;
  for (double& s : scale_) s /= total;
  unit_ /= total;
  // Where every column is searched in full, new sums cost little, and cuts of the same merit are not
  // told apart by the rounding of old ones.
  if (++rounds_ >= k_most_rounds || moved_ > k_most_moved || kept_.empty()) start_again(ctx);
  return total;
}

}  // namespace mulberry::learners

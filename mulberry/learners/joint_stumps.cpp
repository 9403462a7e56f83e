#include "mulberry/learners/joint_stumps.hpp"

#include <algorithm>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/vectors.hpp"

namespace mulberry {
namespace {

constexpr double k_rounding = 1e-12;  // criteria that differ by less are equal

// The two criteria of a side and of what is left of `all` without it. Four labels at a time.
struct HalfZ {
  static constexpr Index parts = 2;  // yes and no
  MULBERRY_INLINE static void value(const double* side, const double* all, Index labels,
                                    double& out) {
    Vector4 sum = {};
    const Vector4 zero = {};
    for (Index k = 0; k < labels; k += 4) {
      const Vector4 yes = *reinterpret_cast<const Vector4*>(side + k);
      const Vector4 no = *reinterpret_cast<const Vector4*>(side + labels + k);
      const Vector4 rest_yes = *reinterpret_cast<const Vector4*>(all + k) - yes;
      const Vector4 rest_no = *reinterpret_cast<const Vector4*>(all + labels + k) - no;
      Vector4 here = yes * no, there = rest_yes * rest_no;
      here = here > zero ? here : zero;
      there = there > zero ? there : zero;
      take_square_roots(here);
      take_square_roots(there);
      sum += here + there;
    }
    out = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

struct MinusR {
  static constexpr Index parts = 1;
  MULBERRY_INLINE static void value(const double* side, const double* all, Index labels,
                                    double& out) {
    Vector4 sum = {};
    for (Index k = 0; k < labels; k += 4) {
      const Vector4 here = *reinterpret_cast<const Vector4*>(side + k);
      const Vector4 there = *reinterpret_cast<const Vector4*>(all + k) - here;
      sum += (here < 0 ? -here : here) + (there < 0 ? -there : there);
    }
    out = -0.5 * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
};

struct Task {
  const StumpColumn& column;
  const Matrix& vectors;
  std::span<const char> inside;
  const double* all;  // sums of the rows inside
  double* scratch;    // three rows
  double value = std::numeric_limits<double>::infinity();
  Id group = -1;  // the cut after it
};

// Adds a row unless it is outside; says whether it did.
MULBERRY_INLINE void add_row(double* sums, const Task& task, Id row, bool& added) {
  if (!task.inside.empty() && task.inside[static_cast<std::size_t>(row)] == 0) return;
  added = true;
  const Index width = task.vectors.cols();
  const double* const v = task.vectors.data() + row * width;
  for (Index k = 0; k < width; k += 4)
    *reinterpret_cast<Vector4*>(sums + k) += *reinterpret_cast<const Vector4*>(v + k);
}

// From the lowest value up to the zeros, then from the highest down to them.
template <class Criterion>
MULBERRY_INLINE void search_column(Task& task) {
  const StumpColumn& column = task.column;
  const Index width = task.vectors.cols(), labels = width / Criterion::parts;
  double *const low = task.scratch, *const high = low + width, *const known = high + width;
  std::fill(low, known, 0.0);
  bool added = false;
  for (const Id i : column.missing) add_row(low, task, i, added);
  for (Index k = 0; k < width; ++k) known[k] = task.all[k] - low[k];
  double fixed = 0, here = 0;
  if (added) Criterion::value(low, low, labels, fixed);
  std::fill(low, high, 0.0);
  const Id groups = column.groups();
  const Id middle = column.zero_group >= 0 ? column.zero_group : groups - 1;
  const Id* const ends = column.group_end.data();
  const Id* const rows = column.rows.data();
  Id k = 0;
  for (Id g = 0; g < middle; ++g) {
    added = false;
    for (; k < ends[g]; ++k) add_row(low, task, rows[k], added);
    if (!added) continue;
    Criterion::value(low, known, labels, here);
    if (!(fixed + here < task.value - k_rounding)) continue;
    task.value = fixed + here;
    task.group = g;
  }
  double best = std::numeric_limits<double>::infinity();
  Id best_group = -1;
  k = ends[groups - 1];
  for (Id g = groups - 1; g > middle; --g) {
    added = false;
    for (; k > ends[g - 1]; --k) add_row(high, task, rows[k - 1], added);
    if (!added) continue;
    Criterion::value(high, known, labels, here);
    if (!(fixed + here <= best + k_rounding)) continue;  // equals: this cut is lower
    best = std::min(best, fixed + here);
    best_group = g - 1;
  }
  if (best < task.value - k_rounding) {
    task.value = best;
    task.group = best_group;
  }
}

MULBERRY_INLINE void half_z_body(Task& task) { search_column<HalfZ>(task); }
MULBERRY_INLINE void minus_r_body(Task& task) { search_column<MinusR>(task); }
MULBERRY_DISPATCH(search_half_z, half_z_body)
MULBERRY_DISPATCH(search_minus_r, minus_r_body)

struct Found {
  Id column = -1, group = -1;
  double value = std::numeric_limits<double>::infinity();
};

bool is_inside(std::span<const char> inside, Index row) {
  return inside.empty() || inside[static_cast<std::size_t>(row)] != 0;
}

// The sums of the rows that take each branch of a question.
void sum_branches(const StumpColumns& columns, const Matrix& vectors, std::span<const char> inside,
                  const Sums& all, JointSplit& split) {
  const std::vector<char> branch = training_branches(columns, split);
  split.left = split.right = split.missing = Sums(all.size(), 0.0);
  Sums* const sums[] = {&split.left, &split.right, &split.missing};
  bool taken[3] = {};
  for (Index i = 0; i < vectors.rows(); ++i) {
    if (!is_inside(inside, i)) continue;
    const auto b = static_cast<std::size_t>(branch[static_cast<std::size_t>(i)]);
    taken[b] = true;
    const auto v = vectors.row(i);
    for (std::size_t k = 0; k < v.size(); ++k) (*sums[b])[k] += v[k];
  }
  for (std::size_t b = 0; b < 3; ++b) {
    if (!taken[b]) *sums[b] = all;
  }
}

}  // namespace

JointSplit best_joint_split(const StumpColumns& columns, const Matrix& vectors,
                            JointCriterion criterion, std::span<const char> inside,
                            const Context& ctx) {
  const Index width = vectors.cols();
  Sums all(static_cast<std::size_t>(width), 0.0);
  for (Index i = 0; i < vectors.rows(); ++i) {
    if (!is_inside(inside, i)) continue;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += vectors.row(i)[k];
  }
  const auto better = [](Found& best, const Found& other) {
    if (other.value < best.value - k_rounding) best = other;
  };
  const Found best = parallel_reduce(
      ctx, columns.size(), 8, Found{},
      [&](Index begin, Index end) {
        Sums scratch(static_cast<std::size_t>(3 * width));
        Found found;
        for (Index j = begin; j < end; ++j) {
          if (columns[j].groups() < 2) continue;
          Task task{columns[j], vectors, inside, all.data(), scratch.data()};
          criterion == JointCriterion::half_z ? search_half_z(task) : search_minus_r(task);
          if (task.group >= 0) better(found, {static_cast<Id>(j), task.group, task.value});
        }
        return found;
      },
      better);
  JointSplit out;
  out.column = best.column;
  if (best.column < 0) {
    out.left = out.right = out.missing = all;
    const Index labels = criterion == JointCriterion::half_z ? width / 2 : width;
    criterion == JointCriterion::half_z ? HalfZ::value(all.data(), all.data(), labels, out.value)
                                        : MinusR::value(all.data(), all.data(), labels, out.value);
    return out;
  }
  out.value = best.value;
  out.cut = columns[best.column].cuts[static_cast<std::size_t>(best.group)];
  sum_branches(columns, vectors, inside, all, out);
  return out;
}

std::vector<char> training_branches(const StumpColumns& columns, const JointSplit& split) {
  std::vector<char> out(static_cast<std::size_t>(columns.rows()), 0);
  if (split.column < 0) return out;
  const StumpColumn& column = columns[split.column];
  std::fill(out.begin(), out.end(), 0.0 <= split.cut ? char{0} : char{1});
  for (const Id i : column.missing) out[static_cast<std::size_t>(i)] = 2;
  const auto after = std::lower_bound(column.cuts.begin(), column.cuts.end(), split.cut);
  const Id end = column.group_end[static_cast<std::size_t>(after - column.cuts.begin())];
  for (std::size_t k = 0; k < column.rows.size(); ++k)
    out[static_cast<std::size_t>(column.rows[k])] = static_cast<Id>(k) < end ? 0 : 1;
  return out;
}

void JointStumps::add(const JointSplit& question, const Sums& left, const Sums& right,
                      const Sums& missing, Id parent, Index side) {
  if (parent >= 0) {  // rules before the first with a parent have none
    parent_.resize(column_.size(), -1);
    side_.resize(column_.size(), 0);
  }
  if (parent >= 0 || !parent_.empty()) {
    parent_.push_back(parent);
    side_.push_back(static_cast<Id>(side));
  }
  column_.push_back(question.column);
  cut_.push_back(question.cut);
  for (const Sums* branch : {&left, &right, &missing})
    answers_.insert(answers_.end(), branch->begin(), branch->end());
}

Index JointStumps::branch_of(Index rule, double value) const {
  const auto k = static_cast<std::size_t>(rule);
  return column_[k] < 0 || value <= cut_[k] ? 0 : value > cut_[k] ? 1 : 2;
}

Matrix JointStumps::scores(const Features& x, const Context& ctx) const {
  Matrix out(x.rows(), labels_);
  double* const all = out.data();
  parallel_chunks(ctx, x.rows(), 64, [&](Index first, Index last) {
    std::vector<double> values(static_cast<std::size_t>(x.cols()), 0.0);
    std::vector<Index> taken(column_.size());  // -1: the rule does not apply
    for (Index i = first; i < last; ++i) {
      const double* row = values.data();
      if (x.is_sparse()) {
        const SparseRow stored = x.sparse().row(i);
        for (std::size_t k = 0; k < stored.index.size(); ++k)
          values[static_cast<std::size_t>(stored.index[k])] = stored.value[k];
      } else {
        row = x.dense().data() + i * x.cols();
      }
      for (Index t = 0; t < count(); ++t) {
        const auto k = static_cast<std::size_t>(t);
        const Id above = parent(t);
        taken[k] = -1;
        if (above >= 0 && taken[static_cast<std::size_t>(above)] != side(t)) continue;
        taken[k] = branch_of(t, column_[k] < 0 ? 0.0 : row[column_[k]]);
        const double* const answer = answers_.data() + (3 * t + taken[k]) * labels_;
        for (Index l = 0; l < labels_; ++l) all[i * labels_ + l] += answer[l];
      }
      if (x.is_sparse()) {
        for (const Id j : x.sparse().row(i).index) values[static_cast<std::size_t>(j)] = 0;
      }
    }
  });
  return out;
}

void JointStumps::require_sound(const ArchiveReader& in) const {
  in.require(columns_ >= 0 && labels_ >= 0 && labels_ < (Index{1} << 31), "labels", "is no count");
  in.require(cut_.size() == column_.size() &&
                 answers_.size() == 3 * column_.size() * static_cast<std::size_t>(labels_),
             "answers", "does not fit the other parts");
  in.require(
      std::all_of(column_.begin(), column_.end(), [&](Id j) { return j >= -1 && j < columns_; }),
      "column", "is no column of the features");
  in.require(
      (parent_.empty() || parent_.size() == column_.size()) && side_.size() == parent_.size(),
      "parent", "does not fit the other parts");
  for (std::size_t k = 0; k < parent_.size(); ++k) {
    in.require(parent_[k] >= -1 && parent_[k] < static_cast<Id>(k), "parent", "is no earlier rule");
    in.require(side_[k] == 0 || side_[k] == 1, "side", "is no branch");
  }
}

}  // namespace mulberry

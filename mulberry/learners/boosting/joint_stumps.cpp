#include "mulberry/learners/boosting/joint_stumps.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/parallel.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::learners {
namespace {

// Criteria that differ by less are equal. The roots of half_z make more of rounding: a share of the
// criterion without a cut, or of the bound, to which others have been added.
constexpr double k_root_rounding = 1e-10;
constexpr double k_rounding = 1e-12;
// A product of yes and no that is this share of what it is without a cut comes from differences that
// should be 0, whose roots would not look like rounding any more.
constexpr double k_nothing = 1e-14;

// The criteria of one side and of the rest of `all`, four labels at a time. Before the value is
// computed, `hopeless` tells whether it is certainly above `reached`.
struct HalfZ {
  static constexpr Index parts = 2;  // yes and no
  // yes times no, on either side.
  MULBERRY_INLINE static void products(const double* side, const double* all, Index labels, Index k,
                                       Vector4& here, Vector4& there) {
    const Vector4 yes = *reinterpret_cast<const Vector4*>(side + k);
    const Vector4 no = *reinterpret_cast<const Vector4*>(side + labels + k);
    const Vector4 all_yes = *reinterpret_cast<const Vector4*>(all + k);
    const Vector4 all_no = *reinterpret_cast<const Vector4*>(all + labels + k);
    const Vector4 zero = {}, nothing = k_nothing * all_yes * all_no;
    here = yes * no;
    there = (all_yes - yes) * (all_no - no);
    here = here > nothing ? here : zero;
    there = there > nothing ? there : zero;
  }
  MULBERRY_INLINE static void value(const double* side, const double* all, Index labels,
                                    double& out) {
    Vector4 sum = {}, here = {}, there = {};
    for (Index k = 0; k < labels; k += 4) {
      products(side, all, labels, k, here, there);
      take_square_roots(here);
      take_square_roots(there);
      sum += here + there;
    }
    out = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  // In single precision, where roots are cheap, minus the possible rounding error.
  MULBERRY_INLINE static void hopeless(const double* side, const double* all, Index labels,
                                       double reached, bool& out) {
    Float4 sum = {};
    Vector4 here = {}, there = {};
    for (Index k = 0; k < labels; k += 4) {
      products(side, all, labels, k, here, there);
      Float4 low = __builtin_convertvector(here, Float4);
      Float4 high = __builtin_convertvector(there, Float4);
      take_square_roots(low);
      take_square_roots(high);
      sum += low + high;
    }
    const double about = static_cast<double>((sum[0] + sum[1]) + (sum[2] + sum[3]));
    out = about * (1 - 1e-6 - 1e-7 * static_cast<double>(labels)) > reached;
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
  // The value is cheap anyway.
  MULBERRY_INLINE static void hopeless(const double*, const double*, Index, double, bool& out) {
    out = false;
  }
};

// The rows of a column that take part, in groups.
struct Part {
  std::span<const Id> rows, missing;
  const Id* group_end;
};

// Buffers for the rows of a column that are inside.
class Inside {
 public:
  Inside(std::span<const char> flags, Index rows)
      : flags_(flags), rows_(flags.empty() ? 0 : at(rows) + 1) {}

  Part part_of(const StumpColumn& column) {
    if (flags_.empty()) return {column.rows, column.missing, column.group_end.data()};
    ends_.clear();
    Id count = 0;
    std::size_t k = 0;
    for (const Id end : column.group_end) {
      for (; k < at(end); ++k) keep(column.rows[k], count);
      ends_.push_back(count);
    }
    const auto listed = at(count);
    for (const Id i : column.missing) keep(i, count);
    const std::span<const Id> all(rows_.data(), at(count));
    return {all.first(listed), all.subspan(listed), ends_.data()};
  }

 private:
  void keep(Id row, Id& count) {  // no branch on the flag: it is unpredictable
    rows_[at(count)] = row;
    count += flags_[at(row)];
  }
  std::span<const char> flags_;
  std::vector<Id> rows_, ends_;
};

struct Task {
  const StumpColumn& column;
  Part part;
  MatrixView vectors;
  const double* all;  // sums of the rows inside
  double* scratch;    // three rows
  double value;       // the bound to beat, then the best value so far
  double rounding;    // values that differ by less are equal
  Id group = -1;      // the cut after it
};

MULBERRY_INLINE void add_row(double* sums, const Task& task, Id row) {
  const Index width = task.vectors.cols();
  const double* const v = task.vectors.data() + row * width;
  for (Index k = 0; k < width; k += 4)
    *reinterpret_cast<Vector4*>(sums + k) += *reinterpret_cast<const Vector4*>(v + k);
}

// From the lowest value up to the zeros, then from the highest down to them. A cut that moves no
// row equals the cut before it.
template <class Criterion>
MULBERRY_INLINE void search_column(Task& task) {
  const Index width = task.vectors.cols(), labels = width / Criterion::parts;
  double *const low = task.scratch, *const high = low + width, *const known = high + width;
  std::fill(low, known, 0.0);
  for (const Id i : task.part.missing) add_row(low, task, i);
  for (Index k = 0; k < width; ++k) known[k] = task.all[k] - low[k];
  double fixed = 0, here = 0;
  if (!task.part.missing.empty()) Criterion::value(low, low, labels, fixed);
  std::fill(low, high, 0.0);
  const Id groups = task.column.groups();
  const Id middle = task.column.zero_group >= 0 ? task.column.zero_group : groups - 1;
  const Id* const ends = task.part.group_end;
  const Id* const rows = task.part.rows.data();
  bool hopeless = false;
  Id k = 0;
  for (Id g = 0; g < middle; ++g) {
    if (k == ends[g]) continue;
    for (; k < ends[g]; ++k) add_row(low, task, rows[k]);
    Criterion::hopeless(low, known, labels, task.value - fixed, hopeless);
    if (hopeless) continue;
    Criterion::value(low, known, labels, here);
    if (!(fixed + here < task.value - task.rounding)) continue;
    task.value = fixed + here;
    task.group = g;
  }
  double best = std::numeric_limits<double>::infinity();
  Id best_group = -1;
  k = ends[groups - 1];
  for (Id g = groups - 1; g > middle; --g) {
    if (k == ends[g - 1]) continue;
    for (; k > ends[g - 1]; --k) add_row(high, task, rows[k - 1]);
    Criterion::hopeless(high, known, labels, std::min(best, task.value) - fixed, hopeless);
    if (hopeless) continue;
    Criterion::value(high, known, labels, here);
    if (!(fixed + here <= best + task.rounding)) continue;  // equal value: this cut is lower
    best = std::min(best, fixed + here);
    best_group = g - 1;
  }
  if (best < task.value - task.rounding) {
    task.value = best;
    task.group = best_group;
  }
}

MULBERRY_INLINE void half_z_body(Task& task) { search_column<HalfZ>(task); }
MULBERRY_INLINE void minus_r_body(Task& task) { search_column<MinusR>(task); }
MULBERRY_DISPATCH(search_half_z, half_z_body)
MULBERRY_DISPATCH(search_minus_r, minus_r_body)

struct Half {
  const double *side, *all;
  Index width;
  double value;
};

MULBERRY_INLINE void half_z_value(Half& half) {
  HalfZ::value(half.side, half.all, half.width / HalfZ::parts, half.value);
}
MULBERRY_INLINE void minus_r_value(Half& half) {
  MinusR::value(half.side, half.all, half.width, half.value);
}
MULBERRY_DISPATCH(value_of_half_z, half_z_value)
MULBERRY_DISPATCH(value_of_minus_r, minus_r_value)

struct Found {
  Id column = -1, group = -1;
  double value = std::numeric_limits<double>::infinity();
};

bool is_inside(std::span<const char> inside, Index row) {
  return inside.empty() || inside[at(row)] != 0;
}

// The sums of the rows that take each branch of a question.
void sum_branches(const StumpColumns& columns, MatrixView vectors, std::span<const char> inside,
                  const Sums& all, JointSplit& split) {
  const std::vector<char> branch = training_branches(columns, split);
  split.left = split.right = split.missing = Sums(all.size(), 0.0);
  Sums* const sums[] = {&split.left, &split.right, &split.missing};
  bool taken[3] = {};
  for (Index i = 0; i < vectors.rows(); ++i) {
    if (!is_inside(inside, i)) continue;
    const auto b = static_cast<unsigned char>(branch[at(i)]);
    taken[b] = true;
    const auto v = vectors.row(i);
    for (std::size_t k = 0; k < v.size(); ++k) (*sums[b])[k] += v[k];
  }
  for (std::size_t b = 0; b < 3; ++b) {
    if (!taken[b]) *sums[b] = all;
  }
}

}  // namespace

double joint_value(JointCriterion criterion, std::span<const double> side,
                   std::span<const double> all) {
  Half half{side.data(), all.data(), static_cast<Index>(all.size()), 0};
  criterion == JointCriterion::half_z ? value_of_half_z(half) : value_of_minus_r(half);
  return half.value;
}

JointSplit best_cut_among(const StumpColumns& columns, std::span<const Id> among,
                          MatrixView vectors, std::span<const double> all, JointCriterion criterion,
                          std::span<const char> inside, const Context& ctx, double below) {
  double rounding = k_rounding;
  if (criterion == JointCriterion::half_z) {
    const double whole = joint_value(criterion, all, all);
    rounding = k_root_rounding * (std::isfinite(below) ? std::max(whole, below) : whole);
  }
  const auto better = [rounding](Found& best, const Found& other) {
    if (other.value < best.value - rounding) best = other;
  };
  const Found best = parallel_reduce(
      ctx, count_of(among), 8, Found{.value = below},
      [&](Index begin, Index end) {
        Sums scratch(3 * all.size());
        Inside buffers(inside, columns.rows());
        Found found{.value = below};
        for (const Id j : among.subspan(at(begin), at(end - begin))) {
          Task task{columns[j],     buffers.part_of(columns[j]),
                    vectors,        all.data(),
                    scratch.data(), found.value,
                    rounding};
          criterion == JointCriterion::half_z ? search_half_z(task) : search_minus_r(task);
          if (task.group >= 0) better(found, {j, task.group, task.value});
        }
        return found;
      },
      better);
  JointSplit out;
  out.column = best.column;
  if (best.column < 0) return out;
  out.value = best.value;
  out.cut = columns[best.column].cuts[at(best.group)];
  return out;
}

JointSplit best_joint_split(const StumpColumns& columns, MatrixView vectors,
                            JointCriterion criterion, std::span<const char> inside,
                            const Context& ctx, double below) {
  Sums all(at(vectors.cols()), 0.0);
  for (Index i = 0; i < vectors.rows(); ++i) {
    if (!is_inside(inside, i)) continue;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += vectors.row(i)[k];
  }
  JointSplit out =
      best_cut_among(columns, columns.distinct(), vectors, all, criterion, inside, ctx, below);
  if (out.column < 0) {
    out.left = out.right = out.missing = all;
    out.value = joint_value(criterion, all, all);
    return out;
  }
  sum_branches(columns, vectors, inside, all, out);
  return out;
}

std::vector<char> training_branches(const StumpColumns& columns, const JointSplit& split) {
  std::vector<char> out(at(columns.rows()), 0);
  if (split.column < 0) return out;
  fill_branches<char>(columns[split.column], split.cut, 0, 1, 2, out);
  return out;
}

void JointStumps::add(const JointSplit& question, const Sums& left, const Sums& right,
                      const Sums& missing, Id parent, Index side) {
  if (parent >= 0) {  // rules before the first one with a parent have none
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
  const auto k = at(rule);
  return column_[k] < 0 || value <= cut_[k] ? 0 : value > cut_[k] ? 1 : 2;
}

Matrix JointStumps::scores(const Features& x, const Context& ctx) const {
  Matrix out(x.rows(), labels_);
  double* const all = out.data();
  parallel_chunks(ctx, x.rows(), 64, [&](Index first, Index last) {
    std::vector<double> values(at(x.cols()), 0.0);
    std::vector<Index> taken(column_.size());  // -1: the rule does not apply
    data::RowWindow window(x);
    data::SparseLine line;
    for (Index i = first; i < last; ++i) {
      const double* row = values.data();
      if (x.is_sparse()) {
        const SparseRow stored = x.sparse_row(i, line);
        for (std::size_t k = 0; k < stored.index.size(); ++k)
          values[at(stored.index[k])] = stored.value[k];
      } else {
        row = window.row(i);
      }
      for (Index t = 0; t < count(); ++t) {
        const auto k = at(t);
        const Id above = parent(t);
        taken[k] = -1;
        if (above >= 0 && taken[at(above)] != side(t)) continue;
        taken[k] = branch_of(t, column_[k] < 0 ? 0.0 : row[column_[k]]);
        const double* const answer = answers_.data() + (3 * t + taken[k]) * labels_;
        for (Index l = 0; l < labels_; ++l) all[i * labels_ + l] += answer[l];
      }
      if (x.is_sparse()) {
        for (const Id j : x.sparse_row(i, line).index) values[at(j)] = 0;
      }
    }
  });
  return out;
}

}  // namespace mulberry::learners

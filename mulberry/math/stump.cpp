#include "mulberry/math/stump.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/vectors.hpp"

namespace mulberry {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_rounding = 1e-12;  // criteria and weights that differ by less are equal
constexpr Index k_lanes = 4;

double information(double part, double all) { return part > 0 ? part * std::log2(all / part) : 0; }

double value_of(const Branch& b, StumpCriterion criterion) {
  const double yes = std::max(b.yes, 0.0), no = std::max(b.no, 0.0);
  if (criterion == StumpCriterion::error) return std::min(yes, no);
  return information(yes, yes + no) + information(no, yes + no);
}

// The signed weights of four labels, row by row; lanes without a label are 0.
class Panel {
 public:
  Panel(const Matrix& signed_weights, Index first)
      : values_(static_cast<std::size_t>(signed_weights.cols() * k_lanes), 0.0) {
    const Index lanes = std::min(k_lanes, signed_weights.rows() - first);
    for (Index lane = 0; lane < lanes; ++lane) {
      const auto row = signed_weights.row(first + lane);
      for (std::size_t i = 0; i < row.size(); ++i)
        values_[i * static_cast<std::size_t>(k_lanes) + static_cast<std::size_t>(lane)] = row[i];
    }
  }
  const double* data() const { return values_.data(); }

 private:
  std::vector<double> values_;
};

struct Sums {
  Vector4 yes, no;
};

MULBERRY_INLINE void add_row(Sums& sums, const double* panel, Id row) {
  const Vector4 w = *reinterpret_cast<const Vector4*>(panel + row * k_lanes), zero = {};
  sums.yes += w > zero ? w : zero;
  sums.no -= w < zero ? w : zero;
}

// Lowers `least` to a bound, from below, of the criterion of two branches. (Vectors go by
// reference: returning them would depend on the instruction set.)
MULBERRY_INLINE void lower(Vector4& least, const Sums& left, const Sums& right,
                           StumpCriterion criterion) {
  Vector4 bound;
  if (criterion == StumpCriterion::error) {
    bound =
        (left.yes < left.no ? left.yes : left.no) + (right.yes < right.no ? right.yes : right.no);
  } else {
    const Vector4 a = left.yes + left.no, b = right.yes + right.no;
    const Vector4 tiny = {1e-300, 1e-300, 1e-300, 1e-300};  // an empty branch divides by no 0
    bound = 4 * (left.yes * left.no * b + right.yes * right.no * a) / (a * b + tiny);
  }
  least = bound < least ? bound : least;
}

struct Bounds {
  const StumpColumn& column;
  const double* panel;
  Sums all;  // of every row
  StumpCriterion criterion;
  double least[k_lanes];
};

MULBERRY_INLINE void find_bounds_body(Bounds& task) {
  const StumpColumn& column = task.column;
  Sums missing = {}, zeros = {}, left = {};
  for (const Id i : column.missing) add_row(missing, task.panel, i);
  const Sums known = {task.all.yes - missing.yes, task.all.no - missing.no};
  if (column.zero_group >= 0) {
    Sums listed = {};
    for (const Id i : column.rows) add_row(listed, task.panel, i);
    zeros = {known.yes - listed.yes, known.no - listed.no};
  }
  Vector4 least = {k_infinity, k_infinity, k_infinity, k_infinity};
  const Id* const rows = column.rows.data();
  const Id* const ends = column.group_end.data();
  Id k = 0;
  for (Id g = 0; g + 1 < column.groups(); ++g) {
    for (; k < ends[g]; ++k) add_row(left, task.panel, rows[k]);
    if (g == column.zero_group) {
      left.yes += zeros.yes;
      left.no += zeros.no;
    }
    const Sums right = {known.yes - left.yes, known.no - left.no};
    lower(least, left, right, task.criterion);
  }
  for (Index lane = 0; lane < k_lanes; ++lane) task.least[lane] = least[lane];
}
MULBERRY_DISPATCH(find_bounds, find_bounds_body)

// Searches the columns of one label in full.
class Search {
 public:
  Search(const StumpColumns& columns, std::span<const double> weights, StumpCriterion criterion)
      : columns_(columns), criterion_(criterion), weights_(weights) {
    for (std::size_t i = 0; i < weights.size(); ++i) add(best_.all, static_cast<Id>(i));
    best_.criterion = k_infinity;
  }

  // The best split, given a lower bound of every column.
  Split run(std::span<const double> bounds) {
    const auto promising = std::min_element(bounds.begin(), bounds.end());
    if (promising == bounds.end() || *promising == k_infinity) return nothing();
    scan(static_cast<Index>(promising - bounds.begin()));
    const double reached = best_.criterion;
    best_.criterion = k_infinity;
    // In order, so that equals go to the lowest column.
    for (std::size_t j = 0; j < bounds.size(); ++j) {
      if (bounds[j] <= std::min(reached, best_.criterion) + k_rounding) scan(static_cast<Index>(j));
    }
    return best_;
  }

 private:
  Split nothing() const {
    Split out;
    out.all = best_.all;
    out.criterion = value_of(best_.all, criterion_);
    return out;
  }

  void add(Branch& branch, Id row) const {
    const double w = weights_[static_cast<std::size_t>(row)];
    (w > 0 ? branch.yes : branch.no) += std::abs(w);
  }

  void scan(Index j) {
    const StumpColumn& column = columns_[j];
    Branch missing, left;
    for (const Id i : column.missing) add(missing, i);
    const Branch known = {best_.all.yes - missing.yes, best_.all.no - missing.no};
    Branch zeros = known;
    if (column.zero_group >= 0) {
      Branch listed;
      for (const Id i : column.rows) add(listed, i);
      zeros = {known.yes - listed.yes, known.no - listed.no};
    }
    const double fixed = column.missing.empty() ? 0.0 : value_of(missing, criterion_);
    walk(
        column, [&](Id i) { add(left, i); },
        [&] {
          left.yes += zeros.yes;
          left.no += zeros.no;
        },
        [&](Id g) {
          const Branch right = {known.yes - left.yes, known.no - left.no};
          if (fixed + bound(left) + bound(right) >= best_.criterion) return;
          const double value = fixed + value_of(left, criterion_) + value_of(right, criterion_);
          if (!(value < best_.criterion - k_rounding)) return;
          best_ = {.column = static_cast<Id>(j),
                   .cut = column.cuts[static_cast<std::size_t>(g)],
                   .left = left,
                   .right = right,
                   .missing = missing,
                   .all = best_.all,
                   .criterion = value};
        });
  }

  // Below the criterion of a branch, and cheaper.
  double bound(const Branch& b) const {
    if (criterion_ == StumpCriterion::error) return std::min(b.yes, b.no);
    return b.all() > 0 ? 4 * b.yes * b.no / b.all() : 0.0;
  }

  const StumpColumns& columns_;
  StumpCriterion criterion_;
  std::span<const double> weights_;
  Split best_;
};

}  // namespace

Stump::Stump(const Split& split) : column(split.column), cut(split.cut) {
  const auto heavier = [&](const Branch& branch) {
    const Branch& taken = split.or_all(branch);
    return static_cast<std::int8_t>(taken.yes - taken.no > k_rounding * split.all.all() ? 1 : -1);
  };
  left = heavier(split.left);
  right = heavier(split.right);
  missing = heavier(split.missing);
}

std::vector<Split> best_splits(const StumpColumns& columns, const Matrix& signed_weights,
                               StumpCriterion criterion, const Context& ctx) {
  MULBERRY_ASSERT(signed_weights.cols() == columns.rows());
  constexpr Index k_columns = 16;  // a task
  const Index labels = signed_weights.rows(), panels = chunk_count(labels, k_lanes);
  const Index chunks = chunk_count(columns.size(), k_columns);
  std::vector<std::vector<double>> bounds(
      static_cast<std::size_t>(labels),
      std::vector<double>(static_cast<std::size_t>(columns.size())));
  std::vector<Panel> weights;
  std::vector<Sums> all(static_cast<std::size_t>(panels));
  for (Index p = 0; p < panels; ++p) {
    weights.emplace_back(signed_weights, p * k_lanes);
    auto& sums = all[static_cast<std::size_t>(p)];
    for (Index i = 0; i < columns.rows(); ++i)
      add_row(sums, weights.back().data(), static_cast<Id>(i));
  }
  parallel_for(ctx, panels * chunks, [&](Index task) {
    const Index p = task / chunks, first = task % chunks * k_columns;
    for (Index j = first; j < std::min(first + k_columns, columns.size()); ++j) {
      Bounds found{columns[j],
                   weights[static_cast<std::size_t>(p)].data(),
                   all[static_cast<std::size_t>(p)],
                   criterion,
                   {}};
      find_bounds(found);
      for (Index lane = 0; lane < std::min(k_lanes, labels - p * k_lanes); ++lane) {
        bounds[static_cast<std::size_t>(p * k_lanes + lane)][static_cast<std::size_t>(j)] =
            found.least[lane];
      }
    }
  });
  std::vector<Split> out(static_cast<std::size_t>(labels));
  parallel_for(ctx, labels, [&](Index l) {
    const auto k = static_cast<std::size_t>(l);
    out[k] = Search(columns, signed_weights.row(l), criterion).run(bounds[k]);
  });
  return out;
}

void training_answers(const StumpColumns& columns, const Stump& stump, std::span<double> answers) {
  if (stump.column < 0) {
    std::fill(answers.begin(), answers.end(), stump.left);
    return;
  }
  const StumpColumn& column = columns[stump.column];
  std::fill(answers.begin(), answers.end(), stump.answer(0.0));
  for (const Id i : column.missing) answers[static_cast<std::size_t>(i)] = stump.missing;
  const auto after = std::lower_bound(column.cuts.begin(), column.cuts.end(), stump.cut);
  const auto group = static_cast<std::size_t>(after - column.cuts.begin());
  const Id end = column.group_end[group];  // the listed rows below the cut
  for (std::size_t k = 0; k < column.rows.size(); ++k) {
    answers[static_cast<std::size_t>(column.rows[k])] =
        static_cast<Id>(k) < end ? stump.left : stump.right;
  }
}

}  // namespace mulberry

#include "mulberry/math/trees/decision_stump.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/trees/stump_screen.hpp"

namespace mulberry::math {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_rounding = 1e-12;  // criteria and weights that differ by less are equal

double information(double part, double all) { return part > 0 ? part * std::log2(all / part) : 0; }

double value_of(const Branch& b, StumpCriterion criterion) {
  const double yes = std::max(b.yes, 0.0), no = std::max(b.no, 0.0);
  if (criterion == StumpCriterion::error) return std::min(yes, no);
  return information(yes, yes + no) + information(no, yes + no);
}

// Searches the columns of one label in full.
class Search {
 public:
  Search(const StumpColumns& columns, std::span<const double> weights, StumpCriterion criterion)
      : columns_(columns), criterion_(criterion), weights_(weights) {
    for (std::size_t i = 0; i < weights.size(); ++i) add(best_.all, static_cast<Id>(i));
    best_.criterion = k_infinity;
  }

  // The smallest criterion in a column; infinity if it is -1.
  double reach(Id column) {
    if (column >= 0) scan(column);
    const double reached = best_.criterion;
    best_.criterion = k_infinity;
    return reached;
  }

  // The best split among the columns that may reach as much. They are in order, so that ties go to
  // the lowest column.
  Split run(double reached, std::span<const StumpScreen::Promise> columns) {
    if (reached == k_infinity) return nothing();
    for (const StumpScreen::Promise& promise : columns) {
      if (promise.bound <= std::min(reached, best_.criterion) + k_rounding) scan(promise.column);
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
    const double w = weights_[at(row)];
    branch.yes += std::max(w, 0.0);  // no branch on the sign: it is unpredictable
    branch.no += std::max(-w, 0.0);
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
          if (hopeless(left, right, best_.criterion - fixed)) return;
          const double value = fixed + value_of(left, criterion_) + value_of(right, criterion_);
          if (!(value < best_.criterion - k_rounding)) return;
          best_ = {.column = static_cast<Id>(j),
                   .cut = column.cuts[at(g)],
                   .left = left,
                   .right = right,
                   .missing = missing,
                   .all = best_.all,
                   .criterion = value};
        });
  }

  // Whether two branches cannot be below `reached`, by a bound without logarithm or division.
  bool hopeless(const Branch& left, const Branch& right, double reached) const {
    if (criterion_ == StumpCriterion::error)
      return std::min(left.yes, left.no) + std::min(right.yes, right.no) >= reached;
    const double a = left.all(), b = right.all();
    return 4 * (left.yes * left.no * b + right.yes * right.no * a) > reached * a * b;
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

std::vector<Split> best_splits(const StumpColumns& columns, MatrixView signed_weights,
                               StumpCriterion criterion, const Context& ctx) {
  MULBERRY_ASSERT(signed_weights.cols() == columns.rows());
  const Index labels = signed_weights.rows();
  StumpScreen screen(columns, signed_weights, criterion, ctx);
  std::vector<Search> searches;
  for (Index l = 0; l < labels; ++l)
    searches.emplace_back(columns, signed_weights.row(l), criterion);
  std::vector<double> reached(searches.size());
  const auto reach = [&] {
    const std::vector<Id> promising = screen.most_promising(ctx);
    parallel_for(ctx, labels, [&](Index l) {
      const auto k = at(l);
      reached[k] = searches[k].reach(promising[k]);
    });
  };
  reach();
  if (criterion == StumpCriterion::entropy) {
    screen.refine(reached, ctx);
    reach();
  }
  const auto promising = screen.promising(reached, ctx);
  std::vector<Split> out(searches.size());
  parallel_for(ctx, labels, [&](Index l) {
    const auto k = at(l);
    out[k] = searches[k].run(reached[k], promising[k]);
  });
  return out;
}

void training_answers(const StumpColumns& columns, const Stump& stump, std::span<double> answers) {
  if (stump.column < 0) {
    std::fill(answers.begin(), answers.end(), stump.left);
    return;
  }
  fill_branches<double>(columns[stump.column], stump.cut, stump.left, stump.right, stump.missing,
                        answers);
}

}  // namespace mulberry::math

#include "mulberry/resample/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/resample/stratify.hpp"

namespace mulberry::resample {
namespace {

// Part sizes rounded so that their running sums are the nearest integers.
std::vector<Id> deal_at_random(Index rows, std::span<const double> shares, Random random) {
  std::vector<Id> part;
  part.reserve(at(rows));
  double due = 0;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    due += shares[p] * static_cast<double>(rows);
    const Index end = p + 1 == shares.size() ? rows : static_cast<Index>(std::llround(due));
    part.resize(at(end), static_cast<Id>(p));
  }
  random.shuffle(std::span(part));
  return part;
}

std::vector<Id> parts_of(const Labels& y, std::span<const double> shares,
                         const SplitOptions& options, Index repeat, const Context& ctx) {
  const Random random = ctx.rng("split", static_cast<std::uint64_t>(repeat));
  if (options.method == SplitMethod::random && options.groups.empty()) {
    return deal_at_random(y.rows(), shares, random);
  }
  return stratify(y, shares,
                  {.pairs = options.method == SplitMethod::stratified_pairs,
                   .groups = options.groups,
                   .labels = options.method != SplitMethod::random},
                  random, ctx);
}

Fold fold_of(std::span<const Id> part, Id test) {
  Fold fold;
  for (std::size_t i = 0; i < part.size(); ++i) {
    (part[i] == test ? fold.test : fold.train).push_back(static_cast<Id>(i));
  }
  return fold;
}

// Rows, or groups if rows must stay together; there must be one for each part.
void require_enough(const Labels& y, const SplitOptions& options, Index parts) {
  if (!options.groups.empty() && count_of(options.groups) != y.rows()) {
    throw Error(Code::parameter,
                fmt::format("expected a group for each of {} rows, found {} groups", y.rows(),
                            options.groups.size()),
                "Give one group per row");
  }
  std::vector<Id> groups = options.groups;
  std::sort(groups.begin(), groups.end());
  const auto distinct =
      static_cast<Index>(std::unique(groups.begin(), groups.end()) - groups.begin());
  const Index units = groups.empty() ? y.rows() : distinct;
  if (units < parts) {
    throw Error(Code::parameter,
                fmt::format("expected at least {} {} for {} parts, found {}", parts,
                            groups.empty() ? "rows" : "groups", parts, units),
                "Use fewer folds or more data");
  }
}

}  // namespace

std::vector<Fold> k_folds(const Labels& y, const SplitOptions& options, const Context& ctx) {
  if (options.folds < 2 || options.repeats < 1) {
    throw Error(Code::parameter,
                fmt::format("expected at least 2 folds and 1 repeat, found {} and {}",
                            options.folds, options.repeats),
                "Use a hold-out split for a single part");
  }
  require_enough(y, options, options.folds);
  const std::vector<double> shares(at(options.folds), 1.0 / static_cast<double>(options.folds));
  std::vector<Fold> folds(at(options.folds * options.repeats));
  parallel_for(ctx, options.repeats, [&](Index r) {
    const std::vector<Id> part = parts_of(y, shares, options, r, ctx);
    for (Index f = 0; f < options.folds; ++f) {
      folds[at(r * options.folds + f)] = fold_of(part, static_cast<Id>(f));
    }
  });
  return folds;
}

Fold hold_out(const Labels& y, const SplitOptions& options, const Context& ctx, Index repeat) {
  if (!(options.holdout > 0 && options.holdout < 1)) {
    throw Error(Code::parameter,
                fmt::format("expected a hold-out share between 0 and 1, found {}", options.holdout),
                "For example, 0.25 keeps a quarter of the rows for testing");
  }
  require_enough(y, options, 2);
  // At least one row on either side, even if there are very few.
  const auto n = static_cast<double>(y.rows());
  const double test = std::clamp(options.holdout, 1.0 / n, 1.0 - 1.0 / n);
  return fold_of(parts_of(y, std::vector<double>{1.0 - test, test}, options, repeat, ctx), 1);
}

}  // namespace mulberry::resample

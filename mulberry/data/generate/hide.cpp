#include "mulberry/data/generate/hide.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

constexpr Index k_rows_a_chunk = 1024;

using Lists = std::vector<std::vector<Id>>;

void require_share(double share) {
  if (share >= 0 && share <= 1) return;
  throw Error(
      Code::parameter,
      "expected a share between 0 and 1, found " + (std::isnan(share) ? "nan" : shortest(share)),
      "For example, 0.4 means 40 of 100 labels");
}

// The share of c labels, rounding halves up. A product like 0.3 * 5 is slightly off its true value,
// which must not affect a half.
std::size_t part_of(double share, std::size_t c) {
  return static_cast<std::size_t>(std::floor(share * static_cast<double>(c) + 0.5 + 1e-9));
}

// Moves `count` drawn values to the front; fewer draws give the first of these.
void draw_to_front(std::vector<Id>& values, std::size_t count, Random& random) {
  for (std::size_t k = 0; k < count; ++k) {
    const Index rest = static_cast<Index>(values.size() - k);
    std::swap(values[k], values[k + at(random.below(rest))]);
  }
}

std::vector<Id> copy_of(std::span<const Id> values) { return {values.begin(), values.end()}; }

// change(positives, missing, random) on the labels of every row.
template <class Change>
Labels changed(const Labels& y, const Context& ctx, std::string_view stream, const Change& change) {
  const auto n = at(y.rows());
  Lists positives(n), missing(n);
  parallel_chunks(ctx, y.rows(), k_rows_a_chunk, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = at(i);
      positives[row] = copy_of(y.row(i));
      missing[row] = copy_of(y.missing_row(i));
      Random random = ctx.rng(stream, row);
      change(positives[row], missing[row], random);
    }
  });
  return Labels(y.count(), positives, missing);
}

void hide_some(const HideOptions& options, std::vector<Id>& positives, std::vector<Id>& missing,
               Random& random) {
  if (positives.empty()) return;
  const std::size_t hidden =
      std::min(part_of(options.share, positives.size()), positives.size() - 1);
  draw_to_front(positives, hidden, random);
  const auto end = positives.begin() + static_cast<std::ptrdiff_t>(hidden);
  if (options.mode == HideMode::missing) missing.insert(missing.end(), positives.begin(), end);
  positives.erase(positives.begin(), end);
}

void hide_cells(Index labels, double share, std::vector<Id>& positives, std::vector<Id>& missing,
                Random& random) {
  std::vector<Id> gone;
  for (Id l = 0; l < labels; ++l) {
    if (random.chance(share) || std::binary_search(missing.begin(), missing.end(), l)) {
      gone.push_back(l);
    }
  }
  std::erase_if(positives, [&](Id l) { return std::binary_search(gone.begin(), gone.end(), l); });
  missing = std::move(gone);
}

void hide_sets(const LabelSets& sets, double share, std::vector<Id>& positives,
               std::vector<Id>& missing, Random& random) {
  for (const std::vector<Id>& members : sets.members) {
    if (!random.chance(share)) continue;
    std::erase_if(positives,
                  [&](Id l) { return std::binary_search(members.begin(), members.end(), l); });
    missing.insert(missing.end(), members.begin(), members.end());
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
}

void replace_some(Index labels, double share, std::vector<Id>& positives,
                  const std::vector<Id>& missing, Random& random) {
  std::vector<Id> taken, others;
  std::ranges::set_union(positives, missing, std::back_inserter(taken));
  std::vector<Id> all(at(labels));
  std::iota(all.begin(), all.end(), 0);
  std::ranges::set_difference(all, taken, std::back_inserter(others));
  const std::size_t count = std::min(part_of(share, positives.size()), others.size());
  draw_to_front(positives, count, random);
  draw_to_front(others, count, random);
  std::copy_n(others.begin(), count, positives.begin());
}

}  // namespace

HideMode hide_mode_of(std::string_view word) {
  if (word == "missing") return HideMode::missing;
  if (word == "cells") return HideMode::cells;
  if (word == "sets") return HideMode::sets;
  return HideMode::negative;
}

Labels hide_labels(const Labels& y, const HideOptions& options, const Context& ctx,
                   const LabelSets& sets) {
  require_share(options.share);
  if (options.mode == HideMode::sets && sets.empty()) {
    throw Error(Code::usage, "expected exclusive label sets to hide, found none",
                "Declare them with " + core::mention("label_sets", "a,b"));
  }
  return changed(y, ctx, "hide",
                 [&](std::vector<Id>& positives, std::vector<Id>& missing, Random& random) {
                   if (options.mode == HideMode::cells) {
                     hide_cells(y.count(), options.share, positives, missing, random);
                   } else if (options.mode == HideMode::sets) {
                     hide_sets(sets, options.share, positives, missing, random);
                   } else {
                     hide_some(options, positives, missing, random);
                   }
                 });
}

Labels flip_labels(const Labels& y, double share, const Context& ctx) {
  require_share(share);
  return changed(y, ctx, "flip",
                 [&](std::vector<Id>& positives, std::vector<Id>& missing, Random& random) {
                   replace_some(y.count(), share, positives, missing, random);
                 });
}

}  // namespace mulberry::data

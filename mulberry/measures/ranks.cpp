#include "mulberry/measures/ranks.hpp"

#include <algorithm>

#include "mulberry/core/index.hpp"

namespace mulberry::measures {
namespace {

// Up to this many distinct relevant scores, counting each in a vectorised pass is the fastest.
constexpr std::size_t k_few = 8;

struct Counts {
  Index above = 0, equal = 0;
};

Counts count(std::span<const double> scores, double value) {
  Index above = 0, at_least = 0;
  for (const double s : scores) {
    above += s > value ? 1 : 0;
    at_least += s >= value ? 1 : 0;
  }
  return {above, at_least - above};
}

}  // namespace

const Ranks& Ranker::dense(std::span<const double> scores, std::span<const Id> relevant,
                           std::span<const Id> missing) {
  ranks_.observed = static_cast<Index>(scores.size() - missing.size());
  ranks_.relevant = count_of(relevant);
  if (missing.empty()) {
    rank(scores, relevant);
    return ranks_;
  }
  kept_scores_.clear();
  kept_relevant_.clear();
  kept_index_.clear();
  auto gap = missing.begin();
  auto good = relevant.begin();
  for (std::size_t l = 0; l < scores.size(); ++l) {
    const auto id = static_cast<Id>(l);
    if (gap != missing.end() && *gap == id) {
      ++gap;
      continue;
    }
    if (good != relevant.end() && *good == id) {
      ++good;
      kept_relevant_.push_back(static_cast<Id>(kept_scores_.size()));
    }
    kept_scores_.push_back(scores[l]);
    kept_index_.push_back(id);
  }
  rank(kept_scores_, kept_relevant_);
  for (Index& e : ranks_.entry) e = kept_index_[at(e)];
  return ranks_;
}

const Ranks& Ranker::top(SparseRow scores, Index count, std::span<const Id> relevant,
                         std::span<const Id> missing) {
  ranks_.observed = count - count_of(missing);
  ranks_.relevant = count_of(relevant);
  kept_scores_.clear();
  kept_relevant_.clear();
  kept_index_.clear();
  for (std::size_t k = 0; k < scores.index.size(); ++k) {
    const Id id = scores.index[k];
    if (std::binary_search(missing.begin(), missing.end(), id)) continue;
    if (std::binary_search(relevant.begin(), relevant.end(), id)) {
      kept_relevant_.push_back(static_cast<Id>(kept_scores_.size()));
    }
    kept_scores_.push_back(scores.value[k]);
    kept_index_.push_back(id);
  }
  rank(kept_scores_, kept_relevant_);
  for (Index& e : ranks_.entry) e = kept_index_[at(e)];

  const auto listed = count_of(kept_scores_);
  const auto relevant_listed = count_of(kept_relevant_);
  if (relevant_listed == ranks_.relevant) return ranks_;
  ranks_.groups.push_back({listed, relevant_listed, ranks_.observed - listed,
                           ranks_.relevant - relevant_listed, relevant_listed});
  for (const Id id : positions_ ? relevant : std::span<const Id>{}) {
    const auto listed_before = std::lower_bound(kept_index_.begin(), kept_index_.end(), id);
    if (listed_before != kept_index_.end() && *listed_before == id) continue;
    const auto missing_before = std::lower_bound(missing.begin(), missing.end(), id);
    ranks_.position.push_back(id - (listed_before - kept_index_.begin()) -
                              (missing_before - missing.begin()));
    ranks_.entry.push_back(id);
  }
  return ranks_;
}

void Ranker::rank(std::span<const double> scores, std::span<const Id> relevant) {
  values_.clear();
  for (const Id l : relevant) values_.push_back(scores[at(l)]);
  sorter_.sort(values_);
  distinct_.clear();
  relevant_at_.clear();
  for (const double v : values_) {
    if (distinct_.empty() || distinct_.back() != v) {
      distinct_.push_back(v);
      relevant_at_.push_back(0);
    }
    ++relevant_at_.back();
  }
  const std::size_t groups = distinct_.size();
  above_.assign(groups + 1, 0);
  equal_.assign(groups + 1, 0);
  if (groups <= k_few) {
    count_each(scores);
  } else {
    count_all(scores);
  }
  ranks_.groups.clear();
  ranks_.position.clear();
  ranks_.entry.clear();
  Index done = 0;
  for (std::size_t j = groups; j-- > 0;) {
    ranks_.groups.push_back({above_[j], done, equal_[j], relevant_at_[j], done});
    done += relevant_at_[j];
  }
  if (positions_) locate(scores, relevant);
}

void Ranker::count_each(std::span<const double> scores) {
  for (std::size_t j = 0; j < distinct_.size(); ++j) {
    const Counts counts = count(scores, distinct_[j]);
    above_[j] = counts.above;
    equal_[j] = counts.equal;
  }
}

void Ranker::count_all(std::span<const double> scores) {
  index_.build(distinct_);
  // between_[2 j]: scores between the values j - 1 and j; between_[2 j + 1]: scores equal to j.
  between_.assign(2 * above_.size(), 0);
  for (const double s : scores) {
    const Index j = index_.below(s);
    ++between_[at(2 * j + (index_.holds(j, s) ? 1 : 0))];
  }
  Index above = 0;
  for (std::size_t j = above_.size(); j-- > 0;) {
    above_[j] = above;
    equal_[j] = between_[2 * j + 1];
    above += between_[2 * j] + equal_[j];
  }
}

void Ranker::locate(std::span<const double> scores, std::span<const Id> relevant) {
  const std::size_t groups = distinct_.size();
  ranks_.position.resize(relevant.size());
  ranks_.entry.resize(relevant.size());
  next_.resize(groups);
  bool mixed = false;  // a group of relevant and irrelevant entries
  for (const TieGroup& g : ranks_.groups) mixed = mixed || g.size != g.relevant;
  for (std::size_t j = 0; j < groups; ++j) next_[j] = ranks_.groups[groups - 1 - j].first;
  for (const Id l : relevant) {
    const auto found = std::lower_bound(distinct_.begin(), distinct_.end(), scores[at(l)]);
    const auto j = at(found - distinct_.begin());
    const Index slot = next_[j]++;
    ranks_.entry[at(slot)] = l;
    ranks_.position[at(slot)] = slot - ranks_.groups[groups - 1 - j].first;
  }
  if (mixed) locate_mixed(scores, relevant);
}

void Ranker::locate_mixed(std::span<const double> scores, std::span<const Id> relevant) {
  const std::size_t groups = distinct_.size();
  index_.build(distinct_);
  seen_.assign(groups, 0);
  for (std::size_t j = 0; j < groups; ++j) next_[j] = ranks_.groups[groups - 1 - j].first;
  auto good = relevant.begin();
  for (std::size_t l = 0; l < scores.size(); ++l) {
    const Index j = index_.below(scores[l]);
    if (!index_.holds(j, scores[l])) continue;
    if (good != relevant.end() && at(*good) == l) {
      ranks_.position[at(next_[at(j)]++)] = seen_[at(j)];
      ++good;
    }
    ++seen_[at(j)];
  }
}

double ranking_loss_of(const Ranks& ranks, Ties ties) {
  double wrong = 0;
  for (const TieGroup& g : ranks.groups) {
    const auto pairs = static_cast<double>(g.relevant * (g.size - g.relevant));
    wrong += static_cast<double>(g.relevant * (g.above - g.relevant_above));
    if (ties == Ties::worst) wrong += pairs;
    if (ties == Ties::average) wrong += pairs / 2;
    if (ties != Ties::first && ties != Ties::last) continue;
    for (Index j = 0; j < g.relevant; ++j) {
      const Index irrelevant_before = ranks.position[at(g.first + j)] - j;
      wrong += static_cast<double>(ties == Ties::first ? irrelevant_before
                                                       : g.size - g.relevant - irrelevant_before);
    }
  }
  return wrong / static_cast<double>(ranks.relevant * (ranks.observed - ranks.relevant));
}

double depth_of(const Ranks& ranks, Ties ties) {
  const TieGroup& g = ranks.groups.back();
  if (ties == Ties::average) {  // the last of r places drawn from 1..m is r (m + 1) / (r + 1)
    return static_cast<double>(g.above) +
           static_cast<double>(g.relevant * (g.size + 1)) / static_cast<double>(g.relevant + 1);
  }
  Index depth = 0;
  for_ranks(ranks, g, ties, ranks.observed,
            [&](Index rank, double, Index) { depth = std::max(depth, rank); });
  return static_cast<double>(depth);
}

double one_error_of(const Ranks& ranks, Ties ties) {
  const TieGroup& g = ranks.groups.front();
  // Under `worst` a group has its last rank, yet a top group with only relevant labels is right.
  if (ties == Ties::worst) return g.above == 0 && g.size == g.relevant ? 0 : 1;
  double right = 0;
  for_ranks(ranks, g, ties, 1, [&](Index, double weight, Index) { right += weight; });
  return 1 - right;
}

double average_precision_of(const Ranks& ranks, Ties ties) {
  double total = 0;
  for (const TieGroup& g : ranks.groups) {
    if (ties == Ties::worst) {
      total += static_cast<double>(g.relevant * (g.relevant_above + g.relevant)) /
               static_cast<double>(g.above + g.size);
      continue;
    }
    // At place t of a group in random order, each other relevant entry is before it with equal
    // odds.
    const double odds =
        g.size > 1 ? static_cast<double>(g.relevant - 1) / static_cast<double>(g.size - 1) : 0.0;
    for_ranks(ranks, g, ties, ranks.observed, [&](Index rank, double weight, Index member) {
      const auto place = static_cast<double>(rank - g.above);
      double before = (place - 1) * odds;
      if (ties == Ties::best) before = place - 1;
      if (ties == Ties::first) before = static_cast<double>(member);
      if (ties == Ties::last) before = static_cast<double>(g.relevant - 1 - member);
      total +=
          weight * (static_cast<double>(g.relevant_above) + before + 1) / static_cast<double>(rank);
    });
  }
  return total / static_cast<double>(ranks.relevant);
}

double auc_of(const Ranks& ranks, double tie) {
  const Index irrelevant = ranks.observed - ranks.relevant;
  double right = 0;
  for (const TieGroup& g : ranks.groups) {
    const Index tied = g.size - g.relevant;
    const Index below = irrelevant - (g.above - g.relevant_above) - tied;
    right += static_cast<double>(g.relevant * below) + tie * static_cast<double>(g.relevant * tied);
  }
  return right / (static_cast<double>(ranks.relevant) * static_cast<double>(irrelevant));
}

}  // namespace mulberry::measures

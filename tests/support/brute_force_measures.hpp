// Slow and obvious measures for the tests: every order of tied labels is tried.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "mulberry/measures/convention.hpp"

namespace mulberry::tests::brute {

struct Row {
  std::vector<double> scores;  // of the observed labels
  std::vector<int> truth;
  Index size() const { return static_cast<Index>(scores.size()); }
  Index relevant() const { return std::accumulate(truth.begin(), truth.end(), Index{0}); }
};

using Order = std::vector<std::size_t>;  // labels, best first
using OfOrder = std::function<double(const Row&, const Order&)>;

inline std::vector<Order> all_orders(const Row& row) {
  Order order(row.scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Order> out;
  do {
    bool sorted = true;
    for (std::size_t r = 1; r < order.size(); ++r) {
      sorted = sorted && row.scores[order[r - 1]] >= row.scores[order[r]];
    }
    if (sorted) out.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

// The order in which `before` decides between equal scores.
template <class Before>
Order order_by(const Row& row, const Before& before) {
  Order order(row.scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return row.scores[a] != row.scores[b] ? row.scores[a] > row.scores[b] : before(a, b);
  });
  return order;
}

inline double ranking_loss(const Row& row, const Order& order) {
  double wrong = 0;
  for (std::size_t r = 0; r < order.size(); ++r) {
    for (std::size_t q = 0; q < r; ++q) wrong += row.truth[order[r]] > row.truth[order[q]] ? 1 : 0;
  }
  return wrong / static_cast<double>(row.relevant() * (row.size() - row.relevant()));
}

inline double depth(const Row& row, const Order& order) {
  double deepest = 0;
  for (std::size_t r = 0; r < order.size(); ++r) {
    if (row.truth[order[r]] == 1) deepest = static_cast<double>(r + 1);
  }
  return deepest;
}

inline double one_error(const Row& row, const Order& order) { return 1 - row.truth[order[0]]; }

inline double average_precision(const Row& row, const Order& order) {
  double sum = 0, hits = 0;
  for (std::size_t r = 0; r < order.size(); ++r) {
    if (row.truth[order[r]] == 0) continue;
    hits += 1;
    sum += hits / static_cast<double>(r + 1);
  }
  return sum / hits;
}

inline double precision_at(const Row& row, const Order& order, Index k) {
  double hits = 0;
  for (std::size_t r = 0; r < std::min(order.size(), static_cast<std::size_t>(k)); ++r) {
    hits += row.truth[order[r]];
  }
  return hits / static_cast<double>(k);
}

inline double ndcg_at(const Row& row, const Order& order, Index k) {
  double gain = 0, best = 0;
  for (Index r = 0; r < std::min(row.size(), k); ++r) {
    const double discount = 1 / std::log2(static_cast<double>(r) + 2);
    gain += row.truth[order[static_cast<std::size_t>(r)]] * discount;
    if (r < row.relevant()) best += discount;
  }
  return gain / best;
}

// A measure under every policy except `worst`, which does not depend on orders.
inline double under(const OfOrder& measure, const Row& row, Ties ties) {
  if (ties == Ties::first) return measure(row, order_by(row, std::less<>()));
  if (ties == Ties::last) return measure(row, order_by(row, std::greater<>()));
  if (ties == Ties::best) {
    return measure(row, order_by(row, [&](std::size_t a, std::size_t b) {
                     return row.truth[a] != row.truth[b] ? row.truth[a] > row.truth[b] : a < b;
                   }));
  }
  double sum = 0;
  const auto orders = all_orders(row);
  for (const Order& order : orders) sum += measure(row, order);
  return sum / static_cast<double>(orders.size());
}

// Under `worst`: the last rank of its tie group for every label.
inline std::vector<Index> last_ranks(const Row& row) {
  std::vector<Index> out;
  for (const double s : row.scores) {
    out.push_back(std::count_if(row.scores.begin(), row.scores.end(),
                                [&](double other) { return other >= s; }));
  }
  return out;
}

inline double ranking_loss(const Row& row, Ties ties) {
  if (ties != Ties::worst) {
    return under([](const Row& r, const Order& o) { return ranking_loss(r, o); }, row, ties);
  }
  double wrong = 0;
  for (std::size_t a = 0; a < row.scores.size(); ++a) {
    for (std::size_t b = 0; b < row.scores.size(); ++b) {
      wrong += row.truth[a] > row.truth[b] && row.scores[a] <= row.scores[b] ? 1 : 0;
    }
  }
  return wrong / static_cast<double>(row.relevant() * (row.size() - row.relevant()));
}

inline double depth(const Row& row, Ties ties) {
  if (ties != Ties::worst) {
    return under([](const Row& r, const Order& o) { return depth(r, o); }, row, ties);
  }
  const auto ranks = last_ranks(row);
  Index deepest = 0;
  for (std::size_t l = 0; l < ranks.size(); ++l) {
    if (row.truth[l] == 1) deepest = std::max(deepest, ranks[l]);
  }
  return static_cast<double>(deepest);
}

inline double one_error(const Row& row, Ties ties) {
  if (ties != Ties::worst) {
    return under([](const Row& r, const Order& o) { return one_error(r, o); }, row, ties);
  }
  const double top = *std::max_element(row.scores.begin(), row.scores.end());
  for (std::size_t l = 0; l < row.scores.size(); ++l) {
    if (row.scores[l] == top && row.truth[l] == 0) return 1;
  }
  return 0;
}

inline double average_precision(const Row& row, Ties ties) {
  if (ties != Ties::worst) {
    return under([](const Row& r, const Order& o) { return average_precision(r, o); }, row, ties);
  }
  const auto ranks = last_ranks(row);
  double sum = 0;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    if (row.truth[a] == 0) continue;
    double hits = 0;
    for (std::size_t b = 0; b < ranks.size(); ++b) hits += row.truth[b] && ranks[b] <= ranks[a];
    sum += hits / static_cast<double>(ranks[a]);
  }
  return sum / static_cast<double>(row.relevant());
}

inline double precision_at(const Row& row, Index k, Ties ties) {
  if (ties != Ties::worst) {
    return under([&](const Row& r, const Order& o) { return precision_at(r, o, k); }, row, ties);
  }
  const auto ranks = last_ranks(row);
  double hits = 0;
  for (std::size_t l = 0; l < ranks.size(); ++l) hits += row.truth[l] && ranks[l] <= k;
  return hits / static_cast<double>(k);
}

inline double ndcg_at(const Row& row, Index k, Ties ties) {
  if (ties != Ties::worst) {
    return under([&](const Row& r, const Order& o) { return ndcg_at(r, o, k); }, row, ties);
  }
  const auto ranks = last_ranks(row);
  double gain = 0, best = 0;
  for (std::size_t l = 0; l < ranks.size(); ++l) {
    if (row.truth[l] && ranks[l] <= k) gain += 1 / std::log2(static_cast<double>(ranks[l]) + 1);
  }
  for (Index r = 1; r <= std::min(k, row.relevant()); ++r) {
    best += 1 / std::log2(static_cast<double>(r) + 1);
  }
  return gain / best;
}

// Over all (positive, negative) pairs of a list; tie: the value of an equal pair.
inline double auc(const Row& row, double tie) {
  double right = 0;
  for (std::size_t a = 0; a < row.scores.size(); ++a) {
    for (std::size_t b = 0; b < row.scores.size(); ++b) {
      if (row.truth[a] <= row.truth[b]) continue;
      right += row.scores[a] > row.scores[b] ? 1 : row.scores[a] == row.scores[b] ? tie : 0;
    }
  }
  return right / static_cast<double>(row.relevant() * (row.size() - row.relevant()));
}

}  // namespace mulberry::tests::brute

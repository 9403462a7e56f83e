#include "mulberry/data/impute.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry {
namespace {

struct Statistics {
  Index missing = 0;
  double sum = 0;
  std::map<double, Index> count;  // nominal: of each stored value, or each one-hot column

  double mean(Index rows) const { return sum / static_cast<double>(rows - missing); }
  double mode(Index rows, bool zeros_are_stored) const {
    std::map<double, Index> all = count;
    if (!zeros_are_stored) {
      Index rest = rows - missing;
      for (const auto& [value, times] : count) rest -= times;
      all[0] += rest;
    }
    double best = 0;
    Index most = -1;
    for (const auto& [value, times] : all) {
      if (times > most) most = times, best = value;
    }
    return best;
  }
};

// visit(group, column, k) for every stored value k.
template <class Visit>
void each_value(const StoredFeatures& x, std::span<const Id> group_of, const Visit& visit) {
  for (std::size_t k = 0; k < x.value.size(); ++k) {
    const auto column =
        x.sparse ? static_cast<std::size_t>(x.index[k]) : k % static_cast<std::size_t>(x.cols);
    visit(static_cast<std::size_t>(group_of[column]), static_cast<Id>(column), k);
  }
}

}  // namespace

void impute(const StoredFeatures& x, std::span<const FeatureGroup> groups,
            std::span<const std::string> names) {
  std::vector<Id> group_of(static_cast<std::size_t>(x.cols));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::fill_n(group_of.begin() + groups[g].begin, groups[g].size, static_cast<Id>(g));
  }
  std::vector<Statistics> all(groups.size());
  each_value(x, group_of, [&](std::size_t g, Id column, std::size_t k) {
    const double value = x.value[k];
    if (std::isnan(value)) {
      ++all[g].missing;
    } else if (groups[g].size > 1) {
      if (value != 0) ++all[g].count[column - groups[g].begin];
    } else if (groups[g].nominal) {
      ++all[g].count[value];
    } else {
      all[g].sum += value;
    }
  });
  std::vector<double> fill(groups.size(), 0.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (all[g].missing == 0) continue;
    if (all[g].missing == x.rows) {
      throw Error(Code::data,
                  "expected at least one value to impute from in " +
                      quoted(names[static_cast<std::size_t>(groups[g].begin)]) +
                      ", found only missing ones",
                  "Remove this attribute");
    }
    const bool complete = !x.sparse || groups[g].size > 1;
    fill[g] = groups[g].nominal ? all[g].mode(x.rows, complete) : all[g].mean(x.rows);
  }
  each_value(x, group_of, [&](std::size_t g, Id column, std::size_t k) {
    if (!std::isnan(x.value[k])) return;
    if (groups[g].size == 1) {
      x.value[k] = fill[g];
      return;
    }
    // A missing one-hot value stands in the first column of its group: move it to the right one.
    const Id target = groups[g].begin + static_cast<Id>(fill[g]);
    if (x.sparse) {
      x.index[k] = target;
      x.value[k] = 1;
    } else {
      x.value[k] = 0;
      x.value[k + static_cast<std::size_t>(target - column)] = 1;
    }
  });
}

}  // namespace mulberry

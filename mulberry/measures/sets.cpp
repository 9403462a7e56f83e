#include "mulberry/measures/sets.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::measures {
namespace {

// Members of the set among the labels of a row: how many, and the first of them.
struct Found {
  Index count = 0;
  Id member = -1;
};

Found find(std::span<const Id> row, const std::vector<Id>& members) {
  Found found;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!std::binary_search(row.begin(), row.end(), members[m])) continue;
    if (found.count++ == 0) found.member = static_cast<Id>(m);
  }
  return found;
}

Id best_scored(const Outcome& outcome, Index i, const std::vector<Id>& members) {
  Id best = -1;
  double most = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    double score = 0;
    if (outcome.scores != nullptr) {
      score = (*outcome.scores)(i, members[m]);
    } else {
      const SparseRow row = outcome.top_scores->row(i);
      const auto found = std::lower_bound(row.index.begin(), row.index.end(), members[m]);
      if (found == row.index.end() || *found != members[m]) continue;
      score = row.value[at(found - row.index.begin())];
    }
    if (best < 0 || score > most) {
      best = static_cast<Id>(m);
      most = score;
    }
  }
  return best;
}

}  // namespace

std::vector<Id> true_classes(const Labels& truth, const LabelSets& sets, std::size_t s) {
  std::vector<Id> out(at(truth.rows()), -1);
  for (Index i = 0; i < truth.rows(); ++i) {
    const Found found = find(truth.row(i), sets.members[s]);
    if (found.count == 1) {
      out[at(i)] = found.member;
    } else if (found.count > 1 || find(truth.missing_row(i), sets.members[s]).count == 0) {
      throw Error(Code::data,
                  "expected exactly one label of the set " + in_quotes(sets.names[s]) + " in row " +
                      std::to_string(i + 1) + ", found " + std::to_string(found.count),
                  "Correct that row, or measure without this set");
    }
  }
  return out;
}

std::vector<Id> predicted_classes(const Outcome& outcome, std::size_t s) {
  const std::vector<Id>& members = outcome.sets->members[s];
  const Index rows = outcome.decided != nullptr  ? outcome.decided->rows()
                     : outcome.scores != nullptr ? outcome.scores->rows()
                                                 : outcome.top_scores->rows;
  std::vector<Id> out(at(rows), -1);
  for (Index i = 0; i < rows; ++i) {
    Id& predicted = out[at(i)];
    const Found found =
        outcome.decided != nullptr ? find(outcome.decided->row(i), members) : Found{};
    if (found.count == 1) {
      predicted = found.member;
    } else if (outcome.has_scores()) {
      predicted = best_scored(outcome, i, members);
    }
  }
  return out;
}

RowMeasures measure_sets(const Labels& truth, const Outcome& outcome, const Selection& wanted) {
  const Index n = truth.rows();
  const LabelSets& sets = *outcome.sets;
  RowMeasures out;
  std::vector<char> observed(at(n), 1), right(observed);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::vector<Id> expected = true_classes(truth, sets, s);
    const std::vector<Id> found = predicted_classes(outcome, s);
    UnitMean accuracy("set_accuracy:" + sets.names[s], "row", n);
    for (Index i = 0; i < n; ++i) {
      const auto row = at(i);
      const bool same = expected[row] == found[row];
      if (expected[row] < 0) {
        accuracy.set_unobserved(i);
        observed[row] = 0;
      } else {
        accuracy.set(i, same ? 1 : 0);
        right[row] = static_cast<char>(right[row] != 0 && same);
      }
    }
    if (wanted.has("set_accuracy")) out.means.push_back(std::move(accuracy));
  }
  if (!wanted.has("set_accuracy_all")) return out;
  UnitMean all("set_accuracy_all", "row", n);
  for (Index i = 0; i < n; ++i) {
    const auto row = at(i);
    if (observed[row] != 0) {
      all.set(i, right[row]);
    } else {
      all.set_unobserved(i);
    }
  }
  out.means.push_back(std::move(all));
  return out;
}

Matrix confusion(const Labels& truth, const Outcome& outcome, std::size_t s) {
  const auto classes = count_of(outcome.sets->members[s]);
  Matrix counts(classes, classes + 1);
  const std::vector<Id> expected = true_classes(truth, *outcome.sets, s);
  const std::vector<Id> found = predicted_classes(outcome, s);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] >= 0) counts(expected[i], found[i] < 0 ? classes : found[i]) += 1;
  }
  return counts;
}

}  // namespace mulberry::measures

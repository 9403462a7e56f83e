#include "mulberry/learners/sets/label_set_data.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::learners {

std::vector<std::size_t> LabelSetLayout::by_classes() const {
  std::vector<std::size_t> out(size());
  std::iota(out.rbegin(), out.rend(), std::size_t{0});
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    return members[a].size() < members[b].size();
  });
  return out;
}

bool LabelSetLayout::is_partition() const {
  std::vector<bool> named(at(labels), false);
  Index count = 0;
  for (const auto& set : members) {
    if (set.empty()) return false;
    for (const Id l : set) {
      if (named[at(l)]) return false;
      named[at(l)] = true;
      ++count;
    }
  }
  return count == labels;
}

Prediction LabelSetLayout::prediction(const std::vector<Matrix>& scores, Scale scale,
                                      const std::vector<std::vector<Id>>& chosen) const {
  const Index rows = scores.front().rows();
  Prediction out{.scores = Matrix(rows, labels), .scale = scale};
  std::vector<std::vector<Id>> positives(at(rows));
  for (std::size_t s = 0; s < size(); ++s) {
    for (Index i = 0; i < rows; ++i) {
      const auto row = at(i);
      for (std::size_t c = 0; c < members[s].size(); ++c) {
        out.scores(i, members[s][c]) = scores[s](i, static_cast<Index>(c));
      }
      positives[row].push_back(members[s][at(chosen[s][row])]);
    }
  }
  out.decided = Labels(labels, positives);
  return out;
}

namespace {

// A row whose label of a set is missing is left aside; every other row has exactly one.
void require_known_or_missing(const Labels& y, const LabelSets& sets) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<int> has(at(y.rows()), 0), missing(has);
    for (const Id l : sets.members[s]) {
      for (const Id i : y.column(l)) ++has[at(i)];
      for (const Id i : y.missing_column(l)) ++missing[at(i)];
    }
    bool any = false;
    for (std::size_t i = 0; i < has.size(); ++i) {
      any = any || has[i] == 1;
      if (has[i] == 1 || (has[i] == 0 && missing[i] > 0)) continue;
      throw Error(Code::data,
                  "expected one label of the set " + in_quotes(sets.names[s]) +
                      ", or missing cells, in row " + std::to_string(i + 1) + ", found " +
                      std::to_string(has[i]),
                  "Correct that row, or leave this set out of " + mention("label_sets"));
    }
    if (any) continue;
    throw Error(Code::data, "expected a row with a label of the set " + in_quotes(sets.names[s]),
                "Leave this set out of " + mention("label_sets"));
  }
}

}  // namespace

LabelSetData label_set_data(const View& view, const Labels& y, bool unknown) {
  if (y.rows() < 2) {
    throw Error(Code::data, "expected at least 2 training rows, found " + std::to_string(y.rows()),
                "Give more rows to learn from");
  }
  if (unknown && y.has_missing()) {
    require_known_or_missing(y, *view.sets);
  } else {
    require_label_sets(*view.y, *view.sets);
  }
  LabelSetData out;
  out.layout = {y.count(), view.sets->members};
  std::vector<int> uses(at(y.count()), 0);
  for (const auto& members : out.layout.members) {
    for (const Id l : members) ++uses[at(l)];
  }
  for (std::size_t l = 0; l < uses.size(); ++l) {
    if (uses[l] == 1) continue;
    throw Error(Code::data,
                "expected every label in exactly one label set, found label " +
                    std::to_string(l + 1) + " in " + std::to_string(uses[l]),
                "Name the set of every label in " + mention("label_sets"));
  }
  for (std::size_t s = 0; s < out.layout.size(); ++s) {
    out.classes.push_back(classes_of(y, *view.sets, s));
  }
  return out;
}

}  // namespace mulberry::learners

// Shared by learners of exclusive label sets: the class of every row in every set, and how classes
// per set become a prediction.
#pragma once

#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::learners {

// The sets of a trained model: which labels make up which set.
struct LabelSetLayout {
  Index labels = 0;
  std::vector<std::vector<Id>> members = {};

  std::size_t size() const { return members.size(); }
  Id classes(std::size_t s) const { return static_cast<Id>(members[s].size()); }
  Id classes_or_0(Index s) const { return s < count_of(members) ? classes(at(s)) : 0; }
  // Sets by number of classes, fewest first; equal numbers in reverse order of input.
  std::vector<std::size_t> by_classes() const;

  // scores[s] is rows x classes of set s; chosen[s] the class of every row.
  Prediction prediction(const std::vector<Matrix>& scores, Scale scale,
                        const std::vector<std::vector<Id>>& chosen) const;

  template <class V>
  void visit(V& v) {
    v("labels", labels, exactly(v.outputs()));
    v("members", members, below(v.outputs()));
    v.require(!members.empty(), "members", "has no set");
    v.require(is_partition(), "members", "does not name every label once");
  }

 private:
  bool is_partition() const;  // of the labels
};

struct LabelSetData {
  LabelSetLayout layout = {};
  std::vector<std::vector<Id>> classes = {};  // of every set, the class of each row of the view
};

// Throws Error if there are fewer than two rows, if a row does not have exactly one label of each
// set, or if a label belongs to no set.
// With `unknown`, a row may have no label of a set if cells of the set are missing: its class is
// -1.
LabelSetData label_set_data(const View& view, const Labels& y, bool unknown = false);

}  // namespace mulberry::learners

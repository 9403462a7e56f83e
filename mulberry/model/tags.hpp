// Tags: the abilities of a learner beyond dense data with complete labels. A request beyond its
// tags is an error that names learners with that ability.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::model {

struct Tags {
  bool sparse = true;             // keeps sparse input sparse; otherwise it makes a dense copy
  bool kernel = false;            // works on a kernel matrix, O(n^2) memory
  bool missing_labels = false;    // cells without a label are left out
  bool labels_apart = false;      // each label's scores are learnt from its own observed cells only
  bool missing_features = false;  // NaN among the features
  bool probabilities = false;     // scores are probabilities
  bool weights = false;           // instance weights
  bool label_sets = false;        // needs exclusive label sets
  bool label_rules = false;       // decisions obey declared rules between labels
  bool anytime = false;           // returns its best model so far when stopped
  bool warm_start = false;        // continues from a saved model
  bool distances = false;         // compares rows by distance: feature scales matter
  bool label_blocks = false;      // models of some labels each can be put together as one
  bool tree_blocks = false;       // and so can trees that were grown apart
  bool baseline = false;          // does not look at the features
  bool row_sums = false;  // a smooth loss needs sums over rows only, which parts of them add to
};

// The names of the tags that are set, as `mulberry list` prints them.
std::vector<std::string> tag_names(const Tags& tags);

}  // namespace mulberry::model

// Figures about a data set, as `describe` shows and writes them. visit() lists every figure under a
// name that programs may rely on.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

struct LabelDescription {
  std::string name = {};
  Index count = 0;       // rows with the label
  double frequency = 0;  // count / rows where it is observed
  double imbalance = 0;  // rows of the most frequent label / count; NaN if it never occurs
  Index missing = 0;

  void visit(auto& v) {
    v("name", name);
    v("count", count);
    v("frequency", frequency);
    v("imbalance", imbalance);
    v("missing", missing);
  }
};

struct PairDescription {
  std::string first = {}, second = {};
  Index together = 0;
  double phi = 0, lift = 0;

  void visit(auto& v) {
    v("first", first);
    v("second", second);
    v("together", together);
    v("phi", phi);
    v("lift", lift);
  }
};

// A rule between labels that rows break.
struct BrokenRuleDescription {
  std::string rule = {};
  Index rows = 0;
  Index first_row = 0;        // counted from 1
  std::string first_id = {};  // its id, if rows have ids

  void visit(auto& v) {
    v("rule", rule);
    v("rows", rows);
    v("first_row", first_row);
    v("first_id", first_id);
  }
};

// Names of constant features beyond these are not listed, only counted.
constexpr std::size_t k_most_constant_features = 100'000;

struct Description {
  std::string name = {};
  Index rows = 0;
  Index features = 0;  // as the file has them
  Index columns = 0;   // as learners see them
  bool sparse = false;
  double feature_density = 0;  // share of the values that are not 0
  Index labels = 0;
  double label_cardinality = 0;  // mean number of labels per row
  double label_density = 0;      // share of the observed cells that are 1
  Index distinct_label_sets = 0;
  double mean_imbalance = 0;  // of the labels that occur
  // How often rare labels occur with frequent ones, 0..1: 1 - geometric / arithmetic mean of the
  // imbalance of a row's labels, averaged over rows (Charte et al. 2014). High values are hard to
  // resample.
  double scumble = 0;
  Index empty_rows = 0;                         // without any label
  Index full_rows = 0;                          // with every label
  std::vector<std::string> absent_labels = {};  // never occur
  Index constant_feature_count = 0;             // columns that have a single value
  std::vector<std::string> constant_features =
      {};                      // their names, or numbers from 1: the first ones
  Index duplicate_rows = 0;    // same features as an earlier row
  Index conflicting_rows = 0;  // duplicates whose labels differ from the first such row
  Index missing_cells = 0;     // of the labels
  Index missing_features = 0;  // cells of the features, as the file has them
  std::vector<std::string> label_sets = {};  // declared exclusive groups
  Index implications = 0;                    // declared, or edges of a declared hierarchy
  Index exclusions = 0;                      // declared groups of at most one label
  std::vector<BrokenRuleDescription> broken_rules = {};
  std::vector<LabelDescription> per_label = {};      // in the order of the labels
  std::vector<PairDescription> co_occurrences = {};  // the strongest first, by phi
  bool pairs_counted = true;  // false: rows have so many labels that it would take too long

  void visit(auto& v) {
    v("name", name);
    v("rows", rows);
    v("features", features);
    v("columns", columns);
    v("sparse", sparse);
    v("feature_density", feature_density);
    v("labels", labels);
    v("label_cardinality", label_cardinality);
    v("label_density", label_density);
    v("distinct_label_sets", distinct_label_sets);
    v("mean_imbalance", mean_imbalance);
    v("scumble", scumble);
    v("empty_rows", empty_rows);
    v("full_rows", full_rows);
    v("absent_labels", absent_labels);
    v("constant_feature_count", constant_feature_count);
    v("constant_features", constant_features);
    v("duplicate_rows", duplicate_rows);
    v("conflicting_rows", conflicting_rows);
    v("missing_cells", missing_cells);
    v("missing_features", missing_features);
    v("label_sets", label_sets);
    v("implications", implications);
    v("exclusions", exclusions);
    v("broken_rules", broken_rules);
    v("per_label", per_label);
    v("co_occurrences", co_occurrences);
    v("pairs_counted", pairs_counted);
  }
};

struct DescribeOptions {
  Index pairs = 10;          // co-occurrences to list
  Index least_together = 5;  // rows that a pair must have in common to be listed
};

// O(stored features + sum over rows of the square of their labels).
Description describe(const Dataset& data, const DescribeOptions& options, const Context& ctx);

}  // namespace mulberry::data

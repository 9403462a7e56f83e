// Why a label is suggested for a row, or doubted, in terms that people can check: labels that occur
// with it, rows that are like this one, and the words or features that speak for it.
//
// The features are standardised and filled, and texts are vectorised, once for all rows. The
// nearest rows are found for all rows in question together (math/neighbours). A question then costs
// the rows of its label, its own labels' lists, and a few columns.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/preprocess/preprocess.hpp"
#include "mulberry/math/neighbours/neighbours.hpp"

namespace mulberry::evaluate {

// Of `rows` other rows with the label `other`, which this row has, `both` have the label in
// question, too. `lift` compares that share with all rows.
struct RelatedLabel {
  Id other = 0;
  Index both = 0, rows = 0;
  double lift = 1;
};

struct NearRow {
  Id row = 0;
  Cell cell = Cell::negative;  // of the label in question
};

// A feature of the row: its value, how far it is from the mean of all rows, and how far rows with
// the label are on average, both in standard deviations.
struct TellingFeature {
  Index column = 0;
  double value = 0, place = 0, usual = 0;
};

struct Reason {
  Index rows_with_label = 0;
  std::vector<RelatedLabel> related = {};  // the strongest first; labels that go with it if it is
                                           // suggested, that avoid it if it is doubted
  std::vector<NearRow> near = {};          // the nearest first
  std::vector<TellingFeature> features = {};  // the most telling first
  std::vector<std::string> words = {};  // of the texts, that rows with the label have more often
};

class Reasons {
 public:
  // `rows`: those that will be asked for.
  Reasons(const Dataset& data, const PreprocessOptions& preprocess, std::span<const Id> rows,
          const Context& ctx);

  Reason of(Id row, Id label) const;

 private:
  std::vector<RelatedLabel> related_labels(Id row, Id label) const;
  void add_columns(Id row, Id label, Reason& reason) const;

  const Dataset& data_;
  Features x_;                           // prepared: features, then words
  std::vector<double> mean_;             // of the columns of x_
  std::vector<std::string> words_;       // of the columns after the features
  std::unordered_map<Id, Index> place_;  // of a row in `near_`
  math::Neighbours near_;
};

}  // namespace mulberry::evaluate

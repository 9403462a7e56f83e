// Preprocessing of features: fitted on training data, applied to later data, saved with the model.
// In this order:
//   words          in sparse data, the word of four fifths of the rows becomes 0
//                  (swap_words.hpp)
//   impute         mean: missing values become the mean of their column or, for nominal attributes,
//                  the most frequent value; mode: the most frequent value of any column; none: they
//                  stay missing, for learners that accept them
//   tf-idf         every column times ln((1 + n) / (1 + rows that have it)) + 1
//   drop constant  columns with one value in the training data are left out
//   scale          none
//                  standardise: mean 0, deviation 1 per column; sparse data is only divided by the
//                               deviation, so that zeros stay zeros
//                  minmax:      every column to [0, 1]; sparse data is divided by its largest size,
//                               so that zeros stay zeros and values lie in [-1, 1]
//                  unit:        every row to length 1 (a row of zeros stays)
// Constant columns that stay are shifted but not divided. Steps fitted on sparse data never make
// data dense; steps fitted on dense data make sparse data dense if they shift.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/preprocess/impute.hpp"
#include "mulberry/data/text/text_options.hpp"

namespace mulberry::data {

enum class FeatureScale { none, standardise, minmax, unit };

struct PreprocessOptions {
  Impute impute = Impute::none;
  FeatureScale scale = FeatureScale::none;
  bool tfidf = false;
  bool drop_constant = false;
  TextOptions text = {};  // for columns of text, which the steps above do not touch

  static Fields fields() {
    return Fields{
        choice("impute", &PreprocessOptions::impute,
               "fill missing features with the mean or the most frequent value",
               {"none", "mean", "mode"}),
        choice("scale", &PreprocessOptions::scale, "bring features to a common scale",
               {"none", "standardise", "minmax", "unit"}),
        field("tfidf", &PreprocessOptions::tfidf, "weight words by how few rows have them"),
        field("drop_constant", &PreprocessOptions::drop_constant,
              "leave out features with a single value"),
        group(&PreprocessOptions::text)};
  }
};

struct Preprocessing {
  Index columns = 0;                            // number of features that the data must have
  std::vector<Id> swapped = {};                 // columns that become 1 - x, increasing
  std::vector<double> fill = {};                // for missing values, one per column, or empty
  bool drops = false;                           // whether only `kept` columns remain
  std::vector<Id> kept = {};                    // increasing
  std::vector<double> shift = {}, factor = {};  // (x - shift) * factor per kept column, or empty
  bool unit_rows = false;

  // `nominal` and `names` describe the columns of x, as in a Dataset; the first two steps need
  // them.
  static Preprocessing fit(const Features& x, const PreprocessOptions& options, const Context& ctx,
                           std::span<const NominalColumns> nominal = {},
                           std::span<const std::string> names = {});
  // Throws Error if x does not have the columns that fit saw.
  Features apply(const Features& x) const;
  bool imputes() const { return !fill.empty(); }
  Index width() const { return drops ? static_cast<Index>(kept.size()) : columns; }  // afterwards
  bool does_nothing() const {
    return swapped.empty() && !imputes() && !drops && factor.empty() && !unit_rows;
  }

  template <class V>
  void visit(V& v) {
    v("columns", columns, exactly(v.features()));
    v("drops", drops);
    v("kept", kept, below(v.features()));
    v("shift", shift, finite());
    v("factor", factor, finite());
    v("unit_rows", unit_rows);
    v.added("fill", fill, finite());
    v.added("swapped", swapped, below(v.features()));
    v.require(consistent(), "kept", "does not fit the columns, fill values and factors next to it");
  }

 private:
  bool consistent() const;
};

// A sentence if some feature varies more than 100 times as much as another, for learners that
// compare features by distance; empty otherwise. The scale of a feature is its standard deviation
// or, if most of its values are 0, the usual size of the others, so that rare words cause no
// warning. Constant features have none.
std::optional<std::string> scale_warning(const Features& x, std::span<const std::string> names = {},
                                         const Context& ctx = Context());

}  // namespace mulberry::data

// TextStep: the text columns of a data set as features, one Vectoriser per column. Fitted on
// training rows, kept in the model file, applied to all later rows. The features follow the
// features of the other columns.
#pragma once

#include <string>
#include <vector>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/text/vectoriser.hpp"
#include "mulberry/data/view.hpp"

namespace mulberry::data {

struct TextStep {
  std::vector<std::string> names = {};  // of the columns
  std::vector<Vectoriser> parts = {};

  bool empty() const { return names.empty(); }
  Index columns() const;                           // of the features that it makes
  std::vector<std::string> feature_names() const;  // "body:word"

  // `joined` receives other and the features of the texts, side by side.
  static TextStep fit(const Dataset& data, const Features& other, const TextOptions& options,
                      const Context& ctx, Features& joined);
  // Throws Error (data) if the data lacks a column.
  Features apply(const Dataset& data, const Features& other, const Context& ctx) const;

  template <class V>
  void visit(V& v) {
    v("names", names);
    v("parts", parts);
    v.require(names.size() == parts.size(), "names", "does not fit the columns of text");
  }
};

// The columns of `left`, then of `right`, sparse.
Features join_columns(const Features& left, Csr right);

// What checks before training may know of the data: as view_of, with a feature that stands for all
// words if there is nothing but text. `storage` must outlive the view.
View outline_of(const Dataset& data, Features& storage);

}  // namespace mulberry::data

#include "mulberry/data/view.hpp"

#include "mulberry/core/index.hpp"

namespace mulberry::data {

View view_of(const Dataset& data) {
  return {.x = &data.x,
          .y = data.has_labels ? &data.y : nullptr,
          .sets = data.sets.empty() ? nullptr : &data.sets,
          .rules = data.rules.empty() ? nullptr : &data.rules,
          .weights = data.weights};
}

View part_of(const View& view, std::span<const Id> rows, std::vector<Id>& storage) {
  storage.clear();
  for (const Id k : rows) storage.push_back(view.row(k));
  View out = view;
  out.rows = storage;
  out.all = false;
  return out;
}

Compact::Compact(const View& view, Rows rows)
    : view_x_(view.x), view_y_(view.y), weights_(view.weights) {
  const bool in_place = rows == Rows::listed || (rows == Rows::blocks && view.x->is_foreign());
  if (!view.all) {
    x_ = in_place ? pick_rows(*view.x, view.rows) : take_rows(*view.x, view.rows);
    if (view.y != nullptr) y_ = take_rows(*view.y, view.rows);
    if (!view.weights.empty()) {
      for (const Id i : view.rows) own_weights_.push_back(view.weights[at(i)]);
      weights_ = own_weights_;
    }
  }
  if (view.all && !in_place && !view.x->in_one_piece()) {
    x_ = in_one_piece(*view.x);
  }
  if (view.extra != nullptr) x_ = append_columns(x(), *view.extra);
}

}  // namespace mulberry::data

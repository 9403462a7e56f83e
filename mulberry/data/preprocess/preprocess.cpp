#include "mulberry/data/preprocess/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/data/describe/present_columns.hpp"
#include "mulberry/data/preprocess/impute.hpp"
#include "mulberry/data/preprocess/swap_words.hpp"

namespace mulberry::data {
namespace {

constexpr double k_different_scales = 100.0;

std::string column_name(std::span<const std::string> names, std::size_t j) {
  return j < names.size() ? in_quotes(names[j]) : std::to_string(j + 1);
}

// The scaling of a column whose values were already multiplied by `weight` > 0.
struct Affine {
  double shift = 0, factor = 1;
};

Affine scaling(const ColumnStatistics& columns, std::size_t j, double weight, FeatureScale scale,
               bool sparse) {
  const double low = weight * columns.min[j], high = weight * columns.max[j];
  double shift = 0, size = 1;
  if (scale == FeatureScale::standardise) {
    shift = weight * columns.mean[j];
    size = weight * columns.deviation[j];
  } else if (scale == FeatureScale::minmax) {
    shift = low;
    size = sparse ? std::max(std::abs(low), std::abs(high)) : high - low;
  } else {
    return {};
  }
  if (!std::isfinite(shift) || !std::isfinite(size)) {
    throw Error(Code::data,
                fmt::format("expected values that can be scaled, found {} to {} in feature {}",
                            shortest(low), shortest(high), j + 1),
                "Divide the feature by a large number first, or leave it out");
  }
  if (sparse) shift = 0;
  return {shift, columns.constant(j) || !(size > 0) ? 1.0 : 1.0 / size};
}

void scale_rows_to_unit(const Index rows, const auto& row_of) {
  for (Index i = 0; i < rows; ++i) {
    const std::span<double> row = row_of(i);
    double largest = 0;
    for (const double v : row) largest = std::max(largest, std::isnan(v) ? 0 : std::abs(v));
    if (largest == 0) continue;
    double sum = 0;  // of the values divided by the largest: no overflow, no underflow
    for (const double v : row) sum += std::isnan(v) ? 0 : (v / largest) * (v / largest);
    const double length = std::sqrt(sum);
    for (double& v : row) v = v / largest / length;
  }
}

Features transformed(const Preprocessing& steps, Matrix x) {
  double* values = x.data();
  const auto d = at(x.cols());
  const auto row_of = [&](Index i) { return std::span<double>(values + at(i) * d, d); };
  for (Index i = 0; !steps.factor.empty() && i < x.rows(); ++i) {
    const std::span<double> row = row_of(i);
    for (std::size_t j = 0; j < d; ++j) row[j] = (row[j] - steps.shift[j]) * steps.factor[j];
  }
  if (steps.unit_rows) scale_rows_to_unit(x.rows(), row_of);
  return x;
}

Features transformed(const Preprocessing& steps, Csr x) {
  std::vector<double> values = x.value.copy();
  for (std::size_t k = 0; !steps.factor.empty() && k < values.size(); ++k) {
    values[k] *= steps.factor[at(x.index[k])];
  }
  if (steps.unit_rows) {
    scale_rows_to_unit(x.rows, [&](Index i) {
      const auto begin = at(x.start[at(i)]);
      const auto end = at(x.start[at(i) + 1]);
      return std::span<double>(values).subspan(begin, end - begin);
    });
  }
  x.value = std::move(values);
  return x;
}

}  // namespace

Preprocessing Preprocessing::fit(const Features& read, const PreprocessOptions& options,
                                 const Context& ctx, std::span<const NominalColumns> nominal,
                                 std::span<const std::string> names) {
  Preprocessing out;
  out.columns = read.cols();
  out.swapped = frequent_ones(read, nominal);
  const Features given = swap_zero_one(read, out.swapped);
  if (options.impute != Impute::none) {
    out.fill = fill_values(given, nominal, names, ctx, options.impute);
  }
  out.unit_rows = options.scale == FeatureScale::unit;
  const bool scales =
      options.scale == FeatureScale::standardise || options.scale == FeatureScale::minmax;
  if (!options.tfidf && !options.drop_constant && !scales) return out;

  const std::optional<Features> filled = out.imputes() && has_missing(given)
                                             ? std::optional(fill_missing(given, out.fill))
                                             : std::nullopt;
  const Features& x = filled ? *filled : given;
  const ColumnStatistics columns = column_statistics(x, ctx);
  out.drops = options.drop_constant;
  for (std::size_t j = 0; j < at(x.cols()); ++j) {
    if (options.drop_constant) {
      if (columns.constant(j)) continue;
      out.kept.push_back(static_cast<Id>(j));
    }
    if (!options.tfidf && !scales) continue;
    const double weight = options.tfidf
                              ? std::log((1.0 + static_cast<double>(columns.rows)) /
                                         (1.0 + static_cast<double>(columns.nonzeros[j]))) +
                                    1.0
                              : 1.0;
    const Affine affine = scaling(columns, j, weight, options.scale, x.is_sparse());
    out.shift.push_back(affine.shift / weight);
    out.factor.push_back(affine.factor * weight);
  }
  return out;
}

Features Preprocessing::apply(const Features& x) const {
  if (x.cols() != columns) {
    throw Error(Code::data, fmt::format("expected {} features, found {}", columns, x.cols()),
                "Use data with the features that the model was trained on");
  }
  if (does_nothing()) return x;
  const Features coded = swap_zero_one(x, swapped);
  const Features* part = &coded;
  Features filled, fewer;
  if (imputes() && has_missing(coded)) {
    filled = fill_missing(coded, fill);
    part = &filled;
  }
  if (drops) {
    fewer = take_columns(*part, kept);
    part = &fewer;
  }
  const bool shifts = std::any_of(shift.begin(), shift.end(), [](double s) { return s != 0; });
  if (!drops && factor.empty() && !unit_rows) return *part;
  if (part->is_sparse() && !shifts) return transformed(*this, to_sparse(*part));
  return transformed(*this, Matrix(to_dense(*part)));
}

bool Preprocessing::consistent() const {
  const bool kept_fits =
      drops ? kept.empty() || (kept.front() >= 0 && kept.back() < columns) : kept.empty();
  const auto width = drops ? kept.size() : at(columns);
  return kept_fits && columns >= 0 && (fill.empty() || fill.size() == at(columns)) &&
         std::all_of(fill.begin(), fill.end(), [](double v) { return std::isfinite(v); }) &&
         std::adjacent_find(kept.begin(), kept.end(), std::greater_equal<>()) == kept.end() &&
         is_increasing(swapped) && shift.size() == factor.size() &&
         (factor.empty() || factor.size() == width);
}

std::optional<std::string> scale_warning(const Features& x, std::span<const std::string> names,
                                         const Context& ctx) {
  const PresentColumns present = present_columns(x);  // the others are constant
  const ColumnStatistics columns = column_statistics(present.x, ctx);
  std::optional<std::size_t> least, most;
  std::vector<double> scale(at(present.x.cols()));
  for (std::size_t j = 0; j < scale.size(); ++j) {
    if (columns.constant(j)) continue;
    const bool mostly_zero = 2 * columns.nonzeros[j] < columns.rows;
    scale[j] = mostly_zero ? columns.nonzero_size[j] : columns.deviation[j];
    if (!least || scale[j] < scale[*least]) least = j;
    if (!most || scale[j] > scale[*most]) most = j;
  }
  if (!most || !(scale[*most] > k_different_scales * scale[*least])) return std::nullopt;
  return fmt::format(
      "the features have different scales: feature {} varies by about {:.3g}, feature {} by "
      "{:.3g}",
      column_name(names, at(present.id(*most))), scale[*most],
      column_name(names, at(present.id(*least))), scale[*least]);
}

}  // namespace mulberry::data

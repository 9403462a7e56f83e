#include "mulberry/data/extent.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "mulberry/core/index.hpp"

namespace mulberry::data {
namespace {

// The rows of every label set that occurs, the most frequent first.
std::vector<double> rows_of_sets(const View& view) {
  std::vector<std::uint64_t> codes;  // sets of equal code are taken for the same
  codes.reserve(at(view.size()));
  for (Index k = 0; k < view.size(); ++k) {
    std::uint64_t code = 0;
    for (const Id l : view.y->row(view.row(k))) {
      code = (code ^ (static_cast<std::uint64_t>(l) + 1)) * 0x9E3779B97F4A7C15U;
      code ^= code >> 29U;
    }
    codes.push_back(code);
  }
  std::sort(codes.begin(), codes.end());
  std::vector<double> out;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    if (k == 0 || codes[k] != codes[k - 1]) out.push_back(0);
    ++out.back();
  }
  std::sort(out.begin(), out.end(), std::greater<>());
  return out;
}

}  // namespace

double Extent::features_of(double count) const {
  if (!sparse) return 8 * count * columns;
  return 12 * stored * (rows > 0 ? count / rows : 1) + 8 * count;
}

double Extent::decisions() const {
  return (rows > 0 ? asked / rows : 1) * (8 * positives) + 8 * (asked + labels);
}

double Extent::sets_above(double count) const {
  if (!set_rows) return std::min(rows, std::exp2(std::min(labels, 60.0)));
  double out = 0;
  for (const double rows_of_set : *set_rows) out += rows_of_set > count ? 1 : 0;
  return out;
}

Extent Extent::alone() const {
  Extent out = *this;
  out.threads = 1;
  return out;
}

Extent Extent::of_rows(double count) const {
  Extent out = *this;
  const double share = rows > 0 ? count / rows : 1;
  out.rows = count;
  out.stored *= share;
  out.positives *= share;
  return out;
}

Extent Extent::of_picked(double count) const {
  Extent out = of_rows(count);
  out.picked = true;
  return out;
}

Extent Extent::of_columns(double count) const {
  Extent out = *this;
  if (columns > 0) out.stored *= count / columns;
  out.columns = count;
  return out;
}

Extent Extent::with_columns(double more) const {
  Extent out = *this;
  out.columns += more;
  out.stored += rows * more;
  return out;
}

Extent Extent::of_labels(double count) const {
  Extent out = *this;
  if (labels > 0) out.positives *= count / labels;
  out.labels = count;
  return out;
}

Extent Extent::of_classes(double count) const {
  Extent out = of_labels(1);
  out.classes = count;
  return out;
}

Extent Extent::of_dense(double width) const {
  Extent out = *this;
  out.sparse = out.picked = false;
  out.columns = width;
  out.stored = rows * width;
  return out;
}

Extent extent_of(const View& view, double threads, double asked) {
  Extent out;
  out.rows = static_cast<double>(view.size());
  out.asked = asked < 0 ? out.rows : asked;
  out.columns = static_cast<double>(view.columns());
  out.labels = static_cast<double>(view.labels());
  out.threads = threads;
  out.sparse = view.x->is_sparse();
  out.picked = !view.all || !view.x->in_one_piece();
  const double all = static_cast<double>(view.x->rows()), share = all > 0 ? out.rows / all : 1;
  out.stored = share * static_cast<double>(view.x->stored());
  out.rules = view.rules != nullptr;
  if (view.y == nullptr) return out;
  out.positives = share * static_cast<double>(view.y->positives());
  out.set_rows = std::make_shared<const std::vector<double>>(rows_of_sets(view));
  if (view.sets != nullptr) {
    for (const auto& members : view.sets->members) {
      out.groups.push_back(static_cast<double>(members.size()));
    }
  }
  return out;
}

double grown(double size) { return size <= 1 ? size : std::exp2(std::ceil(std::log2(size))); }

}  // namespace mulberry::data

// What the numbers of a model file may be. A model file can come from anyone, so every field that
// holds numbers declares in `visit` which values it may have and, for arrays, how many:
//
//     v("w", w, finite().rows(v.outputs()).cols(v.features()));
//     v("column", column, whole(-1, v.features() - 1).length(nodes));
//     v("certificate", certificate, any_real().rows(v.outputs()).cols(5));
//
// A field of numbers without bounds does not compile. The values of a borrowed array are checked
// with its checksum, when the first of them is used.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

#include "mulberry/core/matrix.hpp"

namespace mulberry::core {

// What a part of a model works on: the columns of the features that it sees, and the columns of the
// scores that it gives. A model inside another may have other ones than the whole.
struct ModelShape {
  Index features = 0;
  Index outputs = 0;
};

// The values that the elements of an array may have.
struct RealRange {
  double low = 0, high = 0;
  bool nan = false;  // NaN is also allowed
};
struct WholeRange {
  Index low = 0, high = 0;
};

// A range and sizes; a size that is not given is free.
template <class Range>
class Bounds {
 public:
  constexpr explicit Bounds(Range range) : range_(range) {}
  constexpr Bounds length(Index count) const { return with(&Bounds::length_, count); }
  constexpr Bounds rows(Index count) const { return with(&Bounds::rows_, count); }
  constexpr Bounds cols(Index count) const { return with(&Bounds::cols_, count); }

  constexpr const Range& range() const { return range_; }
  constexpr bool allows_length(Index count) const { return length_ == k_free || length_ == count; }
  constexpr bool allows_rows(Index count) const { return rows_ == k_free || rows_ == count; }
  constexpr bool allows_cols(Index count) const { return cols_ == k_free || cols_ == count; }
  constexpr bool says_rows() const { return rows_ != k_free; }
  constexpr bool says_cols() const { return cols_ != k_free; }

 private:
  static constexpr Index k_free = std::numeric_limits<Index>::min();
  constexpr Bounds with(Index Bounds::* size, Index count) const {
    Bounds out = *this;
    out.*size = count;
    return out;
  }

  Range range_;
  Index length_ = k_free, rows_ = k_free, cols_ = k_free;
};
using RealBounds = Bounds<RealRange>;
using WholeBounds = Bounds<WholeRange>;

constexpr RealBounds real(double low, double high) { return RealBounds({low, high}); }
constexpr RealBounds finite() {
  return real(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
}
constexpr RealBounds real_from(double low) { return real(low, std::numeric_limits<double>::max()); }
// Numbers that are compared with others, so that infinity is as good as any.
constexpr RealBounds finite_or_infinite() {
  return real(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
}
// Figures that are only shown: NaN where there is none.
constexpr RealBounds any_real() {
  return RealBounds(
      {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), true});
}

constexpr WholeBounds whole(Index low, Index high) { return WholeBounds({low, high}); }
constexpr WholeBounds below(Index count) { return whole(0, count - 1); }
constexpr WholeBounds any_whole() {
  return whole(std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max());
}
constexpr WholeBounds any_count() { return whole(0, std::numeric_limits<Index>::max()); }
// A size that is known already, stored once more.
constexpr WholeBounds exactly(Index count) { return whole(count, count); }
// One of the values of an enumeration that begins with 0.
template <class Enum>
  requires std::is_enum_v<Enum>
constexpr WholeBounds up_to(Enum last) {
  return whole(0, static_cast<Index>(last));
}

template <class Number>
using BoundsFor = std::conditional_t<std::is_floating_point_v<Number>, RealBounds, WholeBounds>;
template <class Number>
using RangeFor = std::conditional_t<std::is_floating_point_v<Number>, RealRange, WholeRange>;

constexpr bool inside(double value, const RealRange& range) {
  return (value >= range.low && value <= range.high) || (range.nan && value != value);
}
constexpr bool inside(Index value, const WholeRange& range) {
  return value >= range.low && value <= range.high;
}

// Whether each number is greater than the one before it.
inline bool is_increasing(std::span<const Id> values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}
// Whether these numbers cut 0 .. size into consecutive parts.
inline bool are_offsets(std::span<const Index> values, std::size_t size) {
  return !values.empty() && values.front() == 0 && std::is_sorted(values.begin(), values.end()) &&
         values.back() == static_cast<Index>(size);
}

}  // namespace mulberry::core

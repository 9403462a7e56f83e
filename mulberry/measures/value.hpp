// MeasureValue, and the two ways to get one from rows or labels: UnitMean, the mean of a value that
// some of them do not have, and RowRatio, a ratio of sums.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/measures/convention.hpp"

namespace mulberry::measures {

struct MeasureValue {
  std::string name = {};
  double value = 0.0;       // NaN if there is none; `reason` says why
  Index undefined = 0;      // rows or labels without a value
  Index unobserved = 0;     // rows or labels without any observed cell: always left out
  std::string reason = {};  // empty unless the value is NaN
  bool higher_is_better = true;
};

// A NaN with its reason; direction from the table of measures.
MeasureValue no_value(std::string_view name, std::string reason);
MeasureValue plain_value(std::string_view name, double value);

// Units may be set from several threads, each unit from one. Every unit must be set.
class UnitMean {
 public:
  UnitMean(std::string_view name, const char* unit, Index size)
      : name_(name), unit_(unit), value_(at(size)), state_(value_.size()) {}

  void set(Index i, double value) { put(i, State::kept, value); }
  void set_unobserved(Index i) { put(i, State::unobserved, 0); }
  // Unit i has no value: follows the rule, which may be to throw Error.
  void set_undefined(Index i, const Rule& rule, double natural = 0);

  // With weights (one per unit): the mean of a resample in which unit i occurs weights[i] times.
  MeasureValue result(std::span<const double> weights = {}) const;
  const std::string& name() const { return name_; }

 private:
  enum class State : std::uint8_t { kept, filled, skipped, poisoned, unobserved };
  void put(Index i, State state, double value) {
    value_[at(i)] = value;
    state_[at(i)] = state;
  }

  std::string name_;
  const char* unit_;
  std::vector<double> value_;
  std::vector<State> state_;
};

// Sum of `above` over sum of `below`. Rows with nothing below are counted as unobserved, or as
// undefined if they have observed cells.
class RowRatio {
 public:
  enum class Empty { unobserved, undefined };
  RowRatio(std::string_view name, Index rows, Empty empty = Empty::unobserved)
      : name_(name), empty_(empty), above_(at(rows)), below_(above_.size()) {}
  void set(Index i, double above, double below) {
    above_[at(i)] = above;
    below_[at(i)] = below;
  }
  MeasureValue result(std::span<const double> weights = {}) const;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  Empty empty_;
  std::vector<double> above_, below_;
};

// All averages over rows: a bootstrap resamples them without measuring again.
struct RowMeasures {
  std::vector<UnitMean> means = {};
  std::vector<RowRatio> ratios = {};
};

// The names of the measures to compute.
class Selection {
 public:
  explicit Selection(std::vector<std::string> names) : names_(std::move(names)) {}
  bool has(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  template <class... Names>
  bool has_any(const Names&... names) const {
    return (has(names) || ...);
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace mulberry::measures

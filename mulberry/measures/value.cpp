#include "mulberry/measures/value.hpp"

#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/measures/catalogue.hpp"

namespace mulberry::measures {
namespace {

// "set_accuracy:colour" is the measure set_accuracy of one label set.
bool direction(std::string_view name) {
  return measure_info(name.substr(0, name.find(':'))).higher_is_better;
}

}  // namespace

MeasureValue plain_value(std::string_view name, double value) {
  return {.name = std::string(name), .value = value, .higher_is_better = direction(name)};
}

MeasureValue no_value(std::string_view name, std::string reason) {
  MeasureValue out = plain_value(name, std::numeric_limits<double>::quiet_NaN());
  out.reason = std::move(reason);
  return out;
}

void UnitMean::set_undefined(Index i, const Rule& rule, double natural) {
  switch (rule.kind) {
    case Rule::natural:
      put(i, State::kept, natural);
      return;
    case Rule::value:
      put(i, State::filled, rule.number);
      return;
    case Rule::skip:
      put(i, State::skipped, 0);
      return;
    case Rule::nan:
      put(i, State::poisoned, 0);
      return;
    case Rule::error:
      break;
  }
  throw Error(Code::data,
              "expected " + name_ + " to have a value in every " + unit_ + ", found none in " +
                  unit_ + " " + std::to_string(i + 1),
              "Leave that " + std::string(unit_) +
                  " out, or choose another policy for undefined cases: zero, one, skip, nan");
}

MeasureValue UnitMean::result(std::span<const double> weights) const {
  double sum = 0, total = 0;
  Index undefined = 0, unobserved = 0;
  bool poisoned = false;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (weight == 0) continue;
    const State state = state_[i];
    if (state == State::unobserved) {
      ++unobserved;
      continue;
    }
    if (state != State::kept) ++undefined;
    poisoned = poisoned || state == State::poisoned;
    if (state == State::skipped) continue;
    sum += weight * value_[i];
    total += weight;
  }
  MeasureValue out;
  if (poisoned) {
    out = no_value(name_, std::string("a ") + unit_ + " has no value");
  } else if (total == 0) {
    out = no_value(name_, std::string("no ") + unit_ + " has a value");
  } else {
    out = plain_value(name_, sum / total);
  }
  out.undefined = undefined;
  out.unobserved = unobserved;
  return out;
}

MeasureValue RowRatio::result(std::span<const double> weights) const {
  double above = 0, below = 0;
  Index empty = 0;
  for (std::size_t i = 0; i < above_.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    above += weight * above_[i];
    below += weight * below_[i];
    empty += below_[i] == 0 && weight > 0 ? 1 : 0;
  }
  MeasureValue out = below > 0 ? plain_value(name_, above / below)
                               : no_value(name_, "no row has anything to count");
  (empty_ == Empty::unobserved ? out.unobserved : out.undefined) = empty;
  return out;
}

}  // namespace mulberry::measures

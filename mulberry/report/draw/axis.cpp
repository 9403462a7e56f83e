#include "mulberry/report/draw/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/math/statistics/summaries.hpp"

namespace mulberry::report {
namespace {

std::vector<double> round_numbers(double low, double high, double step) {
  std::vector<double> out;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
    out.push_back(k == 0 ? 0.0 : k * step);
  }
  return out;
}

constexpr std::size_t k_least = 3;

// Logarithms of the powers of ten; if these are few, of 2 and 5 times them as well, or of all
// multiples; within one decade, of round numbers.
std::vector<double> log_ticks(double low, double high) {
  std::vector<double> out;
  const std::vector<std::vector<double>> leads = {{1}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  for (const std::vector<double>& lead : leads) {
    out.clear();
    for (double power = std::floor(low); power <= high; ++power) {
      for (const double l : lead) {
        const double v = power + std::log10(l);
        if (v >= low && v <= high) out.push_back(v);
      }
    }
    const std::size_t wanted = lead.size() == 1 ? k_least + 1 : k_least;
    if (out.size() >= wanted) return out;
  }
  out.clear();
  for (const double v : ticks(std::pow(10.0, low), std::pow(10.0, high), 4)) {
    if (v > 0) out.push_back(std::log10(v));
  }
  return out;
}

}  // namespace

std::vector<double> ticks(double low, double high, int count) {
  if (!(high > low)) return {low};
  const double raw = (high - low) / count;
  double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double lead = raw / power;
  int place = lead <= 1 ? 0 : lead <= 2 ? 1 : lead <= 5 ? 2 : 3;  // 1, 2, 5, 10
  std::vector<double> out;
  do {
    constexpr double k_leads[] = {1, 2, 5, 10};
    out = round_numbers(low, high, k_leads[place] * power);
    if (place == 0) power /= 10;
    place = place == 0 ? 2 : place - 1;  // the next smaller step
  } while (out.size() < k_least);
  return out;
}

std::string tick_text(double value) { return fmt::format("{:.6g}", value); }

std::vector<std::string> tick_texts(std::span<const double> values) {
  std::vector<std::string> out;
  for (int digits = 6; digits <= 15; digits += 3) {
    out.clear();
    for (const double v : values) out.push_back(fmt::format("{:.{}g}", v, digits));
    if (std::adjacent_find(out.begin(), out.end()) == out.end()) break;
  }
  return out;
}

bool suits_log(std::span<const double> values, double ratio) {
  std::vector<double> sorted;
  for (const double v : values) {
    if (std::isfinite(v)) sorted.push_back(v);
  }
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() < 3 || sorted.front() <= 0 || sorted.back() < ratio * sorted.front()) {
    return false;
  }
  const double low = sorted.front(), high = sorted.back(), middle = sorted_quantile(sorted, 0.5);
  const double plain = (middle - low) / (high - low);
  const double logarithmic = std::log(middle / low) / std::log(high / low);
  return std::abs(logarithmic - 0.5) < std::abs(plain - 0.5);
}

Axis::Axis(std::span<const double> values, double from, double to, const AxisOptions& options)
    : log_(options.log), from_(from), to_(to) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double v : values) {
    if (!std::isfinite(v) || (log_ && v <= 0)) continue;
    low = std::min(low, place(v));
    high = std::max(high, place(v));
  }
  if (low > high) return;
  // A single value still needs an axis.
  const double pad = high > low ? (high - low) * options.pad : std::max(std::abs(high) * 0.1, 1e-9);
  low_ = low - pad;
  high_ = high + pad;
}

double Axis::place(double value) const { return log_ ? std::log10(value) : value; }

double Axis::operator()(double value) const {
  const double v = log_ && value <= 0 ? low_ : std::clamp(place(value), low_, high_);
  return from_ + (v - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<std::pair<double, std::string>> Axis::ticks(int count) const {
  const std::vector<double> places =
      log_ ? log_ticks(low_, high_) : report::ticks(low_, high_, count);
  std::vector<double> values = places;
  if (log_) {
    for (double& v : values) v = std::pow(10.0, v);
  }
  const std::vector<std::string> words = tick_texts(values);
  std::vector<std::pair<double, std::string>> out;
  for (std::size_t k = 0; k < places.size(); ++k) {
    out.emplace_back(from_ + (places[k] - low_) / (high_ - low_) * (to_ - from_), words[k]);
  }
  return out;
}

}  // namespace mulberry::report

#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "mulberry/core/index.hpp"

namespace mulberry::cli {
namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), begin_(Clock::now()), last_(begin_) {}

void Progress::show(double fraction, double objective) {
  const std::lock_guard lock(mutex_);
  // Parts that run at the same time report in any order, but the bar never shrinks.
  furthest_ = std::max(furthest_, std::clamp(fraction, 0.0, 1.0));
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  constexpr int k_width = 24;
  const int filled = static_cast<int>(std::lround(furthest_ * k_width));
  std::string line = fmt::format("\r\x1b[K{} [{}{}] {:3.0f} %", what_, std::string(at(filled), '#'),
                                 std::string(at(k_width - filled), ' '), furthest_ * 100);
  if (furthest_ > 0.01) line += ", " + duration(elapsed * (1 - furthest_) / furthest_) + " left";
  if (std::isfinite(objective)) line += fmt::format(", objective {:.6g}", objective);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace mulberry::cli

// A progress line on a terminal: how far a run has come and how long it will still take.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "mulberry/core/rooms.hpp"

namespace mulberry::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  void show(double fraction,
            double objective);  // from any thread; draws at most ten times a second
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  std::string what_;
  Clock::time_point begin_, last_;
  double furthest_ = 0;
  bool drawn_ = false;
};

}  // namespace mulberry::cli

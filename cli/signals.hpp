// SIGINT and SIGTERM ask the run to stop; the exit code tells which signal it was. While nobody
// polls, as when data is read or written, they end the process: files appear whole or not at all.
#pragma once

#include <stop_token>

#include "mulberry/core/rooms.hpp"

namespace mulberry::cli {

// Installs the handlers, once. A signal that the parent process chose to ignore stays ignored.
void watch_signals();
std::stop_token stop_token();
// While an object lives, its owner polls stop_token() and decides what becomes of the work so far.
class StopListener {
 public:
  StopListener();
  ~StopListener();
  StopListener(const StopListener&) = delete;
  StopListener& operator=(const StopListener&) = delete;
};
int stopping_signal();  // 0 if there was none

}  // namespace mulberry::cli

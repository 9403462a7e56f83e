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
// It has less than a second to do so, or a minute if it keeps the work so far; a second signal ends
// the process at once in any case.
class StopListener {
 public:
  explicit StopListener(bool keeps_work = false);
  ~StopListener();
  StopListener(const StopListener&) = delete;
  StopListener& operator=(const StopListener&) = delete;
};
int stopping_signal();  // 0 if there was none

}  // namespace mulberry::cli

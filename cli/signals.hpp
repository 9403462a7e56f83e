// SIGINT and SIGTERM ask the run to stop; the exit code says which it was.
#pragma once

#include <stop_token>

namespace mulberry::cli {

// Installs the handlers, once. A signal that the parent process chose to ignore stays ignored.
void watch_signals();
std::stop_token stop_token();
int stopping_signal();  // 0 while there was none

}  // namespace mulberry::cli

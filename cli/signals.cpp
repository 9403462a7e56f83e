#include "cli/signals.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <thread>

#include "mulberry/core/atomic_file.hpp"

namespace mulberry::cli {
namespace {

// A handler may only do what is safe in a signal: it notes the signal and wakes a thread, which
// asks the run to stop. A second signal ends the process at once.
sem_t wake;
std::atomic<int> received = 0, listeners = 0;
std::stop_source source;
// How long a run may take to stop by itself.
constexpr auto k_patience = std::chrono::milliseconds(800);
std::atomic<std::chrono::milliseconds> patience = k_patience;

void on_signal(int signal) {
  if (received.exchange(signal) != 0) _exit(128 + signal);
  sem_post(&wake);
}

}  // namespace

namespace {

[[noreturn]] void end_at_once(const char* text) {
  core::discard_unfinished_files();
  std::fputs(text, stderr);
  _exit(128 + received);
}

// Waits for a signal, and then for the run to stop. Computations poll many times per second, but a
// loop of a library might not, such as an allocation that it tries again and again.
void wait_for_signal() {
  while (sem_wait(&wake) != 0 && errno == EINTR) {
  }
  // Checked before the request to stop: the run may end right after it.
  if (listeners == 0) end_at_once("mulberry: stopped\n");
  source.request_stop();
  constexpr auto k_step = std::chrono::milliseconds(10);
  for (auto waited = k_step; listeners != 0; waited += k_step) {
    std::this_thread::sleep_for(k_step);
    if (waited >= patience.load()) end_at_once("mulberry: stopped; nothing was written\n");
  }
}

}  // namespace

void watch_signals() {
  sem_init(&wake, 0, 0);
  try {
    std::thread(wait_for_signal).detach();
  } catch (const std::system_error&) {
    return;  // there is no room for a thread: a signal ends the process
  }
  // A file beyond the limit of sizes is an error of write, with a message.
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction old = {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

StopListener::StopListener(bool keeps_work) {
  if (keeps_work) patience = std::chrono::milliseconds(60'000);
  ++listeners;
}
StopListener::~StopListener() { --listeners; }

std::stop_token stop_token() { return source.get_token(); }
int stopping_signal() { return received.load(); }

}  // namespace mulberry::cli

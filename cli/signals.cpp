#include "cli/signals.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <thread>

namespace mulberry::cli {
namespace {

// A handler may only do what is safe in a signal: it notes the signal and wakes a thread, which
// asks the run to stop. A second signal ends the process at once.
sem_t wake;
std::atomic<int> received = 0, listeners = 0;
std::stop_source source;

void on_signal(int signal) {
  if (received.exchange(signal) != 0) _exit(128 + signal);
  sem_post(&wake);
}

}  // namespace

void watch_signals() {
  sem_init(&wake, 0, 0);
  std::thread([] {
    while (sem_wait(&wake) != 0 && errno == EINTR) {
    }
    // Checked before the request to stop: the run may end right after it.
    if (listeners == 0) {
      std::fputs("mulberry: stopped\n", stderr);
      _exit(128 + received);
    }
    source.request_stop();
  }).detach();
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

StopListener::StopListener() { ++listeners; }
StopListener::~StopListener() { --listeners; }

std::stop_token stop_token() { return source.get_token(); }
int stopping_signal() { return received.load(); }

}  // namespace mulberry::cli

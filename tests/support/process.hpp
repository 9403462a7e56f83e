// Runs the command like a user and captures its output.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/contract.hpp"
#include "tests/support/places.hpp"

extern char** environ;

namespace mulberry::tests::contract {

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Process {
 public:
  // Signals have their default action in the child, even if the parent of the test ignores them.
  Process(const Scratch& scratch, const std::vector<std::string>& words,
          const std::string& program = places::command())
      : out_(scratch.file(".out")), err_(scratch.file(".err")) {
    std::vector<std::string> all = {program};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults, none;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &files, &attributes, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  // To the process and all that it has started, as a terminal sends Ctrl-C.
  void signal(int number) const { kill(-pid_, number); }
  // Kills it after this many seconds, which the outcome shows.
  Outcome wait_at_most(double seconds) {
    for (double waited = 0; waited < seconds; waited += 0.05) {
      siginfo_t ended = {};
      waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid != 0) return wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    signal(SIGKILL);
    return wait();
  }
  Outcome wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return {code, slurp(out_), slurp(err_)};
  }

 private:
  std::string out_, err_;
  pid_t pid_ = -1;
};

inline Outcome run(const Scratch& scratch, const std::vector<std::string>& words) {
  return Process(scratch, words).wait();
}

}  // namespace mulberry::tests::contract

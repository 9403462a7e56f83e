// Model files from strangers: every golden file is changed in thousands of ways, with checksums
// that fit, and used. Each must be refused with an Error or give finite predictions, in bounded
// time and memory. The work is done by child processes, so that a crash names the change that
// caused it.
//
// `make torture` makes 1,500 changes to each file instead of 60, MULBERRY_ATTACKS=N makes N of
// them, and MULBERRY_ATTACK=FILE:SEED repeats one in this process, for a debugger.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "mulberry/core/error.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "tests/support/golden_files.hpp"
#include "tests/support/model_mutator.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/torture.hpp"
#include "tests/support/use_model.hpp"

namespace mulberry::tests {
namespace {

constexpr int k_seconds = 10;                           // for one file
constexpr std::size_t k_memory = std::size_t{1} << 30;  // beyond what the process has at the start
constexpr std::uint64_t k_batch = 2000;                 // files for one child process

// What a child is doing and how it went, in memory that the parent sees.
struct Progress {
  std::uint64_t seed = 0;
  std::uint64_t refused = 0, used = 0;
  char problem[2000] = {};  // of a file that neither was refused nor gave finite predictions
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t address_space() {
  std::ifstream in("/proc/self/statm");
  std::size_t pages = 0;
  in >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// The change with this seed; a sentence if it is neither refused nor harmless.
std::string attack(const std::string& good, std::uint64_t seed, Progress& progress) {
  const std::string bytes = mutate_model(good, seed);
  try {
    if (use_model_bytes(bytes)) {
      ++progress.used;
    } else {
      ++progress.refused;
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

[[noreturn]] void child(const std::string& good, std::uint64_t end, Progress& progress) {
  if (!k_sanitized) {
    const rlimit memory = {address_space() + k_memory, address_space() + k_memory};
    setrlimit(RLIMIT_AS, &memory);
  }
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (; progress.seed < end; ++progress.seed) {
    alarm(k_seconds);
    const std::string problem = attack(good, progress.seed, progress);
    if (problem.empty()) continue;
    std::strncpy(progress.problem, problem.c_str(), sizeof progress.problem - 1);
    _exit(3);
  }
  _exit(0);
}

std::string ending(int status, const Progress& progress) {
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGALRM ? "took more than " + std::to_string(k_seconds) + " s"
                                       : std::string("crashed: ") + strsignal(WTERMSIG(status));
  }
  return progress.problem[0] != '\0' ? progress.problem : "ended the process";
}

// Attacks one file with the seeds 1 .. count; a line about each finding.
std::vector<std::string> attack_file(const std::filesystem::path& path, std::uint64_t count,
                                     Progress& progress) {
  std::vector<std::string> out;
  const std::string good = slurp(path);
  progress = {};
  progress.seed = 1;
  while (progress.seed <= count && out.size() < 1000) {
    const std::uint64_t end = std::min(count, progress.seed + k_batch - 1) + 1;
    const pid_t pid = fork();
    if (pid == 0) child(good, end, progress);
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    std::string what;
    mutate_model(good, progress.seed, &what);
    out.push_back(path.parent_path().filename().string() + "/" + path.filename().string() + ":" +
                  std::to_string(progress.seed) + " " + ending(status, progress) + "\n" + what);
    progress.problem[0] = '\0';
    ++progress.seed;
  }
  return out;
}

TEST(ModelAttack, EveryChangedFileIsRefusedOrHarmless) {
  if (const char* one = std::getenv("MULBERRY_ATTACK")) {
    const std::string text = one;
    const std::size_t colon = text.rfind(':');
    const std::string good = slurp(places::source() + "/tests/models/" + text.substr(0, colon));
    Progress progress;
    std::string what;
    mutate_model(good, std::stoull(text.substr(colon + 1)), &what);
    std::cout << what << std::flush;
    EXPECT_EQ(attack(good, std::stoull(text.substr(colon + 1)), progress), "");
    return;
  }
  const char* asked = std::getenv("MULBERRY_ATTACKS");
  const auto usual = static_cast<std::uint64_t>(shots(k_sanitized ? 10 : 60, 1500));
  const std::uint64_t count = asked != nullptr ? std::stoull(asked) : usual;
  auto* progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(progress, MAP_FAILED);
  std::uint64_t files = 0, refused = 0, used = 0, findings = 0;
  for (const auto& path : golden_files()) {
    for (const std::string& finding : attack_file(path, count, *progress)) {
      ADD_FAILURE() << finding;
      ++findings;
    }
    ++files;
    refused += progress->refused;
    used += progress->used;
  }
  munmap(progress, sizeof(Progress));
  std::cout << files << " files, " << files * count << " changes: " << refused << " refused, "
            << used << " gave finite predictions, " << findings << " did neither\n";
  EXPECT_GT(refused, 0u);
  EXPECT_GT(used, 0u);
}

// What a use of an unchanged file finds, so that the attack is known to reach the predictions.
TEST(ModelAttack, UnchangedFilesAreUsed) {
  for (const auto& path : golden_files()) {
    EXPECT_TRUE(use_model_bytes(slurp(path))) << path;
    EXPECT_TRUE(use_model_bytes(with_checksums(slurp(path)))) << path;
  }
}

}  // namespace
}  // namespace mulberry::tests

#include "mulberry/study/cell_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <map>
#include <new>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/evaluate/resources.hpp"

namespace mulberry::study {
namespace {

enum Ending { finished = 0, out_of_memory = 41, went_wrong = 42 };

void set_limit(int resource, double value) {
  const auto whole = static_cast<rlim_t>(std::ceil(value));
  const rlimit limit{whole, resource == RLIMIT_CPU ? whole + 5 : whole};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

[[noreturn]] void child(const Plan& plan, const CellStore& store, const PlannedCell& cell,
                        const Context& ctx) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever ends the run ends its cells
  // A terminal sends Ctrl-C to these processes as well: the run decides, and ends them itself.
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);
  const StudyLimits& limits = plan.study.limits;
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  if (limits.cpu_seconds > 0) set_limit(RLIMIT_CPU, limits.cpu_seconds);
  if (limits.memory_gb > 0) set_limit(RLIMIT_DATA, limits.memory_gb * 1e9);
  try {
    reset_peak_memory();
    SplitResult result = run_cell(plan, cell, Context(1, ctx.seed()));
    result.peak_memory = peak_memory();
    store.keep(cell.identity, result);
    ::_exit(finished);
  } catch (const std::bad_alloc&) {
    ::_exit(out_of_memory);
  } catch (...) {
    ::_exit(went_wrong);
  }
}

// What became of a cell: empty if it is finished, the limit that it met, or an Error.
std::string limit_met(int status, const Plan& plan, const PlannedCell& cell) {
  const StudyLimits& limits = plan.study.limits;
  if (WIFEXITED(status) && WEXITSTATUS(status) == finished) return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    return fmt::format("{} of {:g} CPU seconds", k_over_limit, limits.cpu_seconds);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_memory && limits.memory_gb > 0) {
    return fmt::format("{} of {:g} GB of memory", k_over_limit, limits.memory_gb);
  }
  throw Error(Code::memory,
              "the cell " + plan.name_of(cell) + " ended with " +
                  (WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                       : fmt::format("code {}", WEXITSTATUS(status))),
              "If the machine ran out of memory, use fewer threads or a lower memory_gb");
}

class Children {
 public:
  ~Children() {
    for (const auto& [pid, unused] : running_) ::kill(pid, SIGKILL);
    for (const auto& [pid, unused] : running_) ::waitpid(pid, nullptr, 0);
  }
  std::size_t size() const { return running_.size(); }
  void start(const Plan& plan, const CellStore& store, std::size_t cell, const Context& ctx) {
    const pid_t pid = ::fork();
    if (pid == 0) child(plan, store, plan.cells[cell], ctx);
    if (pid < 0) {
      throw Error(Code::memory, std::string("cannot start a process: ") + std::strerror(errno),
                  "Use fewer threads");
    }
    running_[pid] = cell;
  }
  // A child that has ended, if there is one: its cell, how it ended, what it used.
  bool reap(std::size_t& cell, int& status, rusage& used) {
    for (const auto& [pid, which] : running_) {
      if (::wait4(pid, &status, WNOHANG, &used) != pid) continue;
      cell = which;
      running_.erase(pid);
      return true;
    }
    return false;
  }

 private:
  std::map<pid_t, std::size_t> running_;
};

}  // namespace

OverLimit::OverLimit(const Plan& plan, const CellStore& store)
    : learners_(plan.learners.size()), over_(plan.sets.size() * learners_, 0) {
  if (!plan.study.limits.any()) return;
  for (const PlannedCell& cell : plan.cells) {
    if (!has(cell) && !store.find(cell.identity) && store.find(cell.limited)) add(cell);
  }
}

ProcessCount run_in_processes(const Plan& plan, const CellStore& store,
                              const std::vector<std::size_t>& pending, double deadline,
                              const Context& ctx) {
  Children children;
  OverLimit over(plan, store);
  std::size_t next = 0;
  ProcessCount count;
  while (true) {
    ctx.check();
    while (next < pending.size() && children.size() < at(ctx.threads()) &&
           wall_seconds() <= deadline) {
      const std::size_t cell = pending[next++];
      if (over.has(plan.cells[cell])) {
        ++count.settled;
      } else {
        children.start(plan, store, cell, ctx);
      }
    }
    if (children.size() == 0) return count;
    std::size_t ended = 0;
    int status = 0;
    rusage used{};
    if (!children.reap(ended, status, used)) {
      ::usleep(1000);
      continue;
    }
    const PlannedCell& cell = plan.cells[ended];
    SplitResult result;
    result.failure = limit_met(status, plan, cell);
    if (!result.failure.empty()) {
      result.converged = false;
      result.fit_seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
      result.peak_memory = static_cast<Index>(used.ru_maxrss) * 1024;
      store.keep(cell.limited, result);
      over.add(cell);
    }
    ++count.made;
    ctx.step(static_cast<double>(count.made + count.settled) / static_cast<double>(pending.size()));
  }
}

}  // namespace mulberry::study

#include "python/src/run.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

namespace mulberry::python {
namespace {

constexpr auto k_pause = std::chrono::milliseconds(50);

// The waiting thread now and then handles signals and progress, holding the GIL.
void attend(const nb::object& progress, double fraction, double objective) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!progress.is_none()) progress(fraction, objective);
}

// Classifiers written in Python cannot see the request to stop.
void interrupt_classifiers() {
  const nb::gil_scoped_acquire acquire;
  nb::module_::import_("mulberry._foreign").attr("interrupt")();
}

}  // namespace

void run(const RunOptions& options, const std::function<void(const Context&)>& work) {
  std::stop_source stop;
  std::atomic<double> fraction = 0, objective = std::numeric_limits<double>::quiet_NaN();
  Context ctx = Context(options.threads, options.seed).with_stop(stop.get_token());
  if (!options.progress.is_none()) {
    ctx = ctx.with_progress([&](double done, double value) {
      fraction.store(done, std::memory_order_relaxed);
      objective.store(value, std::memory_order_relaxed);
    });
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure, disturbance;  // of the work; of a signal or the progress display

  {
    const nb::gil_scoped_release release;
    std::thread worker([&] {
      try {
        work(ctx);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, k_pause, [&] { return done; })) {
      if (disturbance) continue;
      lock.unlock();
      try {
        const nb::gil_scoped_acquire acquire;
        attend(options.progress, fraction.load(), objective.load());
      } catch (...) {
        disturbance = std::current_exception();
        stop.request_stop();
        interrupt_classifiers();
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (disturbance) std::rethrow_exception(disturbance);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mulberry::python

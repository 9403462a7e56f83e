// Context: the arguments of every computation apart from its data: threads, seed, a way to stop it,
// a place to report progress. Passed by reference, never global. Cheap to copy.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "mulberry/core/random.hpp"

namespace mulberry::core {

class ThreadPool;

// Receives the progress of the computation (0..1) and the current objective, if there is one. May
// be called often and from any thread: a sink must limit its own rate.
using ProgressSink = std::function<void(double fraction, double objective)>;

class Context {
 public:
  explicit Context(int threads = 1, std::uint64_t seed = 0);

  int threads() const { return threads_; }
  std::uint64_t seed() const { return seed_; }
  ThreadPool* pool() const { return pool_.get(); }  // null if one thread is enough

  Context with_seed(std::uint64_t seed) const;
  Context with_stop(std::stop_token stop) const;
  Context with_progress(ProgressSink sink) const;
  // A part of this computation: its 0..1 is [begin, end] of ours.
  Context part(double begin, double end) const;
  // This context on the calling thread only: for tasks that already run in parallel.
  Context serial() const;
  // This context without progress.
  Context quiet() const { return with_progress(nullptr); }

  Random rng(std::string_view stream, std::uint64_t i = 0, std::uint64_t j = 0) const {
    return {seed_, stream, i, j};
  }

  bool cancelled() const { return stop_.stop_requested(); }
  void check() const;  // throws Cancelled if stopped; cheap, call it about ten times per second
  // Reports progress, then as check().
  void step(double fraction, double objective = std::numeric_limits<double>::quiet_NaN()) const;
  // Only reports progress: for learners that return their best model when stopped.
  void report(double fraction, double objective = std::numeric_limits<double>::quiet_NaN()) const;

 private:
  int threads_;
  std::uint64_t seed_;
  std::stop_token stop_;
  ProgressSink progress_;
  double begin_ = 0, end_ = 1;
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace mulberry::core

// A pool of threads over one queue. Whoever waits for a batch runs queued tasks in the meantime, so
// batches may be nested (folds x labels x blocks) and never deadlock or oversubscribe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

class ThreadPool {
 public:
  explicit ThreadPool(int workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs task(0) .. task(count - 1), each once, in any order; returns when all are done. If tasks
  // throw, the exception of the lowest index is rethrown, whatever their order.
  void run(int count, const std::function<void(int)>& task);

 private:
  struct Batch;
  void work(const std::stop_token& stop);
  void start();
  void stop();
  bool take(std::unique_lock<std::mutex>& lock, Batch* mine);

  int workers_;
  int process_;  // threads do not survive fork(): the child starts its own
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch*> queue_;
  std::vector<std::jthread> threads_;
};

}  // namespace mulberry::core

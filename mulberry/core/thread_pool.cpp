#include "mulberry/core/thread_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>

#include "mulberry/core/index.hpp"

namespace mulberry::core {

struct ThreadPool::Batch {
  const std::function<void(int)>* task;
  int count;
  int next = 0;     // first index nobody has taken
  int running = 0;  // taken and not finished
  int failed = -1;
  std::exception_ptr error;
};

ThreadPool::ThreadPool(int workers) : workers_(workers), process_(getpid()) { start(); }

void ThreadPool::start() {
  threads_.reserve(at(workers_));
  try {
    for (int k = 0; k < workers_; ++k) {
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // There is no room for another: fewer do the same work, and whoever waits for it takes part.
  } catch (...) {  // there is no memory: those that wait must hear that they are to end
    stop();
    threads_.clear();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  if (process_ != getpid()) {
    for (auto& thread : threads_) thread.detach();  // they live in the parent
    return;
  }
  stop();
}

void ThreadPool::stop() {
  for (auto& thread : threads_) thread.request_stop();
  {
    const std::lock_guard lock(mutex_);
  }
  changed_.notify_all();
}

// Runs one task of `mine` or, if it has none left, of the newest batch: depth first, so that nested
// batches end early and memory stays low. False if there is nothing to take.
bool ThreadPool::take(std::unique_lock<std::mutex>& lock, Batch* mine) {
  Batch* batch = mine != nullptr && mine->next < mine->count ? mine : nullptr;
  if (batch == nullptr && !queue_.empty()) batch = queue_.back();
  if (batch == nullptr) return false;
  const int index = batch->next++;
  ++batch->running;
  if (batch->next == batch->count) queue_.erase(std::find(queue_.begin(), queue_.end(), batch));
  lock.unlock();
  std::exception_ptr error;
  try {
    (*batch->task)(index);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  --batch->running;
  if (error && (batch->failed < 0 || index < batch->failed)) {
    batch->failed = index;
    batch->error = error;
  }
  if (batch->running == 0 && batch->next == batch->count) changed_.notify_all();
  return true;
}

void ThreadPool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!take(lock, nullptr)) {
      changed_.wait(lock, [&] { return stop.stop_requested() || !queue_.empty(); });
    }
  }
}

void ThreadPool::run(int count, const std::function<void(int)>& task) {
  if (count <= 0) return;
  if (process_ != getpid()) {  // after fork(): the old threads, lock and queue belong to the parent
    for (auto& thread : threads_) thread.detach();
    threads_.clear();
    new (&mutex_) std::mutex;
    new (&changed_) std::condition_variable;
    queue_.clear();
    process_ = getpid();
    start();
  }
  Batch batch{.task = &task, .count = count, .error = nullptr};
  std::unique_lock lock(mutex_);
  queue_.push_back(&batch);
  changed_.notify_all();
  while (batch.running > 0 || batch.next < batch.count) {
    if (batch.next < batch.count || !queue_.empty()) {
      take(lock, &batch);
    } else {
      changed_.wait(lock);
    }
  }
  lock.unlock();
  if (batch.error) std::rethrow_exception(batch.error);
}

}  // namespace mulberry::core

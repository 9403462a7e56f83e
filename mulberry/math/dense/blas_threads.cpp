#include "mulberry/math/dense/blas_threads.hpp"

#include <cblas.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "mulberry/math/dense/blas_memory.hpp"

namespace mulberry::math::blas {

namespace {

constexpr int k_changing = -1;  // somebody is making buffers, or setting or restoring the number

// Who is inside: 0, a count, or k_changing. Threads wait for a change without a lock, so that a
// fork() in the middle of a product leaves nothing locked in the child.
std::atomic<int> inside = 0;
thread_local int depth = 0;    // of this thread, which is counted once
std::atomic<int> buffers = 0;  // that OpenBLAS surely has
std::atomic<int> wanted = 1;   // by those who are inside or wait for a buffer
std::atomic<bool> full = false;
int hosts_threads = 1;  // read and written by whoever moved `inside` to k_changing

void change_to(int count) {
  inside.store(count, std::memory_order_release);
  inside.notify_all();
}

// In the child of a fork() there is only this thread.
void be_alone() { inside.store(depth > 0 ? 1 : 0, std::memory_order_relaxed); }

void come_in_first() {
  const int have = buffers.load(std::memory_order_relaxed);
  if (have < wanted.load(std::memory_order_relaxed) && !full.load(std::memory_order_relaxed)) {
    if (have == 0) {
      static const int registered = ::pthread_atfork(nullptr, nullptr, be_alone);
      static_cast<void>(registered);
      wanted = std::max(wanted.load(), first_buffers());
    }
    const int asked = wanted;
    const int made = make_buffers(have, asked);
    full = made < asked;
    buffers = made;
  }
  hosts_threads = openblas_get_num_threads();
  if (hosts_threads != 1) openblas_set_num_threads(1);
}

void go_out_last() {
  // A number other than ours was set meanwhile by somebody else, and is theirs to keep.
  if (hosts_threads != 1 && openblas_get_num_threads() == 1) {
    openblas_set_num_threads(hosts_threads);
  }
}

// Whether another may join those who are inside. If there is no buffer for it, all of them have to
// come out, so that one can be made.
bool may_join(int now) {
  const int have = buffers.load(std::memory_order_relaxed);
  if (full.load(std::memory_order_relaxed)) return now < have;
  int most = wanted.load(std::memory_order_relaxed);
  while (most <= now && !wanted.compare_exchange_weak(most, now + 1, std::memory_order_relaxed)) {
  }
  return now < have && most <= have;
}

}  // namespace

OneThread::OneThread() {
  if (depth > 0) {
    ++depth;
    return;
  }
  int now = inside.load(std::memory_order_relaxed);
  while (true) {
    if (now == k_changing || (now > 0 && !may_join(now))) {
      inside.wait(now, std::memory_order_relaxed);
      now = inside.load(std::memory_order_relaxed);
      continue;
    }
    const int next = now == 0 ? k_changing : now + 1;
    if (inside.compare_exchange_weak(now, next, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      break;
    }
  }
  if (now == 0) {
    try {
      come_in_first();
    } catch (...) {
      change_to(0);
      throw;
    }
    change_to(1);
  }
  depth = 1;
}

OneThread::~OneThread() {
  if (--depth > 0) return;
  int now = inside.load(std::memory_order_relaxed);
  while (true) {
    const int next = now == 1 ? k_changing : now - 1;
    if (inside.compare_exchange_weak(now, next, std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
      break;
    }
  }
  if (now == 1) {
    go_out_last();
    change_to(0);
  } else {
    inside.notify_all();
  }
}

}  // namespace mulberry::math::blas

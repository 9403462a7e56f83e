#include "mulberry/math/dense/blas_threads.hpp"

#include <cblas.h>

#include <atomic>
#include <thread>

#include "mulberry/math/dense/blas_memory.hpp"

namespace mulberry::math::blas {

namespace {

constexpr int k_changing = -1;  // somebody is setting or restoring the number

// Who is inside: 0, a count, or k_changing. Lock-free, so that a fork() in the middle of a product
// leaves nothing locked in the child.
std::atomic<int> inside = 0;
std::atomic<int> buffers = 0;  // that OpenBLAS surely has: so many were inside and came out
int hosts_threads = 1;         // read and written by whoever moved `inside` to k_changing

void come_in_first() {
  hosts_threads = openblas_get_num_threads();
  if (hosts_threads != 1) openblas_set_num_threads(1);
}

void go_out_last() {
  // A number other than ours was set meanwhile by somebody else, and is theirs to keep.
  if (hosts_threads != 1 && openblas_get_num_threads() == 1) {
    openblas_set_num_threads(hosts_threads);
  }
}

}  // namespace

OneThread::OneThread() {
  int now = inside.load(std::memory_order_relaxed);
  while (true) {
    if (now == k_changing) {
      std::this_thread::yield();
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
    come_in_first();
    inside.store(1, std::memory_order_release);
  }
  const int wanted = now + 1, held = buffers.load(std::memory_order_relaxed);
  if (wanted <= held) return;
  try {
    require_buffers(wanted - held);
  } catch (...) {
    leave();
    throw;
  }
}

void OneThread::leave() {
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
    inside.store(0, std::memory_order_release);
  }
}

OneThread::~OneThread() {
  const int now = inside.load(std::memory_order_relaxed);
  int held = buffers.load(std::memory_order_relaxed);
  while (now > held && !buffers.compare_exchange_weak(held, now, std::memory_order_relaxed)) {
  }
  leave();
}

}  // namespace mulberry::math::blas

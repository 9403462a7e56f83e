#include "mulberry/math/dense/blas_threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/blas_memory.hpp"
#include "tests/support/sanitized.hpp"

namespace mulberry::math::blas {
namespace {

// The number of a host, set for one test.
class HostThreads {
 public:
  explicit HostThreads(int count) : before_(openblas_get_num_threads()) {
    openblas_set_num_threads(count);
  }
  ~HostThreads() { openblas_set_num_threads(before_); }
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

 private:
  int before_;
};

TEST(OneThread, GivesTheNumberBackWhenTheLastIsOut) {
  const HostThreads host(2);
  {
    std::optional<OneThread> first(std::in_place);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    const OneThread second;
    first.reset();
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

TEST(OneThread, ANumberSetMeanwhileStays) {
  const HostThreads host(2);
  {
    const OneThread inside;
    openblas_set_num_threads(3);
  }
  EXPECT_EQ(openblas_get_num_threads(), 3);
}

TEST(OneThread, AHostWithOneThreadKeepsIt) {
  const HostThreads host(1);
  {
    const OneThread inside;
  }
  EXPECT_EQ(openblas_get_num_threads(), 1);
}

TEST(OneThread, HoldsForManyThreadsAtOnce) {
  const HostThreads host(2);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int k = 0; k < 20'000; ++k) {
          const OneThread inside;
          if (openblas_get_num_threads() != 1) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

TEST(OneThread, ProductsHaveTheSameBitsWhateverTheHostSet) {
  const Index n = 300;
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) a(i, j) = 1.0 / static_cast<double>(1 + i + 3 * j);
  }
  std::vector<Matrix> results;
  for (const int count : {1, 2}) {
    const HostThreads host(count);
    Matrix c(n, n);
    gemm(1.0, block(std::as_const(a)), Op::plain, block(std::as_const(a)), Op::transposed, 0.0,
         block(c));
    results.push_back(c);
    EXPECT_EQ(openblas_get_num_threads(), count);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(OneThread, AChildOfAForkInTheMiddleCanCompute) {
  const HostThreads host(2);
  const OneThread inside;
  const pid_t child = fork();
  if (child == 0) {
    std::vector<double> x(100, 1.0), y(1, 0.0);
    gemv(1.0, Block<const double>{x.data(), 1, 100, 100}, Op::plain, x, 0.0, y);
    _exit(y[0] == 100.0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// With room for no other buffer, threads take turns, and none waits for memory that does not come.
TEST(OneThread, ThreadsShareTheBuffersThatThereIsRoomFor) {
  if (tests::k_sanitized) GTEST_SKIP() << "the sanitizer takes terabytes of addresses";
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr int k_threads = 20;
    const std::size_t room = std::size_t{k_threads * 10 + 230} << 20;  // stacks, and one buffer
    const rlimit limit = {pages * 4096 + room, pages * 4096 + room};
    setrlimit(RLIMIT_AS, &limit);
    save_addresses();
    std::atomic<int> right = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < k_threads; ++t) {
        threads.emplace_back([&right] {
          std::vector<double> x(64 * 64, 1.0), y(64 * 64, 0.0);
          for (int k = 0; k < 200; ++k) {
            gemm(1.0, Block<const double>{x.data(), 64, 64, 64}, Op::plain,
                 Block<const double>{x.data(), 64, 64, 64}, Op::plain, 0.0,
                 Block<double>{y.data(), 64, 64, 64});
          }
          right += y[0] == 64.0 ? 1 : 0;
        });
      }
    }
    _exit(right == k_threads ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace mulberry::math::blas

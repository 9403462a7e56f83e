#include "mulberry/math/dense/blas_threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "mulberry/math/dense/blas.hpp"

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

}  // namespace
}  // namespace mulberry::math::blas

// A program that uses OpenBLAS itself, with two threads: its number of threads, its environment and
// its kernels are the same before and after the library worked, from several threads at once.
#include <cblas.h>
#include <mulberry/mulberry.hpp>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace {

struct State {
  int threads;
  std::string core;
  std::vector<std::string> environment;
  bool operator==(const State&) const = default;
};

State state() {
  State out{openblas_get_num_threads(), openblas_get_corename(), {}};
  for (char** entry = environ; *entry != nullptr; ++entry) out.environment.emplace_back(*entry);
  return out;
}

// A product of the host; every entry is the same.
bool product_is_right() {
  constexpr int k_size = 300;
  const std::vector<double> a(k_size * k_size, 0.5), b(k_size * k_size, 2.0);
  std::vector<double> c(k_size * k_size);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, k_size, k_size, k_size, 1, a.data(),
              k_size, b.data(), k_size, 0, c.data(), k_size);
  for (const double value : c) {
    if (value != k_size) return false;
  }
  return true;
}

std::vector<double> use_the_library() {
  const mulberry::Dataset data = mulberry::generate("linear", {.rows = 400, .features = 60});
  std::vector<double> out;
  for (const char* const learner : {"ml_knn", "svm", "rank_svm"}) {
    const mulberry::Model model = mulberry::train(learner, data, {}, mulberry::Context(2));
    const auto scores = model.predict(data, mulberry::Context(2));
    out.insert(out.end(), scores.scores().begin(), scores.scores().end());
  }
  return out;
}

}  // namespace

int main() {
  openblas_set_num_threads(2);
  const State before = state();
  if (!product_is_right()) return 1;

  const std::vector<double> alone = use_the_library();
  if (state() != before) {
    std::fprintf(stderr, "one thread of the library changed the process\n");
    return 2;
  }

  std::atomic<int> wrong = 0;
  std::atomic<bool> done = false;
  std::thread host([&] {
    while (!done) wrong += product_is_right() ? 0 : 1;
  });
  {
    std::vector<std::jthread> users;
    for (int t = 0; t < 3; ++t) {
      users.emplace_back([&] { wrong += use_the_library() == alone ? 0 : 1; });
    }
  }
  done = true;
  host.join();
  if (wrong != 0 || !product_is_right()) {
    std::fprintf(stderr, "%d wrong results\n", wrong.load());
    return 3;
  }
  if (state() != before) {
    std::fprintf(stderr, "several threads of the library changed the process\n");
    return 4;
  }
  std::printf("threads, environment and kernels as before\n");
  return 0;
}

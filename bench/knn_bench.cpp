// Times the training of ML-kNN on one data set and writes its inputs and results, so that
// bench_knn.py can run peers on the same numbers.
//   knn_bench K THREADS OUT FILE...        the files are parts of one data set
// OUT.x: rows x features, double; OUT.y: rows x labels, double; OUT.index: rows x K, int32;
// OUT.scores: rows x labels, double, of the training rows. Prints rows, features, labels, the
// seconds of the neighbour search and of the whole training.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "bench/read_parts.hpp"
#include "mulberry/math/neighbours/neighbours.hpp"
#include "mulberry/model/learner.hpp"

namespace {

using namespace mulberry::bench;

template <class T>
void write_raw(const std::string& path, const T* data, std::size_t count) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
  if (!out) throw std::runtime_error("cannot write " + path);
}

void write_raw(const std::string& path, MatrixView m) {
  write_raw(path, m.data(), static_cast<std::size_t>(m.size()));
}

// Best of several rounds, in seconds.
template <class Body>
double best_time(int rounds, const Body& body) {
  double best = 1e300;
  for (int r = 0; r < rounds; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

int run(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: knn_bench K THREADS OUT FILE...\n");
    return 2;
  }
  const Index k = std::atoll(argv[1]);
  const Context ctx(std::atoi(argv[2]));
  const std::string out = argv[3];
  const Dataset data = read_parts(argc - 4, argv + 4);
  const int rounds = data.rows() > 10000 ? 3 : 60;  // a scheduler may take 0.1 s to use two cores

  Neighbours near;
  const double search = best_time(rounds, [&] { near = nearest_others(data.x, k, ctx); });
  std::unique_ptr<Model> model;
  const CompleteSpec spec(parse_spec("ml_knn(k=" + std::to_string(k) + ")"));
  const double fit = best_time(rounds, [&] { model = fit_learner(spec, view_of(data), ctx); });
  fmt::print("{} {} {} {:.5f} {:.5f}\n", data.rows(), data.columns(), data.labels(), search, fit);

  write_raw(out + ".x", to_dense(data.x));
  write_raw(out + ".y", to_dense(data.y));
  write_raw(out + ".index", near.index.data(), near.index.size());
  write_raw(out + ".scores", model->predict(view_of(data), ctx).scores);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "knn_bench: {}\n", e.what());
    return 1;
  }
}

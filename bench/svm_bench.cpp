// Compares kernel machines on one matrix of kernel values with LIBSVM. Times are seconds of CPU on
// one thread, without the kernel, so that other work on the machine does not count.
//   svm_bench made ROWS LABELS NOISE [METHODS]   generated data, 6.4 labels per row; every method
//                                                with its best parameters on a hold-out of 1,000
//                                                rows
//   svm_bench file DATA XML COST [METHODS]       a quarter of the rows is for the test
//   svm_bench machine                            the rate of a large product of matrices
//   svm_bench gram KERNEL GAMMA ROWS COLUMNS THREADS IN [OUT]   the kernel of doubles in a file
// METHODS: names of the table below, separated by commas; all without. LIBSVM comes first, because
// the others are compared with it.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/learners/mlr/pair_machine.hpp"
#include "mulberry/learners/svm/smo.hpp"
#include "mulberry/math/dense/blas_core.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/resample/split.hpp"
#include "tests/support/libsvm.hpp"

namespace {

using namespace mulberry::bench;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Training and test rows with the kernel between them, single precision as all methods see it.
struct Case {
  Dataset train, test;
  Kernel kernel;
  KernelMatrix values;

  Case(const Dataset& all, const Fold& fold)
      : train(take_rows(all, fold.train)),
        test(take_rows(all, fold.test)),
        kernel(choose_kernel({.kernel = KernelKind::rbf}, train.x, Context())),
        values(kernel, train.x, KernelStorage::f32, Context()) {}

  std::vector<std::int8_t> signs(Index l) const {
    std::vector<std::int8_t> out(static_cast<std::size_t>(train.rows()), -1);
    for (const Id i : train.y.column(l)) out[static_cast<std::size_t>(i)] = 1;
    return out;
  }
  bool both_classes(Index l) const {
    const auto ones = static_cast<Index>(train.y.column(l).size());
    return ones > 0 && ones < train.rows();
  }
};

struct Parameters {
  double C = 1;
  double eta = 1.5;  // only mlr_gl has it
};

// What a method found: score_l(x) = sum_j coefficients(l, j) kappa(x, x_j) + bias_l.
struct Found {
  double seconds = 0;
  Matrix coefficients = {};
  std::vector<double> bias = {};
  Index sweeps = 0;  // of a ranker
  double flops = 0;  // of its products of matrices

  explicit Found(const Case& data)
      : coefficients(data.train.labels(), data.train.rows()),
        bias(static_cast<std::size_t>(data.train.labels()), -1.0) {}
  void set(Index l, std::span<const double> c, double b) {
    std::copy(c.begin(), c.end(), coefficients.row(l).begin());
    bias[static_cast<std::size_t>(l)] = b;
  }
};

Found run_libsvm(const Case& data, const Parameters& with) {
  Found out(data);
  mulberry::tests::reference::Libsvm peer(data.values.floats());
  for (Index l = 0; l < data.train.labels(); ++l) {
    if (!data.both_classes(l)) continue;
    const auto y = data.signs(l);
    const double begin = seconds();
    const auto fitted = peer.solve(y, with.C, 1, SmoOptions().tolerance);
    out.seconds += seconds() - begin;
    out.set(l, fitted.c, fitted.bias);
  }
  return out;
}

Found run_svm(const Case& data, const Parameters& with) {
  Found out(data);
  const GramRows gram(data.values);
  const std::vector<double> cost(static_cast<std::size_t>(data.train.rows()), with.C);
  for (Index l = 0; l < data.train.labels(); ++l) {
    if (!data.both_classes(l)) continue;
    const auto y = data.signs(l);
    const double begin = seconds();
    const SmoResult fitted = solve_smo(gram, {.y = y, .cost = cost}, {}, Context());
    out.seconds += seconds() - begin;
    out.set(l, fitted.c, fitted.bias);
  }
  return out;
}

// Ranking of labels, in single precision as LIBSVM's kernel values are.
template <PairLoss loss>
Found run_mlr(const Case& data, const Parameters& with, double tolerance) {
  Found out(data);
  std::fill(out.bias.begin(), out.bias.end(), 0.0);
  const double begin = seconds();
  KernelPairScores scores(data.values, PairPrecision::single);
  const PairMachine machine =
      train_pairs(scores, data.train.y,
                  {.loss = loss, .C = with.C, .eta = with.eta, .tolerance = tolerance}, Context());
  out.seconds = seconds() - begin;
  const auto rows = static_cast<double>(data.train.rows());
  // The first sweep sees only the rows before its own.
  out.flops = rows * rows * static_cast<double>(data.train.labels() * (2 * machine.sweeps - 1));
  out.sweeps = machine.sweeps;
  out.coefficients = transpose(machine.a);
  return out;
}

// Trained to the default tolerance, and until a sweep changes the coefficients by a tenth: their
// order of the labels is then as good.
constexpr double k_soon = 0.1;
template <PairLoss loss>
Found run_whole(const Case& data, const Parameters& with) {
  return run_mlr<loss>(data, with, PairSettings().tolerance);
}
template <PairLoss loss>
Found run_soon(const Case& data, const Parameters& with) {
  return run_mlr<loss>(data, with, k_soon);
}

// Operations per second of a large product in single precision: the rate of the machine.
double product_rate() {
  constexpr Index k_size = 1536;
  const std::vector<float> a(k_size * k_size, 0.5F);
  std::vector<float> c(a.size());
  const blas::Block<const float> block = {a.data(), k_size, k_size, k_size};
  double best = 0;
  for (int run = 0; run < 3; ++run) {
    const double begin = seconds();
    blas::gemm(1.0F, block, blas::Op::plain, block, blas::Op::plain, 0.0F,
               {c.data(), k_size, k_size, k_size});
    best = std::max(best, 2 * std::pow(k_size, 3) / (seconds() - begin));
  }
  return best;
}

struct Method {
  const char* name;
  Found (*run)(const Case&, const Parameters&);
  Found (*trial)(const Case&, const Parameters&);  // for choosing parameters
  bool is_svm;                                     // whether its objective equals LIBSVM's
  bool has_eta;
};
constexpr auto k_group = PairLoss::group, k_sum = PairLoss::sum;
constexpr Method k_methods[] = {{"libsvm", run_libsvm, run_svm, true, false},
                                {"svm", run_svm, run_svm, true, false},
                                {"mlr_gl", run_whole<k_group>, run_soon<k_group>, false, true},
                                {"mlr_gl_soon", run_soon<k_group>, run_soon<k_group>, false, true},
                                {"mlr_l1", run_whole<k_sum>, run_soon<k_sum>, false, false},
                                {"mlr_l1_soon", run_soon<k_sum>, run_soon<k_sum>, false, false}};

// The dual objective of every label.
std::vector<double> objectives(const Case& data, const Found& found) {
  Matrix c(data.train.rows(), data.train.labels());
  for (Index l = 0; l < c.cols(); ++l) {
    for (Index i = 0; i < c.rows(); ++i) c(i, l) = found.coefficients(l, i);
  }
  const Matrix f = data.values.product(c, Context());
  std::vector<double> out;
  for (Index l = 0; l < c.cols(); ++l) {
    const auto y = data.signs(l);
    double sum = 0;
    for (Index i = 0; i < c.rows(); ++i) {
      const double value = c(i, l);
      sum += value * (y[static_cast<std::size_t>(i)] - f(i, l) / 2);
    }
    out.push_back(sum);
  }
  return out;
}

double test_area(const Case& data, const Found& found) {
  const Context ctx;
  const Matrix scores =
      kernel_scores(data.kernel, data.test.x, data.train.x, found.coefficients, found.bias, ctx);
  return measure("protocol_auc", data.test.y, {.scores = &scores}, {}, ctx).value;
}

// The parameters with the highest area on the test rows of `trial`. A larger C or eta has to gain
// something: LIBSVM's time grows with C.
Parameters choose(const Method& method, const Case& trial) {
  const auto labels = static_cast<double>(trial.train.labels());
  const std::vector<double> etas =
      method.has_eta ? std::vector<double>{1.5, 10, labels / 2} : std::vector<double>{1.5};
  constexpr double k_gain = 0.002;
  Parameters out;
  double best = -1;
  for (const double eta : etas) {
    for (const double C : {0.01, 0.1, 1.0, 10.0}) {
      const Parameters with = {C, eta};
      const double area = test_area(trial, method.trial(trial, with));
      if (area > best + k_gain) {
        best = area;
        out = with;
      }
    }
  }
  return out;
}

// `parameters_of` says what a method runs with.
template <class ParametersOf>
void compare(const std::string& name, const Case& data, const std::string& methods,
             const ParametersOf& parameters_of) {
  const auto chosen = split(methods, ',');
  double theirs = std::nan("");
  std::vector<double> expected;
  for (const Method& method : k_methods) {
    if (!methods.empty() && std::find(chosen.begin(), chosen.end(), method.name) == chosen.end()) {
      continue;
    }
    const Parameters with = parameters_of(method);
    const Found found = method.run(data, with);
    std::string objective = "-", difference = "-";
    if (method.is_svm) {
      const auto own = objectives(data, found);
      double sum = 0, worst = 0;
      for (std::size_t l = 0; l < own.size(); ++l) {
        sum += own[l];
        if (expected.empty() || expected[l] == 0) continue;
        worst = std::max(worst, std::abs(own[l] - expected[l]) / std::abs(expected[l]));
      }
      objective = fmt::format("{:.3f}", sum);
      if (!expected.empty()) difference = fmt::format("{:.1e}", worst);
      if (std::string(method.name) == "libsvm") expected = own;
    }
    if (std::string(method.name) == "libsvm") theirs = found.seconds;
    const auto shown = [](bool there, const std::string& text) { return there ? text : "-"; };
    const bool ranker = found.sweeps > 0;
    fmt::print(
        "{:10} {:6} {:6} {:6} {:>5} {:11} {:10.3f} {:8.2f} {:>12} {:>10} {:8.4f} {:>6} {:>6}\n",
        name, data.train.rows(), data.train.labels(), with.C,
        shown(method.has_eta, fmt::format("{}", with.eta)), method.name, found.seconds,
        theirs / found.seconds, objective, difference, test_area(data, found),
        shown(ranker, fmt::format("{}", found.sweeps)),
        shown(ranker, fmt::format("{:.2f}", found.flops / found.seconds / product_rate())));
    std::fflush(stdout);
  }
}

// The first rows to train, the rest to test.
Fold first_rows(Index train, Index rows) {
  Fold out;
  for (Index i = 0; i < rows; ++i) {
    (i < train ? out.train : out.test).push_back(static_cast<Id>(i));
  }
  return out;
}

void made(Index rows, Index labels, double noise, const std::string& methods) {
  constexpr Index k_test = 500, k_trial = 1000;
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows + k_test;
  options.features = 100;
  options.labels = labels;
  options.cardinality = 6.4;
  options.noise = noise;
  const Dataset all = generate("linear", options, Context(1, 1));
  const Case data(all, first_rows(rows, all.rows()));
  const Index some = std::min(rows, k_trial);
  const Case trial(data.train, first_rows(some * 3 / 4, some));
  compare("generated", data, methods, [&](const Method& method) { return choose(method, trial); });
}

void file(const std::string& path, const std::string& xml, double cost,
          const std::string& methods) {
  const Dataset data = read_dataset(path, {.label_xml = xml});
  compare(std::filesystem::path(xml).stem().string(),
          Case(data, hold_out(data.y, {}, Context(1, 1))), methods,
          [&](const Method&) { return Parameters{.C = cost}; });
}

// Reads a matrix of doubles, computes its kernel; prints the least seconds by the clock with values
// kept in double and in single precision.
void gram(const std::string& name, double gamma, Index rows, Index columns, int threads,
          const std::string& in, const std::string& out) {
  Matrix x(rows, columns);
  std::ifstream(in, std::ios::binary)
      .read(reinterpret_cast<char*>(x.data()),
            static_cast<std::streamsize>(static_cast<std::size_t>(x.size()) * sizeof(double)));
  const Features features(std::move(x));
  const Context ctx(threads);
  const Kernel kernel = choose_kernel(
      {.kernel = name == "chi2" ? KernelKind::chi2 : KernelKind::rbf, .width = shortest(gamma)},
      features, ctx);
  const auto best_of = [&](KernelStorage storage, int runs) {
    double best = INFINITY;
    for (int run = 0; run < runs; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      const KernelMatrix values(kernel, features, storage, ctx);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      best = std::min(best, spent.count());
    }
    return best;
  };
  fmt::print("{:.6f} {:.6f}\n", best_of(KernelStorage::f64, 7), best_of(KernelStorage::f32, 7));
  if (out.empty()) return;
  const KernelMatrix values(kernel, features, KernelStorage::f64, ctx);
  std::ofstream(out, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.doubles().data),
             static_cast<std::streamsize>(KernelMatrix::bytes(rows, KernelStorage::f64)));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto word = [&](std::size_t k) { return k < words.size() ? words[k] : std::string(); };
  const auto number = [&](std::size_t k) { return std::atof(word(k).c_str()); };
  const auto count = [&](std::size_t k) { return static_cast<Index>(number(k)); };
  try {
    if (word(0) == "made" && words.size() >= 4) {
      made(count(1), count(2), number(3), word(4));
    } else if (word(0) == "file" && words.size() >= 4) {
      file(word(1), word(2), number(3), word(4));
    } else if (word(0) == "machine") {
      fmt::print("Matrix products use the kernels of {}: {:.0f} Gflop/s in single precision\n",
                 blas::core_name(), product_rate() / 1e9);
    } else if (word(0) == "gram" && words.size() >= 7) {
      gram(word(1), number(2), count(3), count(4), static_cast<int>(count(5)), word(6), word(7));
    } else {
      fmt::print(
          stderr,
          "usage: svm_bench made ROWS LABELS NOISE [METHODS], file DATA XML COST [METHODS],\n"
          "       machine, or gram KERNEL GAMMA ROWS COLUMNS THREADS IN [OUT]\n");
      return 2;
    }
  } catch (const Error& error) {
    fmt::print(stderr, "svm_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}

// MAHR on real and made-up data. Times are seconds of CPU of one thread, so that other work on the
// machine counts little.
//   mahr_bench round FOLDER NAME ROUNDS   seconds per round and label of MAHR and MAHR-id
//   mahr_bench fit SPEC DATA.npz          seconds of training
//   mahr_bench big FOLDER NAME ROUNDS     time and peak memory with many labels
//   mahr_bench growth                     time per round against rows, features and labels
// FOLDER holds one folder per data set.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/learners/mahr/booster.hpp"
#include "mulberry/model/learner.hpp"

namespace {

using namespace mulberry::bench;
using mahr::Booster;
using mahr::Reuse;

Dataset read_train(const std::string& folder, const std::string& name) {
  // Corel5k has different file names.
  const std::string stem = name == "corel5k" ? "Corel5k" : name;
  std::string path =
      folder + "/" + name + "/" + stem + "-train" + (name == "corel5k" ? "-sparse" : "") + ".arff";
  if (!std::filesystem::exists(path)) path += ".gz";
  return read_dataset(path, {.label_xml = folder + "/" + name + "/" + stem + ".xml"});
}

Booster booster_for(const Dataset& data, const mahr::Settings& settings) {
  return {data.x,
          data.y,
          {},
          settings,
          mahr::Rounds(data.x.cols(), one_class_scores(data.y)),
          Matrix(data.labels(), data.labels()),
          Context(1)};
}

// MAHR, MAHR that looks for reuse but finds it too expensive, so that it has the stumps of MAHR-id,
// and MAHR-id. Blocks of rounds in turn, so that all see the machine in the same state; the faster
// half of the blocks counts.
void time_rounds(const Dataset& data, Index rounds) {
  constexpr Index k_block = 5;
  Booster boosters[] = {booster_for(data, {}), booster_for(data, {.kappa = 1e6}),
                        booster_for(data, {.reuse = Reuse::none})};
  constexpr std::size_t k_boosters = std::size(boosters);
  std::vector<double> spent[k_boosters];
  for (Index t = 0; t < rounds; t += k_block) {
    for (std::size_t b = 0; b < k_boosters; ++b) {
      const double begin = thread_cpu_seconds();
      for (Index k = 0; k < k_block; ++k) boosters[b].add_round(Context(1));
      spent[b].push_back(thread_cpu_seconds() - begin);
    }
  }
  fmt::print("{} {} {}", data.rows(), data.columns(), data.labels());
  for (std::vector<double>& blocks : spent) {
    std::sort(blocks.begin(), blocks.end());
    blocks.resize((blocks.size() + 1) / 2);
    const double mean =
        std::accumulate(blocks.begin(), blocks.end(), 0.0) / static_cast<double>(blocks.size());
    fmt::print(" {}", mean / static_cast<double>(k_block * data.labels()));
  }
  fmt::print("\n");
}

void time_fit(const std::string& spec, const Dataset& data) {
  const double begin = thread_cpu_seconds();
  const auto model = fit_learner(CompleteSpec(parse_spec(spec)), view_of(data), Context(1));
  fmt::print("{} {}\n", thread_cpu_seconds() - begin, model->summary().rounds);
}

void big(const std::string& folder, const std::string& name, const std::string& rounds) {
  const Dataset data = read_train(folder, name);
  reset_peak_memory();
  const double begin = thread_cpu_seconds();
  fit_learner(CompleteSpec(parse_spec("mahr(rounds=" + rounds + ")")), view_of(data), Context(1));
  fmt::print("{} {} {} {} {}\n", data.rows(), data.columns(), data.labels(),
             thread_cpu_seconds() - begin, static_cast<double>(peak_memory()) / 1e6);
}

double exponent(const std::vector<double>& sizes, const std::vector<double>& seconds) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double a = std::log(sizes[k]), b = std::log(seconds[k]);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

void growth() {
  const auto time_of = [](Index rows, Index features, Index labels) {
    GenerateOptions options = find_generator("linear").defaults;
    options.rows = rows;
    options.features = features;
    options.labels = labels;
    options.cardinality = 0.2 * static_cast<double>(labels);
    const Dataset data = generate("linear", options, Context(1, 1));
    Booster booster = booster_for(data, {});
    double best = 1e300;
    for (int k = 0; k < 5; ++k) {
      const double begin = thread_cpu_seconds();
      for (int t = 0; t < 3; ++t) booster.add_round(Context(1));
      best = std::min(best, (thread_cpu_seconds() - begin) / 3);
    }
    return best;
  };
  const auto series = [](const char* what, const std::vector<double>& sizes, const auto& run) {
    std::vector<double> spent;
    fmt::print("{:8}", what);
    for (const double size : sizes) {
      spent.push_back(run(static_cast<Index>(size)));
      fmt::print(" {}: {:.2f} ms ", size, 1e3 * spent.back());
    }
    fmt::print(" exponent {:.2f}\n", exponent(sizes, spent));
    std::fflush(stdout);
  };
  series("rows", {1e3, 3e3, 1e4, 3e4}, [&](Index n) { return time_of(n, 30, 8); });
  series("features", {10, 30, 100, 300}, [&](Index d) { return time_of(2000, d, 8); });
  series("labels", {8, 24, 80, 240}, [&](Index l) { return time_of(1000, 30, l); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  try {
    if (verb == "round" && argc == 5) {
      time_rounds(read_train(argv[2], argv[3]), std::atoi(argv[4]));
    } else if (verb == "fit" && argc == 4) {
      time_fit(argv[2], read_dataset(argv[3], {}));
    } else if (verb == "big" && argc == 5) {
      big(argv[2], argv[3], argv[4]);
    } else if (verb == "growth" && argc == 2) {
      growth();
    } else {
      fmt::print(stderr, "usage: mahr_bench round|big FOLDER NAME ROUNDS, fit SPEC DATA, growth\n");
      return 2;
    }
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}

// A short row for what each of the other benchmarks looks at, without a peer and without a file of
// others, so that `make bench-compare` can time two revisions in a minute.
//   quick_bench [--list | NAME...]      all rows, or those whose name begins with a NAME
// Prints a line of JSON per row: its name, the least CPU seconds of a few runs on one thread, and a
// number that stands for the answer.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/data/describe/describe.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/generate/hide.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/text/text_step.hpp"
#include "mulberry/data/write/write.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/learners/mahr/booster.hpp"
#include "mulberry/learners/rml/column.hpp"
#include "mulberry/math/dense/dense_factor.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/math/linear/linear.hpp"
#include "mulberry/math/neighbours/neighbours.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/stratify.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace mulberry::bench;

struct Row {
  std::string name;
  std::function<double()> run;  // gives the answer
};

const Context& one_thread() {
  static const Context ctx(1, 1);
  return ctx;
}

Dataset made(Index rows, Index features, Index labels, double sparsity = 0) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = features;
  options.labels = labels;
  options.cardinality = 0.2 * static_cast<double>(labels);
  options.sparsity = sparsity;
  return generate("linear", options, one_thread());
}

const Dataset& dense_data() {
  static const Dataset data = made(1500, 60, 12);
  return data;
}

double read_row(const std::string& path, bool table) {
  const Dataset data = table ? read_dataset(path, {.label_prefix = "label"}) : read_dataset(path);
  return static_cast<double>(data.x.stored() + 3 * data.y.positives() + 7 * data.labels());
}

double linear_row(Loss loss) {
  const Dataset& data = dense_data();
  const auto fill = [&](Index l, std::span<std::int8_t> y, std::span<double> cost) {
    std::fill(y.begin(), y.end(), std::int8_t{-1});
    std::fill(cost.begin(), cost.end(), 1.0);
    for (const Id i : data.y.column(l)) y[static_cast<std::size_t>(i)] = 1;
  };
  double objective = 0;
  for (const LinearResult& r : solve_linear({.x = data.x, .count = data.labels(), .fill = fill},
                                            {.loss = loss, .tolerance = 1e-3}, one_thread())) {
    objective += r.certificate.objective;
  }
  return objective;
}

double mahr_row() {
  const Dataset& data = dense_data();
  mahr::Booster booster(data.x, data.y, {}, {},
                        mahr::Rounds(data.x.cols(), one_class_scores(data.y)),
                        Matrix(data.labels(), data.labels()), one_thread());
  for (int t = 0; t < 5; ++t) booster.add_round(one_thread());
  return booster.logistic_loss();
}

double rml_row() {
  const Dataset& data = dense_data();
  std::vector<Id> rows(static_cast<std::size_t>(data.rows()));
  std::iota(rows.begin(), rows.end(), Id{0});
  const double cost = 1;
  double objective = 0;
  for (Index l = 0; l < 3; ++l) {
    rml::train_column(data.x, rml::observed_cells(data.y, l, rows), l, {}, {&cost, 1}, one_thread(),
                      [&](std::size_t, const rml::Scorer& s) { objective += s.objective; });
  }
  return objective;
}

double kernel_row(KernelKind kind, KernelStorage storage) {
  const Kernel kernel =
      choose_kernel({.kernel = kind, .width = "0.1"}, dense_data().x, one_thread());
  const KernelMatrix values(kernel, dense_data().x, storage, one_thread());
  const std::vector<Id> some = {0, 1, 2};
  std::vector<double> sums(some.size());
  values.times(some, std::vector<double>(static_cast<std::size_t>(values.rows()), 1.0), sums);
  return sums[0] + sums[1] + sums[2];
}

double factor_row() {
  constexpr Index k_size = 400;
  Matrix system(k_size, k_size), sides(k_size, 20);
  Random random = one_thread().rng("quick_bench");
  for (Index c = 0; c < sides.size(); ++c) sides.data()[c] = random.normal();
  for (Index i = 0; i < k_size; ++i) {
    for (Index j = 0; j < k_size; ++j) {
      system.data()[i * k_size + j] = std::exp(-0.01 * std::abs(static_cast<double>(i - j)));
    }
  }
  DenseFactor::of(system, 1, one_thread()).value().solve(sides, one_thread());
  return sides.data()[0];
}

// Trains a learner, and adds up the sizes of its scores of other rows.
double learner_row(const char* learner, const Dataset& data) {
  static const Dataset others = made(300, 60, 12);
  const auto model = fit_learner(CompleteSpec(parse_spec(learner)), view_of(data), one_thread());
  View asked = view_of(others);
  asked.y = nullptr;
  const Matrix scores = model->predict(asked, one_thread()).scores;
  double sum = 0;
  for (const double score : scores.values()) sum += std::abs(score);
  return sum;
}

const Dataset& hidden_data() {
  static const Dataset data = [] {
    Dataset out = dense_data();
    out.y = hide_labels(out.y, {.share = 0.4, .mode = HideMode::cells}, one_thread());
    return out;
  }();
  return data;
}

double text_row() {
  static const Dataset data = [] {
    GenerateOptions options = find_generator("tagged-text").defaults;
    options.rows = 3000;
    return generate("tagged-text", options, one_thread());
  }();
  Features words;
  const TextStep step = TextStep::fit(data, data.x, {.ngrams = "1-2"}, one_thread(), words);
  return static_cast<double>(step.columns() + step.apply(data, data.x, one_thread()).stored());
}

double measures_row() {
  const Dataset& data = dense_data();
  static const Matrix scores = [&] {
    Matrix out(data.rows(), data.labels());
    Random random = one_thread().rng("quick_bench");
    for (Index c = 0; c < out.size(); ++c) out.data()[c] = random.normal();
    return out;
  }();
  double sum = 0;
  for (const MeasureValue& value :
       measure_all(data.y, {.scores = &scores, .decided = &data.y}, {}, one_thread())) {
    if (std::isfinite(value.value)) sum += value.value;
  }
  return sum;
}

double stratify_row(bool pairs) {
  const std::vector<double> shares(10, 0.1);
  static const Labels y = made(20000, 5, 20).y;
  const std::vector<Id> part =
      stratify(y, shares, {.pairs = pairs}, one_thread().rng("quick_bench"), one_thread());
  double sum = 0;
  for (std::size_t i = 0; i < part.size(); ++i) sum += part[i] * static_cast<double>(i % 97);
  return sum;
}

std::vector<Row> all_rows(const mulberry::tests::TemporaryFolder& folder) {
  std::vector<Row> out;
  for (const std::string format : {"arff", "csv", "tsv", "npz", "libsvm", "xmlrepo"}) {
    const bool sparse = format == "libsvm" || format == "xmlrepo";
    const std::string path = folder.file("data." + (format == "xmlrepo" ? "txt" : format));
    out.push_back({"read/" + format, [path, format, sparse] {
                     if (!std::filesystem::exists(path)) {
                       static const Dataset wide = made(3000, 400, 12, 0.9);
                       write_dataset(sparse ? wide : dense_data(), path,
                                     {.format = format_from_name(format)});
                     }
                     return read_row(path, format == "csv" || format == "tsv");
                   }});
  }
  out.push_back({"describe/all", [] {
                   return static_cast<double>(
                       describe(dense_data(), {}, one_thread()).distinct_label_sets);
                 }});
  out.push_back({"knn/search", [] {
                   const Neighbours near = nearest_others(dense_data().x, 10, one_thread());
                   return std::accumulate(near.index.begin(), near.index.end(), 0.0);
                 }});
  out.push_back({"linear/logistic", [] { return linear_row(Loss::logistic); }});
  out.push_back({"linear/hinge", [] { return linear_row(Loss::hinge); }});
  out.push_back({"linear/squared_hinge", [] { return linear_row(Loss::squared_hinge); }});
  out.push_back({"mahr/rounds", mahr_row});
  out.push_back({"rml/column", rml_row});
  out.push_back({"mll_le/factor", factor_row});
  out.push_back({"kernel/rbf", [] { return kernel_row(KernelKind::rbf, KernelStorage::f64); }});
  out.push_back(
      {"kernel/rbf_single", [] { return kernel_row(KernelKind::rbf, KernelStorage::f32); }});
  out.push_back(
      {"kernel/laplacian", [] { return kernel_row(KernelKind::laplacian, KernelStorage::f64); }});
  for (const char* learner : {"forest(trees=10)", "boost(rounds=10)", "ridge",
                              "ridge(kernel=rbf, alpha=1)", "br(base=tree)"}) {
    out.push_back({std::string("dense/") + learner,
                   [learner] { return learner_row(learner, dense_data()); }});
  }
  for (const char* learner : {"mlr_gl(C=1)", "br_logistic", "ml_knn"}) {
    out.push_back({std::string("missing/") + learner,
                   [learner] { return learner_row(learner, hidden_data()); }});
  }
  out.push_back({"text/words", text_row});
  out.push_back({"measures/all", measures_row});
  out.push_back({"stratify/labels", [] { return stratify_row(false); }});
  out.push_back({"stratify/pairs", [] { return stratify_row(true); }});
  return out;
}

void time_row(const Row& row) {
  double answer = row.run();  // data is made by the first run, which does not count
  double best = std::numeric_limits<double>::infinity(), total = 0;
  for (int k = 0; k < 50 && (k < 3 || total < 0.15); ++k) {
    const double begin = thread_cpu_seconds();
    answer = row.run();
    const double spent = thread_cpu_seconds() - begin;
    best = std::min(best, spent);
    total += spent;
  }
  fmt::print("{{\"name\": \"{}\", \"seconds\": {:.6f}, \"answer\": \"{:.12g}\"}}\n", row.name, best,
             answer);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const mulberry::tests::TemporaryFolder folder;
    const std::vector<std::string> wanted(argv + 1, argv + argc);
    for (const Row& row : all_rows(folder)) {
      if (!wanted.empty() && wanted[0] == "--list") {
        fmt::print("{}\n", row.name);
      } else if (wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const auto& name) {
                   return row.name.starts_with(name);
                 })) {
        time_row(row);
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "quick_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}

// RML on real and made-up data. Times are seconds of CPU on one thread, so that other work on the
// machine does not count.
//   rml_bench table FOLDER   test results with C by cross-validation, and the published ones
//   rml_bench plain FOLDER   the bundle and the plain method (no line search, O(V^2) oracle)
//   rml_bench svm FOLDER     the Hamming loss and liblinear's linear SVM, at equal objective
//   rml_bench big FOLDER NAME   rcv1subset1 or delicious at C = 1: time and peak memory
//   rml_bench growth [SHARE]    time against rows and labels, with fitted exponents
// FOLDER holds one folder per data set; SHARE (of 1) makes the sizes of growth smaller.
#include <fmt/core.h>
#include <linear.h>  // liblinear
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <numeric>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/learners/rml/column.hpp"
#include "mulberry/math/dense/standardise.hpp"
#include "mulberry/math/linear/linear.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "tests/support/bundle_reference.hpp"
#include "tests/support/linear_objective.hpp"

namespace {

using namespace mulberry::bench;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Dataset read_part(const std::string& folder, const std::string& name, const std::string& part) {
  if (name == "rcv1subset1") {  // has no official parts
    return read_dataset(folder + "/rcv1/rcv1subset1.arff.gz",
                        {.label_xml = folder + "/rcv1/rcv1subset.xml"});
  }
  std::string path = folder + "/" + name + "/" + name + "-" + part + ".arff";
  if (!std::filesystem::exists(path)) path += ".gz";
  return read_dataset(path, {.label_xml = folder + "/" + name + "/" + name + ".xml"});
}

std::vector<Id> all_rows(const Dataset& data) {
  std::vector<Id> rows(static_cast<std::size_t>(data.rows()));
  std::iota(rows.begin(), rows.end(), Id{0});
  return rows;
}

void table(const std::string& folder) {
  struct Run {
    const char* name;
    const char* measure;
    bool swapped, standardise;
    double published;
  };
  const Run runs[] = {{"yeast", "macro_f1", false, false, 0.440},
                      {"scene", "macro_f1", false, false, 0.671},
                      {"medical", "macro_f1", true, false, 0.420},
                      {"enron", "macro_f1", false, false, 0.243},
                      {"scene", "hamming_loss", false, false, 0.1271},
                      {"emotions", "hamming_loss", false, true, 0.2252}};
  fmt::print("{:10} {:13} {:>8} {:>8} {:>10} {:>9} {:>8}\n", "data", "measure", "C", "test",
             "published", "worst gap", "seconds");
  for (const Run& run : runs) {
    Dataset train = read_part(folder, run.name, run.swapped ? "test" : "train");
    Dataset test = read_part(folder, run.name, run.swapped ? "train" : "test");
    if (run.standardise) {
      const Standardiser scale(train.x);
      train.x = scale.apply(train.x);
      test.x = scale.apply(test.x);
    }
    Spec spec = "rml";
    if (std::string(run.measure) == "hamming_loss") spec.set("measure", std::string("hamming"));
    const Context ctx;
    const double begin = seconds();
    const auto model = fit_learner(CompleteSpec(spec), view_of(train), ctx);
    const double spent = seconds() - begin;
    const Labels decided = decide(model->predict(view_of(test), ctx));
    const double value = measure(run.measure, test.y, {.decided = &decided}, {}, ctx).value;
    fmt::print("{:10} {:13} {:>8} {:8.4f} {:10.4f} {:9.1e} {:8.1f}\n", run.name, run.measure,
               model->results().front().values(0, 0), value, run.published, model->summary().gap,
               spent);
  }
}

void plain(const std::string& folder) {
  constexpr Index k_labels = 3;  // the first ones: the plain method takes long
  fmt::print("{:8} {:>6} {:>12} {:>12} {:>8} {:>10} {:>10}\n", "data", "C", "bundle s", "plain s",
             "ratio", "objective", "plain");
  std::fflush(stdout);
  for (const std::string name : {"yeast", "enron"}) {
    const Dataset data = read_part(folder, name, "train");
    Matrix x(data.rows(), data.columns() + 1, 1.0);
    const FixedMatrix dense = to_dense(data.x);
    for (Index i = 0; i < data.rows(); ++i) {
      std::copy(dense.row(i).begin(), dense.row(i).end(), x.row(i).begin());
    }
    for (const double cost : {1.0, 10.0}) {
      double fast = 0, slow = 0, objective = 0, other = 0;
      for (Index l = 0; l < k_labels; ++l) {
        const rml::Cells cells = rml::observed_cells(data.y, l, all_rows(data));
        double begin = seconds();
        rml::train_column(data.x, cells, l, {}, {&cost, 1}, Context(),
                          [&](std::size_t, const rml::Scorer& s) { objective += s.objective; });
        fast += seconds() - begin;
        begin = seconds();
        other += mulberry::tests::reference::plain_bundle(
                     x, cells.truth, SetLoss(), static_cast<double>(data.rows()) / cost, 1e-3, 2000,
                     [&](const std::vector<double>& scores) {
                       return mulberry::tests::reference::quadratic_oracle(1, cells.truth, scores);
                     })
                     .objective;
        slow += seconds() - begin;
      }
      fmt::print("{:8} {:6} {:12.3f} {:12.3f} {:8.1f} {:10.6f} {:10.6f}\n", name, cost, fast, slow,
                 slow / fast, objective / k_labels, other / k_labels);
      std::fflush(stdout);  // a row takes minutes
    }
  }
}

// liblinear's form of the rows, with a constant feature behind the others.
class Liblinear {
 public:
  explicit Liblinear(const Dataset& data) : y_(static_cast<std::size_t>(data.rows())) {
    const Csr x = to_sparse(data.x);
    std::vector<std::size_t> begin;
    for (Index i = 0; i < x.rows; ++i) {
      begin.push_back(nodes_.size());
      const SparseRow row = x.row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k) {
        nodes_.push_back({row.index[k] + 1, row.value[k]});
      }
      nodes_.push_back({static_cast<int>(x.cols) + 1, 1.0});
      nodes_.push_back({-1, 0.0});
    }
    for (const std::size_t b : begin) rows_.push_back(nodes_.data() + b);
    problem_.l = static_cast<int>(x.rows);
    problem_.n = static_cast<int>(x.cols) + 1;
    problem_.y = y_.data();
    problem_.x = rows_.data();
    problem_.bias = 1;
    set_print_string_function([](const char*) {});
  }
  Liblinear(const Liblinear&) = delete;
  Liblinear& operator=(const Liblinear&) = delete;

  // Seconds, and the objective of the weights found with the default tolerance.
  std::pair<double, double> solve(const Dataset& data, std::span<const std::int8_t> sign,
                                  double cost) {
    std::copy(sign.begin(), sign.end(), y_.begin());
    parameter how{};
    how.solver_type = L2R_L1LOSS_SVC_DUAL;
    how.eps = 0.1;
    how.C = cost;
    const double begin = seconds();
    ::model* trained = train(&problem_, &how);
    const double spent = seconds() - begin;
    const double flip = trained->label[0] > 0 ? 1.0 : -1.0;  // scores are for the class seen first
    std::vector<double> w;
    for (int j = 0; j + 1 < problem_.n; ++j) w.push_back(flip * trained->w[j]);
    const double objective = mulberry::tests::reference::linear_objective(
        data.x, sign, std::vector<double>(y_.size(), cost), {.loss = Loss::hinge}, w,
        flip * trained->w[problem_.n - 1]);
    free_and_destroy_model(&trained);
    return {spent, objective};
  }

 private:
  std::vector<feature_node> nodes_;
  std::vector<feature_node*> rows_;
  std::vector<double> y_;
  problem problem_ = {};
};

// liblinear with its default tolerance, then ours with the loosest whose objective, summed over the
// labels, is not above it.
void svm(const std::string& folder) {
  constexpr double k_cost = 1;
  fmt::print("{:12} {:>10} {:>12} {:>8} {:>12} {:>12}\n", "data", "rml s", "liblinear s", "ratio",
             "objective", "liblinear");
  for (const std::string name : {"yeast", "enron", "rcv1subset1"}) {
    const Dataset data = read_part(folder, name, "train");
    const auto n = static_cast<std::size_t>(data.rows());
    Liblinear peer(data);
    double theirs = 0, other = 0;
    std::vector<std::int8_t> sign(n);
    std::vector<Index> labels;
    for (Index l = 0; l < data.labels(); ++l) {
      const auto ones = data.y.column(l);
      if (ones.empty() || ones.size() == n) continue;
      labels.push_back(l);
      std::fill(sign.begin(), sign.end(), std::int8_t{-1});
      for (const Id i : ones) sign[static_cast<std::size_t>(i)] = 1;
      const auto [spent, objective] = peer.solve(data, sign, k_cost);
      theirs += spent;
      other += objective;
    }
    rml::Settings settings;
    settings.loss = SetLoss(SetMeasure::hamming);
    double ours = 0, objective = 0;
    for (settings.tolerance = 0.3; settings.tolerance > 1e-6; settings.tolerance /= 3) {
      ours = objective = 0;
      for (const Index l : labels) {
        const rml::Cells cells = rml::observed_cells(data.y, l, all_rows(data));
        const double begin = seconds();
        rml::train_column(data.x, cells, l, settings, {&k_cost, 1}, Context(),
                          [&](std::size_t, const rml::Scorer& s) {
                            objective += s.objective * k_cost * static_cast<double>(n);
                          });
        ours += seconds() - begin;
      }
      if (objective <= other) break;
    }
    fmt::print("{:12} {:10.3f} {:12.3f} {:8.2f} {:12.3f} {:12.3f}\n", name, ours, theirs,
               ours / theirs, objective, other);
  }
}

void big(const std::string& folder, const std::string& name) {
  const Dataset data = read_part(folder, name, "train");
  const double begin = seconds();
  const auto model = fit_learner(CompleteSpec(parse_spec("rml(C=1)")), view_of(data), Context());
  const double spent = seconds() - begin;
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{}: {} rows, {} features, {} labels, C = 1: {:.1f} s, worst gap {:.1e}, peak {} MB\n",
             name, data.rows(), data.columns(), data.labels(), spent, model->summary().gap,
             usage.ru_maxrss / 1024);
}

// The slope of log(seconds) over log(size), by least squares.
double exponent(const std::vector<double>& size, const std::vector<double>& spent) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(size.size());
  for (std::size_t k = 0; k < size.size(); ++k) {
    const double a = std::log(size[k]), b = std::log(spent[k]);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

void growth(double share) {
  const auto time_of = [](Index rows, Index labels) {
    GenerateOptions options = find_generator("linear").defaults;
    options.rows = rows;
    options.labels = labels;
    options.cardinality = 0.2 * static_cast<double>(labels);
    const Dataset data = generate("linear", options, Context(1, 1));
    const double begin = seconds();
    fit_learner(CompleteSpec(parse_spec("rml(C=1)")), view_of(data), Context());
    return seconds() - begin;
  };
  const auto series = [&](const char* what, const std::vector<double>& sizes, const auto& run) {
    std::vector<double> spent;
    for (const double size : sizes) {
      spent.push_back(run(static_cast<Index>(size)));
      fmt::print("{} {:>8}: {:8.3f} s\n", what, size, spent.back());
      std::fflush(stdout);
    }
    fmt::print("{}: exponent {:.2f}\n", what, exponent(sizes, spent));
  };
  const auto scaled = [&](std::vector<double> sizes) {
    for (double& size : sizes) size = std::max(2.0, std::round(size * share));
    return sizes;
  };
  series("rows", scaled({1e3, 3e3, 1e4, 3e4, 1e5}), [&](Index n) { return time_of(n, 10); });
  series("labels", scaled({10, 30, 100, 300, 1000}), [&](Index n) { return time_of(1000, n); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "growth" && argc <= 3) {
    growth(argc == 3 ? std::atof(argv[2]) : 1.0);
  } else if (verb == "table" && argc == 3) {
    table(argv[2]);
  } else if (verb == "plain" && argc == 3) {
    plain(argv[2]);
  } else if (verb == "svm" && argc == 3) {
    svm(argv[2]);
  } else if (verb == "big" && argc == 4) {
    big(argv[2], argv[3]);
  } else {
    fmt::print(stderr,
               "usage: rml_bench table|plain|svm FOLDER, big FOLDER NAME, or growth [SHARE]\n");
    return 2;
  }
  return 0;
}

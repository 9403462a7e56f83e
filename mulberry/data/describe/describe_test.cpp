#include "mulberry/data/describe/describe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "mulberry/core/index.hpp"
#include "mulberry/data/describe/equal_rows.hpp"
#include "mulberry/data/describe/label_co_occurrence.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/support/places.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

Dataset linear(Index rows, Index labels, double cardinality, double sparsity) {
  GenerateOptions options;
  options.rows = rows;
  options.labels = labels;
  options.cardinality = cardinality;
  options.sparsity = sparsity;
  return generate("linear", options, Context(1, 11));
}

// Labels with a fifth of the cells missing.
Labels with_missing(const Labels& y, std::uint64_t seed) {
  Matrix cells(to_dense(y));
  Random random(seed, "missing");
  for (Index i = 0; i < cells.rows(); ++i) {
    for (double& cell : cells.row(i)) {
      if (random.chance(0.2)) cell = std::nan("");
    }
  }
  return labels_from_dense(cells);
}

LabelPair slow_pair(const Labels& y, Id a, Id b) {
  double n = 0, na = 0, nb = 0, both = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    const Cell ca = y.cell(i, a), cb = y.cell(i, b);
    if (ca == Cell::missing || cb == Cell::missing) continue;
    n += 1;
    na += ca == Cell::positive ? 1 : 0;
    nb += cb == Cell::positive ? 1 : 0;
    both += ca == Cell::positive && cb == Cell::positive ? 1 : 0;
  }
  const double spread = std::sqrt(na * (n - na) * nb * (n - nb));
  return {a, b, static_cast<Index>(both), spread > 0 ? (n * both - na * nb) / spread : 0,
          both > 0 ? n * both / na / nb : 0};
}

TEST(CoOccurrence, AgreesWithCounting) {
  const Labels full = linear(300, 9, 2.5, 0).y;
  for (const Labels& y : {full, with_missing(full, 3)}) {
    const Matrix phi = phi_matrix(y, Context());
    std::vector<LabelPair> all;
    for (Id a = 0; a < 9; ++a) {
      EXPECT_EQ(phi(a, a), 1.0);
      for (Id b = a + 1; b < 9; ++b) {
        const LabelPair slow = slow_pair(y, a, b);
        EXPECT_NEAR(phi(a, b), slow.phi, 1e-12);
        EXPECT_EQ(phi(a, b), phi(b, a));
        if (slow.together >= 4) all.push_back(slow);
      }
    }
    std::sort(all.begin(), all.end(),
              [](const LabelPair& p, const LabelPair& q) { return p.phi > q.phi; });
    const auto strongest = strongest_pairs(y, 7, 4, Context());
    ASSERT_EQ(strongest.size(), std::min<std::size_t>(7, all.size()));
    for (std::size_t k = 0; k < strongest.size(); ++k) {
      EXPECT_NEAR(strongest[k].phi, all[k].phi, 1e-12);
      EXPECT_NEAR(strongest[k].lift, all[k].lift, 1e-9);
      EXPECT_EQ(strongest[k].together, all[k].together);
    }
    EXPECT_EQ(phi, phi_matrix(y, Context(4)));
    EXPECT_TRUE(strongest_pairs(y, 0, 1, Context()).empty());
  }
}

TEST(CoOccurrence, IsNotCountedIfItTakesTooLong) {
  Dataset data;
  std::vector<Id> all(100'000);
  std::iota(all.begin(), all.end(), 0);
  data.x = Matrix(2, 1);
  data.feature_names = {"f"};
  data.label_names.resize(all.size());
  for (const bool many : {false, true}) {
    data.y = Labels(count_of(all), {many ? all : std::vector<Id>{0, 1}, {0, 1}});
    EXPECT_EQ(pair_steps(data.y), many ? 5e9 + 2 : 4);
    const Description d = describe(data, {.least_together = 1}, Context());
    EXPECT_EQ(d.pairs_counted, !many);
    EXPECT_TRUE(d.co_occurrences.empty());
  }
}

// This would take seconds if a counter per label were made for every few labels.
TEST(CoOccurrence, TakesVeryManyLabels) {
  const Labels y(400000, {{7, 399999}, {5}});
  const auto pairs = strongest_pairs(y, 3, 1, Context());
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].a, 7);
  EXPECT_EQ(pairs[0].b, 399999);
}

TEST(EqualRows, AgreesWithComparing) {
  Matrix x(60, 3);
  Random random(1, "rows");
  for (Index i = 0; i < 60; ++i) {
    for (double& v : x.row(i)) v = static_cast<double>(random.below(3)) - 1.0;
  }
  x(7, 1) = 0.0;
  x(8, 0) = x(7, 0), x(8, 2) = x(7, 2);
  x(8, 1) = -0.0;
  Csr sparse = to_sparse(x);
  const auto first = first_equal_rows(x, Context());
  EXPECT_EQ(first, first_equal_rows(sparse, Context(2)));
  EXPECT_EQ(first[8], first[7]);
  for (Id i = 0; i < 60; ++i) {
    Id expected = 0;
    while (!std::ranges::equal(x.row(expected), x.row(i))) ++expected;
    EXPECT_EQ(first[at(i)], expected);
  }
  // A stored zero makes no difference.
  const Csr stored{2, 2, std::vector<Index>{0, 1, 3}, std::vector<Id>{1, 0, 1},
                   std::vector<double>{5, 0, 5}};
  EXPECT_EQ(first_equal_rows(stored, Context()), (std::vector<Id>{0, 0}));
}

TEST(Describe, ByHand) {
  Dataset data;
  data.x = Matrix(5, 2, std::vector<double>{1, 4, 2, 4, 1, 4, 1, 4, 0, 4});
  data.y = Labels(3, {{0}, {0, 1}, {0}, {}, {0, 1}}, {{}, {}, {}, {2}, {}});
  data.feature_names = {"f", "g"};
  data.label_names = {"a", "b", "c"};
  const Description d = describe(data, {.pairs = 5, .least_together = 1}, Context());
  EXPECT_EQ(d.rows, 5);
  EXPECT_EQ(d.features, 2);
  EXPECT_EQ(d.labels, 3);
  EXPECT_DOUBLE_EQ(d.feature_density, 0.9);
  EXPECT_DOUBLE_EQ(d.label_cardinality, 6.0 / 5.0);
  EXPECT_DOUBLE_EQ(d.label_density, 6.0 / 14.0);
  EXPECT_EQ(d.distinct_label_sets, 3);
  EXPECT_EQ(d.empty_rows, 1);
  EXPECT_EQ(d.full_rows, 0);
  EXPECT_EQ(d.missing_cells, 1);
  EXPECT_EQ(d.absent_labels, std::vector<std::string>{"c"});
  EXPECT_EQ(d.constant_features, std::vector<std::string>{"g"});
  EXPECT_EQ(d.duplicate_rows, 2);    // rows 2 and 3 repeat row 0
  EXPECT_EQ(d.conflicting_rows, 1);  // row 3
  EXPECT_EQ(d.per_label[0].count, 4);
  EXPECT_DOUBLE_EQ(d.per_label[0].frequency, 0.8);
  EXPECT_DOUBLE_EQ(d.per_label[1].imbalance, 2.0);
  EXPECT_TRUE(std::isnan(d.per_label[2].imbalance));
  EXPECT_DOUBLE_EQ(d.mean_imbalance, 1.5);
  // Rows with a and b: imbalances 1 and 2; all others have one label or none.
  EXPECT_NEAR(d.scumble, 2.0 * (1.0 - std::sqrt(2.0) / 1.5) / 5.0, 1e-15);
  ASSERT_EQ(d.co_occurrences.size(), 1u);
  EXPECT_EQ(d.co_occurrences[0].first, "a");
  EXPECT_EQ(d.co_occurrences[0].together, 2);
  EXPECT_DOUBLE_EQ(d.co_occurrences[0].lift, 5.0 * 2.0 / (4.0 * 2.0));
}

TEST(Describe, SparseAndDenseAndThreadsAgree) {
  Dataset data = linear(500, 8, 2.0, 0.5);
  const Description sparse = describe(data, {}, Context(4));
  data.x = to_dense(data.x);
  const Description dense = describe(data, {}, Context(1));
  EXPECT_TRUE(sparse.sparse && !dense.sparse);
  EXPECT_EQ(sparse.feature_density, dense.feature_density);
  EXPECT_EQ(sparse.duplicate_rows, dense.duplicate_rows);
  EXPECT_EQ(sparse.scumble, dense.scumble);
  ASSERT_EQ(sparse.co_occurrences.size(), dense.co_occurrences.size());
  for (std::size_t k = 0; k < dense.co_occurrences.size(); ++k) {
    EXPECT_EQ(sparse.co_occurrences[k].phi, dense.co_occurrences[k].phi);
  }
}

// The status of this process: "VmHWM" is its peak, "VmRSS" what it has now; in bytes.
std::size_t memory_of_process(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == which + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

Dataset wide_data(Index columns) {
  Csr x{3, columns, std::vector<Index>{0, 2, 4, 5},
        std::vector<Id>{3, static_cast<Id>(columns - 1), 3, 700, 3},
        std::vector<double>{1, 2, 1, std::nan(""), 1}};
  return {.x = Features(std::move(x)), .y = Labels(1, {{0}, {}, {0}}), .label_names = {"l"}};
}

TEST(Describe, WideSparseDataIsLikeDenseData) {
  Dataset data = wide_data(5000);
  const Description wide = describe(data, {}, Context());
  data.x = to_dense(data.x);
  const Description dense = describe(data, {}, Context());
  EXPECT_EQ(wide.constant_features, dense.constant_features);
  EXPECT_EQ(wide.constant_feature_count, 4999);  // all but the last; 3 is always 1, 701 always 0
  EXPECT_EQ(dense.constant_feature_count, 4999);
  EXPECT_EQ(wide.constant_features[3], "4");
  EXPECT_EQ(wide.feature_density, dense.feature_density);
  EXPECT_EQ(wide.missing_features, 1);
  EXPECT_EQ(dense.missing_features, 1);
  Dataset none = wide_data(5000);
  none.x = Csr{2, 5000, std::vector<Index>{0, 0, 0}, {}, {}};
  none.y = Labels(1, {{0}, {}});
  EXPECT_EQ(describe(none, {}, Context()).constant_feature_count, 5000);
}

TEST(Describe, WideSparseDataTakesLittleMemory) {
  constexpr Index k_columns = 16'000'000;
  const Dataset data = wide_data(k_columns);
  if (!(std::ofstream("/proc/self/clear_refs") << "5" << std::flush)) GTEST_SKIP() << "no peaks";
  const std::size_t before = memory_of_process("VmRSS");
  const Description d = describe(data, {}, Context());
  EXPECT_EQ(d.constant_feature_count, k_columns - 1);
  EXPECT_EQ(d.constant_features.size(), k_most_constant_features);
  EXPECT_LT(memory_of_process("VmHWM") - before, std::size_t{64} << 20);
}

TEST(Describe, EmptyData) {
  Dataset data;
  data.x = Matrix(0, 2);
  data.y = Labels(1, {});
  data.label_names = {"a"};
  const Description d = describe(data, {}, Context());
  EXPECT_EQ(d.rows, 0);
  EXPECT_EQ(d.label_cardinality, 0.0);
  EXPECT_EQ(d.scumble, 0.0);
  data.has_labels = false;
  EXPECT_EQ(describe(data, {}, Context()).labels, 0);
}

// Mean imbalance and SCUMBLE as published with the R package mldr.
TEST(Describe, PublishedFigures) {
  const std::string folder = places::real_data();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no data in " << folder;
  const struct {
    const char* file;
    double mean_imbalance, scumble;
    Index sets;
  } known[] = {{"/emotions/emotions.arff", 1.478, 0.011, 27},
               {"/yeast/yeast.arff.gz", 7.197, 0.104, 198}};
  for (const auto& expected : known) {
    const Description d = describe(read_dataset(folder + expected.file), {}, Context());
    EXPECT_NEAR(d.mean_imbalance, expected.mean_imbalance, 5e-4);
    EXPECT_NEAR(d.scumble, expected.scumble, 5e-4);
    EXPECT_EQ(d.distinct_label_sets, expected.sets);
  }
}

// NumPy has a NaN of either sign.
TEST(Describe, MissingValuesOfAnyBitsAreTheSame) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Matrix x(3, 2, std::vector<double>{1, nan, 1, -nan, 1, 2});
  for (const Features& features : {Features(x), Features(to_sparse(x))}) {
    const Dataset data{.x = features, .y = Labels(1, {{0}, {0}, {0}}), .label_names = {"l"}};
    EXPECT_EQ(describe(data, {}, Context()).duplicate_rows, 1);
  }
}

}  // namespace
}  // namespace mulberry::data

// Every measure against slow definitions on random small inputs: ties, empty and full rows, missing
// cells, all conventions and policies. And the properties that hold for any input.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "mulberry/core/index.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/measures/ranking.hpp"
#include "tests/support/brute_force_measures.hpp"

namespace mulberry::measures {
using namespace tests;
namespace {

struct Input {
  Matrix y, scores, p;  // y: NaN is missing
  Labels truth, decided;
  Outcome outcome() const {
    return {.scores = &scores, .decided = &decided, .probabilities = true};
  }
};

Input random_input(std::uint64_t round, Index most_rows = 6, Index most_labels = 6) {
  Random rng = Context(1, 3).rng("input", round);
  const Index n = 1 + rng.below(most_rows), labels = 1 + rng.below(most_labels);
  const double density = rng.uniform(), gaps = round % 3 == 0 ? 0.25 : 0.0;
  const bool coarse = round % 2 == 0;
  Input in;
  in.y = in.scores = in.p = Matrix(n, labels);
  for (Index i = 0; i < n; ++i) {
    const double row_density = rng.chance(0.2) ? 0 : rng.chance(0.2) ? 1 : density;
    for (Index l = 0; l < labels; ++l) {
      in.y(i, l) = rng.chance(row_density) ? 1 : 0;
      if (rng.chance(gaps)) in.y(i, l) = std::numeric_limits<double>::quiet_NaN();
      in.scores(i, l) = coarse ? static_cast<double>(rng.below(4)) / 4 : rng.uniform();
      in.p(i, l) = rng.chance(density) ? 1 : 0;
    }
  }
  in.truth = labels_from_dense(in.y);
  in.decided = labels_from_dense(in.p);
  return in;
}

// The observed cells of a row, a column, or all.
brute::Row cells(const Input& in, Index row, Index col, MatrixView values) {
  brute::Row out;
  for (Index i = 0; i < in.y.rows(); ++i) {
    for (Index l = 0; l < in.y.cols(); ++l) {
      if ((row >= 0 && i != row) || (col >= 0 && l != col) || std::isnan(in.y(i, l))) continue;
      out.truth.push_back(in.y(i, l) == 1 ? 1 : 0);
      out.scores.push_back(values(i, l));
    }
  }
  return out;
}

// Mean over the units that have a value under the rules, with the expected counts.
struct Mean {
  double sum = 0, total = 0;
  Index undefined = 0, unobserved = 0;
  bool poisoned = false;
  void add(double v) {
    sum += v;
    total += 1;
  }
  void fill(const Rule& rule, double natural = 0) {
    undefined += rule.kind == Rule::natural ? 0 : 1;
    poisoned = poisoned || rule.kind == Rule::nan;
    if (rule.kind == Rule::natural) add(natural);
    if (rule.kind == Rule::value) add(rule.number);
  }
  void expect(const MeasureValue& found, std::uint64_t round) const {
    const double expected =
        poisoned || total == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / total;
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(found.value)) << found.name << " " << round;
      EXPECT_FALSE(found.reason.empty());
    } else {
      EXPECT_NEAR(found.value, expected, 1e-12) << found.name << " round " << round;
      EXPECT_TRUE(found.reason.empty());
    }
    EXPECT_EQ(found.undefined, undefined) << found.name << " round " << round;
    EXPECT_EQ(found.unobserved, unobserved) << found.name << " round " << round;
  }
};

MeasureOptions random_options(std::uint64_t round) {
  Random rng = Context(1, 3).rng("options", round);
  MeasureOptions options;
  options.convention = static_cast<Convention>(rng.below(5));
  if (rng.chance(0.3)) options.undefined = static_cast<Undefined>(rng.below(4));
  if (rng.chance(0.5)) options.ties = static_cast<Ties>(rng.below(5));
  options.k = 1 + rng.below(4);
  options.beta = rng.chance(0.5) ? 1 : 0.5 + 2 * rng.uniform();
  return options;
}

MeasureValue find(const std::vector<MeasureValue>& values, std::string_view name) {
  for (const MeasureValue& v : values) {
    if (v.name == name) return v;
  }
  ADD_FAILURE() << name << " was not computed";
  return {};
}

TEST(RandomInputs, RankingMeasuresMatchBruteForce) {
  for (std::uint64_t round = 0; round < 600; ++round) {
    const Input in = random_input(round);
    const MeasureOptions options = random_options(round);
    const Rules rules = rules_of(options);
    const auto values = measure_all(in.truth, in.outcome(), options, Context());
    const auto check = [&](std::string_view name, const RowRule& rule, auto of_row) {
      Mean mean;
      for (Index i = 0; i < in.y.rows(); ++i) {
        const brute::Row row = cells(in, i, -1, in.scores);
        const Index a = row.relevant();
        if (row.size() == 0) {
          ++mean.unobserved;
        } else if (a == 0) {
          mean.fill(rule.none);
        } else if (a == row.size() && rule.all.kind != Rule::natural) {
          mean.fill(rule.all);
        } else {
          mean.add(of_row(row));
        }
      }
      mean.expect(find(values, name), round);
    };
    using brute::Row;
    check("ranking_loss", rules.ranking_loss,
          [&](const Row& r) { return brute::ranking_loss(r, rules.ranking_loss_ties); });
    check("instance_auc", rules.instance_auc,
          [&](const Row& r) { return 1 - brute::ranking_loss(r, rules.instance_auc_ties); });
    check("coverage", rules.coverage,
          [&](const Row& r) { return brute::depth(r, rules.coverage_ties) - rules.coverage_base; });
    check("one_error", rules.one_error,
          [&](const Row& r) { return brute::one_error(r, rules.one_error_ties); });
    check("average_precision", rules.average_precision,
          [&](const Row& r) { return brute::average_precision(r, rules.average_precision_ties); });
    check("precision_at_k", {rules.at_k_none, {}},
          [&](const Row& r) { return brute::precision_at(r, options.k, rules.precision_ties); });
    check("ndcg_at_k", {rules.at_k_none, {}},
          [&](const Row& r) { return brute::ndcg_at(r, options.k, rules.ndcg_ties); });
  }
}

TEST(RandomInputs, AreasMatchBruteForce) {
  for (std::uint64_t round = 0; round < 300; ++round) {
    const Input in = random_input(round, 20);
    const MeasureOptions options = random_options(round);
    const Rules rules = rules_of(options);
    const auto values = measure_all(in.truth, in.outcome(), options, Context());
    Mean auc, precision;
    for (Index l = 0; l < in.y.cols(); ++l) {
      const brute::Row column = cells(in, -1, l, in.scores);
      const Index a = column.relevant();
      if (column.size() == 0) {
        ++auc.unobserved;
        ++precision.unobserved;
        continue;
      }
      if (a == 0 || a == column.size()) {
        auc.fill({Rule::skip, 0});
      } else {
        auc.add(brute::auc(column, rules.auc_tie));
      }
      if (a == 0) {
        precision.fill(rules.average_precision_no);
      } else {
        precision.add(brute::average_precision(column, Ties::worst));
      }
    }
    auc.expect(find(values, "macro_auc"), round);
    precision.expect(find(values, "mean_average_precision"), round);
    Mean pooled;
    const brute::Row all = cells(in, -1, -1, in.scores);
    if (all.relevant() > 0 && all.relevant() < all.size())
      pooled.add(brute::auc(all, rules.auc_tie));
    pooled.expect(find(values, "micro_auc"), round);
  }
}

TEST(RandomInputs, DecisionsMatchBruteForce) {
  for (std::uint64_t round = 0; round < 300; ++round) {
    const Input in = random_input(round, 8);
    const MeasureOptions options = random_options(round);
    const Rules rules = rules_of(options);
    const auto values = measure_all(in.truth, in.outcome(), options, Context());
    const double b2 = options.beta * options.beta;
    struct Counts {
      double tp = 0, fp = 0, fn = 0, cells = 0;
    };
    const auto count = [&](Index row, Index col) {
      const brute::Row r = cells(in, row, col, in.p);
      Counts c;
      for (std::size_t k = 0; k < r.truth.size(); ++k) {
        c.tp += r.truth[k] == 1 && r.scores[k] == 1;
        c.fp += r.truth[k] == 0 && r.scores[k] == 1;
        c.fn += r.truth[k] == 1 && r.scores[k] == 0;
      }
      c.cells = static_cast<double>(r.truth.size());
      return c;
    };
    const auto check = [&](const std::string& prefix, const std::vector<Counts>& units,
                           const Rule& empty_f) {
      Mean precision, recall, f1, fbeta;
      for (const Counts& c : units) {
        const bool empty = c.tp + c.fp + c.fn == 0;
        const auto put = [&](Mean& mean, double above, double below, const Rule& rule) {
          if (c.cells == 0) {
            ++mean.unobserved;
          } else if (below == 0) {
            mean.fill(empty ? rule : rules.ratio);
          } else {
            mean.add(above / below);
          }
        };
        put(precision, c.tp, c.tp + c.fp, rules.ratio_empty);
        put(recall, c.tp, c.tp + c.fn, rules.ratio_empty);
        put(f1, 2 * c.tp, 2 * c.tp + c.fp + c.fn, empty_f);
        put(fbeta, (1 + b2) * c.tp, (1 + b2) * c.tp + b2 * c.fn + c.fp, empty_f);
      }
      precision.expect(find(values, prefix + "_precision"), round);
      recall.expect(find(values, prefix + "_recall"), round);
      f1.expect(find(values, prefix + "_f1"), round);
      fbeta.expect(find(values, prefix + "_fbeta"), round);
    };
    std::vector<Counts> rows, columns;
    for (Index i = 0; i < in.y.rows(); ++i) rows.push_back(count(i, -1));
    for (Index l = 0; l < in.y.cols(); ++l) columns.push_back(count(-1, l));
    check("example", rows, rules.example_f_empty);
    check("macro", columns, rules.ratio_empty);
    check("micro", {count(-1, -1)}, rules.ratio_empty);
    Mean subset, jaccard;
    double wrong = 0, observed = 0;
    for (const Counts& c : rows) {
      wrong += c.fp + c.fn;
      observed += c.cells;
      if (c.cells == 0) {
        ++subset.unobserved;
        ++jaccard.unobserved;
        continue;
      }
      subset.add(c.fp + c.fn == 0 ? 1 : 0);
      if (c.tp + c.fp + c.fn == 0) {
        jaccard.fill(rules.jaccard_empty);
      } else {
        jaccard.add(c.tp / (c.tp + c.fp + c.fn));
      }
    }
    subset.expect(find(values, "subset_accuracy"), round);
    jaccard.expect(find(values, "jaccard"), round);
    if (observed > 0) {
      EXPECT_DOUBLE_EQ(find(values, "hamming_loss").value, wrong / observed);
    }
  }
}

// The protocol's curve by its definition: predict the top k of every row, for every k.
TEST(RandomInputs, ProtocolAucMatchesItsDefinition) {
  for (std::uint64_t round = 0; round < 200; ++round) {
    const Input in = random_input(round);
    MeasureOptions options = {.convention = Convention::paper};
    if (round % 2 == 1) options.ties = Ties::last;
    const auto values = measure_all(in.truth, in.outcome(), options, Context());
    double area = 0, area_image = 0, tpr = 0, fpr = 0, tpr_image = 0, fpr_image = 0;
    for (Index k = 0; k <= in.y.cols(); ++k) {
      double tp = 0, fp = 0, p = 0, n = 0, tp_image = 0, fp_image = 0, images = 0;
      for (Index i = 0; i < in.y.rows(); ++i) {
        const brute::Row row = cells(in, i, -1, in.scores);
        const auto order = round % 2 == 1 ? brute::order_by(row, std::greater<>())
                                          : brute::order_by(row, std::less<>());
        double hit = 0, miss = 0;
        for (Index r = 0; r < std::min(k, row.size()); ++r) {
          (row.truth[order[at(r)]] == 1 ? hit : miss) += 1;
        }
        const auto a = static_cast<double>(row.relevant());
        const auto b = static_cast<double>(row.size()) - a;
        tp += hit;
        fp += miss;
        p += a;
        n += b;
        if (a == 0 || b == 0) continue;
        images += 1;
        tp_image += hit / a;
        fp_image += miss / b;
      }
      area += (tpr + tp / p) / 2 * (fp / n - fpr);
      tpr = tp / p;
      fpr = fp / n;
      area_image += (tpr_image + tp_image / images) / 2 * (fp_image / images - fpr_image);
      tpr_image = tp_image / images;
      fpr_image = fp_image / images;
    }
    const auto expect = [&](const char* name, double expected) {
      const double found = find(values, name).value;
      EXPECT_EQ(std::isnan(found), std::isnan(expected)) << name << " " << round;
      if (!std::isnan(expected)) {
        EXPECT_NEAR(found, expected, 1e-12) << name << " " << round;
      }
    };
    expect("protocol_auc", area);
    expect("protocol_auc_per_image", area_image);
  }
}

TEST(RandomInputs, ProtocolAucMatchesItsClosedForm) {
  for (std::uint64_t round = 1; round < 200; round += 3) {  // rounds without missing cells
    const Input in = random_input(round, 30, 12);
    double rank_sum = 0;
    for (Index i = 0; i < in.y.rows(); ++i) {
      const brute::Row row = cells(in, i, -1, in.scores);
      const auto order = brute::order_by(row, std::less<>());
      for (std::size_t r = 0; r < order.size(); ++r) {
        rank_sum += row.truth[order[r]] * static_cast<double>(r + 1);
      }
    }
    const auto n = static_cast<double>(in.y.rows()), labels = static_cast<double>(in.y.cols());
    const auto p = static_cast<double>(in.truth.positives());
    if (p == 0 || p == n * labels) continue;
    const double expected =
        (n * (p * (labels + 0.5) - rank_sum) - p * p / 2) / (p * (n * labels - p));
    EXPECT_NEAR(measure("protocol_auc", in.truth, in.outcome(), {}, Context()).value, expected,
                1e-12);
  }
}

TEST(RandomInputs, AnyNumberOfThreadsGivesTheSameBits) {
  const Input in = random_input(9, 3000, 40);
  const auto one = measure_all(in.truth, in.outcome(), {}, Context(1));
  for (const int threads : {2, 8}) {
    const auto many = measure_all(in.truth, in.outcome(), {}, Context(threads));
    ASSERT_EQ(one.size(), many.size());
    for (std::size_t m = 0; m < one.size(); ++m) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(one[m].value),
                std::bit_cast<std::uint64_t>(many[m].value))
          << one[m].name;
    }
  }
}

TEST(RandomInputs, TopScoresAreScoresWithTheRestBelow) {
  for (std::uint64_t round = 0; round < 100; ++round) {
    Input in = random_input(round, 12, 10);
    Random rng = Context(1, 8).rng("top", round);
    std::vector<Index> start = {0};
    std::vector<Id> index;
    std::vector<double> value;
    for (Index i = 0; i < in.y.rows(); ++i) {
      for (Index l = 0; l < in.y.cols(); ++l) {
        if (rng.chance(0.5)) {
          index.push_back(static_cast<Id>(l));
          value.push_back(in.scores(i, l));
        } else {
          in.scores(i, l) = -1;
        }
      }
      start.push_back(count_of(index));
    }
    const Csr top = {in.y.rows(), in.y.cols(), start, index, value};
    MeasureOptions options = random_options(round);
    const auto dense = measure_all(in.truth, {.scores = &in.scores}, options, Context());
    const auto sparse = measure_all(in.truth, {.top_scores = &top}, options, Context());
    ASSERT_EQ(dense.size(), sparse.size());
    for (std::size_t m = 0; m < dense.size(); ++m) {
      EXPECT_EQ(std::isnan(dense[m].value), std::isnan(sparse[m].value));
      if (!std::isnan(dense[m].value)) {
        EXPECT_NEAR(dense[m].value, sparse[m].value, 1e-14) << dense[m].name << " " << round;
      }
    }
  }
}

const char* const k_ranking[] = {"ranking_loss",      "coverage",     "one_error",
                                 "average_precision", "instance_auc", "protocol_auc",
                                 "precision_at_k",    "ndcg_at_k"};

TEST(Properties, PerfectAndReversedScores) {
  for (std::uint64_t round = 1; round < 60; round += 3) {
    Input in = random_input(round, 8, 7);
    const MeasureOptions paper = {.convention = Convention::paper};
    for (const double sign : {1.0, -1.0}) {
      Random rng = Context(1, 8).rng("noise", round);
      double depth = 0, kept = 0;
      for (Index i = 0; i < in.y.rows(); ++i) {
        double a = 0;
        for (Index l = 0; l < in.y.cols(); ++l) {
          in.scores(i, l) = sign * (in.y(i, l) + 0.9 * rng.uniform());
          a += in.y(i, l);
        }
        if (a == 0 || a == static_cast<double>(in.y.cols())) continue;
        depth += a - 1;
        kept += 1;
      }
      const auto values = measure_all(in.truth, {.scores = &in.scores}, paper, Context());
      if (kept == 0) continue;
      const bool perfect = sign > 0;
      EXPECT_EQ(find(values, "ranking_loss").value, perfect ? 0 : 1);
      EXPECT_EQ(find(values, "instance_auc").value, perfect ? 1 : 0);
      EXPECT_EQ(find(values, "micro_auc").value, perfect ? 1 : 0);
      if (!std::isnan(find(values, "macro_auc").value)) {
        EXPECT_EQ(find(values, "macro_auc").value, perfect ? 1 : 0);
      }
      if (!perfect) continue;
      EXPECT_EQ(find(values, "average_precision").value, 1);
      EXPECT_EQ(find(values, "one_error").value, 0);
      EXPECT_DOUBLE_EQ(find(values, "coverage").value, depth / kept);
    }
  }
}

TEST(Properties, ProtocolAucOfAPerfectRankingWithUnequalRows) {
  const Labels y(4, {{0}, {0, 1, 2}});
  const Matrix s(2, 4, std::vector<double>{4, 3, 2, 1, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(measure("protocol_auc", y, {.scores = &s}, {}, Context()).value, 0.875);
  EXPECT_NEAR(measure("protocol_auc_per_image", y, {.scores = &s}, {}, Context()).value,
              0.9444444444, 1e-10);
}

TEST(Properties, EqualScoresAreWorthAHalf) {
  const Labels y(3, {{0}, {0, 1}, {2}});
  const Matrix s(3, 3, 0.5);
  const MeasureOptions options = {.ties = Ties::average};
  for (const char* name : {"ranking_loss", "macro_auc", "micro_auc", "instance_auc"}) {
    EXPECT_DOUBLE_EQ(measure(name, y, {.scores = &s}, options, Context()).value, 0.5) << name;
  }
}

TEST(Properties, OnlyTheOrderOfScoresMatters) {
  for (std::uint64_t round = 0; round < 60; ++round) {
    const Input in = random_input(round);
    Matrix by_row = in.scores, all = in.scores;
    for (Index i = 0; i < in.y.rows(); ++i) {
      for (Index l = 0; l < in.y.cols(); ++l) {
        const double s = in.scores(i, l);
        by_row(i, l) = std::exp(s * static_cast<double>(i + 1)) - 7.0 * static_cast<double>(i);
        all(i, l) = s * s * s - 2;
      }
    }
    const auto same = [&](const std::vector<MeasureValue>& a, const std::vector<MeasureValue>& b,
                          std::string_view name) {
      const double x = find(a, name).value, y = find(b, name).value;
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << name << " " << round;
    };
    const auto before = measure_all(in.truth, {.scores = &in.scores}, {}, Context());
    const auto rows = measure_all(in.truth, {.scores = &by_row}, {}, Context());
    const auto after = measure_all(in.truth, {.scores = &all}, {}, Context());
    for (const char* name : k_ranking) same(before, rows, name);
    for (const MeasureValue& v : before) same(before, after, v.name);
  }
}

TEST(Properties, LabelOrderDoesNotMatterWithoutTies) {
  for (std::uint64_t round = 1; round < 60; round += 2) {  // rounds of uniform scores
    const Input in = random_input(round);
    std::vector<Id> order(at(in.y.cols()));
    for (std::size_t l = 0; l < order.size(); ++l) order[l] = static_cast<Id>(l);
    Random rng = Context(1, 8).rng("order", round);
    rng.shuffle(std::span(order));
    Matrix scores(in.y.rows(), in.y.cols());
    for (Index i = 0; i < in.y.rows(); ++i) {
      for (Index l = 0; l < in.y.cols(); ++l) {
        scores(i, l) = in.scores(i, order[at(l)]);
      }
    }
    const Labels truth = take_labels(in.truth, order), decided = take_labels(in.decided, order);
    const auto before = measure_all(in.truth, in.outcome(), {}, Context());
    const auto after = measure_all(
        truth, {.scores = &scores, .decided = &decided, .probabilities = true}, {}, Context());
    for (std::size_t m = 0; m < before.size(); ++m) {
      if (std::isnan(before[m].value)) continue;
      EXPECT_NEAR(before[m].value, after[m].value, 1e-13) << before[m].name;
    }
  }
}

TEST(Properties, ComplementHasTheComplementaryHammingLoss) {
  for (std::uint64_t round = 1; round < 30; ++round) {
    const Input in = random_input(round);
    if (in.truth.missing() == in.y.size()) continue;
    Matrix p = in.p;
    for (Index k = 0; k < p.size(); ++k) p.data()[k] = 1 - p.data()[k];
    const Labels complement = labels_from_dense(p);
    const double a =
        measure("hamming_loss", in.truth, {.decided = &in.decided}, {}, Context()).value;
    const double b =
        measure("hamming_loss", in.truth, {.decided = &complement}, {}, Context()).value;
    EXPECT_NEAR(a + b, 1, 1e-15);
  }
}

TEST(Properties, ProtocolAucIsInstanceAucWhenRowsHaveEquallyManyLabels) {
  Random rng = Context(1, 4).rng("equal");
  Matrix s(20, 6);
  std::vector<std::vector<Id>> rows;
  for (Index i = 0; i < 20; ++i) {
    for (Index l = 0; l < 6; ++l) s(i, l) = rng.uniform();
    const auto first = static_cast<Id>(rng.below(3));
    rows.push_back({first, static_cast<Id>(first + 3)});
  }
  const Labels y(6, rows);
  EXPECT_NEAR(measure("protocol_auc", y, {.scores = &s}, {}, Context()).value,
              measure("instance_auc", y, {.scores = &s}, {}, Context()).value, 1e-14);
}

TEST(Properties, AveragePrecisionIsOneExactlyWhenCoverageIsLeast) {
  for (std::uint64_t round = 0; round < 200; ++round) {
    const Input in = random_input(round, 1, 6);
    const Index a = in.truth.positives(), observed = in.y.cols() - in.truth.missing();
    if (a == 0 || a == observed) continue;
    const auto values =
        measure_all(in.truth, {.scores = &in.scores}, {.convention = Convention::paper}, Context());
    const double precision = find(values, "average_precision").value;
    EXPECT_GE(precision, 1.0 / static_cast<double>(observed));
    EXPECT_EQ(precision == 1, find(values, "coverage").value == static_cast<double>(a - 1));
  }
}

}  // namespace
}  // namespace mulberry::measures

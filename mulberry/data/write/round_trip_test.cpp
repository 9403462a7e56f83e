// Every format reads back what was written to it, for random data sets of all shapes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

struct Shape {
  bool sparse, missing, sets, odd_names;
};

double random_value(Random& rng) {
  switch (rng.below(6)) {
    case 0:
      return static_cast<double>(rng.below(10));
    case 1:
      return rng.normal() * std::pow(10.0, static_cast<double>(rng.below(600)) - 300);
    case 2:
      return std::numeric_limits<double>::denorm_min() * static_cast<double>(rng.below(100));
    case 3:
      return rng.chance(0.5) ? std::numeric_limits<double>::max()
                             : -std::numeric_limits<double>::min();
    default:
      return rng.normal();
  }
}

std::string random_name(Random& rng, bool odd, Index number) {
  static const std::vector<std::string> k_pieces = {"a",   "B", " ", "'",  "\"",  ",", ";",  "\t",
                                                    "{",   "}", "%", "\\", "?",   "é", "🍇", "=",
                                                    "<&>", "@", "#", "\n", "x y", "|", ":"};
  std::string name = "n" + std::to_string(number);
  for (Index k = odd ? rng.below(5) : 0; k > 0; --k) {
    name += k_pieces[at(rng.below(count_of(k_pieces)))];
  }
  return odd && rng.chance(0.2) ? " " + name : name;
}

Dataset random_data(Random& rng, const Shape& shape) {
  const Index rows = 1 + rng.below(12), cols = 1 + rng.below(6), plain = 1 + rng.below(4);
  Matrix x(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    const double density = rng.chance(0.2) ? 0 : shape.sparse ? 0.3 : 0.9;
    for (Index j = 0; j < cols; ++j) x(i, j) = rng.chance(density) ? random_value(rng) : 0;
  }
  Dataset data;
  data.name = "relation";
  data.x = shape.sparse ? Features(to_sparse(Features(x))) : Features(x);
  data.attributes = cols;
  for (Index j = 0; j < cols; ++j) {
    data.feature_names.push_back(random_name(rng, shape.odd_names, j));
  }
  // A set's values come in sorted order and each of them occurs, as a reader finds them.
  const std::vector<std::string> values = {"brand=audi", "brand=b,\"m\"w", "brand=z"};
  const Index of_set = shape.sets ? std::min<Index>(rows, 3) : 0;
  for (Index l = 0; l < plain; ++l) {
    data.label_names.push_back(random_name(rng, shape.odd_names, cols + l));
  }
  for (Index l = 0; l < of_set; ++l) data.label_names.push_back(values[at(l)]);
  std::vector<std::vector<Id>> ones(at(rows)), gaps(ones.size());
  for (Index i = 0; i < rows; ++i) {
    for (Index l = 0; l < plain; ++l) {
      const auto row = at(i);
      if (rng.chance(0.3)) {
        ones[row].push_back(static_cast<Id>(l));
      } else if (shape.missing && rng.chance(0.3)) {
        gaps[row].push_back(static_cast<Id>(l));
      }
    }
    if (of_set > 0) ones[at(i)].push_back(static_cast<Id>(plain + i % of_set));
  }
  data.y = Labels(plain + of_set, ones, gaps);
  if (of_set > 0) {
    data.sets.names = {"brand"};
    data.sets.members.emplace_back();
    for (Index l = 0; l < of_set; ++l) data.sets.members[0].push_back(static_cast<Id>(plain + l));
  }
  return data;
}

void expect_same_bits(const Features& a, const Features& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  const FixedMatrix x = to_dense(a), y = to_dense(b);
  for (Index k = 0; k < x.size(); ++k) {
    EXPECT_EQ(std::memcmp(x.data() + k, y.data() + k, sizeof(double)), 0)
        << x.data()[k] << " became " << y.data()[k];
  }
}

void expect_same_values(const Features& a, const Features& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const double x = a.at(i, j), y = b.at(i, j);
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << i << " " << j;
    }
  }
}

ReadOptions options_for(const Dataset& data, Format format) {
  ReadOptions options;
  const bool table = format == Format::csv || format == Format::tsv;
  if (table) {
    options.label_count = data.sets.empty() ? -data.labels() : 0;
    if (!data.sets.empty()) {
      for (const auto& name : data.label_names) {
        if (!name.starts_with("brand=")) options.label_columns.push_back(name);
      }
    }
  }
  if (table) options.label_sets = data.sets.names;
  return options;
}

class RoundTrip : public testing::TestWithParam<std::tuple<Format, int>> {};

TEST_P(RoundTrip, IsExact) {
  const auto [format, kind] = GetParam();
  const Shape shape{(kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0, (kind & 8) != 0};
  const bool numbered = format == Format::libsvm || format == Format::xmlrepo;
  const TemporaryFolder folder;
  const char* const compression[] = {"", ".gz", ".zst"};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random rng(seed, "round trip", static_cast<std::uint64_t>(kind));
    const Dataset data = random_data(rng, shape);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string path =
        folder.file("data." + std::string(format_name(format)) + compression[seed % 3]);
    if (numbered && data.y.has_missing()) {
      EXPECT_THROW(write_dataset(data, path), Error);
      continue;
    }
    write_dataset(data, path);
    const Dataset read = read_dataset(path, options_for(data, format));
    expect_same_bits(read.x, data.x);
    EXPECT_EQ(read.y, data.y);
    EXPECT_TRUE(read.has_labels);
    EXPECT_EQ(read.attributes, data.attributes);
    if (numbered) continue;
    EXPECT_EQ(read.feature_names, data.feature_names);
    EXPECT_EQ(read.label_names, data.label_names);
    EXPECT_EQ(read.sets, data.sets);
    if (format == Format::arff || format == Format::npz) {
      EXPECT_EQ(read.x.is_sparse(), data.x.is_sparse());
      EXPECT_EQ(read.name, data.name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip,
                         testing::Combine(testing::Values(Format::arff, Format::libsvm,
                                                          Format::xmlrepo, Format::csv, Format::tsv,
                                                          Format::npz),
                                          testing::Range(0, 16)),
                         [](const auto& test) {
                           return std::string(format_name(std::get<0>(test.param))) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST(RoundTripNpz, KeepsEverythingElse) {
  Random rng(3, "round trip");
  Dataset data = random_data(rng, {true, true, true, true});
  data.weights.assign(at(data.rows()), 0.1);
  data.rules.parent.assign(data.label_names.size(), -1);
  data.rules.parent[0] = static_cast<Id>(data.labels() - 1);
  const TemporaryFolder folder;
  write_dataset(data, folder.file("a.npz"));
  const Dataset read = read_dataset(folder.file("a.npz"));
  EXPECT_EQ(read.x, data.x);
  EXPECT_EQ(read.weights, data.weights);
  EXPECT_EQ(read.rules.parent, data.rules.parent);
  EXPECT_EQ(read.sets, data.sets);
  EXPECT_EQ(read.name, data.name);
}

// A column of words would be read back with its labels sorted, without labels that no row has, or
// twice under one name.
TEST(RoundTripSets, KeepTheirLabelsInTables) {
  const auto with = [](std::vector<std::string> names, std::vector<Id> members) {
    Dataset data{.x = Features(Matrix(2, 1, std::vector<double>{1, 2}))};
    data.feature_names = {"t"};
    data.label_names = std::move(names);
    data.sets = {.names = {"s"}, .members = {std::move(members)}};
    data.y = Labels(count_of(data.label_names), {{0}, {1}});
    return data;
  };
  Dataset clash = with({"s=a", "s=b", "l"}, {0, 1});
  clash.feature_names = {"s"};
  const TemporaryFolder folder;
  for (const Dataset& data :
       {with({"s=b", "s=a", "l"}, {0, 1}), with({"s=a", "s=b", "s=c", "l"}, {0, 1, 2}),
        with({"s=a", "s=b", "l", "s=c"}, {0, 1, 3})}) {
    for (const char* name : {"a.csv", "a.tsv"}) {
      write_dataset(data, folder.file(name));
      const Dataset read =
          read_dataset(folder.file(name), {.label_columns = {"l"}, .label_sets = {"s"}});
      EXPECT_EQ(read.label_names, data.label_names);
      EXPECT_EQ(read.sets, data.sets);
      EXPECT_EQ(read.y, data.y);
    }
  }
  write_dataset(clash, folder.file("c.csv"));
  EXPECT_EQ(folder.content("c.csv"), "s,s=a,s=b,l\n1,1,0,0\n2,0,1,0\n");
  write_dataset(with({"s=b", "s=a", "l"}, {0, 1}), folder.file("w.csv"), {.sets_as_words = true});
  EXPECT_EQ(folder.content("w.csv"), "t,s,l\n1,b,0\n2,a,0\n");
}

// Nominal attributes stay nominal, so that imputing, grouping and counting do not change.
TEST(RoundTripArff, NominalAttributesStayNominal) {
  const std::string header =
      "@relation 'r: -C -1'\n@attribute c {red,'light green',blue}\n@attribute b {1,0}\n"
      "@attribute t {yes,no}\n@attribute one {x}\n@attribute n numeric\n@attribute l "
      "{0,1}\n@data\n";
  const std::string dense = "'light green',1,no,x,0.5,1\nred,0,yes,x,0,0\n?,?,?,x,?,?\n";
  const TemporaryFolder folder;
  for (const std::string& rows : {dense, dense + "{}\n{0 blue,2 no,5 1}\n"}) {
    for (const Nominal nominal : {Nominal::one_hot, Nominal::ordinal}) {
      const ReadOptions options{.nominal = nominal, .keep_missing = true};
      const Dataset data = read_dataset(folder.put("a.arff", header + rows), options);
      write_dataset(data, folder.file("b.arff"));
      const Dataset read = read_dataset(folder.file("b.arff"), {.keep_missing = true});
      EXPECT_EQ(read.feature_names, data.feature_names);
      EXPECT_EQ(read.attributes, 5);
      expect_same_values(read.x, data.x);
      EXPECT_EQ(read.y, data.y);
      EXPECT_EQ(read.x.is_sparse(), data.x.is_sparse());
      if (nominal == Nominal::ordinal) continue;
      EXPECT_EQ(read.nominal.values, data.nominal.values);
      EXPECT_EQ(read.nominal_columns.size(), data.nominal_columns.size());
    }
  }
}

TEST(RoundTripLibsvm, RowsWithoutFeatures) {
  const Dataset data{
      .x = Features(Matrix(2, 0)), .y = Labels(2, {{0}, {0, 1}}), .label_names = {"a", "b"}};
  const TemporaryFolder folder;
  write_dataset(data, folder.file("a.libsvm"));
  const Dataset read = read_dataset(folder.file("a.libsvm"));
  EXPECT_EQ(read.columns(), 0);
  EXPECT_EQ(read.y, data.y);
  EXPECT_TRUE(read.notes.empty());
}

TEST(RoundTripMissingFeatures, StayMissingWhereTheFormatHoldsThem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Matrix x(2, 2, std::vector<double>{1, nan, 0, 2});
  const TemporaryFolder folder;
  for (const Features& features : {Features(x), Features(to_sparse(x))}) {
    const Dataset data{.x = features, .y = Labels(1, {{0}, {}}), .label_names = {"l"}};
    for (const char* name : {"a.arff", "a.csv", "a.npz"}) {
      write_dataset(data, folder.file(name));
      ReadOptions options{.keep_missing = true};
      if (std::string(name) == "a.csv") options.label_count = -1;
      const Dataset read = read_dataset(folder.file(name), options);
      EXPECT_TRUE(std::isnan(read.x.at(0, 1))) << name;
      EXPECT_EQ(read.x.at(1, 1), 2) << name;
      options.keep_missing = false;
      EXPECT_THROW(read_dataset(folder.file(name), options), Error) << name;
    }
    for (const char* name : {"a.libsvm", "a.txt"}) {
      EXPECT_THROW(write_dataset(data, folder.file(name)), Error) << name;
    }
  }
}

TEST(RoundTripWithoutTruth, LabelsStayAbsent) {
  Random rng(4, "round trip");
  Dataset data = random_data(rng, {false, false, false, false});
  data.has_labels = false;
  const TemporaryFolder folder;
  for (const char* name : {"a.arff", "a.csv", "a.tsv", "a.libsvm", "a.txt", "a.npz"}) {
    write_dataset(data, folder.file(name));
    const Dataset read = read_dataset(folder.file(name), {.labels_optional = true});
    EXPECT_FALSE(read.has_labels) << name;
    expect_same_bits(read.x, data.x);
  }
}

}  // namespace
}  // namespace mulberry::data

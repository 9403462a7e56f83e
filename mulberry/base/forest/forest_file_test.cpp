// Model files with trees that do not hold together are refused, value by value.
#include <gtest/gtest.h>

#include <map>

#include "mulberry/base/forest/forest_model.hpp"
#include "mulberry/core/error.hpp"

namespace mulberry::base {
namespace {

// The values of an archive, in memory, to be changed.
struct Values final : ArchiveSink, ArchiveSource {
  std::map<std::string, Index> integers;
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<std::byte>> arrays;
  std::map<std::string, std::size_t> counts;

  void number(const std::string& name, double value) override { numbers[name] = value; }
  void integer(const std::string& name, Index value) override { integers[name] = value; }
  void text(const std::string&, const std::string&) override {}
  void texts(const std::string&, const std::vector<std::string>&) override {}
  void array(const std::string& name, ElementType type, const void* data,
             std::size_t count) override {
    const std::size_t size = type == ElementType::u8                                ? 1
                             : type == ElementType::f32 || type == ElementType::i32 ? 4
                                                                                    : 8;
    const auto* bytes = static_cast<const std::byte*>(data);
    arrays[name].assign(bytes, bytes + size * count);
    counts[name] = count;
  }
  double number(const std::string& name) const override { return numbers.at(name); }
  Index integer(const std::string& name) const override { return integers.at(name); }
  std::string text(const std::string&) const override { return {}; }
  std::vector<std::string> texts(const std::string&) const override { return {}; }
  Bytes array(const std::string& name, ElementType, const RealRange&,
              const WholeRange&) const override {
    return {arrays.at(name).data(), counts.at(name), nullptr};
  }
  bool has(const std::string& name) const override {
    return arrays.contains(name) || integers.contains(name) || numbers.contains(name);
  }
  Error error(const std::string& name, const std::string& problem) const override {
    return {Code::model_file, name + " " + problem, "Train it again"};
  }
  template <class T>
  T* values(const std::string& name) {
    return reinterpret_cast<T*>(arrays.at(name).data());
  }
};

Values saved_forest() {
  Matrix x(30, 3);
  std::vector<std::vector<Id>> labels(30);
  Random draws(1, "forest");
  for (Index i = 0; i < 30; ++i) {
    for (double& v : x.row(i)) v = draws.normal();
    if (x(i, 0) > 0) labels[at(i)].push_back(0);
    if (x(i, 1) > 0) labels[at(i)].push_back(1);
  }
  const ForestTarget target = all_labels(Labels(2, labels));
  ForestParams params;
  params.trees = 3;
  Forest forest(Features(std::move(x)), std::span(&target, 1), {}, params, Context());
  Values out;
  ArchiveWriter writer(out);
  forest.visit(writer);
  return out;
}

bool loads(const Values& values) {
  try {
    Forest forest;
    ArchiveReader reader(values, {.features = 3, .outputs = 2});
    forest.visit(reader);
    // What loads must also predict.
    return forest.scores(Features(Matrix(5, 3, 0.2)), Context()).rows() == 5;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::model_file);
    return false;
  }
}

TEST(ForestFile, ASoundOneLoads) { EXPECT_TRUE(loads(saved_forest())); }

TEST(ForestFile, NoLinkLeadsAstray) {
  const Values good = saved_forest();
  const std::size_t nodes = good.counts.at("trees.column");
  for (std::size_t k = 0; k < nodes; ++k) {
    for (const Id bad : {-1, 0, static_cast<Id>(k), 3, 1 << 30}) {
      Values values = good;
      values.values<Id>("trees.child")[k] = bad;
      loads(values);  // an error or an answer, never a crash
      values = good;
      values.values<Id>("trees.column")[k] = bad;
      loads(values);
    }
    Values values = good;
    if (values.values<Id>("trees.column")[k] >= 0) {
      values.values<Id>("trees.child")[k] = 0;
      EXPECT_FALSE(loads(values)) << "in circles";
      values = good;
      values.values<Id>("trees.column")[k] = 3;
      EXPECT_FALSE(loads(values)) << "beyond the columns";
    } else {
      values.values<Id>("trees.child")[k] += 1;
      EXPECT_FALSE(loads(values)) << "another leaf";
    }
  }
}

TEST(ForestFile, NoLeafNamesWhatDoesNotExist) {
  const Values good = saved_forest();
  const auto refuses = [&](const auto& change) {
    Values values = good;
    change(values);
    return !loads(values);
  };
  EXPECT_TRUE(refuses([](Values& v) { v.values<Id>("index")[0] = 2; }));
  EXPECT_TRUE(refuses([](Values& v) { v.values<Id>("index")[0] = -1; }));
  EXPECT_TRUE(refuses([](Values& v) { v.values<Index>("start")[1] = 1 << 20; }));
  EXPECT_TRUE(refuses([](Values& v) { v.values<Index>("start")[1] = -1; }));
  EXPECT_TRUE(refuses([](Values& v) { v.values<Index>("trees.start")[1] = 1 << 20; }));
  EXPECT_TRUE(refuses([](Values& v) { v.values<Index>("trees.start")[1] = -5; }));
  EXPECT_TRUE(refuses([](Values& v) { v.values<float>("share")[0] = 2; }));
  EXPECT_TRUE(refuses([](Values& v) { v.integers["targets"] = 2; }));
  EXPECT_TRUE(refuses([](Values& v) { v.integers["targets"] = 0; }));
  EXPECT_TRUE(refuses([](Values& v) { v.integers["labels"] = 0; }));
  EXPECT_TRUE(refuses([](Values& v) { --v.counts["share"]; }));
  EXPECT_TRUE(refuses([](Values& v) { --v.counts["trees.cut"]; }));
  EXPECT_TRUE(refuses([](Values& v) { v.counts["trees.start"] = 0; }));
}

}  // namespace
}  // namespace mulberry::base

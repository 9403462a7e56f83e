// Helpers for the contract tests: requirements for every learner. They run over the registry, so
// that a new learner is tested as soon as it is registered.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::tests::contract {

// Every learner with its defaults, every alias, and every base learner inside binary relevance.
inline std::vector<std::string> learner_names() {
  std::vector<std::string> out;
  for (const Learner& learner : all_learners()) out.push_back(learner.id);
  for (const Alias& alias : all_aliases()) out.push_back(alias.id);
  for (const BaseLearner& base : base_learners()) out.push_back("br(base=" + base.id + ")");
  return out;
}

inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string out;
  for (const char c : info.param) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') out += c;
  }
  return out;
}

inline Tags tags_of(const std::string& text) {
  const Spec spec = complete_spec(parse_spec(text));
  return find_learner(spec.id).tags_of(spec);
}

// Small data that suits the learner, with exclusive sets if it needs them.
inline Dataset small_data(const std::string& learner, Index rows = 60, std::uint64_t seed = 1) {
  const bool sets = tags_of(learner).label_sets;
  GenerateOptions options = find_generator(sets ? "label-sets" : "linear").defaults;
  options.rows = rows;
  options.features = 6;
  options.labels = 4;
  options.set_sizes = {3, 2};
  return generate(sets ? "label-sets" : "linear", options, Context(1, seed));
}

inline TrainedModel fit_small(const std::string& learner, const Dataset& data, int threads = 2) {
  return train(CompleteSpec(parse_spec(learner)), data, {}, Context(threads, 7));
}

// The same learner with every solver at its tightest, so that two ways to the same optimum can be
// compared, and kernels of a width that does not depend on which rows there are.
inline Spec sharpened(Spec spec) {
  const SpecValue* kernel = spec.find("kernel");
  const bool distances = kernel != nullptr && value_text(*kernel) == "rbf";
  for (auto& [name, value] : spec.params) {
    if (name == "tolerance") value = std::string("1e-9");
    if (name == "width" && distances) value = std::string("0.5");
    if (const Spec* inner = std::get_if<Spec>(&value)) value = sharpened(*inner);
  }
  return spec;
}

inline TrainedModel fit_sharp(const std::string& learner, const Dataset& data) {
  return train(CompleteSpec(sharpened(complete_spec(parse_spec(learner)))), data, {},
               Context(1, 7));
}

// The largest difference of two scores, relative to those above 1.
inline double apart(MatrixView a, MatrixView b) {
  EXPECT_EQ(a.size(), b.size());
  double out = 0;
  for (Index k = 0; k < a.size(); ++k) {
    const double x = a.data()[k], y = b.data()[k];
    out = std::max(out, std::abs(x - y) / std::max({1.0, std::abs(x), std::abs(y)}));
  }
  return out;
}

// A folder that is removed with the test.
class Scratch {
 public:
  Scratch() {
    // In memory if possible: thousands of small files are slow on a busy disk.
    std::string name = "/dev/shm/mulberry-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      name = (std::filesystem::temp_directory_path() / "mulberry-XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    }
    path_ = name;
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class Contract : public testing::TestWithParam<std::string> {};

}  // namespace mulberry::tests::contract

#define MULBERRY_CONTRACT_OVER_ALL(suite) \
  INSTANTIATE_TEST_SUITE_P(Every, suite, testing::ValuesIn(learner_names()), test_name)

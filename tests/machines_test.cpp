// The same bits on machines of one type, measures within a tolerance on others: other processors
// choose other kernels of BLAS and other variants of exp, log and pow in the C library, whose last
// digits differ. Here both are forced to be those of other processors, as far as this one has them.
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/process.hpp"

namespace mulberry::tests::contract {
namespace {

// What docs/trust.md promises for every measure of every learner.
constexpr double k_tolerance = 0.02;

// The environments that this processor can stand for, by name.
std::map<std::string, std::pair<std::string, std::string>> machines() {
  std::istringstream words(slurp("/proc/cpuinfo"));
  const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  std::map<std::string, std::pair<std::string, std::string>> out;
  const auto blas = [&](const char* core, const char* needs) {
    if (flags.contains(needs)) out[core] = {"OPENBLAS_CORETYPE", core};
  };
  blas("Prescott", "sse3");
  blas("Prescott", "pni");  // the name of SSE3 in Linux
  blas("Nehalem", "sse4_2");
  blas("Sandybridge", "avx");
  blas("Haswell", "avx2");
  blas("Zen", "avx2");
  blas("SkylakeX", "avx512f");
  out["C library without FMA and AVX2"] = {
      "GLIBC_TUNABLES",
      "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX2,-FMA,-FMA4,-AVX512F"};
  return out;
}

using Measures = std::map<std::string, double>;  // by "learner,measure"

Measures measure(const Scratch& scratch, const std::vector<std::string>& learners,
                 const std::vector<std::string>& data) {
  std::vector<std::string> words = {"cv"};
  words.insert(words.end(), learners.begin(), learners.end());
  words.insert(words.end(), data.begin(), data.end());
  for (const char* word : {"--folds", "3", "--csv", "--quiet", "--threads", "1", "--measures",
                           "hamming_loss,ranking_loss,one_error,average_precision"}) {
    words.emplace_back(word);
  }
  const Outcome outcome = run(scratch, words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  Measures out;
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = split(line, ',');
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  while (std::getline(lines, line)) {
    // A learner with parameters is quoted and has commas: count the cells from the end.
    const std::vector<std::string> cells = split(line, ',');
    const std::size_t more = cells.size() - names.size();
    const auto cell = [&](const char* name) { return cells.at(column(name) + more); };
    static const std::set<std::string> compared = {"hamming_loss", "ranking_loss", "one_error",
                                                   "average_precision"};
    if (!compared.contains(cell("measure"))) continue;  // times and memory
    out[cells.front() + "," + cell("measure")] = parse_number(cell("mean")).value_or(NAN);
  }
  return out;
}

TEST(Machines, MeasuresAgreeWithinTheTolerance) {
  const Scratch scratch;
  const std::string plain = scratch.file("plain.csv"), sets = scratch.file("sets.csv");
  ASSERT_EQ(run(scratch, {"generate", "linear", "--rows", "90", "--features", "6", "--labels", "4",
                          "-o", plain})
                .code,
            0);
  ASSERT_EQ(run(scratch, {"generate", "label-sets", "--rows", "90", "--features", "6",
                          "--set-sizes", "3,2", "-o", sets})
                .code,
            0);
  std::vector<std::string> usual, exclusive;
  for (const Learner& learner : all_learners()) {
    (learner.tags.label_sets ? exclusive : usual).push_back(learner.id);
  }
  const auto all = [&] {
    Measures out = measure(scratch, usual, {plain, "--label-count", "-4"});
    out.merge(measure(scratch, exclusive, {sets, "--label-sets", "set1,set2"}));
    return out;
  };
  const Measures here = all();
  EXPECT_GE(here.size(), 4 * usual.size());
  double largest = 0;
  std::string where;
  for (const auto& [name, setting] : machines()) {
    SCOPED_TRACE(name);
    ASSERT_EQ(setenv(setting.first.c_str(), setting.second.c_str(), 1), 0);
    const Measures there = all();
    unsetenv(setting.first.c_str());
    EXPECT_EQ(there.size(), here.size());
    for (const auto& [what, value] : here) {
      const auto found = there.find(what);
      ASSERT_NE(found, there.end()) << what;
      const double apart = std::abs(found->second - value);
      EXPECT_TRUE(apart <= k_tolerance || (std::isnan(value) && std::isnan(found->second)))
          << what << ": " << value << " and " << found->second;
      if (apart > largest) {
        largest = apart;
        where = what + " on " + name;
      }
    }
  }
  RecordProperty("largest_difference", std::to_string(largest) + " (" + where + ")");
  std::cout << "largest difference " << largest << " (" << where << ")\n";
}

}  // namespace
}  // namespace mulberry::tests::contract

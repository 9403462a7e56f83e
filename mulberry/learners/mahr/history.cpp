#include "mulberry/learners/mahr/history.hpp"

#include <algorithm>
#include <unordered_map>

#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"

namespace mulberry::learners::mahr {
namespace {}  // namespace

void History::add(std::span<const Id> learning, std::span<const Step> steps, MatrixView signs) {
  const bool first = rounds_.count() == 0;
  const bool helped = std::any_of(steps.begin(), steps.end(),
                                  [](const Step& step) { return !step.mix.helpers.empty(); });
  const Twins twins = helped ? find_twins(signs) : Twins{};
  const auto credit = [&](Index label, double alpha, const Mix& mix) {
    reuse_(label, label) += alpha * mix.own;
    for (std::size_t h = 0; h < mix.helpers.size(); ++h) {
      const Id helper = mix.helpers[h];
      std::vector<Id> group = twins.members[at(twins.first[at(helper)])];
      std::erase(group, static_cast<Id>(label));
      const double share = alpha * mix.weights[h] / static_cast<double>(group.size());
      for (const Id member : group)
        reuse_(label, member) += share * twins.agrees[at(member)] * twins.agrees[at(helper)];
    }
  };
  Index reusing = 0;
  std::size_t k = 0;
  for (Index l = 0; l < rounds_.labels(); ++l) {
    if (k == learning.size() || learning[k] != l) {
      rounds_.add(0, Stump(), {});
      continue;
    }
    const Step& step = steps[k++];
    rounds_.add(step.alpha, step.stump, step.mix);
    if (!first) credit(l, step.alpha, step.mix);
    reusing += step.mix.helpers.empty() ? 0 : 1;
  }
  reused_ =
      static_cast<double>(reusing) / static_cast<double>(std::max<Index>(rounds_.labels(), 1));
}

Twins find_twins(MatrixView signs) {
  // Labels that agree have the same sum of random numbers up to the sign, and others hardly ever
  // do. The sums are integers that wrap around, so the order of addition does not matter.
  std::vector<std::uint64_t> numbers(at(signs.cols()));
  Random random(0, "mahr.twins");
  for (std::uint64_t& v : numbers) {
    v = random.bits();
    v = v << 32 | random.bits();
  }
  Twins out;
  out.members.resize(at(signs.rows()));
  std::unordered_multimap<std::uint64_t, Id> seen;  // the first of each group
  for (Index k = 0; k < signs.rows(); ++k) {
    const auto row = signs.row(k);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] > 0 ? numbers[i] : 0 - numbers[i];
    const std::uint64_t key = std::min(sum, 0 - sum);
    Id first = static_cast<Id>(k);
    double agrees = 1;
    const auto [begin, end] = seen.equal_range(key);
    for (auto other = begin; other != end && first == k; ++other) {
      const auto theirs = signs.row(other->second);
      const double sign = row.empty() ? 1.0 : row[0] * theirs[0];
      if (!std::equal(row.begin(), row.end(), theirs.begin(),
                      [&](double a, double b) { return a == sign * b; }))
        continue;
      first = other->second;
      agrees = sign;
    }
    if (first == k) seen.emplace(key, first);
    out.first.push_back(first);
    out.agrees.push_back(agrees);
    out.members[at(first)].push_back(static_cast<Id>(k));
  }
  return out;
}

}  // namespace mulberry::learners::mahr

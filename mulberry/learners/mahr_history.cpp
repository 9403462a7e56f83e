#include "mulberry/learners/mahr_history.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace mulberry::mahr {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void History::add(std::span<const Id> learning, std::span<const Step> steps, const Matrix& signs) {
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

Twins find_twins(const Matrix& signs) {
  Twins out;
  out.members.resize(static_cast<std::size_t>(signs.rows()));
  std::map<std::vector<std::uint64_t>, Id> seen;
  for (Index k = 0; k < signs.rows(); ++k) {
    const auto row = signs.row(k);
    const double agrees = row.empty() ? 1.0 : row[0];
    std::vector<std::uint64_t> bits(row.size() / 64 + 1);
    for (std::size_t i = 0; i < row.size(); ++i)
      bits[i / 64] |= static_cast<std::uint64_t>(row[i] == agrees) << (i % 64);
    const auto id = static_cast<Id>(k);
    const Id first = seen.emplace(std::move(bits), id).first->second;
    out.first.push_back(first);
    out.agrees.push_back(agrees * signs(first, 0));
    out.members[static_cast<std::size_t>(first)].push_back(id);
  }
  return out;
}

}  // namespace mulberry::mahr

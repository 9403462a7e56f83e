#include "mulberry/math/trees/word_groups.hpp"

#include <cmath>
#include <unordered_map>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/trees/visit_column.hpp"

namespace mulberry::math {
namespace {

constexpr Id k_least_words = 3;

std::uint64_t number_of(Id row) {  // splitmix64
  std::uint64_t z = static_cast<std::uint64_t>(row) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

struct Digest {
  bool is_binary = true;
  std::uint64_t ones = 0, missing = 0;  // sums of the numbers of rows
};

// Exactly one 1 in every row that is not missing, and the same rows missing in all columns.
bool is_group(const Features& x, const Csr& by_column, const WordGroup& group) {
  std::vector<Id> ones(at(x.rows()), 0), missing(ones);
  for (Id j = group.begin; j < group.begin + group.size; ++j) {
    visit_column(x, by_column, j,
                 [&](Id i, double v) { ++(std::isnan(v) ? missing : ones)[at(i)]; });
  }
  for (std::size_t i = 0; i < ones.size(); ++i) {
    const bool known = missing[i] == 0 && ones[i] == 1;
    if (!known && !(missing[i] == group.size && ones[i] == 0)) return false;
  }
  return true;
}

}  // namespace

std::vector<WordGroup> find_word_groups(const Features& x, const Csr& by_column,
                                        const Context& ctx) {
  std::vector<Digest> digests(at(x.cols()));
  parallel_chunks(ctx, x.cols(), 16, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Digest& digest = digests[at(j)];
      visit_column(x, by_column, j, [&](Id i, double v) {
        const bool missing = std::isnan(v);
        digest.is_binary = digest.is_binary && (missing || v == 1);
        (missing ? digest.missing : digest.ones) += number_of(i);
      });
    }
  });
  std::uint64_t all = 0;
  for (Id i = 0; i < x.rows(); ++i) all += number_of(i);
  std::vector<WordGroup> out;
  std::unordered_map<std::uint64_t, Id> begins;  // the sum before a column, since the last group
  std::uint64_t sum = 0;
  const auto restart = [&](Id column) {
    begins.clear();
    sum = 0;
    begins.emplace(0, column);
  };
  restart(0);
  for (Id j = 0; j < x.cols(); ++j) {
    const Digest& digest = digests[at(j)];
    if (!digest.is_binary) {
      restart(j + 1);
      continue;
    }
    if (j > 0 && digest.missing != digests[at(j) - 1].missing) restart(j);
    sum += digest.ones;
    const auto found = begins.find(sum - (all - digest.missing));
    if (found != begins.end()) {
      const WordGroup group{found->second, j + 1 - found->second};
      if (group.size >= k_least_words && is_group(x, by_column, group)) {
        out.push_back(group);
        restart(j + 1);
        continue;
      }
    }
    begins.emplace(sum, j + 1);
  }
  return out;
}

}  // namespace mulberry::math

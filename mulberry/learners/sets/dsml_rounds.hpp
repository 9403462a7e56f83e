// One round of DSML: which classifiers there are and whose answers each of them sees. The engine
// defines what a classifier is and how it is trained:
//
//   Engine::Rows         the rows of X, prepared once; size()
//   Engine::Classifier   archivable
//   prepare(x, ctx), fit(rows, y, classes, mass, others, ctx),
//   predict(classifier, rows, others, ctx), fits(classifier, classes, others)
//
// Sets are numbered by rank here: rank 0 has the fewest classes.
#pragma once

#include <numeric>
#include <vector>

#include "mulberry/base/class_columns.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::learners::dsml {

using Classes = std::vector<std::vector<Id>>;  // of each rank, the class of every row

template <class Engine>
struct Round {
  std::vector<typename Engine::Classifier> raw = {};    // ranks 0 .. K-2; empty without reuse
  std::vector<typename Engine::Classifier> final = {};  // every rank
  std::vector<double> votes = {};                       // weight of each rank's vote
  std::vector<double> errors = {};
  // While it is read: the classes of each rank, and the columns of prepared features.
  std::vector<Id> sizes = {};
  Index width = 0;

  template <class V>
  void visit(V& v) {
    const auto shape = [&](Index rank, Index seen) {
      return ModelShape{width + seen, rank < count_of(sizes) ? sizes[at(rank)] : 0};
    };
    Index before = 0;  // the classes of lower ranks
    v.each("raw", raw, [&](Index k) {
      const ModelShape out = shape(k, before);
      before += out.outputs;
      return out;
    });
    const Index all = std::accumulate(sizes.begin(), sizes.end(), Index{0});
    v.each("final", final,
           [&](Index k) { return shape(k, raw.empty() ? 0 : all - shape(k, 0).outputs); });
    v("votes", votes, real_from(0).length(count_of(sizes)));
    v("errors", errors, any_real().length(count_of(sizes)));
  }
};

template <class Engine>
struct Rounds {
  Engine engine = {};
  std::vector<Round<Engine>> list = {};
  std::vector<Id> sizes = {};  // the classes of each rank, for reading

  template <class V>
  void visit(V& v) {
    v("engine", engine);
    v.made("rounds", list,
           [&] { return Round<Engine>{.sizes = sizes, .width = engine.width(v.features())}; });
  }
};

// The answers of other sets that a classifier sees: the ranks below `upto`, except `own`.
inline std::vector<ClassColumns> columns_of(const Classes& state, std::span<const Id> sizes,
                                            std::size_t upto, std::size_t own) {
  std::vector<ClassColumns> out;
  for (std::size_t r = 0; r < upto; ++r) {
    if (r != own) out.push_back({state[r], sizes[r]});
  }
  return out;
}

template <class Engine>
struct Chain {
  const Engine& engine;
  const typename Engine::Rows& rows;
  std::span<const Id> sizes;  // classes of each rank
  const Context& ctx;

  // The first answers of each rank, each seeing the earlier ones.
  void answer_raw(const Round<Engine>& round, std::size_t rank, Classes& state) const {
    state[rank] = engine.predict(round.raw[rank], rows, columns_of(state, sizes, rank, rank), ctx);
  }
  // The answer of a rank that sees the newest answers of all others, if the round reuses any.
  void answer_final(const Round<Engine>& round, std::size_t rank, Classes& state) const {
    state[rank] = engine.predict(round.final[rank], rows, seen_by(round, rank, state), ctx);
  }
  std::vector<ClassColumns> seen_by(const Round<Engine>& round, std::size_t rank,
                                    const Classes& state) const {
    const bool reuse = !round.raw.empty();
    return columns_of(state, sizes, reuse ? sizes.size() : 0, rank);
  }
  // The whole round, as at prediction.
  Classes answers(const Round<Engine>& round) const {
    Classes state(sizes.size());
    for (std::size_t r = 0; r < round.raw.size(); ++r) answer_raw(round, r, state);
    for (std::size_t r = sizes.size(); r-- > 0;) answer_final(round, r, state);
    return state;
  }
};

// Whether rounds, as read from a file, have the classifiers that sets of these sizes need.
template <class Engine>
bool rounds_fit(const Rounds<Engine>& rounds, std::span<const Id> sizes) {
  const std::size_t k = sizes.size();
  const Classes none(k);
  for (const Round<Engine>& round : rounds.list) {
    const bool reuse = !round.raw.empty();
    if (round.final.size() != k || round.votes.size() != k || round.errors.size() != k ||
        (reuse && round.raw.size() + 1 != k)) {
      return false;
    }
    for (std::size_t r = 0; r < k; ++r) {
      const auto all = columns_of(none, sizes, reuse ? k : 0, r);
      if (!rounds.engine.fits(round.final[r], sizes[r], all)) return false;
      if (r < round.raw.size() &&
          !rounds.engine.fits(round.raw[r], sizes[r], columns_of(none, sizes, r, r))) {
        return false;
      }
    }
  }
  return !rounds.list.empty();
}

}  // namespace mulberry::learners::dsml

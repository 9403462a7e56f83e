#include "mulberry/learners/transform/chain_inference.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/parallel.hpp"

namespace mulberry::learners {
namespace {

constexpr Index k_block = 256;  // beginnings that are scored in one call
// From so many labels on, a link sees the labels before it as sparse columns: few of them are yes.
constexpr Index k_sparse_from = 64;

// The beginnings of label sets of one row, `length` labels long, with the probability of each (or
// its share of the samples), in lexicographic order with no before yes.
struct Beginnings {
  Index length = 0;
  std::vector<std::vector<Id>> yes;  // of each beginning: the places of its labels, increasing
  std::vector<double> mass;          // a beginning of mass 0 is left out
  std::vector<Index> start;   // when sampling: beginning b has samples start[b] .. start[b + 1]
  std::vector<Index> sample;  // of `order`

  Index size() const { return count_of(mass); }
};

// The row with each of some beginnings as further columns.
Features with_dense_labels(const Features& row, std::span<const std::vector<Id>> yes,
                           Index length) {
  Matrix labels(count_of(yes), length);
  for (Index b = 0; b < labels.rows(); ++b) {
    for (const Id place : yes[at(b)]) labels(b, place) = 1;
  }
  return append_columns(take_rows(row, std::vector<Id>(yes.size(), 0)), labels);
}

Features with_sparse_labels(const SparseRow& row, Index columns,
                            std::span<const std::vector<Id>> yes, Index length) {
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  for (const std::vector<Id>& places : yes) {
    index.insert(index.end(), row.index.begin(), row.index.end());
    value.insert(value.end(), row.value.begin(), row.value.end());
    for (const Id place : places) {
      index.push_back(static_cast<Id>(columns + place));
      value.push_back(1);
    }
    start.push_back(count_of(index));
  }
  return Csr{.rows = count_of(yes),
             .cols = columns + length,
             .start = std::move(start),
             .index = std::move(index),
             .value = std::move(value)};
}

// P(label j is yes | row, beginning) of every beginning.
std::vector<double> chances(const Chain& chain, const Features& row, const Features& sparse_row,
                            const Beginnings& from, const Context& ctx) {
  std::vector<double> out;
  const bool sparse = chain.takes_sparse() && from.length >= k_sparse_from;
  for (Index begin = 0; begin < from.size(); begin += k_block) {
    ctx.check();
    const Index end = std::min(from.size(), begin + k_block);
    const auto yes = std::span(from.yes).subspan(at(begin), at(end - begin));
    const Matrix scores = chain.link_scores(
        from.length,
        sparse ? with_sparse_labels(sparse_row.sparse_row(0), row.cols(), yes, from.length)
               : with_dense_labels(row, yes, from.length),
        ctx);
    out.insert(out.end(), scores.values().begin(), scores.values().end());
  }
  return out;
}

class Extender {
 public:
  // `uniforms`: samples x labels, empty if all sets are enumerated.
  explicit Extender(MatrixView uniforms) : uniforms_(uniforms) {}

  Beginnings root() const {
    Beginnings out{.length = 0, .yes = {{}}, .mass = {1.0}, .start = {}, .sample = {}};
    if (uniforms_.rows() == 0) return out;
    out.sample.resize(at(uniforms_.rows()));
    std::iota(out.sample.begin(), out.sample.end(), Index{0});
    out.start = {0, uniforms_.rows()};
    return out;
  }

  // Each beginning followed by no and by yes.
  Beginnings extend(const Beginnings& from, std::span<const double> chance) const {
    const Index j = from.length;
    Beginnings out;
    out.length = j + 1;
    const auto add = [&](Index b, bool yes, double mass) {
      if (mass <= 0) return;
      out.yes.push_back(from.yes[at(b)]);
      if (yes) out.yes.back().push_back(static_cast<Id>(j));
      out.mass.push_back(mass);
    };
    if (uniforms_.rows() > 0) out.start.push_back(0);
    for (Index b = 0; b < from.size(); ++b) {
      const auto k = at(b);
      if (uniforms_.rows() == 0) {
        add(b, false, from.mass[k] * (1 - chance[k]));
        add(b, true, from.mass[k] * chance[k]);
        continue;
      }
      for (const bool yes : {false, true}) {
        const std::size_t already = out.sample.size();
        for (Index s = from.start[k]; s < from.start[k + 1]; ++s) {
          const Index sample = from.sample[at(s)];
          if ((uniforms_(sample, j) < chance[k]) == yes) out.sample.push_back(sample);
        }
        const std::size_t count = out.sample.size() - already;
        if (count == 0) continue;
        out.start.push_back(count_of(out.sample));
        add(b, yes, static_cast<double>(count) / static_cast<double>(uniforms_.rows()));
      }
    }
    return out;
  }

 private:
  MatrixView uniforms_;
};

}  // namespace

ChainPosterior chain_posterior(const Chain& chain, const Features& x, Index samples,
                               const Context& ctx) {
  const Features prepared = chain.prepare(x);
  const Index labels = chain.size();
  Matrix uniforms(samples, samples > 0 ? labels : 0);
  for (Index s = 0; s < samples; ++s) {
    Random draws = ctx.rng("chain sample", static_cast<std::uint64_t>(s));
    for (double& u : uniforms.row(s)) u = draws.uniform();
  }
  const Extender extender(uniforms);
  Matrix marginals(x.rows(), labels);
  double* marginal = marginals.data();
  std::vector<std::vector<Id>> mode(at(x.rows()));
  parallel_for(ctx, x.rows(), [&](Index i) {
    const auto id = static_cast<Id>(i);
    const Features row = take_rows(prepared, std::span(&id, 1));
    const Features sparse_row = to_sparse(row);
    Beginnings sets = extender.root();
    for (Index j = 0; j < labels; ++j) {
      const std::vector<double> chance = chances(chain, row, sparse_row, sets, ctx.serial());
      const double yes = std::inner_product(chance.begin(), chance.end(), sets.mass.begin(), 0.0);
      marginal[i * labels + chain.order()[at(j)]] = std::clamp(yes, 0.0, 1.0);
      sets = extender.extend(sets, chance);
    }
    const auto best = std::max_element(sets.mass.begin(), sets.mass.end()) - sets.mass.begin();
    for (const Id place : sets.yes[at(best)]) mode[at(i)].push_back(chain.order()[at(place)]);
  });
  return {.marginals = std::move(marginals), .mode = Labels(labels, mode)};
}

}  // namespace mulberry::learners

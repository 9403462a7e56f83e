#include "mulberry/learners/transform/chain_inference.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/parallel.hpp"

namespace mulberry::learners {
namespace {

constexpr Index k_block = 256;  // beginnings that are scored in one call

// The beginnings of label sets of one row, j labels long, with the probability of each (or its
// share of the samples), in lexicographic order with no before yes.
struct Beginnings {
  Matrix labels;              // a row each
  std::vector<double> mass;   // a beginning of mass 0 is left out
  std::vector<Index> start;   // when sampling: beginning b has samples start[b] .. start[b + 1]
  std::vector<Index> sample;  // of `order`

  Index size() const { return count_of(mass); }
};

Matrix rows_of(MatrixView from, Index begin, Index end) {
  const auto first = from.values().begin() + begin * from.cols();
  return {end - begin, from.cols(),
          std::vector<double>(first, first + (end - begin) * from.cols())};
}

// P(label j is yes | row, beginning) of every beginning.
std::vector<double> chances(const Chain& chain, const Features& row, const Beginnings& from,
                            const Context& ctx) {
  std::vector<double> out;
  const Index j = from.labels.cols();
  for (Index begin = 0; begin < from.size(); begin += k_block) {
    ctx.check();
    const Index end = std::min(from.size(), begin + k_block);
    const std::vector<Id> copies(at(end - begin), 0);
    const Matrix scores =
        chain.link_scores(j, take_rows(row, copies), rows_of(from.labels, begin, end), ctx);
    out.insert(out.end(), scores.values().begin(), scores.values().end());
  }
  return out;
}

class Extender {
 public:
  // `uniforms`: samples x labels, empty if all sets are enumerated.
  explicit Extender(MatrixView uniforms) : uniforms_(uniforms) {}

  Beginnings root() const {
    Beginnings out{.labels = Matrix(1, 0), .mass = {1.0}, .start = {}, .sample = {}};
    if (uniforms_.rows() == 0) return out;
    out.sample.resize(at(uniforms_.rows()));
    std::iota(out.sample.begin(), out.sample.end(), Index{0});
    out.start = {0, uniforms_.rows()};
    return out;
  }

  // Each beginning followed by no and by yes.
  Beginnings extend(const Beginnings& from, std::span<const double> chance) const {
    const Index j = from.labels.cols();
    Beginnings out;
    std::vector<double> labels;
    const auto add = [&](Index b, double yes, double mass) {
      if (mass <= 0) return;
      const auto before = from.labels.row(b);
      labels.insert(labels.end(), before.begin(), before.end());
      labels.push_back(yes);
      out.mass.push_back(mass);
    };
    if (uniforms_.rows() > 0) out.start.push_back(0);
    for (Index b = 0; b < from.size(); ++b) {
      const auto k = at(b);
      if (uniforms_.rows() == 0) {
        add(b, 0, from.mass[k] * (1 - chance[k]));
        add(b, 1, from.mass[k] * chance[k]);
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
        add(b, yes ? 1 : 0, static_cast<double>(count) / static_cast<double>(uniforms_.rows()));
      }
    }
    out.labels = Matrix(out.size(), j + 1, std::move(labels));
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
    Beginnings sets = extender.root();
    for (Index j = 0; j < labels; ++j) {
      const std::vector<double> chance = chances(chain, row, sets, ctx.serial());
      const double yes = std::inner_product(chance.begin(), chance.end(), sets.mass.begin(), 0.0);
      marginal[i * labels + chain.order()[at(j)]] = std::clamp(yes, 0.0, 1.0);
      sets = extender.extend(sets, chance);
    }
    const auto best = std::max_element(sets.mass.begin(), sets.mass.end()) - sets.mass.begin();
    const auto likeliest = std::as_const(sets.labels).row(best);
    for (std::size_t j = 0; j < likeliest.size(); ++j) {
      if (likeliest[j] != 0) mode[at(i)].push_back(chain.order()[j]);
    }
  });
  return {.marginals = std::move(marginals), .mode = Labels(labels, mode)};
}

}  // namespace mulberry::learners

#include "mulberry/data/describe/label_co_occurrence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::data {
namespace {

// Each chunk has a counter per label, so very many labels make few chunks.
Index labels_a_chunk(Index labels) { return std::max<Index>(8, labels / 256); }

// Positive and missing rows of every label as bits: counts of pairs with missing cells.
class Bits {
 public:
  explicit Bits(const Labels& y)
      : words_((y.rows() + 63) / 64),
        positive_(at(words_ * y.count())),
        missing_(at(words_ * y.count())) {
    for (Index l = 0; l < y.count(); ++l) {
      for (const Id i : y.column(l)) set(positive_, l, i);
      for (const Id i : y.missing_column(l)) set(missing_, l, i);
    }
  }

  // Rows where both are observed, and how many of them have a and b.
  struct Observed {
    Index rows, a, b;
  };
  Observed observed(Index rows, Id a, Id b) const {
    Index unseen = 0, with_a = 0, with_b = 0;
    const std::uint64_t* pa = positive_.data() + a * words_;
    const std::uint64_t* pb = positive_.data() + b * words_;
    const std::uint64_t* ma = missing_.data() + a * words_;
    const std::uint64_t* mb = missing_.data() + b * words_;
    for (Index w = 0; w < words_; ++w) {
      unseen += std::popcount(ma[w] | mb[w]);
      with_a += std::popcount(pa[w] & ~mb[w]);
      with_b += std::popcount(pb[w] & ~ma[w]);
    }
    return {rows - unseen, with_a, with_b};
  }

 private:
  void set(std::vector<std::uint64_t>& bits, Index l, Id i) const {
    bits[at(l * words_ + i / 64)] |= std::uint64_t{1} << (i % 64);
  }

  Index words_;
  std::vector<std::uint64_t> positive_, missing_;
};

class PairCounter {
 public:
  explicit PairCounter(const Labels& y) : y_(y) {
    if (y.has_missing()) bits_.emplace_back(y);
  }

  // visit(b, together) for every label b > a that occurs with a; `count` is zeros, one per label.
  template <class Visit>
  void partners(Id a, std::vector<Index>& count, const Visit& visit) const {
    std::vector<Id> seen;
    for (const Id i : y_.column(a)) {
      const auto row = y_.row(i);
      for (std::size_t k = row.size(); k > 0 && row[k - 1] > a; --k) {
        if (count[at(row[k - 1])]++ == 0) seen.push_back(row[k - 1]);
      }
    }
    for (const Id b : seen) visit(b, std::exchange(count[at(b)], 0));
  }

  LabelPair pair(Id a, Id b, Index together) const {
    Bits::Observed observed{y_.rows(), static_cast<Index>(y_.column(a).size()),
                            static_cast<Index>(y_.column(b).size())};
    if (!bits_.empty()) observed = bits_[0].observed(y_.rows(), a, b);
    const auto n = static_cast<double>(observed.rows), na = static_cast<double>(observed.a),
               nb = static_cast<double>(observed.b), both = static_cast<double>(together);
    const double spread = std::sqrt(na * (n - na)) * std::sqrt(nb * (n - nb));
    return {a, b, together, spread > 0 ? (n * both - na * nb) / spread : 0.0,
            na > 0 && nb > 0 ? n * both / (na * nb) : 0.0};
  }

 private:
  const Labels& y_;
  std::vector<Bits> bits_;  // present only if there are missing cells
};

void keep_strongest(std::vector<LabelPair>& pairs, Index count) {
  const auto kept = std::min(pairs.size(), at(count));
  std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(kept), pairs.end(),
                    [](const LabelPair& p, const LabelPair& q) {
                      return std::tuple(-p.phi, -p.together, p.a, p.b) <
                             std::tuple(-q.phi, -q.together, q.a, q.b);
                    });
  pairs.resize(kept);
}

}  // namespace

double pair_steps(const Labels& y) {
  double out = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    const auto size = static_cast<double>(y.row(i).size());
    out += size * size / 2;
  }
  const auto labels = static_cast<double>(y.count()), rows = static_cast<double>(y.rows());
  return y.has_missing() ? out + std::min(out, labels * labels / 2) * rows / 64 : out;
}

std::vector<LabelPair> strongest_pairs(const Labels& y, Index count, Index least,
                                       const Context& ctx) {
  const PairCounter counter(y);
  return parallel_reduce(
      ctx, y.count(), labels_a_chunk(y.count()), std::vector<LabelPair>(),
      [&](Index begin, Index end) {
        std::vector<LabelPair> part;
        std::vector<Index> counts(at(y.count()), 0);
        for (Index a = begin; a < end; ++a) {
          counter.partners(static_cast<Id>(a), counts, [&](Id b, Index together) {
            const LabelPair pair = counter.pair(static_cast<Id>(a), b, together);
            if (together >= least && pair.phi > 0) part.push_back(pair);  // above chance
          });
          keep_strongest(part, count);
        }
        return part;
      },
      [&](std::vector<LabelPair>& total, const std::vector<LabelPair>& part) {
        total.insert(total.end(), part.begin(), part.end());
        keep_strongest(total, count);
      });
}

Matrix phi_matrix(const Labels& y, const Context& ctx) {
  const PairCounter counter(y);
  Matrix phi(y.count(), y.count());
  double* values = phi.data();
  parallel_chunks(ctx, y.count(), labels_a_chunk(y.count()), [&](Index begin, Index end) {
    std::vector<Index> counts(at(y.count()), 0), together(at(y.count()), 0);
    for (Index a = begin; a < end; ++a) {
      counter.partners(static_cast<Id>(a), counts, [&](Id b, Index n) { together[at(b)] = n; });
      values[a * y.count() + a] = 1.0;
      for (Index b = a + 1; b < y.count(); ++b) {
        const Index both = std::exchange(together[at(b)], 0);
        const double value = counter.pair(static_cast<Id>(a), static_cast<Id>(b), both).phi;
        values[a * y.count() + b] = value;
        values[b * y.count() + a] = value;
      }
    }
  });
  return phi;
}

}  // namespace mulberry::data

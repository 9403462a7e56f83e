// Candidates among sparse rows: products with all training rows at once from lists of the rows that
// have a feature.
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/neighbours/neighbour_candidates.hpp"

namespace mulberry::math {

void sparse_candidates(const Features& train, const Features& query, Index k, const Context& ctx,
                       const std::function<void(Index, Candidates&)>& take) {
  const bool same = &train == &query;
  const Csr lists = transpose(to_sparse(train));
  const Lengths b = lengths_of(train);
  const Lengths a = same ? b : lengths_of(query);
  const bool exact = a.whole && b.whole && std::max(a.largest, b.largest) < 0x1p50;
  // Sums of t terms err by t u relative to the sum of the absolute terms, here at most (|a|^2 +
  // |b|^2) / 2 twice and the norms; the final distance has errors, too.
  const double terms = exact ? 0.0 : 4 * static_cast<double>(a.terms + b.terms + 8);
  const double share = terms * std::ldexp(1.0, -53);
  const double least = terms * std::numeric_limits<double>::denorm_min();  // squares may vanish
  parallel_chunks(ctx, query.rows(), 64, [&](Index begin, Index end) {
    std::vector<double> products(at(train.rows()));
    Candidates found;
    for (Index i = begin; i < end; ++i) {
      const SparseRow row = query.sparse_row(i);
      std::fill(products.begin(), products.end(), 0.0);
      for (std::size_t e = 0; e < row.index.size(); ++e) {
        const SparseRow list = lists.row(row.index[e]);
        const double v = row.value[e];
        for (std::size_t t = 0; t < list.index.size(); ++t) {
          products[at(list.index[t])] += v * list.value[t];
        }
      }
      found.clear();
      const double own = a.norm2[at(i)];
      for (std::size_t t = 0; t < products.size(); ++t) {
        const double norms = own + b.norm2[t], near = norms - 2 * products[t];
        const double error = share * norms + least;
        const double low = near - error;
        // Rows come in order, so a late exact tie has lost already.
        if (exact ? low >= found.limit() : low > found.limit()) continue;
        if (same && static_cast<Index>(t) == i) continue;
        found.add({low, near + error, static_cast<Id>(t)}, k);
      }
      take(i, found);
    }
  });
}

}  // namespace mulberry::math

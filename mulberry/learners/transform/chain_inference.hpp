// Inference in a chain of probabilistic classifiers: the marginal of each label and the most
// probable set of a row, over all sets or over sets drawn along the chain.
#pragma once

#include "mulberry/learners/transform/chain.hpp"

namespace mulberry::learners {

struct ChainPosterior {
  Matrix marginals = {};  // rows x labels
  Labels mode = {};       // the first in the order of the chain, no before yes, on ties
};

// samples = 0: every set of labels, O(2^L) scores per row. Otherwise that many sets, drawn with the
// seed of ctx, from the same random numbers for every row: a row's answer does not depend on the
// others. Beginnings that several samples share are scored once. Memory: the beginnings of a row.
ChainPosterior chain_posterior(const Chain& chain, const Features& x, Index samples,
                               const Context& ctx);

}  // namespace mulberry::learners

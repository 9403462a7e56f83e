// Choosing the weights of label enhancement by cross-validation, one weight after the other.
//
// From the given settings, the search walks up and down the grid of alpha as long as the measure
// improves; then along the grids of gamma, of alpha against gamma, beta, eps and delta, and then
// all of them again. No setting is tried twice: there are 20 to 30 fits per fold, while the whole
// grid has 7203 settings. Within a fold neighbours, local weights and kernel values are made once,
// the factor of K + alpha I once for each alpha in a row (all factors together cost less than one
// eigendecomposition of K, and a product with the factor costs half as much as with eigenvectors),
// and every fit starts from the numerical labels of the last.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/learners/mll_le/problem.hpp"

namespace mulberry::learners::mll_le {

struct SearchOptions {
  std::array<bool, 5> open = {};  // to be chosen: alpha, beta, gamma, delta, eps
  std::string measure = "average_precision";
  Index folds = 3, passes = 2;
};

// The settings tried, in this order; value is the measure of the held-out scores of all folds.
struct Search {
  std::vector<double> alpha = {}, beta = {}, gamma = {}, delta = {}, eps = {}, value = {};
  Index best = 0;

  Settings settings(std::size_t k) const { return {alpha[k], beta[k], gamma[k], delta[k], eps[k]}; }
  template <class V>
  void visit(V& v) {
    v("alpha", alpha, any_real());
    v("beta", beta, any_real().length(count_of(alpha)));
    v("gamma", gamma, any_real().length(count_of(alpha)));
    v("delta", delta, any_real().length(count_of(alpha)));
    v("eps", eps, any_real().length(count_of(alpha)));
    v("value", value, any_real().length(count_of(alpha)));
    v("best", best, below(count_of(value)));
  }
};

// Needs two rows or more.
Search search_settings(const View& view, const Shape& shape, const Settings& start,
                       const SearchOptions& options, const Context& ctx);

}  // namespace mulberry::learners::mll_le

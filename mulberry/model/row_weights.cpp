#include "mulberry/model/row_weights.hpp"

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::model {

void require_computable_weights(const View& view) {
  if (view.weights.empty()) return;
  for (Index k = 0; k < view.size(); ++k) {
    const double weight = view.weights[at(view.row(k))];
    const bool within = weight >= k_smallest_weight && weight <= k_largest_weight;
    if (within || weight == 0) continue;
    const std::string where = shortest(weight) + " in row " + std::to_string(view.row(k) + 1);
    if (!(weight > 0 && std::isfinite(weight))) {
      throw Error(Code::data, "expected weights of at least 0, found " + where,
                  "Give every row a weight of 0 or more");
    }
    throw Error(Code::data, "expected weights of 0 or between 1e-15 and 1e15, found " + where,
                "Give them in another unit, for example divided by their mean");
  }
}

}  // namespace mulberry::model

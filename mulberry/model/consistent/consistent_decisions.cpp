#include "mulberry/model/consistent/consistent_decisions.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/model/consistent/consistent_sets.hpp"

namespace mulberry::model {
namespace {

constexpr double k_least = 1e-12;  // the weight of a decision that lies on its cut
constexpr double k_most = 1e9;     // stands for infinity

double log_odds(double share) {
  const double p = std::clamp(share, k_least, 1 - k_least);
  return std::log(p / (1 - p));
}

double height(double score, Scale scale) {
  return std::clamp(scale == Scale::margin ? score : log_odds(score), -k_most, k_most);
}

}  // namespace

Labels decide_consistently(const Prediction& prediction, const LabelSets* sets,
                           const LabelRules& rules, const Context& ctx) {
  Labels said = decide(prediction, sets);
  if (rules.empty()) return said;
  const Matrix& scores = prediction.scores;
  const ConsistentSets consistent(rules, sets != nullptr ? *sets : LabelSets{}, scores.cols());
  std::vector<double> cuts(at(scores.cols()), 0.0);  // on the scale of weights
  for (std::size_t l = 0; l < prediction.cuts.size(); ++l) {
    cuts[l] = height(prediction.cuts[l], prediction.scale);
  }
  std::vector<std::vector<Id>> decided(at(scores.rows()));
  parallel_chunks(ctx, scores.rows(), 64, [&](Index begin, Index end) {
    std::vector<double> weights(at(scores.cols()));
    for (Index i = begin; i < end; ++i) {
      const auto yes = said.row(i);
      auto& out = decided[at(i)];
      if (consistent.allows(yes)) {
        out.assign(yes.begin(), yes.end());
        continue;
      }
      for (std::size_t l = 0; l < weights.size(); ++l) {
        const double above = height(scores(i, static_cast<Index>(l)), prediction.scale) - cuts[l];
        const bool in = std::ranges::binary_search(yes, static_cast<Id>(l));
        weights[l] = in ? std::max(above, k_least) : std::min(above, -k_least);
      }
      out = consistent.best(weights);
    }
  });
  return {scores.cols(), decided};
}

}  // namespace mulberry::model

#include "mulberry/model/prediction.hpp"

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"

namespace mulberry::model {

const char* scale_name(Scale scale) {
  switch (scale) {
    case Scale::margin:
      return "margin";
    case Scale::probability:
      return "probability";
    case Scale::votes:
      return "votes";
  }
  return "unknown";
}

Labels decide(const Prediction& prediction, const LabelSets* sets) {
  if (prediction.decided) return *prediction.decided;
  const Matrix& scores = prediction.scores;
  std::vector<bool> in_set(at(scores.cols()), false);
  if (sets != nullptr) {
    for (const auto& members : sets->members) {
      for (const Id l : members) in_set[at(l)] = true;
    }
  }
  std::vector<std::vector<Id>> positives(at(scores.rows()));
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    auto& chosen = positives[at(i)];
    for (std::size_t l = 0; l < row.size(); ++l) {
      const bool yes = prediction.scale == Scale::margin ? row[l] > 0 : row[l] >= 0.5;
      if (yes && !in_set[l]) chosen.push_back(static_cast<Id>(l));
    }
    if (sets == nullptr) continue;
    for (const auto& members : sets->members) {
      if (members.empty()) continue;
      Id best = members.front();
      for (const Id l : members) {
        if (row[at(l)] > row[at(best)]) best = l;
      }
      chosen.push_back(best);
    }
  }
  return {scores.cols(), positives};
}

Matrix finite_scores(Matrix scores, const std::string& learner) {
  for (Index i = 0; i < scores.rows(); ++i) {
    for (const double score : scores.row(i)) {
      if (std::isfinite(score)) continue;
      throw Error(Code::data,
                  "expected finite scores of " + learner + ", found " +
                      (std::isnan(score) ? "NaN" : "infinity") + " in row " + std::to_string(i + 1),
                  "The numbers are too large or too small to compute with: scale the features "
                  "with " +
                      mention("scale", "standardise"));
    }
  }
  return scores;
}

}  // namespace mulberry::model

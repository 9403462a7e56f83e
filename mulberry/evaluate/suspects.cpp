#include "mulberry/evaluate/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/resample/calibration.hpp"
#include "mulberry/resample/out_of_fold.hpp"

namespace mulberry::evaluate {

namespace {

double mean_of(std::span<const double> scores, const std::vector<Id>& labels) {
  if (labels.empty()) {
    return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  }
  double sum = 0;
  for (const Id l : labels) sum += scores[at(l)];
  return sum / static_cast<double>(labels.size());
}

// Probabilities as log odds, the inverse of a sigmoid.
Matrix log_odds(MatrixView probabilities) {
  constexpr double k_least = 1e-6;
  Matrix out(probabilities);
  for (double* v = out.data(); v != out.data() + out.size(); ++v) {
    const double p = std::clamp(*v, k_least, 1 - k_least);
    *v = std::log(p / (1 - p));
  }
  return out;
}

// Scores relative to the mean of their row, in units of its deviation. Both are shrunk towards the
// values over all rows, as if a row had this many more labels: with few labels, mean and deviation
// of a row say most about these very labels.
Matrix standardised_rows(MatrixView scores) {
  constexpr double k_more_labels = 100;
  const auto rows = static_cast<double>(scores.rows()), labels = static_cast<double>(scores.cols());
  const double own = labels / (labels + k_more_labels);
  std::vector<double> means, variances;
  double mean = 0, variance = 0;  // over all rows
  for (Index i = 0; i < scores.rows(); ++i) {
    means.push_back(mean_of(scores.row(i), {}));
    double squares = 0;
    for (const double v : scores.row(i)) squares += (v - means.back()) * (v - means.back());
    variances.push_back(squares / labels);
    mean += means.back() / rows;
    variance += variances.back() / rows;
  }
  Matrix out(scores);
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double centre = own * means[at] + (1 - own) * mean;
    const double square = own * variances[at] + (1 - own) * variance;
    const double scale = square > 0 ? 1 / std::sqrt(square) : 1;
    for (double& v : out.row(i)) v = scale * (v - centre);
  }
  return out;
}

}  // namespace

Matrix label_chances(const Labels& y, MatrixView scores, Scale scale, const Context& ctx) {
  const Matrix standard =
      standardised_rows(scale == Scale::probability ? log_odds(scores) : scores);
  return learn_calibration(standard, y, CalibrationMethod::platt, ctx).apply(standard, ctx);
}

std::vector<Suspect> rank_suspects(const Labels& y, MatrixView scores, MatrixView chances,
                                   SuspectKind kind) {
  MULBERRY_ASSERT(scores.rows() == y.rows() && scores.cols() == y.count());
  const bool missing = kind == SuspectKind::missing;
  std::vector<Suspect> out;
  for (Index i = 0; i < y.rows(); ++i) {
    std::vector<Id> assigned, negative, open;
    for (Id l = 0; l < static_cast<Id>(y.count()); ++l) {
      const Cell cell = y.cell(i, l);
      if (cell == Cell::positive) assigned.push_back(l);
      if (cell == Cell::negative) negative.push_back(l);
      if (cell != Cell::positive) open.push_back(l);
    }
    const double other = mean_of(scores.row(i), missing ? assigned : negative);
    for (const Id l : missing ? open : assigned) {
      out.push_back({static_cast<Id>(i), l, chances(i, l), scores(i, l), scores(i, l) - other});
    }
  }
  const double direction = missing ? -1 : 1;
  std::sort(out.begin(), out.end(), [&](const Suspect& a, const Suspect& b) {
    return std::tuple(direction * a.chance, direction * a.gap, a.row, a.label) <
           std::tuple(direction * b.chance, direction * b.gap, b.row, b.label);
  });
  return out;
}

Matrix out_of_fold_scores(const CompleteSpec& spec, const Dataset& data,
                          const PreprocessOptions& preprocess, Index folds, const Context& ctx) {
  if (data.rows() < 2) {
    throw Error(Code::data, "expected two rows or more, found " + std::to_string(data.rows()),
                "Give more rows: a row is judged by a model of other rows");
  }
  Features outline;
  check_learner(spec, outline_of(data, outline));
  const auto parts = k_folds(data.y, {.folds = std::min(folds, data.rows())}, ctx);
  return out_of_fold(
      parts, data.rows(), data.labels(), ctx, [&](const Fold& fold, Index, const Context& inner) {
        const TrainedModel model =
            train(spec, take_rows(data, fold.train), {.preprocess = preprocess}, inner);
        Dataset rest = take_rows(data, fold.test);
        rest.has_labels = false;  // a model must not see what it is judged by
        return model.predict(rest, inner).scores;
      });
}

double Recovery::random() const {
  return candidates > 0 ? static_cast<double>(wrong) / static_cast<double>(candidates)
                        : std::numeric_limits<double>::quiet_NaN();
}

double Recovery::precision(std::size_t k) const {
  return static_cast<double>(found[k]) / static_cast<double>(at[k]);
}

std::optional<bool> is_wrong(const Suspect& suspect, const Labels& truth, SuspectKind kind) {
  const Cell cell = truth.cell(suspect.row, suspect.label);
  if (cell == Cell::missing) return std::nullopt;
  return cell == (kind == SuspectKind::missing ? Cell::positive : Cell::negative);
}

Recovery judge_suspects(const std::vector<Suspect>& suspects, const Labels& truth, SuspectKind kind,
                        const std::vector<Index>& at) {
  struct Judged {
    double chance;
    bool wrong;
  };
  Recovery out;
  std::vector<Judged> judged;
  for (const Suspect& suspect : suspects) {
    const std::optional<bool> wrong = is_wrong(suspect, truth, kind);
    if (!wrong) continue;
    judged.push_back({suspect.chance, *wrong});
    out.wrong += *wrong ? 1 : 0;
  }
  out.candidates = count_of(judged);
  for (const Index count : at) {
    if (count < 1 || count > out.candidates) continue;
    out.at.push_back(count);
    out.found.push_back(std::count_if(judged.begin(), judged.begin() + count,
                                      [](const Judged& cell) { return cell.wrong; }));
  }
  // Pairs in the right order, group of equal chances by group.
  double pairs = 0, above = 0;  // above: wrong cells of groups before
  for (std::size_t k = 0; k < judged.size();) {
    double here = 0, right = 0;
    const double chance = judged[k].chance;
    for (; k < judged.size() && judged[k].chance == chance; ++k) {
      (judged[k].wrong ? here : right) += 1;
    }
    pairs += right * (above + 0.5 * here);
    above += here;
  }
  const double total = above * (static_cast<double>(out.candidates) - above);
  out.area = total > 0 ? pairs / total : std::numeric_limits<double>::quiet_NaN();
  return out;
}

}  // namespace mulberry::evaluate

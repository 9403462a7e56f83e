#include "mulberry/evaluate/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
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
void standardise_rows(Matrix& scores) {
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
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = at(i);
    const double centre = own * means[row] + (1 - own) * mean;
    const double square = own * variances[row] + (1 - own) * variance;
    const double scale = square > 0 ? 1 / std::sqrt(square) : 1;
    for (double& v : scores.row(i)) v = scale * (v - centre);
  }
}

// The order of suspects: by chance, then by gap, then by row and label.
auto earlier(SuspectKind kind) {
  return
      [direction = kind == SuspectKind::missing ? -1.0 : 1.0](const Suspect& a, const Suspect& b) {
        return std::tuple(direction * a.chance, direction * a.gap, a.row, a.label) <
               std::tuple(direction * b.chance, direction * b.gap, b.row, b.label);
      };
}

// The first `most` of these, in order.
void keep_first(std::vector<Suspect>& suspects, SuspectKind kind, Index most) {
  const auto kept = std::min(count_of(suspects), most);
  if (kept < count_of(suspects)) {
    std::nth_element(suspects.begin(), suspects.begin() + kept, suspects.end(), earlier(kind));
    suspects.resize(at(kept));
  }
  std::sort(suspects.begin(), suspects.end(), earlier(kind));
}

}  // namespace

Matrix label_chances(const Labels& y, MatrixView scores, Scale scale, const Context& ctx) {
  // One more table, not three: they are large with many labels.
  Matrix out = scale == Scale::probability ? log_odds(scores) : Matrix(scores);
  standardise_rows(out);
  const Calibration calibration = learn_calibration(out, y, CalibrationMethod::platt, ctx);
  parallel_for(ctx, out.rows(), [&](Index i) {
    for (Index l = 0; l < out.cols(); ++l) out(i, l) = calibration.apply(out(i, l), l);
  });
  return out;
}

std::vector<Suspect> rank_suspects(const Labels& y, MatrixView scores, MatrixView chances,
                                   SuspectKind kind, Index most) {
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
    constexpr Index k_slack = 1 << 20;  // cells beyond those wanted that memory has room for
    if (count_of(out) - k_slack > most) keep_first(out, kind, most);
  }
  keep_first(out, kind, most);
  return out;
}

std::vector<Suspect> row_after_row(const std::vector<Suspect>& suspects) {
  std::unordered_map<Id, std::vector<Suspect>> of_row;
  for (const Suspect& one : suspects) of_row[one.row].push_back(one);
  std::vector<Suspect> out;
  for (const Suspect& one : suspects) {
    auto& group = of_row[one.row];
    out.insert(out.end(), group.begin(), group.end());
    group.clear();  // they come with the first of them
  }
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

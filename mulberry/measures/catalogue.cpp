#include "mulberry/measures/catalogue.hpp"

#include <array>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::measures {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr Needs k_decisions = Needs::decisions, k_scores = Needs::scores;
constexpr bool up = true, down = false;

constexpr std::array k_table = {
    MeasureInfo{"hamming_loss", "share of cells decided wrongly", k_decisions, down, 0, 1},
    MeasureInfo{"subset_accuracy", "share of rows decided without any error", k_decisions, up, 0,
                1},
    MeasureInfo{"jaccard",
                "labels true and decided, divided by labels true or decided, mean of rows",
                k_decisions, up, 0, 1},
    MeasureInfo{"example_precision", "share of decided labels that are true, mean of rows",
                k_decisions, up, 0, 1},
    MeasureInfo{"example_recall", "share of true labels that are decided, mean of rows",
                k_decisions, up, 0, 1},
    MeasureInfo{"example_f1", "F1 of each row, mean of rows", k_decisions, up, 0, 1},
    MeasureInfo{"example_fbeta", "F-beta of each row, mean of rows", k_decisions, up, 0, 1},
    MeasureInfo{"macro_precision", "precision of each label, mean of labels", k_decisions, up, 0,
                1},
    MeasureInfo{"macro_recall", "recall of each label, mean of labels", k_decisions, up, 0, 1},
    MeasureInfo{"macro_f1", "F1 of each label, mean of labels", k_decisions, up, 0, 1},
    MeasureInfo{"macro_fbeta", "F-beta of each label, mean of labels", k_decisions, up, 0, 1},
    MeasureInfo{"macro_f1_of_means", "harmonic mean of macro_precision and macro_recall",
                k_decisions, up, 0, 1},
    MeasureInfo{"micro_precision", "precision over all cells", k_decisions, up, 0, 1},
    MeasureInfo{"micro_recall", "recall over all cells", k_decisions, up, 0, 1},
    MeasureInfo{"micro_f1", "F1 over all cells", k_decisions, up, 0, 1},
    MeasureInfo{"micro_fbeta", "F-beta over all cells", k_decisions, up, 0, 1},
    MeasureInfo{"ranking_loss", "share of (true, false) label pairs in wrong order, mean of rows",
                k_scores, down, 0, 1},
    MeasureInfo{"coverage", "rank of the last true label, mean of rows", k_scores, down, -1, k_inf},
    MeasureInfo{"coverage_normalized", "coverage divided by the number of labels", k_scores, down,
                -1, 1},
    MeasureInfo{"one_error", "share of rows whose best-ranked label is false", k_scores, down, 0,
                1},
    MeasureInfo{"average_precision",
                "precision at the rank of each true label, mean of labels, then rows", k_scores, up,
                0, 1},
    MeasureInfo{"macro_auc", "area under the ROC curve of each label over rows, mean of labels",
                k_scores, up, 0, 1},
    MeasureInfo{"micro_auc", "area under the ROC curve over all cells", k_scores, up, 0, 1},
    MeasureInfo{"instance_auc", "area under the ROC curve of each row over labels, mean of rows",
                k_scores, up, 0, 1},
    MeasureInfo{"protocol_auc",
                "area under TPR and FPR of the top k labels of all rows, for every k", k_scores, up,
                0, 1},
    MeasureInfo{"protocol_auc_per_image",
                "protocol_auc from TPR and FPR of each row, averaged over rows", k_scores, up, 0,
                1},
    MeasureInfo{"mean_average_precision",
                "area under the precision-recall steps of each label, mean of labels", k_scores, up,
                0, 1},
    MeasureInfo{"precision_at_k", "share of the k best-ranked labels that are true, mean of rows",
                k_scores, up, 0, 1},
    MeasureInfo{
        "ndcg_at_k",
        "discounted gain of the k best-ranked labels, divided by the best possible, mean of rows",
        k_scores, up, 0, 1},
    MeasureInfo{"propensity_precision_at_k",
                "precision_at_k with rare labels weighted up, divided by the best possible",
                Needs::propensities, up, 0, 1},
    MeasureInfo{"log_loss", "negative log-likelihood of a cell", Needs::probabilities, down, 0,
                k_inf},
    MeasureInfo{"brier_score", "squared error of a cell's probability", Needs::probabilities, down,
                0, 1},
    MeasureInfo{"calibration_error",
                "difference of probability and frequency over bins of equal width",
                Needs::probabilities, down, 0, 1},
    MeasureInfo{"set_accuracy", "share of rows whose class is right, for each label set",
                Needs::sets, up, 0, 1},
    MeasureInfo{"set_accuracy_all", "share of rows whose classes are right in all label sets",
                Needs::sets, up, 0, 1},
    MeasureInfo{"hierarchical_precision",
                "share of decided labels that are true, with the labels that they imply",
                Needs::rules, up, 0, 1},
    MeasureInfo{"hierarchical_recall",
                "share of true labels that are decided, with the labels that they imply",
                Needs::rules, up, 0, 1},
    MeasureInfo{"hierarchical_f1",
                "F1 over all cells, with the labels that true and decided ones imply", Needs::rules,
                up, 0, 1},
};

}  // namespace

std::string_view name_of(Needs needs) {
  switch (needs) {
    case Needs::decisions:
      return "label decisions";
    case Needs::scores:
      return "scores";
    case Needs::probabilities:
      return "probabilities of all labels";
    case Needs::sets:
      return "label sets and decisions or scores";
    case Needs::rules:
      return "label decisions, and labels that imply others";
    case Needs::propensities:
      break;
  }
  return "scores and the label frequencies of the training data";
}

std::span<const MeasureInfo> measure_table() { return k_table; }

std::vector<std::string> measure_names() {
  std::vector<std::string> names;
  for (const MeasureInfo& info : k_table) names.emplace_back(info.name);
  return names;
}

const MeasureInfo& measure_info(std::string_view name) {
  for (const MeasureInfo& info : k_table) {
    if (info.name == name) return info;
  }
  throw Error(Code::parameter, "expected the name of a measure, found " + in_quotes(name),
              did_you_mean(name, measure_names(), "Measures: " + join(measure_names(), ", ")));
}

}  // namespace mulberry::measures

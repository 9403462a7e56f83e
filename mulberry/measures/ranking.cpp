#include "mulberry/measures/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::measures {
namespace {

// Rows per chunk: few enough chunks that their protocol curves fit in memory.
Index row_grain(Index rows, Index labels) {
  const Index chunks = std::clamp<Index>((Index{1} << 21) / (labels + 1), 1, 256);
  return std::max<Index>(64, (rows + chunks - 1) / chunks);
}

double discount(Index rank) { return 1 / std::log2(static_cast<double>(rank) + 1); }

class AtK {
 public:
  AtK(const Rules& rules, const MeasureOptions& options) : rules_(rules), options_(options) {
    ideal_.push_back(0);
    for (Index r = 1; r <= options.k; ++r) ideal_.push_back(ideal_.back() + discount(r));
  }

  double precision(const Ranks& ranks) const {
    double hits = 0;
    visit(ranks, rules_.precision_ties, [&](Index, double weight, auto) { hits += weight; });
    return hits / static_cast<double>(options_.k);
  }

  double ndcg(const Ranks& ranks) const {
    double gain = 0;
    visit(ranks, rules_.ndcg_ties, [&](Index rank, double weight, auto) {
      const auto r = at(rank);
      gain += weight * (ideal_[r] - ideal_[r - 1]);
    });
    return gain / ideal_[at(std::min(options_.k, ranks.relevant))];
  }

  // Inverse propensities of the relevant labels among the best k, and of the best possible ones.
  std::pair<double, double> propensity(const Ranks& ranks, std::vector<double>& scratch) const {
    const auto inverse = [&](Index rank) {
      const Index label = ranks.entry[at(rank)];
      return 1 / options_.propensities[at(label)];
    };
    double found = 0;
    for (const TieGroup& g : ranks.groups) {
      if (g.above >= options_.k) break;
      double mean = 0;
      for (Index j = 0; j < g.relevant; ++j) mean += inverse(g.first + j);
      mean /= static_cast<double>(g.relevant);
      for_ranks(ranks, g, rules_.precision_ties, options_.k,
                [&](Index, double weight, Index member) {
                  found += weight * (member < 0 ? mean : inverse(g.first + member));
                });
    }
    scratch.clear();
    for (Index j = 0; j < ranks.relevant; ++j) scratch.push_back(inverse(j));
    std::sort(scratch.begin(), scratch.end(), std::greater<>());
    double best = 0;
    for (Index j = 0; j < std::min(options_.k, ranks.relevant); ++j) {
      best += scratch[at(j)];
    }
    return {found, best};
  }

 private:
  template <class Visit>
  void visit(const Ranks& ranks, Ties ties, const Visit& body) const {
    for (const TieGroup& g : ranks.groups) {
      if (g.above >= options_.k) break;
      for_ranks(ranks, g, ties, options_.k, body);
    }
  }

  const Rules& rules_;
  const MeasureOptions& options_;
  std::vector<double> ideal_;  // ideal_[r]: gain of r relevant labels at the top
};

enum class RowMeasure {
  ranking_loss,
  coverage,
  coverage_normalized,
  one_error,
  average_precision,
  instance_auc,
  precision_at_k,
  ndcg_at_k
};

struct Entry {
  RowMeasure measure;
  std::string_view name;
  RowRule rule;
};

std::vector<Entry> entries(const Rules& rules, Index labels) {
  RowRule normalized = rules.coverage;
  normalized.none.number /= static_cast<double>(std::max<Index>(1, labels));
  const RowRule at_k = {rules.at_k_none, {}};
  return {{RowMeasure::ranking_loss, "ranking_loss", rules.ranking_loss},
          {RowMeasure::coverage, "coverage", rules.coverage},
          {RowMeasure::coverage_normalized, "coverage_normalized", normalized},
          {RowMeasure::one_error, "one_error", rules.one_error},
          {RowMeasure::average_precision, "average_precision", rules.average_precision},
          {RowMeasure::instance_auc, "instance_auc", rules.instance_auc},
          {RowMeasure::precision_at_k, "precision_at_k", at_k},
          {RowMeasure::ndcg_at_k, "ndcg_at_k", at_k}};
}

double value_of(RowMeasure measure, const Ranks& ranks, const Rules& rules, const AtK& at_k) {
  switch (measure) {
    case RowMeasure::ranking_loss:
      return ranking_loss_of(ranks, rules.ranking_loss_ties);
    case RowMeasure::coverage:
      return depth_of(ranks, rules.coverage_ties) - rules.coverage_base;
    case RowMeasure::coverage_normalized:
      return (depth_of(ranks, rules.coverage_ties) - rules.coverage_base) /
             static_cast<double>(ranks.observed);
    case RowMeasure::one_error:
      return one_error_of(ranks, rules.one_error_ties);
    case RowMeasure::average_precision:
      return average_precision_of(ranks, rules.average_precision_ties);
    case RowMeasure::instance_auc:
      return 1 - ranking_loss_of(ranks, rules.instance_auc_ties);
    case RowMeasure::precision_at_k:
      return at_k.precision(ranks);
    case RowMeasure::ndcg_at_k:
      break;
  }
  return at_k.ndcg(ranks);
}

void require_propensities(const std::vector<double>& values, Index labels) {
  if (count_of(values) != labels) {
    throw Error(Code::parameter, "expected a propensity for each of the " + std::to_string(labels) +
                                     " labels, found " + std::to_string(values.size()));
  }
  for (const double q : values) {
    if (!(q > 0 && q <= 1)) {
      throw Error(Code::parameter, "expected propensities above 0 and at most 1, found others",
                  "Take them from the label counts of the training data");
    }
  }
}

}  // namespace

Ranking measure_ranking(const Labels& truth, const Outcome& outcome, const MeasureOptions& options,
                        const Selection& wanted, const Context& ctx) {
  const Rules rules = rules_of(options);
  const AtK at_k(rules, options);
  const Index n = truth.rows(), labels = truth.count();
  std::vector<Entry> chosen;
  Ranking out;
  for (const Entry& entry : entries(rules, labels)) {
    if (!wanted.has(entry.name)) continue;
    chosen.push_back(entry);
    out.rows.means.emplace_back(entry.name, "row", n);
  }
  const bool protocol = wanted.has_any("protocol_auc", "protocol_auc_per_image");
  const bool propensity = wanted.has("propensity_precision_at_k");
  if (propensity) {
    require_propensities(options.propensities, labels);
    out.rows.ratios.emplace_back("propensity_precision_at_k", n, RowRatio::Empty::undefined);
  }

  const auto measure_row = [&](Index i, const Ranks& ranks) {
    const bool none = ranks.relevant == 0, all = ranks.relevant == ranks.observed;
    for (std::size_t m = 0; m < chosen.size(); ++m) {
      const Rule& rule = none ? chosen[m].rule.none : chosen[m].rule.all;
      if (ranks.observed == 0) {
        out.rows.means[m].set_unobserved(i);
      } else if (none || (all && rule.kind != Rule::natural)) {
        out.rows.means[m].set_undefined(i, rule);
      } else {
        out.rows.means[m].set(i, value_of(chosen[m].measure, ranks, rules, at_k));
      }
    }
  };
  const auto measure_rows = [&](Index begin, Index end) {
    Ranker ranker(true);
    std::vector<double> scratch;
    std::optional<ProtocolCurve> curve;
    if (protocol) curve.emplace(labels);
    for (Index i = begin; i < end; ++i) {
      ctx.check();
      const Ranks& ranks =
          outcome.scores != nullptr
              ? ranker.dense(outcome.scores->row(i), truth.row(i), truth.missing_row(i))
              : ranker.top(outcome.top_scores->row(i), labels, truth.row(i), truth.missing_row(i));
      measure_row(i, ranks);
      if (curve) curve->add(ranks, rules.protocol_ties);
      if (propensity) {
        const auto [found, best] = at_k.propensity(ranks, scratch);
        out.rows.ratios.front().set(i, found, best);
      }
    }
    return curve;
  };
  if (protocol) out.protocol = ProtocolCurve(labels);
  const auto combine = [&](std::optional<ProtocolCurve>& total, std::optional<ProtocolCurve> part) {
    if (!part) return;
    if (total) {
      total->add(*part);
    } else {
      total = std::move(part);
    }
  };
  auto curve = parallel_reduce(ctx, n, row_grain(n, labels), std::optional<ProtocolCurve>(),
                               measure_rows, combine);
  if (curve) out.protocol = std::move(*curve);
  return out;
}

std::vector<double> propensities(const Labels& training, double a, double b) {
  const double log_rows = std::log(static_cast<double>(std::max<Index>(1, training.rows())));
  const double c = std::max(0.0, log_rows - 1) * std::pow(b + 1, a);
  std::vector<double> out;
  for (Index l = 0; l < training.count(); ++l) {
    const auto count = static_cast<double>(training.column(l).size());
    out.push_back(1 / (1 + c * std::pow(count + b, -a)));
  }
  return out;
}

}  // namespace mulberry::measures

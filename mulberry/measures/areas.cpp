#include "mulberry/measures/areas.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/measures/ranks.hpp"
#include "mulberry/measures/score_index.hpp"

namespace mulberry::measures {
namespace {

constexpr Index k_block = 16;  // labels copied out together: two cache lines of a row

LabelAreas areas_of(const Ranks& ranks, double tie) {
  LabelAreas out;
  out.observed = ranks.observed;
  out.positives = ranks.relevant;
  if (ranks.relevant > 0) out.average_precision = average_precision_of(ranks, Ties::worst);
  if (ranks.relevant > 0 && ranks.relevant < ranks.observed) out.auc = auc_of(ranks, tie);
  return out;
}

// Labels begin..end of all rows, label by label. Rows are taken in tiles so that the part of every
// label being written stays in the cache.
void copy_columns(MatrixView scores, Index begin, Index end, std::vector<double>& to) {
  constexpr Index k_tile = 256;
  const Index n = scores.rows(), width = end - begin;
  to.resize(at(n * width));
  for (Index tile = 0; tile < n; tile += k_tile) {
    const Index stop = std::min(n, tile + k_tile);
    for (Index i = tile; i < stop; ++i) {
      const double* from = scores.data() + i * scores.cols() + begin;
      for (Index j = 0; j < width; ++j) to[at(j * n + i)] = from[j];
    }
  }
}

Csr transposed(const Csr& x) {
  std::vector<Index> start(at(x.cols) + 1, 0);
  for (const Id j : x.index) ++start[at(j) + 1];
  for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
  std::vector<Index> next(start.begin(), start.end() - 1);
  std::vector<Id> index(x.index.size());
  std::vector<double> value(x.value.size());
  for (Index i = 0; i < x.rows; ++i) {
    const SparseRow row = x.row(i);
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      const auto place = at(next[at(row.index[k])]++);
      index[place] = static_cast<Id>(i);
      value[place] = row.value[k];
    }
  }
  return {x.cols, x.rows, std::move(start), std::move(index), std::move(value)};
}

// Sorted positive scores with the number of positives up to each, to place negatives among.
class Positives {
 public:
  explicit Positives(std::vector<double> scores) {
    ScoreSorter().sort(scores);
    for (const double s : scores) {
      if (values_.empty() || values_.back() != s) {
        values_.push_back(s);
        up_to_.push_back(up_to_.back());
      }
      ++up_to_.back();
    }
    index_.build(values_);
  }
  Index total() const { return up_to_.back(); }
  struct Place {
    Index above = 0, equal = 0;  // positives above the score, and tied with it
    void add(const Place& other, Index times) {
      above += times * other.above;
      equal += times * other.equal;
    }
  };
  Place place(double score) const {
    const Index j = index_.below(score);
    const Index below = up_to_[at(j)];
    const Index not_above = up_to_[at(j + (index_.holds(j, score) ? 1 : 0))];
    return {total() - not_above, not_above - below};
  }

 private:
  std::vector<double> values_;
  std::vector<Index> up_to_ = {0};
  ScoreIndex index_;
};

// The scores of row i, and where label l is among them (or -1: not listed).
struct RowScores {
  std::span<const double> values;
  std::span<const Id> index;  // empty for dense rows

  RowScores(const Outcome& outcome, Index i) {
    if (outcome.scores != nullptr) {
      values = outcome.scores->row(i);
    } else {
      values = outcome.top_scores->row(i).value;
      index = outcome.top_scores->row(i).index;
    }
  }
  const double* find(Id l, bool dense) const {
    if (dense) return &values[at(l)];
    const auto found = std::lower_bound(index.begin(), index.end(), l);
    if (found == index.end() || *found != l) return nullptr;
    return &values[at(found - index.begin())];
  }
};

}  // namespace

std::vector<LabelAreas> label_areas(const Labels& truth, const Outcome& outcome, double tie,
                                    const Context& ctx) {
  std::vector<LabelAreas> out(at(truth.count()));
  const bool dense = outcome.scores != nullptr;
  const Csr columns = dense ? Csr{} : transposed(*outcome.top_scores);
  parallel_chunks(ctx, truth.count(), k_block, [&](Index begin, Index end) {
    Ranker ranker(false);
    std::vector<double> block;
    if (dense) copy_columns(*outcome.scores, begin, end, block);
    const auto n = at(truth.rows());
    for (Index l = begin; l < end; ++l) {
      ctx.check();
      const auto positives = truth.column(l), missing = truth.missing_column(l);
      const Ranks& ranks =
          dense ? ranker.dense({block.data() + at(l - begin) * n, n}, positives, missing)
                : ranker.top(columns.row(l), truth.rows(), positives, missing);
      out[at(l)] = areas_of(ranks, tie);
    }
  });
  return out;
}

std::vector<MeasureValue> measure_areas(std::span<const LabelAreas> labels, const Rules& rules,
                                        const Selection& wanted) {
  std::vector<MeasureValue> out;
  const auto mean = [&](std::string_view name, double LabelAreas::* field, const Rule& rule) {
    if (!wanted.has(name)) return;
    UnitMean values(name, "label", count_of(labels));
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const auto at = static_cast<Index>(l);
      if (labels[l].observed == 0) {
        values.set_unobserved(at);
      } else if (std::isnan(labels[l].*field)) {
        values.set_undefined(at, rule);
      } else {
        values.set(at, labels[l].*field);
      }
    }
    out.push_back(values.result());
  };
  mean("macro_auc", &LabelAreas::auc, {Rule::skip, 0});
  mean("mean_average_precision", &LabelAreas::average_precision, rules.average_precision_no);
  return out;
}

MeasureValue pooled_auc(const Labels& truth, const Outcome& outcome, double tie,
                        const Context& ctx) {
  const bool dense = outcome.scores != nullptr;
  const Index n = truth.rows(), labels = truth.count();
  std::vector<double> scores;
  scores.reserve(at(truth.positives()));
  for (Index i = 0; i < n; ++i) {
    const RowScores row(outcome, i);
    for (const Id l : truth.row(i)) {
      if (const double* s = row.find(l, dense)) scores.push_back(*s);
    }
  }
  const Index unlisted_positives = truth.positives() - count_of(scores);
  const Positives positives(std::move(scores));

  struct Sum {
    Positives::Place listed;  // over the listed negatives
    Index listed_negatives = 0;
  };
  // All listed cells of the rows, minus the positive and the missing ones.
  const auto sum_rows = [&](Index begin, Index end) {
    Sum sum;
    for (Index i = begin; i < end; ++i) {
      ctx.check();
      const RowScores row(outcome, i);
      for (const double s : row.values) sum.listed.add(positives.place(s), 1);
      sum.listed_negatives += count_of(row.values);
      for (const auto cells : {truth.row(i), truth.missing_row(i)}) {
        for (const Id l : cells) {
          const double* s = row.find(l, dense);
          if (s == nullptr) continue;
          sum.listed.add(positives.place(*s), -1);
          --sum.listed_negatives;
        }
      }
    }
    return sum;
  };
  const Sum sum = parallel_reduce(ctx, n, 256, Sum{}, sum_rows, [](Sum& total, const Sum& part) {
    total.listed.add(part.listed, 1);
    total.listed_negatives += part.listed_negatives;
  });
  const Index negatives = n * labels - truth.positives() - truth.missing();
  if (truth.positives() == 0 || negatives == 0) {
    return no_value("micro_auc", "true and false labels are not both present");
  }
  const auto unlisted = static_cast<double>(negatives - sum.listed_negatives);
  const double above =
      static_cast<double>(sum.listed.above) + unlisted * static_cast<double>(positives.total());
  const double tied =
      static_cast<double>(sum.listed.equal) + unlisted * static_cast<double>(unlisted_positives);
  return plain_value("micro_auc", (above + tie * tied) / (static_cast<double>(truth.positives()) *
                                                          static_cast<double>(negatives)));
}

}  // namespace mulberry::measures

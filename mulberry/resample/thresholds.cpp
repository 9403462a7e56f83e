#include "mulberry/resample/thresholds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::resample {
namespace {

constexpr double k_nothing = std::numeric_limits<double>::infinity();  // decides no label

struct Scored {
  double score;
  Id label;
  bool positive;
  double weight;
  double gain() const { return positive ? weight : 0; }
};

// The observed cells of label l, or of all labels (l < 0), best score first.
std::vector<Scored> sorted_cells(MatrixView scores, const Labels& truth,
                                 std::span<const double> weights, Index l) {
  std::vector<Scored> cells;
  const Index first = l < 0 ? 0 : l, last = l < 0 ? truth.count() : l + 1;
  for (Index j = first; j < last; ++j) {
    for_observed(truth, j, [&](Index i, bool positive) {
      const double weight = weights.empty() ? 1.0 : weights[at(i)];
      cells.push_back({scores(i, j), static_cast<Id>(j), positive, weight});
    });
  }
  std::sort(cells.begin(), cells.end(), [](const Scored& a, const Scored& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.label != b.label ? a.label < b.label : a.positive > b.positive;
  });
  return cells;
}

// Midway between two scores, so that small differences of new scores do not matter.
double cut_between(double above, double below) {
  const double middle = above / 2 + below / 2;
  return middle > below ? middle : above;
}

// visit(cut, cells taken) after each group of equal scores; taking nothing comes first.
template <class Visit>
void for_cuts(const std::vector<Scored>& cells, const Visit& visit) {
  visit(k_nothing, std::size_t{0});
  for (std::size_t k = 1; k <= cells.size(); ++k) {
    if (k < cells.size() && cells[k].score == cells[k - 1].score) continue;
    const double lowest = cells[k - 1].score;
    visit(k < cells.size() ? cut_between(lowest, cells[k].score) : lowest, k);
  }
}

// A cut and its decisions. Only cuts right below a positive can be best for F: any other cut takes
// more negatives with the same positives.
struct Choice {
  double cut, tp, decided;
};

std::vector<Choice> choices(const std::vector<Scored>& cells) {
  std::vector<Choice> out;
  double tp = 0, decided = 0;
  std::size_t done = 0;
  for_cuts(cells, [&](double cut, std::size_t taken) {
    const double before = tp;
    for (; done < taken; ++done) {
      tp += cells[done].gain();
      decided += cells[done].weight;
    }
    if (taken == 0 || tp > before) out.push_back({cut, tp, decided});
  });
  return out;
}

double f_of(double tp, double decided, double positives, double b2) {
  const double below = b2 * positives + decided;
  return below > 0 ? (1 + b2) * tp / below : 0;
}

struct Best {
  double cut = k_nothing, f = 0, decided = 0;
};

Best best_f(const std::vector<Choice>& all, double b2) {
  Best best;
  for (const Choice& c : all) {
    const double f = f_of(c.tp, c.decided, all.back().tp, b2);
    if (f > best.f) best = {c.cut, f, c.decided};
  }
  return best;
}

// The cut that takes as many cells as are positive, or as near as ties allow; the lower of two.
double cardinality_cut(const std::vector<Scored>& cells) {
  double positives = 0, least = std::numeric_limits<double>::infinity(), best = k_nothing;
  for (const Scored& cell : cells) positives += cell.gain();
  double decided = 0;
  std::size_t done = 0;
  for_cuts(cells, [&](double cut, std::size_t taken) {
    for (; done < taken; ++done) decided += cells[done].weight;
    const double difference = std::abs(decided - positives);
    if (difference <= least) {
      least = difference;
      best = cut;
    }
  });
  return best;
}

// The cut that takes cells of this weight, or as near as ties allow, but some; the higher of two.
double cut_taking(const std::vector<Scored>& cells, double wanted) {
  double decided = 0, least = std::numeric_limits<double>::infinity(), best = k_nothing;
  std::size_t done = 0;
  for_cuts(cells, [&](double cut, std::size_t taken) {
    for (; done < taken; ++done) decided += cells[done].weight;
    const double difference = std::abs(decided - wanted);
    if (taken > 0 && difference < least) {
      least = difference;
      best = cut;
    }
  });
  return best;
}

// How often each label is to be decided, given its best cut by itself: decided per positive rows,
// drawn towards the mean of all labels as far as it has few positives.
std::vector<double> shrunken_decisions(std::span<const Best> best,
                                       std::span<const double> positives, double shrink) {
  double sum = 0, total = 0;
  for (std::size_t l = 0; l < best.size(); ++l) {
    if (best[l].decided <= 0) continue;
    sum += positives[l] * std::log(best[l].decided / positives[l]);
    total += positives[l];
  }
  std::vector<double> out(best.size());
  for (std::size_t l = 0; l < best.size(); ++l) {
    if (best[l].decided <= 0) continue;
    const double own = std::log(best[l].decided / positives[l]), common = sum / total;
    const double mean = (positives[l] * own + shrink * common) / (positives[l] + shrink);
    out[l] = positives[l] * std::exp(mean);
  }
  return out;
}

// A common cut with the greatest macro-F: F of each label is updated as its cells are taken.
double global_macro_cut(const std::vector<Scored>& cells, Index labels, double b2) {
  const auto size = at(labels);
  std::vector<double> positives(size), tp(size), decided(size), f(size);
  for (const Scored& cell : cells) {
    positives[at(cell.label)] += cell.gain();
  }
  double sum = 0, most = 0, best = k_nothing;
  std::size_t done = 0;
  for_cuts(cells, [&](double cut, std::size_t taken) {
    for (; done < taken; ++done) {
      const auto l = at(cells[done].label);
      tp[l] += cells[done].gain();
      decided[l] += cells[done].weight;
      const double now = f_of(tp[l], decided[l], positives[l], b2);
      sum += now - f[l];
      f[l] = now;
    }
    if (sum > most + 1e-12 * most) {
      most = sum;
      best = cut;
    }
  });
  return best;
}

// Dinkelbach: for the current value F of micro-F, each label takes the cut with the greatest (1 +
// b2) tp - F decided; the micro-F of these cuts is the next F. It never decreases, and once it
// stays the same no cuts are better.
std::vector<double> joint_micro_cuts(const std::vector<std::vector<Choice>>& all, double b2,
                                     const Context& ctx) {
  double positives = 0, f = 0;
  for (const auto& label : all) positives += label.back().tp;
  std::vector<double> cuts(all.size(), k_nothing);
  constexpr int k_most_steps = 100;
  for (int step = 0; step < k_most_steps; ++step) {
    ctx.check();
    double tp = 0, decided = 0;
    std::vector<double> next;
    for (const auto& label : all) {
      const auto value = [&](const Choice& c) { return (1 + b2) * c.tp - f * c.decided; };
      const Choice& c =
          *std::max_element(label.begin(), label.end(),
                            [&](const Choice& a, const Choice& b) { return value(a) < value(b); });
      next.push_back(c.cut);
      tp += c.tp;
      decided += c.decided;
    }
    const double reached = f_of(tp, decided, positives, b2);
    if (reached <= f) break;
    f = reached;
    cuts = next;
  }
  return cuts;
}

// The mean number of labels of a row: the share of each label among its observed cells, summed.
double mean_labels(const Labels& truth, std::span<const double> weights) {
  double out = 0;
  for (Index l = 0; l < truth.count(); ++l) {
    double positives = 0, observed = 0;
    for_observed(truth, l, [&](Index i, bool positive) {
      const double weight = weights.empty() ? 1.0 : weights[at(i)];
      observed += weight;
      if (positive) positives += weight;
    });
    if (observed > 0) out += positives / observed;
  }
  return out;
}

std::vector<Id> best_k(std::span<const double> scores, Index k) {
  std::vector<Id> order(scores.size());
  std::iota(order.begin(), order.end(), Id{0});
  const auto end = order.begin() + std::min<Index>(k, count_of(order));
  std::partial_sort(order.begin(), end, order.end(), [&](Id a, Id b) {
    const double x = scores[at(a)], y = scores[at(b)];
    return x != y ? x > y : a < b;
  });
  order.erase(end, order.end());
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<Id> at_least(std::span<const double> scores, std::span<const double> cuts) {
  std::vector<Id> out;
  for (std::size_t l = 0; l < scores.size(); ++l) {
    if (scores[l] >= cuts[l]) out.push_back(static_cast<Id>(l));
  }
  return out;
}

// The labels above the largest gap (the uppermost of equal ones), or all labels without a gap.
std::vector<Id> above_largest_gap(std::span<const double> scores) {
  std::vector<double> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double gap = 0, cut = sorted.empty() ? 0 : sorted.back();
  for (std::size_t r = 1; r < sorted.size(); ++r) {
    if (sorted[r - 1] - sorted[r] > gap) {
      gap = sorted[r - 1] - sorted[r];
      cut = sorted[r - 1];
    }
  }
  return at_least(scores, std::vector<double>(scores.size(), cut));
}

}  // namespace

std::vector<Id> most_expected_f1(std::span<const double> probabilities) {
  const std::size_t n = probabilities.size();
  std::vector<Id> order(n);
  std::iota(order.begin(), order.end(), Id{0});
  std::sort(order.begin(), order.end(), [&](Id a, Id b) {
    const double x = probabilities[at(a)];
    const double y = probabilities[at(b)];
    return x != y ? x > y : a < b;
  });
  const auto p = [&](std::size_t rank) {  // of the label at this rank, from 1
    return std::clamp(probabilities[at(order[rank - 1])], 0.0, 1.0);
  };
  // hits[k][j]: chance that j of the k best labels are true.
  std::vector<std::vector<double>> hits(n + 1);
  hits[0] = {1};
  for (std::size_t k = 1; k <= n; ++k) {
    hits[k].assign(k + 1, 0);
    for (std::size_t j = 0; j < k; ++j) {
      hits[k][j] += (1 - p(k)) * hits[k - 1][j];
      hits[k][j + 1] += p(k) * hits[k - 1][j];
    }
  }
  // inverse[a]: expectation of 1 / (a + number of true labels beyond the k best), k going down.
  std::vector<double> inverse(2 * n + 1);
  for (std::size_t a = 1; a <= 2 * n; ++a) inverse[a] = 1 / static_cast<double>(a);
  double most = hits[n][0];  // deciding nothing is right if nothing is true
  std::size_t best = 0;
  for (std::size_t k = n; k >= 1; --k) {
    double f = 0;
    for (std::size_t j = 1; j <= k; ++j)
      f += 2 * static_cast<double>(j) * hits[k][j] * inverse[k + j];
    if (f >= most) {
      most = f;
      best = k;
    }
    for (std::size_t a = 1; a + 2 <= 2 * k; ++a) {
      inverse[a] = p(k) * inverse[a + 1] + (1 - p(k)) * inverse[a];
    }
  }
  order.resize(best);
  std::sort(order.begin(), order.end());
  return order;
}

Labels Thresholds::apply(MatrixView scores, const Context& ctx) const {
  const bool cuts = has_cuts();
  MULBERRY_ASSERT(!cuts || count_of(cut) == scores.cols());
  std::vector<std::vector<Id>> rows(at(scores.rows()));
  parallel_chunks(ctx, scores.rows(), 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = scores.row(i);
      auto& decided = rows[at(i)];
      if (cuts) decided = at_least(row, cut);
      if (method == CutMethod::rcut) decided = best_k(row, k);
      if (method == CutMethod::mcut) decided = above_largest_gap(row);
      if (method == CutMethod::example_f) decided = most_expected_f1(row);
    }
  });
  return {scores.cols(), rows};
}

Thresholds learn_thresholds(MatrixView scores, const Labels& truth, const ThresholdOptions& options,
                            const Context& ctx, std::span<const double> weights) {
  MULBERRY_ASSERT(scores.rows() == truth.rows() && scores.cols() == truth.count());
  const Index labels = truth.count();
  const double b2 = options.beta * options.beta;
  const CutMethod method = options.method;
  Thresholds out;
  out.method = method;
  if (method == CutMethod::rcut) {
    constexpr double k_rounding = 1e-9;  // a half that the sum of shares just misses goes up too
    out.k = std::max<Index>(1, std::llround(mean_labels(truth, weights) + k_rounding));
  }
  if (method == CutMethod::rcut || method == CutMethod::mcut || method == CutMethod::example_f) {
    return out;
  }
  out.cut.assign(at(labels), options.cut);
  if (method == CutMethod::fixed) return out;
  if (options.global && method != CutMethod::scut) {
    const auto cells = sorted_cells(scores, truth, weights, -1);
    if (cells.empty()) return out;
    const double cut = method == CutMethod::lcard     ? cardinality_cut(cells)
                       : method == CutMethod::macro_f ? global_macro_cut(cells, labels, b2)
                                                      : best_f(choices(cells), b2).cut;
    out.cut.assign(at(labels), cut);
    return out;
  }
  std::vector<std::vector<Choice>> all(at(labels));
  std::vector<Best> bests(at(labels));
  parallel_for(ctx, labels, [&](Index l) {
    const auto cells = sorted_cells(scores, truth, weights, l);
    const auto label = at(l);
    all[label] = choices(cells);
    if (cells.empty()) return;
    if (method == CutMethod::lcard) {
      out.cut[label] = cardinality_cut(cells);
    } else if (method != CutMethod::micro_f) {
      const Best best = bests[label] = best_f(all[label], b2);
      // A label that never occurs is never decided: its scores are usually all equal, and with the
      // highest of them as cut every row would get it.
      const bool rare =
          method == CutMethod::scut && best.f < options.fbr && !truth.column(l).empty();
      out.cut[label] = rare ? cells.front().score : best.cut;
    }
  });
  if (method == CutMethod::macro_f && options.shrink > 0) {
    std::vector<double> positives;
    for (const auto& label : all) positives.push_back(label.empty() ? 0 : label.back().tp);
    const std::vector<double> wanted = shrunken_decisions(bests, positives, options.shrink);
    parallel_for(ctx, labels, [&](Index l) {
      const double decisions = wanted[at(l)];
      if (decisions <= 0) return;
      out.cut[at(l)] = cut_taking(sorted_cells(scores, truth, weights, l), decisions);
    });
  }
  if (method == CutMethod::micro_f) {
    const auto cuts = joint_micro_cuts(all, b2, ctx);
    for (std::size_t l = 0; l < cuts.size(); ++l) {
      const auto missing = static_cast<Index>(truth.missing_column(static_cast<Index>(l)).size());
      if (missing < truth.rows()) out.cut[l] = cuts[l];
    }
  }
  return out;
}

}  // namespace mulberry::resample

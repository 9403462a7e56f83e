#include "mulberry/learners/meta/bag.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mulberry/core/parallel.hpp"

namespace mulberry::learners {
namespace {

std::uint64_t member_seed(const Context& ctx, Index m) {
  Random draws = ctx.rng("bag seed", static_cast<std::uint64_t>(m));
  const std::uint64_t high = draws.bits();
  return high << 32 | draws.bits();
}

}  // namespace

MemoryNeed bag_need(const CompleteSpec& learner, Index members, const BagParams& params,
                    const Extent& e, Repeats repeats) {
  const auto count = static_cast<double>(members);
  double rows = e.rows;
  if (params.sample == BagSample::subset) rows *= 0.67;
  if (params.sample == BagSample::bootstrap && repeats == Repeats::weights) rows *= 0.632;
  Extent part = e.of_picked(rows);
  part.threads = std::max(1.0, std::floor(e.threads / count));
  const MemoryNeed one = memory_need(learner, part);
  const double model = count * one.model;
  return {.fit = e.pieces() + model + e.at_once(count) * (one.work() + 16 * part.rows),
          .model = model,
          .predict = memory_need(learner, e).predict + e.scores() +
                     (params.answer == BagAnswer::scores ? 0 : e.decisions()) +
                     (params.answer == BagAnswer::mixed ? e.scores() + e.decisions() : 0)};
}

std::vector<Id> bag_rows(BagSample sample, const RowDraws& draws, Index m, const Context& ctx) {
  std::vector<Id> rows(draws.rows().begin(), draws.rows().end());
  if (sample == BagSample::all) return rows;
  Random random = ctx.rng("bag rows", static_cast<std::uint64_t>(m));
  std::vector<Id> out;
  if (sample == BagSample::bootstrap) {
    for (std::size_t k = 0; k < rows.size(); ++k) out.push_back(draws.draw(random));
  } else {
    random.shuffle(std::span(rows));
    const auto kept = std::llround(0.67 * static_cast<double>(rows.size()));
    out.assign(rows.begin(), rows.begin() + std::max<std::ptrdiff_t>(kept, rows.empty() ? 0 : 1));
  }
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

// Leaves each of the sorted rows once and gives the weights of all rows of x: as often `weight` as
// the row was there. Rows of equal weight follow each other, because sums of losses are quicker
// then.
std::vector<double> weigh_repeats(std::vector<Id>& rows, Index all, double weight) {
  std::vector<Index> times(at(all));
  for (const Id i : rows) ++times[at(i)];
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Id a, Id b) { return times[at(a)] < times[at(b)]; });
  std::vector<double> out;
  for (const Index count : times) out.push_back(weight * static_cast<double>(count));
  return out;
}

}  // namespace

Bag::Bag(const CompleteSpec& learner, Index members, const View& view, const BagParams& params,
         const Context& ctx, Repeats repeats)
    : answer_(params.answer), members_(at(members)) {
  const Compact data(view, Rows::blocks);
  View whole{.x = &data.x(),
             .y = &data.y(),
             .sets = view.sets,
             .rules = view.rules,
             .weights = data.weights()};
  const RowDraws draws(whole.size(), whole.weights);
  std::vector<double> even;
  if (params.sample == BagSample::bootstrap && !whole.weights.empty()) {
    even.assign(whole.weights.size(), draws.weight());
    whole.weights = even;
  }
  std::atomic<Index> done = 0;
  parallel_for(ctx, members, [&](Index m) {
    std::vector<Id> storage, rows = bag_rows(params.sample, draws, m, ctx);
    std::vector<double> own;
    View drawn = whole;
    if (params.sample == BagSample::bootstrap && repeats == Repeats::weights) {
      own = weigh_repeats(rows, whole.x->rows(), even.empty() ? 1.0 : even.front());
      drawn.weights = own;
    }
    const View part = part_of(drawn, rows, storage);
    members_[at(m)] = FittedLearner(learner, part, ctx.quiet().with_seed(member_seed(ctx, m)));
    ctx.step(static_cast<double>(++done) / static_cast<double>(members));
  });
}

namespace {

// Where the mean of scores is on the other side of the cut than the votes, it becomes the number
// next to the cut on their side: a score says what was decided, as users of scores expect.
void hold_at_the_cut(Prediction& p) {
  const double cut = p.scale == Scale::margin ? 0 : 0.5;
  const double above = std::nextafter(cut, 1.0), below = std::nextafter(cut, -1.0);
  for (Index i = 0; i < p.scores.rows(); ++i) {
    const auto row = p.scores.row(i);
    const auto yes = p.decided->row(i);
    auto next = yes.begin();
    for (Index l = 0; l < p.scores.cols(); ++l) {
      double& score = row[at(l)];
      if (next != yes.end() && *next == l) {
        score = std::max(score, above);
        ++next;
      } else {
        score = std::min(score, below);
      }
    }
  }
}

}  // namespace

Prediction Bag::predict(const View& view, const Context& ctx) const {
  Prediction out{.scale = Scale::votes};
  Prediction votes{.scale = Scale::votes};  // of answer=mixed
  for (const FittedLearner& member : members_) {
    ctx.check();
    const Prediction one = member.predict(view, ctx);
    if (out.scores.cols() == 0) out.scores = Matrix(one.scores.rows(), one.scores.cols());
    double* total = out.scores.data();
    if (answer_ != BagAnswer::votes) {
      out.scale = one.scale;
      for (Index k = 0; k < out.scores.size(); ++k) total[k] += one.scores.data()[k];
    }
    if (answer_ == BagAnswer::scores) continue;
    double* counts = total;
    if (answer_ == BagAnswer::mixed) {
      if (votes.scores.cols() == 0) votes.scores = Matrix(one.scores.rows(), one.scores.cols());
      counts = votes.scores.data();
    }
    const Labels yes = decide(one, view.sets);
    for (Index i = 0; i < yes.rows(); ++i) {
      for (const Id l : yes.row(i)) counts[i * out.scores.cols() + l] += 1;
    }
  }
  double* total = out.scores.data();
  const auto count = static_cast<double>(members_.size());
  for (Index k = 0; k < out.scores.size(); ++k) total[k] /= count;
  if (answer_ == BagAnswer::mixed) {
    for (Index k = 0; k < votes.scores.size(); ++k) votes.scores.data()[k] /= count;
    out.decided = decide(votes, view.sets);
    if (view.sets == nullptr) hold_at_the_cut(out);
  }
  return out;
}

}  // namespace mulberry::learners

#include "mulberry/model/fitted_learner.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/resample/out_of_fold.hpp"

namespace mulberry::model {

Tags tags_within(const CompleteSpec& spec) {
  Tags out = spec.tags();
  out.anytime = false;
  out.warm_start = false;
  out.label_blocks = out.tree_blocks = out.row_sums = false;
  return out;
}

Matrix held_out_scores(const CompleteSpec& spec, const View& view, Index folds,
                       const Context& ctx) {
  const Index rows = view.size();
  if (rows < 2) return fit_learner(spec, view, ctx)->predict(view, ctx).scores;
  const Compact data(view, Rows::blocks);
  const View whole{.x = &data.x(),
                   .y = &data.y(),
                   .sets = view.sets,
                   .rules = view.rules,
                   .weights = data.weights()};
  const std::vector<Fold> parts =
      k_folds(data.y(), {.folds = std::min(folds, rows)}, ctx.with_seed(ctx.seed() + 1));
  return out_of_fold(parts, rows, view.labels(), ctx,
                     [&](const Fold& fold, Index, const Context& inner) {
                       std::vector<Id> train_rows, test_rows;
                       const View train = part_of(whole, fold.train, train_rows);
                       View test = part_of(whole, fold.test, test_rows);
                       test.y = nullptr;  // a model must not see what it is judged by
                       return fit_learner(spec, train, inner)->predict(test, inner).scores;
                     });
}

Matrix held_out_scores(const FittedLearner& fitted, const CompleteSpec& spec, const View& view,
                       Index folds, const Context& ctx) {
  const Matrix* own = fitted.held_out();
  const bool complete =
      own != nullptr && std::ranges::none_of(own->values(), [](double v) { return std::isnan(v); });
  return complete ? *own : held_out_scores(spec, view, folds, ctx);
}

}  // namespace mulberry::model

// RankSVM: ranks labels within each row; every row counts the same, however many labels it has.
//
//   min over f_1 .. f_L   1/2 sum_k |f_k|^2
//                         + C sum_i 1 / (a_i b_i) sum_{k in Y_i, l not in Y_i} max(0, 1 - f_k +
//                         f_l)
//
// in the space of a kernel, where row i has a_i labels and lacks b_i. Elisseeff and Weston, "A
// kernel method for multi-labelled classification", NIPS 2001. A label is predicted if its score is
// above a cut that depends on the row (resample/row_threshold.hpp); the cut is subtracted from the
// reported scores.
//
// Differences from the paper: constant terms are penalised (they come from adding 1 to the kernel)
// instead of free, and the dual is solved to a certified gap by sweeps over rows
// (pair_machine.hpp) instead of 50 steps of Frank and Wolfe. Missing cells take part in no
// pair. A label of one class is put before or after all others. Cost of a sweep: O(n^2 L + sum_i
// a_i b_i), with the linear kernel or d landmarks O(n d L + ...); memory as in mlr_l1(mode=exact).
#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/common/cut_rows.hpp"
#include "mulberry/learners/mlr/inputs.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  double C = 1;
  double tolerance = 1e-3;
  Index sweeps = 5000;
  Index landmarks = 0;
  KernelParams kernel = {.kernel = KernelKind::rbf};

  static Fields fields() {
    return Fields{
        field("C", &Params::C, "cost of a row whose labels are in the wrong order",
              positive().search(1e-2, 1e3)),
        field("tolerance", &Params::tolerance,
              "stop once the objective is proven to be within this share of its optimum",
              between(1e-12, 0.5)),
        field("sweeps", &Params::sweeps, "largest number of visits of every row", between(1, 1e9)),
        field("landmarks", &Params::landmarks,
              "number of random rows that represent all in the kernel, for large data; 0: all rows",
              between(0, 1e6)),
        group(&Params::kernel)};
  }
  mlr::Settings settings() const {
    return {.loss = PairLoss::sum,
            .exact = true,
            .common = {.C = C,
                       .tolerance = tolerance,
                       .sweeps = sweeps,
                       .landmarks = landmarks,
                       .kernel = kernel}};
  }
  Tags tags() const { return settings().common.tags(); }
  std::vector<std::string> notes(const View& view) const {
    return settings().common.notes(view, true);
  }
  MemoryNeed memory(const Extent& e) const { return settings().common.memory(e, true, false); }
};

struct RankSvm {
  mlr::Ranker ranker = {};
  std::vector<double> bias = {};
  RowThreshold threshold = {};

  Prediction predict(const View& view, const Context& ctx) const;
  Summary summary() const { return ranker.summary(); }
  std::vector<Result> results() const { return ranker.results(); }

  template <class V>
  void visit(V& v) {
    v("ranker", ranker);
    v("bias", bias, finite().length(v.outputs()));
    v("threshold", threshold);
  }
};

Prediction RankSvm::predict(const View& view, const Context& ctx) const {
  Matrix scores = ranker.predict(view, ctx).scores;
  for (Index i = 0; i < scores.rows(); ++i) blas::axpy(1.0, bias, scores.row(i));
  std::vector<double> one_class;
  for (const Id c : ranker.constant) one_class.push_back(c < 0 ? 0.0 : c == 0 ? -1.0 : 1.0);
  cut_rows(scores, threshold, one_class);
  return {.scores = std::move(scores), .scale = Scale::margin};
}

// 1 / (a b); rows without pairs are not in the objective.
std::vector<double> row_weights(const Labels& y) {
  std::vector<double> out;
  for (Index i = 0; i < y.rows(); ++i) {
    const auto a = static_cast<Index>(y.row(i).size());
    const Index b = y.count() - a - static_cast<Index>(y.missing_row(i).size());
    out.push_back(1 / static_cast<double>(std::max<Index>(1, a * b)));
  }
  return out;
}

RankSvm fit(const View& view, const Params& params, const Context& ctx) {
  const mlr::Settings settings = params.settings();
  mlr::Inputs inputs(view, settings, ctx.quiet());
  const Labels& y = inputs.y();
  const std::vector<double> weights = row_weights(y);
  PairSettings machine = settings.machine(params.C, 1);
  machine.weights = weights;
  ConstantPairScores scores(inputs.scores());
  const PairMachine found = train_pairs(scores, y, machine, ctx);

  RankSvm out;
  inputs.store(found.a, out.ranker, ctx);
  out.ranker.constant = mlr::constants_of(y);
  out.ranker.report = mlr::report_of(found, inputs.jitter());
  out.bias = column_sums(blas::block(found.a));
  out.threshold = learn_row_threshold(scores.all(found.a, ctx), y, ctx);
  return out;
}

}  // namespace

Learner make_rank_svm() {
  return define_learner<Params, RankSvm>(
      {.id = "rank_svm",
       .summary = "kernel machine that ranks the labels of each row, and learns where to cut",
       .reference = "Elisseeff and Weston, A kernel method for multi-labelled classification, 2001",
       .tags = {.kernel = true, .missing_labels = true, .distances = true},
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

// MLR-L1: multi-label ranking with a kernel, the sum of all pairs' hinge losses.
//
//   min over f_1 .. f_L   1/2 sum_k |f_k|^2
//                         + C sum_i sum_{l not in Y_i} sum_{k in Y_i} max(0, 1 - f_k + f_l)
//
// Bucak, Mallapragada, Jin and Jain, "Efficient multi-label ranking for multi-class learning", ICCV
// 2009; the baseline of mlr_gl. Fast mode solves the subproblem of each row over coefficients
// within bounds, whether or not pairs can produce them: this is exact for rows with one assigned or
// one unassigned label, and an upper bound of the dual for others. Exact mode keeps the pairs.
// Everything else, including the cost, is as in mlr_gl.
#include "mulberry/learners/mlr/mlr.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  enum class Mode { fast, exact };
  Mode mode = Mode::fast;
  mlr::Common common = {};

  static Fields fields() {
    return Fields{
        choice("mode", &Params::mode,
               "fast: the published relaxation; exact: the optimum, with its certified gap",
               {"fast", "exact"}, false),
        group(&Params::common)};
  }
  Tags tags() const { return common.tags(); }
  std::vector<std::string> notes(const View& view) const {
    return common.notes(view, mode == Mode::exact);
  }
  MemoryNeed memory(const Extent& e) const {
    return common.memory(e, mode == Mode::exact, !common.C);
  }
};

mlr::Ranker fit(const View& view, const Params& params, const Context& ctx) {
  return mlr::fit(
      view,
      {.loss = PairLoss::sum, .exact = params.mode == Params::Mode::exact, .common = params.common},
      ctx);
}

}  // namespace

Learner make_mlr_l1() {
  return define_learner<Params, mlr::Ranker>(
      {.id = "mlr_l1",
       .summary = "kernel ranking of labels by the hinge losses of all pairs",
       .reference = "Bucak, Mallapragada, Jin and Jain, Efficient Multi-label Ranking for "
                    "Multi-class Learning, 2009",
       .tags = {.kernel = true, .missing_labels = true, .distances = true},
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

// MLR-GL: multi-label ranking with a group lasso over pairs of labels, for incomplete labels.
//
//   min over f_1 .. f_L   1/2 sum_k |f_k|^2
//                         + C sum_i sum_{l not in Y_i} sqrt(sum_{k in Y_i} max(0, 1 - f_k + f_l)^2)
//
// in the space of a kernel: an unassigned label that outranks many assigned ones at once is
// probably missing, and because of the root this costs little more than outranking one of them.
//
// Bucak, Jin and Jain, "Multi-label learning with incomplete class assignments", CVPR 2011. Paper
// mode is their approximation of the dual: eta, from 1 to L / 2, determines how much of a row's own
// quadratic term is kept, and changes the model, not only its speed. Exact mode is ours: it solves
// the dual itself and certifies how close it is. Also ours: cells without a label take part in no
// pair; landmarks; a cut of the scores at 0, about which the scores of a row are balanced.
// Cost of a sweep: O(n^2 L), all of it products of matrices; O(n d L) with the linear kernel or d
// landmarks.
#include "mulberry/core/text.hpp"
#include "mulberry/learners/mlr/mlr.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  enum class Mode { paper, exact };
  Mode mode = Mode::paper;
  std::optional<double> eta = 1.5;
  mlr::Common common = {};

  static Fields fields() {
    return Fields{
        choice("mode", &Params::mode,
               "paper: the published approximation; exact: the optimum, with its certified gap",
               {"paper", "exact"}, false),
        field("eta", &Params::eta,
              "approximation of paper mode, above 1; auto: by cross-validation",
              positive().search(1.1, 10)),
        group(&Params::common)};
  }
  Tags tags() const { return common.tags(); }
  std::vector<std::string> notes(const View& view) const {
    std::vector<std::string> out = common.notes(view, mode == Mode::exact);
    if (eta && *eta <= 1) {
      out.push_back("eta=" + shortest(*eta) +
                    " is not above 1: the approximation then counts less than the least that a row "
                    "adds to the objective, and training may not settle");
    }
    return out;
  }
  MemoryNeed memory(const Extent& e) const {
    return common.memory(e, mode == Mode::exact, !common.C || (mode == Mode::paper && !eta));
  }
};

mlr::Ranker fit(const View& view, const Params& params, const Context& ctx) {
  const bool exact = params.mode == Params::Mode::exact;
  if (exact && params.eta != Params().eta) {
    throw Error(Code::parameter, "mlr_gl: expected eta with mode=paper only, found it with exact",
                "Leave out eta");
  }
  mlr::Settings settings{.loss = PairLoss::group, .exact = exact, .common = params.common};
  if (!exact) settings.eta = params.eta;
  return mlr::fit(view, settings, ctx);
}

}  // namespace

Learner make_mlr_gl() {
  return define_learner<Params, mlr::Ranker>(
      {.id = "mlr_gl",
       .summary = "kernel ranking of labels that expects some of them to be missing",
       .reference = "Bucak, Jin and Jain, Multi-label Learning with Incomplete Class Assignments, "
                    "2011",
       .tags = {.kernel = true, .missing_labels = true, .distances = true},
       .revision = 2},
      fit);
}

}  // namespace mulberry::learners

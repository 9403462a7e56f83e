// Shared by AdaBoost.MH, AdaBoost.MR and AdtBoost.MH: a model that sums joint stumps, with a bound
// of its training loss after each rule, the loop over rounds, and the weights of the two learners
// for Hamming loss. MAHR shares the tags and the way to continue a model.
#pragma once

#include <optional>
#include <string>

#include "mulberry/core/error.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/learners/boosting/joint_stumps.hpp"
#include "mulberry/model/memory_need.hpp"
#include "mulberry/model/model.hpp"
#include "mulberry/model/tags.hpp"

namespace mulberry::learners {

inline constexpr Tags k_boosting_tags = {.missing_labels = true,
                                         .missing_features = true,
                                         .weights = true,
                                         .anytime = true,
                                         .warm_start = true};

enum class BoundedLoss { hamming, ranking };

template <BoundedLoss loss>
struct BoostedStumps {
  JointStumps stumps = {};
  std::vector<double> constant = {};  // one per label: its score if that is fixed, otherwise 0
  std::vector<double> bound = {};     // of the training loss, after each rule
  bool interrupted = false;

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view);
    Matrix scores = stumps.scores(data.x(), ctx);
    for (Index i = 0; !constant.empty() && i < scores.rows(); ++i) {
      const auto row = scores.row(i);
      for (std::size_t l = 0; l < row.size(); ++l) {
        if (constant[l] != 0) row[l] = constant[l];
      }
    }
    return {.scores = std::move(scores), .scale = Scale::margin};
  }
  Summary summary() const {
    Summary out{.interrupted = interrupted, .rounds = stumps.count()};
    if (!bound.empty()) out.objective = bound.back();
    return out;
  }
  std::vector<Result> results() const {
    const std::string name = loss == BoundedLoss::hamming ? "Hamming" : "ranking";
    return {{.id = "learning_curve",
             .sentence = "after each rule: the bound of the training " + name + " loss",
             .column_names = {loss == BoundedLoss::hamming ? "hamming_loss_bound"
                                                           : "ranking_loss_bound"},
             .values = Matrix(static_cast<Index>(bound.size()), 1, bound)}};
  }
  template <class V>
  void visit(V& v) {
    v("stumps", stumps);
    if (loss == BoundedLoss::ranking) v("constant", constant, finite().length(v.outputs()));
    v("bound", bound, any_real().length(stumps.count()));
    v("interrupted", interrupted);
  }
};

// What boosted stumps take: `cells` matrices of a number per row and label (padded) in training,
// and `more` bytes.
MemoryNeed stumps_need(const Extent& extent, double rounds, Index bins, double cells, double more);

// `listed`: whether training keeps the rows on either side of every stump.
template <Index default_rounds, bool listed = false>
struct BoostParams {
  Index rounds = default_rounds;
  Index bins = 0;

  static Fields fields() {
    return Fields{
        field("rounds", &BoostParams::rounds,
              "rounds of boosting, in addition to the rounds of a model that is continued",
              between(1, 1e6).search(50, 1000)),
        field("bins", &BoostParams::bins,
              "largest number of intervals per feature; 0: every cut between its values",
              between(0, 65535))};
  }
  MemoryNeed memory(const Extent& e) const {
    const auto count = static_cast<double>(rounds);
    return stumps_need(e, count, bins, 3, listed ? 2 * count * e.rows : 0);
  }
};

// Throws Error unless a model with this many labels and features can be continued on this data.
void require_same_shape(const std::string& learner, Index labels, Index features,
                        const Compact& data);

// The model to continue, or a new one.
template <class Model>
Model start_boosting(const std::string& learner, const Model* init, const Compact& data) {
  Model out;
  if (init == nullptr) {
    out.stumps = JointStumps(data.x().cols(), data.y().count());
    return out;
  }
  require_same_shape(learner, init->stumps.labels(), init->stumps.columns(), data);
  out = *init;
  out.interrupted = false;
  return out;
}

// Calls add_rule() `rounds` times: it adds a rule to the model and returns the factor by which the
// bound falls, or nothing if there is nothing more to learn. If stopped, the model has the rules so
// far.
template <class Model, class AddRule>
void add_rules(Model& model, Index rules, const AddRule& add_rule, const Context& ctx) {
  double bound = model.bound.empty() ? 1.0 : model.bound.back();
  try {
    for (Index t = 0; t < rules; ++t) {
      ctx.step(static_cast<double>(t) / static_cast<double>(rules), bound);
      const std::optional<double> factor = add_rule();
      if (!factor) break;
      bound *= *factor;
      model.bound.push_back(bound);
    }
  } catch (const Cancelled&) {
    if (model.stumps.count() == 0) throw;  // no model to return yet
    model.interrupted = true;
  }
}

// D(i, l) of AdaBoost.MH, as vectors of the search: yes of every label, then no. Missing cells
// weigh 0, and all together 1.
struct StartWeights {
  Matrix vectors;
  double smoothing;  // e below

  // `scores`: the scores of the model so far.
  StartWeights(const Compact& data, MatrixView scores);
};

// c of every label in a branch: 1/2 ln((yes + e) / (no + e)), e = 1 / cells. A cell counts as much
// as its row weighs, so that a row of weight 2 is the same as two rows.
Sums answers_of(const Sums& branch, Index labels, double smoothing);

// exp(-y c) of every label, of yes and then of no.
Sums factors_of(const Sums& answers);

// The weights of AdtBoost.MH, whose rules may hold for some rows only.
class CellWeights {
 public:
  // `scores`: the scores of the model so far.
  CellWeights(const Compact& data, MatrixView scores);

  MatrixView vectors() const { return vectors_; }
  Sums answers(const Sums& branch) const { return answers_of(branch, labels_, smoothing_); }
  // D *= exp(-y c) with the c of each row's branch (0, 1, 2) for rows inside, scaled to sum 1;
  // returns the sum before scaling.
  double update(std::span<const char> branch, std::span<const Sums> answers,
                std::span<const char> inside);

 private:
  Index labels_;
  Matrix vectors_;
  double smoothing_ = 0;
};

}  // namespace mulberry::learners

// Reverse multi-label learning, one label: the scorer of its column, for one cost after another.
// Labels do not interact, so training all of them and choosing C both consist of such problems.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/learners/rml/measure_oracle.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"

namespace mulberry::learners::rml {

struct Settings {
  SetLoss loss = SetLoss();
  bool select_ties = true;  // a score of 0 means yes
  bool bias = true;
  double tolerance = 1e-3;  // relative gap
  int max_iterations = 5000;
  bool ramp = false;  // the tighter bound of ramp.hpp
  // If columns with scores of the labels follow the features: where they start. A label does not
  // see its own column.
  Index score_columns = -1;

  bool selects(double score) const { return score > 0 || (select_ties && score == 0); }
};

// The inputs of a scorer: the features or, with a kernel, its values with the training rows,
// followed by scores of the labels if there are any. All must outlive it.
struct Inputs {
  const Features* x = nullptr;
  const KernelMatrix* kernel = nullptr;
  const Matrix* scores = nullptr;  // with a kernel; a label does not see its own

  Inputs(const Features& features) : x(&features) {}  // NOLINT: features are inputs
  explicit Inputs(const KernelMatrix& values, const Matrix* label_scores = nullptr)
      : kernel(&values), scores(label_scores) {}
  Index rows() const { return kernel != nullptr ? kernel->rows() : x->rows(); }
  Index weights() const { return kernel != nullptr ? kernel->rows() : x->cols(); }
};

// The cells of a label that are known among some rows (in increasing order;
// a balanced machine has some of them again at the end).
struct Cells {
  std::vector<Id> rows = {};
  std::vector<char> truth = {};
  Index size() const { return static_cast<Index>(rows.size()); }
  Index positives() const;
};
Cells observed_cells(const Labels& y, Index label, std::span<const Id> rows);

struct Scorer {
  std::vector<double> w = {};              // one per input
  std::vector<double> score_weights = {};  // one per label, in addition to a kernel
  double b = 0;
  double objective = 0, lower = 0;  // of the label's problem, see bundle.hpp
  Index iterations = 0;
  bool converged = true;
  std::vector<double> steps = {};  // with the tighter bound: the objective after each step
  bool degenerate() const;         // w and b are exactly 0
};

// Trains on `cells` (at least one) with lambda = cells / C for each of `costs` in increasing order,
// each starting from the previous solution; visit(k, scorer) is called in that order. With the
// Hamming loss this is a linear SVM: for sparse features its own solver is used, and the bundle
// only if that does not end.
//
// The steps of the tighter bound begin at the labelling that a balanced support vector machine
// predicts: from the truth the first step is the convex problem, which leaves some labels at the
// scorer 0. A start from both, with the smaller objective kept, led to constant answers.
void train_column(const Inputs& inputs, const Cells& cells, Index label, const Settings& settings,
                  std::span<const double> costs, const Context& ctx,
                  const std::function<void(std::size_t k, Scorer scorer)>& visit);

// A support vector machine with costs inverse to the sizes of the two classes.
Scorer balanced_scorer(const Inputs& inputs, const Cells& cells, Index label,
                       const Settings& settings, double cost, const Context& ctx);

// The largest memory for the planes of one label, known before training, if `more` columns follow
// the features.
std::size_t planes_bytes(const Features& x, const Settings& settings, Index more);

// The scores of some rows.
std::vector<double> column_scores(const Inputs& inputs, std::span<const Id> rows,
                                  const Scorer& scorer);

// Counts of a column of predictions.
struct Counts {
  Index rows = 0, positives = 0;
  Index p = 0, q = 0;  // selected positives and negatives
  double value(const SetLoss& loss) const { return 1 - loss.value(rows, positives, p, q); }
  Counts& operator+=(const Counts& other);
};
Counts count_cells(const Cells& cells, std::span<const double> scores, const Settings& settings);

}  // namespace mulberry::learners::rml

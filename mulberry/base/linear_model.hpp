// Shared by the linear base learners: their common parameters, the fitted model (one weight vector
// per label or class), and the reduction of labels or classes to binary problems.
#pragma once

#include <string>
#include <vector>

#include "mulberry/math/linear/linear.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {

enum class ClassWeight { none, balanced };

// A group of parameters of every linear base learner.
struct LinearParams {
  double C = 1.0;
  Bias bias = Bias::regularised;
  ClassWeight class_weight = ClassWeight::none;

  static Fields fields() {
    return Fields{field("C", &LinearParams::C, "cost of errors relative to the size of the weights",
                        positive().search(1e-3, 1e3)),
                  choice("bias", &LinearParams::bias,
                         "constant term: penalised like a weight, free of penalty, or none",
                         {"regularised", "free", "none"}, false),
                  choice("class_weight", &LinearParams::class_weight,
                         "balanced: both classes of a problem have the same total cost",
                         {"none", "balanced"}, false)};
  }
};

// What one classifier for each of `outputs` labels or classes takes.
MemoryNeed linear_need(const Extent& extent, const LinearOptions& options, double outputs);

// How a row of the model turns into a score.
enum class Link { identity, sigmoid, softmax };

struct LinearModel {
  FixedMatrix w;          // one row per label or class
  std::vector<double> b;  // their biases
  Link link = Link::identity;
  Matrix certificate;  // one row per label or class, see results()

  Matrix scores(const Features& x, const Context& ctx) const;
  std::optional<LinearForm> linear_form() const;  // if there is one row
  Summary summary() const;
  std::vector<Result> results() const;

  template <class V>
  void visit(V& v) {
    v("w", w, finite().rows(v.outputs()).cols(v.features()));
    v("b", b, finite_or_infinite().length(v.outputs()));  // of a class without rows: -infinity
    v("link", link, up_to(Link::softmax));
    v("certificate", certificate, any_real().rows(v.outputs()).cols(5));
  }
};

// One binary problem per label. Missing cells are left out; a label with one class gets w = 0 and
// the b whose score is constant_score.
LinearModel fit_linear_labels(const Features& x, const Labels& y, std::span<const double> weights,
                              const LinearParams& params, const LinearOptions& options,
                              const Context& ctx);

// As above, one model per label, where label l sees the first columns[l] columns of x.
std::vector<LinearModel> fit_linear_links(const Features& x, std::span<const Index> columns,
                                          const Labels& y, std::span<const double> weights,
                                          const LinearParams& params, const LinearOptions& options,
                                          const Context& ctx);

// One binary problem for two classes; for more, one problem per class against the rest. A class
// without rows, if there are more than two, never has the best score.
LinearModel fit_linear_classes(const ColumnProblem& problem, const LinearParams& params,
                               const LinearOptions& options, const Context& ctx);

// Row k of a model's certificate.
void write_certificate(const Certificate& from, std::span<double> to);

// The cost of each row: C, its weight, and with `balanced` a factor that gives every class the same
// total. `classes` holds the class of each row; rows of class -1 cost nothing.
std::vector<double> row_costs(std::span<const Id> classes, Id class_count,
                              std::span<const double> weights, const LinearParams& params);

}  // namespace mulberry::base

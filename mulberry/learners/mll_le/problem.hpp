// Label enhancement for one set of rows: everything that is shared by all settings of the weights
// (neighbours, local weights, values of the kernel), the fit for one setting, and its scores.
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "mulberry/core/bounds.hpp"
#include "mulberry/math/enhancement/enhancement.hpp"
#include "mulberry/model/kernel_form.hpp"

namespace mulberry::learners::mll_le {

enum class Mode { joint, irwls };
enum class Regressor { msvr, kernel_ridge, knn };
enum class Manifold { lle, laplacian, none };

// The problem without its weights, and how to solve it.
struct Shape {
  Mode mode = Mode::joint;
  Regressor regressor = Regressor::msvr;
  Manifold manifold = Manifold::lle;
  Index k = 10;
  double lle_ridge = 1e-3;
  std::optional<Index> landmarks = {};
  KernelParams kernel = {.kernel = KernelKind::rbf, .width = "mean_root"};
  Index max_iterations = 2000;
};

// Number of rows that represent all rows in the kernel; 0: none.
Index landmarks_for(const Shape& shape, Index rows, Index labels);
// How precise a solution is unless asked for: less with very many cells.
double usual_tolerance(Index rows, Index labels);

// The weights.
struct Settings {
  double alpha = 0.1, beta = 1, gamma = 1, delta = 1e-3, eps = 0.1;
  bool operator==(const Settings&) const = default;

  template <class V>
  void visit(V& v) {
    v("alpha", alpha, any_real());
    v("beta", beta, any_real());
    v("gamma", gamma, any_real());
    v("delta", delta, any_real());
    v("eps", eps, any_real());
  }
};

// Predicts numerical labels: a kernel machine, or the mean numerical labels of the neighbours.
struct Predictor {
  std::optional<KernelForm> form = {};
  std::vector<double> b = {};
  std::optional<StoredFeatures> rows = {};  // with neighbours
  Index k = 0;

  Matrix scores(const Features& x, MatrixView u, const Context& ctx) const;
  template <class V>
  void visit(V& v) {
    v("form", form);
    v("b", b, finite());
    v("rows", rows);
    v("k", k, whole(0, std::numeric_limits<Id>::max()));
    v.require(!rows || rows->x.cols() == v.features(), "rows",
              "does not have the features of the model");
  }
};

// The memory of a problem and its solution.
double problem_need(const Shape& shape, const Extent& extent);

class Problem {
 public:
  Problem(const View& view, const Shape& shape, const Context& ctx);

  const Labels& y() const { return data_.y(); }
  // `start` for U, or null. A last fit may use up the kernel's values.
  Enhancement fit(const Settings& settings, double tolerance, const Matrix* start, bool last,
                  const Context& ctx);
  Predictor predictor(const Enhancement& found, const Context& ctx) const;

  // Scores of other rows, for one fit after the other; the kernel values that they need are kept.
  class Others {
   public:
    Others(const Problem& problem, const View& view, const Context& ctx);
    Matrix scores(const Enhancement& found, const Context& ctx) const;

   private:
    const Problem& problem_;
    Features values_;  // rows x training rows or landmarks' features
  };

 private:
  bool by_neighbours() const { return shape_.regressor == Regressor::knn; }
  Matrix weights(const Enhancement& found, const Context& ctx) const;  // of Others' columns

  Compact data_;
  Shape shape_;
  KernelRows rows_;
  LabelSigns signs_;
  Smoothness manifold_, neighbours_;
  Kernel kernel_;
  FixedMatrix values_;                 // of the kernel,
  Features landmarks_;                 // or rows that represent all,
  Matrix root_;                        // the map from their kernel values to features,
  std::shared_ptr<const Matrix> phi_;  // and these features
  std::optional<KernelRidge> ridge_;   // for the alpha of the last fit
};

}  // namespace mulberry::learners::mll_le

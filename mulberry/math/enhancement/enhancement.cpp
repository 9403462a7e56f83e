#include "mulberry/math/enhancement/enhancement.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/column_cg.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_most_products = 5000;  // of one system
constexpr Index k_most_factored = 6000;  // rows of a system that is factored

double largest(MatrixView a) {
  double out = 0;
  for (const double v : a.values()) out = std::max(out, std::abs(v));
  return out;
}

// One minimisation. The regressor is a ridge or, without one, the comparison with neighbours.
class Solver {
 public:
  Solver(KernelRidge* ridge, const Smoothness* predictor, const EnhancementTerms& terms,
         const EnhancementOptions& options, const Context& ctx)
      : ridge_(ridge),
        predictor_(predictor),
        terms_(terms),
        options_(options),
        ctx_(ctx),
        rows_(terms.y.rows()),
        labels_(terms.y.cols()),
        weight_(terms.weights()),
        eps_(ridge != nullptr ? terms.eps : 0.0) {
    MULBERRY_ASSERT(!terms.hard || (terms.gamma == 0 && terms.delta == 0 && ridge != nullptr));
    solves_ = !terms.hard || terms.known != nullptr;
    scale_ = std::max((terms.hard ? 1.0 : terms.beta) * length(terms.y),
                      std::numeric_limits<double>::min());
    system_.product = [this](MatrixView p) { return product(p); };
    use_diagonal(system_);
    if (ridge_ == nullptr || ridge_->low_rank() || terms.hard) return;
    if (rows_ > k_most_factored) return;
    // The number of products of 2 n^2 labels that cost as much as forming and factoring the system:
    // n^3 operations, most of them on one thread.
    budget_ = rows_ / std::max<Index>(labels_, 1);
    if (budget_ < 2) factor_system();
  }

  Enhancement run() {
    start();
    Enhancement out;
    if (eps_ == 0) {
      solve(final_tolerance());
      out.iterations = 1;
    } else if (!within_one_tube()) {
      iterate(out);
    }
    finish(out);
    return out;
  }

 private:
  // Minus half the gradient of all terms except the kernel regression.
  Matrix pull(MatrixView u) const {
    Matrix out = label_pull(terms_, u, ctx_);
    if (predictor_ != nullptr) predictor_->add_product(-1, u, out, ctx_);
    return out;
  }

  Matrix without_regression(MatrixView p) const {
    Matrix out(rows_, labels_);
    double* const cells = out.data();
    for (Index c = 0; c < out.size(); ++c) cells[c] = weight_.data()[c] * p.data()[c];
    if (terms_.manifold != nullptr) terms_.manifold->add_product(terms_.gamma, p, out, ctx_);
    if (predictor_ != nullptr) predictor_->add_product(1, p, out, ctx_);
    return out;
  }

  Matrix product(MatrixView p) const {
    Matrix out = without_regression(p);
    if (ridge_ != nullptr) add_to(out, 1, ridge_->residual(p, ctx_));
    terms_.keep_free_cells(out);
    return out;
  }

  void use_diagonal(ColumnSystem& system) const {
    constexpr double k_ridge_diagonal = 0.5;  // eigenvalues of Nb are within 0..1
    std::vector<double> own(at(rows_), ridge_ != nullptr ? k_ridge_diagonal : 0.0);
    const auto add_terms = [&](const Smoothness* term, double factor) {
      if (term == nullptr) return;
      const std::vector<double> more = term->diagonal(rows_);
      for (std::size_t i = 0; i < own.size(); ++i) own[i] += factor * more[i];
    };
    add_terms(terms_.manifold, terms_.gamma);
    add_terms(predictor_, 1);
    system.precondition = [this, own](Matrix& r) {
      double* const cells = r.data();
      for (Index i = 0; i < rows_; ++i) {
        for (Index c = i * labels_; c < (i + 1) * labels_; ++c) {
          const double d = own[at(i)] + weight_.data()[c];
          if (d > 0) cells[c] /= d;
        }
      }
    };
  }

  // The factor of the system without missing cells is exact if there are none, and a very good
  // preconditioner otherwise.
  void factor_system() {
    Matrix system(ridge_->matrix());
    double* const cells = system.data();
    for (Index i = 0; i < rows_; ++i) cells[i * rows_ + i] += terms_.beta + terms_.delta;
    const Csr none;
    const Csr& q = terms_.manifold != nullptr ? terms_.manifold->q() : none;
    for (Index t = 0; t < q.rows; ++t) {
      const SparseRow row = q.row(t);
      for (std::size_t a = 0; a < row.index.size(); ++a) {
        for (std::size_t b = 0; b < row.index.size(); ++b) {
          cells[row.index[a] * rows_ + row.index[b]] += terms_.gamma * row.value[a] * row.value[b];
        }
      }
    }
    budget_ = std::numeric_limits<Index>::max();
    factor_ = DenseFactor::of(system, 0, ctx_);
    if (!factor_) return;  // not definite after rounding: use the diagonal instead
    system_.precondition = [this](Matrix& r) { factor_->solve(r, ctx_); };
  }

  void start() {
    u_ = options_.start != nullptr ? *options_.start : Matrix(rows_, labels_);
    if (terms_.hard) {
      double* const cells = u_.data();
      for (Index c = 0; c < u_.size(); ++c) {
        const double known = terms_.known == nullptr ? 1.0 : terms_.known->data()[c];
        cells[c] = known * terms_.y.data()[c] + (1 - known) * cells[c];
      }
    }
    z_ = Matrix(rows_, labels_);
    r_ = pull(u_);
    if (ridge_ != nullptr) add_to(r_, -1, ridge_->residual(u_, ctx_));
    terms_.keep_free_cells(r_);
  }

  double final_tolerance() const { return 1e-2 * options_.tolerance * scale_; }

  // U for the current z_.
  void solve(double tolerance) {
    if (!solves_) return;
    ColumnSolution found =
        solve_columns(system_, tolerance, std::min(budget_, k_most_products), u_, r_, ctx_);
    products_ += found.products;
    if (budget_ < k_most_products) budget_ -= std::min(found.products, budget_);
    if (budget_ == 0) factor_system();
    if (!found.converged && budget_ > k_most_products) {
      found = solve_columns(system_, tolerance, k_most_products, u_, r_, ctx_);
      products_ += found.products;
    }
    converged_ = converged_ && found.converged;
  }

  // If constants alone predict the best U of the other terms to within the tube, that is the
  // optimum: B = 0. The iteration would approach it ever more slowly.
  bool within_one_tube() {
    if (terms_.hard) return false;
    ColumnSystem system = system_;
    system.product = [this](MatrixView p) { return without_regression(p); };
    Matrix u(rows_, labels_), r = label_pull(terms_, u, ctx_);
    if (factor_) use_diagonal(system);
    solve_columns(system, final_tolerance(), k_most_products, u, r, ctx_);
    Matrix off = u;
    for (Index l = 0; l < labels_; ++l) {
      double mean = 0;
      for (Index i = 0; i < rows_; ++i) {
        mean += u(i, l) / static_cast<double>(rows_);
      }
      for (Index i = 0; i < rows_; ++i) off(i, l) -= mean;
    }
    if (tube_loss(off, eps_) > 0) return false;
    u_ = std::move(u);
    z_ = std::move(off);
    return true;
  }

  // The residual of the regression, Nb (U - Z) + Z.
  Matrix regression_residual() {
    if (terms_.hard) {
      Matrix out = ridge_->residual(difference(u_, z_), ctx_);
      ++products_;
      add_to(out, 1, z_);
      return out;
    }
    Matrix out = pull(u_);  // = Nb (U - Z) + the residual of the system
    add_to(out, -1, r_);
    add_to(out, 1, z_);
    return out;
  }

  void move_tube(Matrix z) {
    if (!terms_.hard || terms_.known != nullptr) {
      Matrix change = ridge_->residual(difference(z, z_), ctx_);
      ++products_;
      terms_.keep_free_cells(change);
      add_to(r_, 1, change);
    }
    z_ = std::move(z);
  }

  void iterate(Enhancement& out) {
    const double size = terms_.hard ? 1.0 : terms_.beta / (terms_.beta + terms_.delta);
    const double least = options_.tolerance * std::max(1.0, eps_) * size;
    const double spread = std::sqrt(static_cast<double>(rows_ * labels_));
    Matrix v(rows_, labels_);
    double momentum = 1, tolerance = 1e-2 * scale_;
    bool settled = false;
    while (!settled && out.iterations < options_.max_iterations) {
      ++out.iterations;
      solve(std::max(tolerance, final_tolerance()));
      const Matrix xi = regression_residual();
      Matrix next = within_tube(xi, eps_);
      const Matrix move = difference(next, z_);
      out.history.push_back(value(xi));
      settled = largest(move) <= least && tolerance <= least * spread;
      ctx_.step(static_cast<double>(out.iterations) / static_cast<double>(out.iterations + 20),
                out.history.back());
      tolerance = std::min(tolerance, 0.2 * length(move));
      Matrix z = next;
      if (options_.momentum && !settled) {
        const Matrix step = difference(next, v);
        if (blas::dot(move.values(), step.values()) < 0) momentum = 1;  // it points the wrong way
        const double grown = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
        add_to(z, (momentum - 1) / grown, step);
        momentum = grown;
      }
      v = std::move(next);
      move_tube(std::move(z));
    }
    converged_ = converged_ && settled;
    solve(final_tolerance());
  }

  // J at U and the regression whose residual is xi.
  double value(MatrixView xi) const {
    const std::vector<double> b = ridge_->constants(difference(u_, z_));
    return objective(terms_, {u_, xi, difference(xi, z_), b}, ctx_);
  }

  void finish(Enhancement& out) {
    if (ridge_ != nullptr) {
      out.targets = difference(u_, z_);
      Matrix scaled = ridge_->residual(out.targets, ctx_);
      ++products_;
      out.b = ridge_->constants(out.targets);
      Matrix xi = scaled;
      add_to(xi, 1, z_);
      const EnhancementPoint at = {u_, xi, scaled, out.b};
      out.objective = objective(terms_, at, ctx_);
      out.certificate =
          certificate(terms_, at, ridge_->alpha(), ridge_->trace(), out.objective, ctx_);
      double* const cells = scaled.data();
      for (Index c = 0; c < scaled.size(); ++c) cells[c] /= ridge_->alpha();
      out.coefficients = std::move(scaled);
    } else {
      out.targets = u_;
      out.objective = label_terms(terms_, u_, ctx_) + predictor_->value(u_, ctx_);
      out.certificate = certificate(terms_, pull(u_), Matrix(rows_, labels_), 1, 0, out.objective);
    }
    out.u = std::move(u_);
    out.products = products_;
    out.converged = converged_;
    if (out.history.empty()) out.history.push_back(out.objective);
  }

  KernelRidge* const ridge_;
  const Smoothness* const predictor_;
  const EnhancementTerms& terms_;
  const EnhancementOptions& options_;
  const Context& ctx_;
  const Index rows_, labels_;
  const Matrix weight_;  // of a cell: beta known + delta
  const double eps_;
  double scale_ = 1;  // half the length of the gradient at 0
  bool solves_ = true;
  ColumnSystem system_;
  std::optional<DenseFactor> factor_;
  Index budget_ = std::numeric_limits<Index>::max();
  Matrix u_, z_, r_;  // z: the part within the tube, with momentum; r: the residual of the system
  Index products_ = 0;
  bool converged_ = true;
};

}  // namespace

Enhancement enhance(KernelRidge& ridge, const EnhancementTerms& terms,
                    const EnhancementOptions& options, const Context& ctx) {
  return Solver(&ridge, nullptr, terms, options, ctx).run();
}

Enhancement enhance(const Smoothness& predictor, const EnhancementTerms& terms,
                    const EnhancementOptions& options, const Context& ctx) {
  return Solver(nullptr, &predictor, terms, options, ctx).run();
}

}  // namespace mulberry::math

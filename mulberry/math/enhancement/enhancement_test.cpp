#include "mulberry/math/enhancement/enhancement.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/random.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/enhancement/enhancement_irwls.hpp"

namespace mulberry::math {
namespace {

using blas::Op;

Matrix rbf(MatrixView x, double gamma) {
  Matrix out(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      double d2 = 0;
      for (Index c = 0; c < x.cols(); ++c) d2 += std::pow(x(i, c) - x(j, c), 2);
      out(i, j) = std::exp(-gamma * d2);
    }
  }
  return out;
}

Matrix product(MatrixView a, MatrixView b) {
  Matrix out(a.rows(), b.cols());
  blas::gemm(1, blas::block(a), Op::plain, blas::block(b), Op::plain, 0, blas::block(out));
  return out;
}

Matrix predictions(MatrixView kernel, const Enhancement& found) {
  Matrix out = product(kernel, found.coefficients);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index l = 0; l < out.cols(); ++l) out(i, l) += found.b[at(l)];
  }
  return out;
}

double largest_difference(MatrixView a, MatrixView b) {
  double out = 0;
  for (Index c = 0; c < a.size(); ++c) out = std::max(out, std::abs(a.data()[c] - b.data()[c]));
  return out;
}

// Five points in the plane, or random ones: all inputs of a fit.
struct Toy {
  Matrix x, y, kernel;
  Matrix known;
  Smoothness manifold;
  double alpha = 0.1;

  static Toy golden() {
    Toy out;
    out.x = Matrix(5, 2, std::vector<double>{0, 0, 1, 0, 0, 1, 1, 1, 2, 1});
    out.y = Matrix(5, 2, std::vector<double>{1, -1, 1, -1, -1, 1, -1, 1, 1, 1});
    out.finish(0.5, 2);
    return out;
  }
  static Toy random(std::uint64_t seed, Index n = 40, Index labels = 3, double missing = 0) {
    Random rng = Context(1, seed).rng("enhancement_test");
    Toy out;
    out.x = Matrix(n, 4);
    for (Index c = 0; c < out.x.size(); ++c) out.x.data()[c] = rng.normal();
    out.y = Matrix(n, labels);
    out.known = Matrix(n, labels, 1.0);
    for (Index i = 0; i < n; ++i) {
      for (Index l = 0; l < labels; ++l) {
        out.y(i, l) = out.x(i, l % 4) + 0.5 * rng.normal() > 0.3 ? 1 : -1;
        if (rng.uniform() >= missing) continue;
        out.y(i, l) = out.known(i, l) = 0;
      }
    }
    out.finish(0.2, 5);
    return out;
  }
  void finish(double gamma, Index k) {
    const Features features(x);
    const Context ctx;
    kernel = rbf(x, gamma);
    manifold = Smoothness::reconstruction(
        reconstruction_weights(features, nearest_others(features, k, ctx), 1e-3, ctx));
  }
  EnhancementTerms terms(double eps) const {
    EnhancementTerms out{.y = y, .manifold = &manifold};
    out.known = known.size() > 0 ? &known : nullptr;
    out.beta = 1;
    out.gamma = 0.5;
    out.delta = 0.01;
    out.eps = eps;
    return out;
  }
  Enhancement joint(const EnhancementTerms& terms, EnhancementOptions options = {}) const {
    KernelRidge ridge = KernelRidge::of_kernel(kernel, alpha, Context());
    return enhance(ridge, terms, options, Context());
  }

  // J by its definition.
  double value(const EnhancementTerms& terms, MatrixView u, MatrixView b_matrix,
               const std::vector<double>& b) const {
    const Matrix image = product(kernel, b_matrix);
    const FixedMatrix q = to_dense(Features(manifold.q()));
    double out = 0;
    for (Index i = 0; i < u.rows(); ++i) {
      double r2 = 0;
      for (Index l = 0; l < u.cols(); ++l) {
        r2 += std::pow(u(i, l) - image(i, l) - b[at(l)], 2);
        out += alpha * b_matrix(i, l) * image(i, l) + terms.delta * u(i, l) * u(i, l) +
               terms.beta * terms.known_cell(i, l) * std::pow(u(i, l) - y(i, l), 2);
      }
      out += std::pow(std::max(0.0, std::sqrt(r2) - terms.eps), 2);
    }
    const Matrix rough = product(q, u);
    return out + terms.gamma * blas::dot(rough.values(), rough.values());
  }
  double value(const EnhancementTerms& terms, const Enhancement& at) const {
    return value(terms, at.u, at.coefficients, at.b);
  }
};

constexpr EnhancementOptions k_tight = {.tolerance = 1e-10, .max_iterations = 20000};

TEST(Enhancement, WorkedExample) {
  const Toy toy = Toy::golden();
  const double eps[] = {0, 0.1, 0.5};
  const double expected[] = {3.9734124815, 3.8717989751, 3.5916983239};
  for (int k = 0; k < 3; ++k) {
    const EnhancementTerms terms = toy.terms(eps[k]);
    const Enhancement found = toy.joint(terms, k_tight);
    EXPECT_NEAR(found.objective, expected[k], 1e-9) << eps[k];
    EXPECT_NEAR(toy.value(terms, found), expected[k], 1e-9);
    EXPECT_TRUE(found.converged);
    if (k > 0) continue;
    EXPECT_NEAR(found.b[0], 0.3284422992, 1e-9);
    EXPECT_NEAR(found.b[1], 0.2536908197, 1e-9);
    EXPECT_NEAR(found.u(0, 0), 0.6193919526, 1e-9);
    EXPECT_NEAR(found.u(0, 1), -0.6009694012, 1e-9);
  }
}

TEST(Enhancement, WithoutTubeIsOneLinearSystem) {
  Toy toy = Toy::random(1);
  const EnhancementTerms terms = toy.terms(0);
  const Enhancement found = toy.joint(terms, k_tight);
  // (Nb + (beta + delta) I + gamma Q'Q) U = beta Y, written out.
  KernelRidge ridge = KernelRidge::of_kernel(toy.kernel, toy.alpha, Context());
  Matrix system(ridge.matrix()), u = toy.y;
  blas::syrk(terms.gamma, blas::block(to_dense(Features(toy.manifold.q()))), Op::transposed, 1,
             blas::block(system));
  for (Index i = 0; i < system.rows(); ++i) system(i, i) += terms.beta + terms.delta;
  ASSERT_TRUE(blas::cholesky(blas::block(system)));
  blas::cholesky_solve(blas::block(std::as_const(system)), blas::block(u));
  EXPECT_LT(largest_difference(u, found.u), 1e-9);
}

TEST(Enhancement, BecomesKernelRidgeRegression) {
  const Toy toy = Toy::random(2);
  EnhancementTerms terms = toy.terms(0);
  terms.gamma = terms.delta = 0;
  terms.beta = 1e8;
  const Enhancement soft = toy.joint(terms, k_tight);
  EnhancementTerms fixed = terms;
  fixed.hard = true;
  fixed.known = nullptr;
  const Enhancement hard = toy.joint(fixed, k_tight);
  EXPECT_LT(largest_difference(soft.u, toy.y), 1e-6);
  EXPECT_EQ(hard.u, toy.y);
  EXPECT_LT(largest_difference(predictions(toy.kernel, soft), predictions(toy.kernel, hard)), 1e-6);
  // B = (K + alpha I)^-1 (Y - 1 b): the residual of the ridge over alpha.
  const KernelRidge ridge = KernelRidge::of_kernel(toy.kernel, toy.alpha, Context());
  Matrix expected = ridge.residual(toy.y, Context());
  for (Index c = 0; c < expected.size(); ++c) expected.data()[c] /= toy.alpha;
  EXPECT_LT(largest_difference(hard.coefficients, expected), 1e-9);
}

TEST(Enhancement, WideTubeCostsNothing) {
  const Toy toy = Toy::random(3);
  EnhancementTerms terms = toy.terms(10);
  terms.gamma = terms.delta = 0;
  const Enhancement found = toy.joint(terms, k_tight);
  EXPECT_LT(largest_difference(found.u, toy.y), 1e-6);
  EXPECT_LT(largest_difference(found.coefficients, Matrix(40, 3)), 1e-5);
  EXPECT_NEAR(found.objective, 0, 1e-8);
}

TEST(Enhancement, WithinTheTubeConstantsAreEnough) {
  // A strong delta makes U small, and the tube is wider than it.
  const Toy toy = Toy::random(18);
  EnhancementTerms terms = toy.terms(0.5);
  terms.delta = 100;
  const Enhancement found = toy.joint(terms);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_LT(largest_difference(found.coefficients, Matrix(40, 3)), 1e-12);
  EXPECT_LT(found.certificate.gap, 1e-10);
  const Enhancement slow = enhance_irwls(toy.kernel, toy.alpha, terms, {}, Context());
  EXPECT_NEAR(found.objective, slow.objective, 1e-6 * found.objective);
  EXPECT_LT(largest_difference(found.u, slow.u), 1e-5);
}

TEST(Enhancement, BothModesReachTheSameOptimum) {
  for (const double missing : {0.0, 0.3}) {
    for (const double eps : {0.0, 0.01, 0.1, 1.0}) {
      const Toy toy = Toy::random(4, 40, 3, missing);
      const EnhancementTerms terms = toy.terms(eps);
      const Enhancement joint = toy.joint(terms), tight = toy.joint(terms, k_tight);
      const Context ctx;
      const Enhancement loose = enhance_irwls(toy.kernel, toy.alpha, terms, {}, ctx);
      const Enhancement slow =
          enhance_irwls(toy.kernel, toy.alpha, terms, {.tolerance = 1e-9, .max_rounds = 5000}, ctx);
      EXPECT_TRUE(slow.converged);
      EXPECT_NEAR(joint.objective, loose.objective, 1e-4 * joint.objective) << eps;
      EXPECT_NEAR(tight.objective, slow.objective, 1e-6 * joint.objective) << eps;
      EXPECT_LE(tight.objective, slow.objective * (1 + 1e-9)) << eps;
      EXPECT_NEAR(toy.value(terms, slow), slow.objective, 1e-9 * slow.objective);
      EXPECT_NEAR(toy.value(terms, tight), tight.objective, 1e-9 * slow.objective);
      EXPECT_LT(largest_difference(tight.u, slow.u), 5e-3);
      EXPECT_LT(largest_difference(predictions(toy.kernel, tight), predictions(toy.kernel, slow)),
                5e-3)
          << eps;
    }
  }
}

TEST(Enhancement, NeverIncreasesTheObjective) {
  const Toy toy = Toy::random(5);
  for (const double eps : {0.05, 0.5}) {
    const EnhancementTerms terms = toy.terms(eps);
    const Enhancement plain = toy.joint(terms, {.tolerance = 1e-9, .momentum = false});
    const Enhancement irwls = enhance_irwls(toy.kernel, toy.alpha, terms, {}, Context());
    for (const Enhancement* found : {&plain, &irwls}) {
      ASSERT_GT(found->history.size(), 3U);
      for (std::size_t k = 1; k < found->history.size(); ++k) {
        EXPECT_LE(found->history[k], found->history[k - 1] * (1 + 1e-10)) << k;
      }
    }
  }
}

TEST(Enhancement, GradientVanishes) {
  const Toy toy = Toy::random(6, 20, 2, 0.2);
  const EnhancementTerms terms = toy.terms(0.3);
  const Enhancement found = toy.joint(terms, k_tight);
  EXPECT_LT(found.certificate.gradient, 1e-6);
  EXPECT_LT(found.certificate.gap, 1e-9);
  constexpr double k_step = 1e-5;
  const double scale = toy.value(terms, Matrix(20, 2), Matrix(20, 2), {0, 0});
  const auto slope = [&](auto&& move) {
    Enhancement up = found, down = found;
    move(up, k_step);
    move(down, -k_step);
    return (toy.value(terms, up) - toy.value(terms, down)) / (2 * k_step);
  };
  for (Index i = 0; i < 20; ++i) {
    for (Index l = 0; l < 2; ++l) {
      EXPECT_NEAR(slope([&](Enhancement& e, double h) { e.u(i, l) += h; }), 0, 1e-6 * scale);
      EXPECT_NEAR(slope([&](Enhancement& e, double h) { e.coefficients(i, l) += h; }), 0,
                  1e-6 * scale);
    }
  }
  for (std::size_t l = 0; l < 2; ++l) {
    EXPECT_NEAR(slope([&](Enhancement& e, double h) { e.b[l] += h; }), 0, 1e-6 * scale);
  }
}

TEST(Enhancement, CertificateBoundsTheGap) {
  const Toy toy = Toy::random(7);
  const EnhancementTerms terms = toy.terms(0.4);
  const double optimum = toy.joint(terms, k_tight).objective;
  for (const Index limit : {1, 3, 6}) {
    const Enhancement early = toy.joint(terms, {.max_iterations = limit});
    EXPECT_FALSE(early.converged);
    EXPECT_GE(early.objective * early.certificate.gap, early.objective - optimum) << limit;
  }
}

TEST(Enhancement, StartDoesNotMatter) {
  const Toy toy = Toy::random(8);
  const EnhancementTerms terms = toy.terms(0.2);
  Random rng = Context(1, 3).rng("start");
  Matrix anywhere(40, 3);
  for (Index c = 0; c < anywhere.size(); ++c) anywhere.data()[c] = rng.normal();
  const double expected = toy.joint(terms, k_tight).objective;
  const Matrix* const starts[] = {&toy.y, &anywhere};
  for (const Matrix* start : starts) {
    EXPECT_NEAR(toy.joint(terms, {.tolerance = 1e-9, .start = start}).objective, expected,
                1e-7 * expected);
    EXPECT_NEAR(enhance_irwls(toy.kernel, toy.alpha, terms,
                              {.tolerance = 1e-9, .max_rounds = 2000, .start = start}, Context())
                    .objective,
                expected, 1e-6 * expected);
  }
}

TEST(Enhancement, FlippedLabelFlips) {
  const Toy toy = Toy::random(9);
  Toy flipped = toy;
  for (Index i = 0; i < 40; ++i) flipped.y(i, 1) = -toy.y(i, 1);
  const Enhancement a = toy.joint(toy.terms(0.1)), b = flipped.joint(flipped.terms(0.1));
  for (Index i = 0; i < 40; ++i) {
    for (Index l = 0; l < 3; ++l) {
      const double sign = l == 1 ? -1 : 1;
      EXPECT_NEAR(a.u(i, l), sign * b.u(i, l), 1e-12);
      EXPECT_NEAR(a.coefficients(i, l), sign * b.coefficients(i, l), 1e-11);
    }
  }
  EXPECT_NEAR(a.b[1], -b.b[1], 1e-12);
}

TEST(Enhancement, WithoutClosenessNothingIsLeft) {
  const Toy toy = Toy::random(10);
  double last = 1e9;
  for (const double beta : {1e-2, 1e-4, 1e-6}) {
    EnhancementTerms terms = toy.terms(0.1);
    terms.beta = beta;
    const double size = length(toy.joint(terms, k_tight).u);
    EXPECT_LT(size, last);
    last = size;
  }
  EXPECT_LT(last, 1e-2);
}

TEST(Enhancement, MissingCellsAreFilledFromTheRest) {
  // The optimum over U of a missing cell has no closeness: the majorisation "put u in place of y
  // and repeat" must end at the same point.
  const Toy toy = Toy::random(11, 40, 3, 0.25);
  const Enhancement found = toy.joint(toy.terms(0.1), k_tight);
  Toy filled = toy;
  filled.known = Matrix();
  for (int k = 0; k < 400; ++k) {
    const Enhancement next = filled.joint(filled.terms(0.1), {.tolerance = 1e-9});
    for (Index c = 0; c < toy.y.size(); ++c) {
      if (toy.known.data()[c] == 0) filled.y.data()[c] = next.u.data()[c];
    }
  }
  EXPECT_LT(largest_difference(found.u, filled.joint(filled.terms(0.1), k_tight).u), 1e-4);
}

TEST(Enhancement, RegressionOnMissingCellsLeavesThemOut) {
  const Toy toy = Toy::random(12, 30, 2, 0.3);
  EnhancementTerms terms{.y = toy.y, .known = &toy.known};
  terms.gamma = terms.delta = 0;
  terms.hard = true;
  for (const double eps : {0.0, 0.3}) {
    terms.eps = eps;
    const Enhancement joint = toy.joint(terms, k_tight);
    const Enhancement irwls = enhance_irwls(toy.kernel, toy.alpha, terms,
                                            {.tolerance = 1e-10, .max_rounds = 20000}, Context());
    EXPECT_NEAR(joint.objective, irwls.objective, 1e-5 * joint.objective);
    // Only the known cells count in the loss: outside the tube, free cells equal their prediction.
    const Matrix p = predictions(toy.kernel, joint);
    Index seen = 0;
    for (Index i = 0; i < p.rows(); ++i) {
      if (std::hypot(p(i, 0) - joint.u(i, 0), p(i, 1) - joint.u(i, 1)) <= eps + 1e-3) continue;
      for (Index l = 0; l < 2; ++l) {
        if (toy.known(i, l) != 0) continue;
        EXPECT_NEAR(p(i, l), joint.u(i, l), 1e-5);
        ++seen;
      }
    }
    EXPECT_GT(seen, 0);
  }
}

TEST(Enhancement, FactoredSystemAgreesWithConjugateGradients) {
  // 60 rows and 40 labels are factored at once, but not if the labels come one by one.
  const Toy wide = Toy::random(13, 60, 40, 0.1);
  EnhancementTerms all = wide.terms(0);
  const Enhancement found = wide.joint(all, k_tight);
  for (const Index l : {0, 7, 39}) {
    Toy one = wide;
    one.y = one.known = Matrix(60, 1);
    for (Index i = 0; i < 60; ++i) {
      one.y(i, 0) = wide.y(i, l);
      one.known(i, 0) = wide.known(i, l);
    }
    const Enhancement single = one.joint(one.terms(0), k_tight);
    for (Index i = 0; i < 60; ++i) EXPECT_NEAR(single.u(i, 0), found.u(i, l), 1e-8);
  }
}

TEST(Enhancement, OfFeaturesIsThatOfTheirKernel) {
  Toy toy = Toy::random(14);
  const auto phi = std::make_shared<const Matrix>(toy.x);
  toy.kernel = Matrix(40, 40);
  blas::syrk(1, blas::block(toy.x), Op::plain, 0, blas::block(toy.kernel));
  const EnhancementTerms terms = toy.terms(0.2);
  KernelRidge thin = KernelRidge::of_features(phi, toy.alpha, Context());
  const Enhancement a = toy.joint(terms, k_tight), b = enhance(thin, terms, k_tight, Context());
  EXPECT_NEAR(a.objective, b.objective, 1e-8 * a.objective);
  EXPECT_LT(largest_difference(a.u, b.u), 1e-6);
}

TEST(Enhancement, NeighboursInPlaceOfAKernel) {
  const Toy toy = Toy::random(15);
  const Features features(toy.x);
  const Context ctx;
  const Smoothness predictor = Smoothness::laplacian(nearest_others(features, 3, ctx), 40);
  const EnhancementTerms terms = toy.terms(0.1);
  const Enhancement found = enhance(predictor, terms, k_tight, ctx);
  Matrix system(40, 40), u = toy.y;
  for (const auto& [term, factor] :
       {std::pair{&predictor, 1.0}, std::pair{&toy.manifold, terms.gamma}}) {
    blas::syrk(factor, blas::block(to_dense(Features(term->q()))), Op::transposed, 1,
               blas::block(system));
  }
  for (Index i = 0; i < 40; ++i) system(i, i) += terms.beta + terms.delta;
  ASSERT_TRUE(blas::cholesky(blas::block(system)));
  blas::cholesky_solve(blas::block(std::as_const(system)), blas::block(u));
  EXPECT_LT(largest_difference(u, found.u), 1e-9);
  EXPECT_LT(found.certificate.gap, 1e-12);
  EXPECT_TRUE(found.coefficients.size() == 0 && found.b.empty());
}

TEST(Enhancement, SameBitsOnAnyNumberOfThreads) {
  const Toy toy = Toy::random(16, 600, 3);
  const EnhancementTerms terms = toy.terms(0.1);
  const auto run = [&](int threads) {
    const Context ctx(threads);
    KernelRidge ridge = KernelRidge::of_kernel(toy.kernel, toy.alpha, ctx);
    return enhance(ridge, terms, {}, ctx);
  };
  const Enhancement one = run(1), many = run(8);
  EXPECT_EQ(one.u, many.u);
  EXPECT_EQ(one.coefficients, many.coefficients);
  EXPECT_EQ(one.b, many.b);
}

TEST(Enhancement, OneRow) {
  const Toy toy = Toy::random(17, 1, 2);
  const Enhancement found = toy.joint(toy.terms(0.1), k_tight);
  // b predicts the row exactly: U = beta Y / (beta + gamma + delta), with Q = 1.
  for (Index l = 0; l < 2; ++l) EXPECT_NEAR(found.u(0, l), toy.y(0, l) / 1.51, 1e-8);
}

}  // namespace
}  // namespace mulberry::math

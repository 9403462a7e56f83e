#include "mulberry/math/statistics/distributions.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "mulberry/core/error.hpp"

namespace mulberry::math {
namespace {

namespace boost_math = boost::math;

}  // namespace

double normal_tail(double z) {
  MULBERRY_ASSERT(!std::isnan(z));
  if (std::isinf(z)) return z > 0 ? 0 : 1;
  return boost_math::cdf(boost_math::complement(boost_math::normal(), z));
}

double normal_upper_quantile(double p) {
  MULBERRY_ASSERT(p > 0 && p < 1);
  return boost_math::quantile(boost_math::complement(boost_math::normal(), p));
}

double chi_square_tail(double x, double freedom) {
  MULBERRY_ASSERT(!std::isnan(x) && freedom > 0);
  if (x <= 0) return 1;
  if (std::isinf(x)) return 0;
  return boost_math::cdf(boost_math::complement(boost_math::chi_squared(freedom), x));
}

double f_tail(double x, double freedom, double freedom_below) {
  MULBERRY_ASSERT(!std::isnan(x) && freedom > 0 && freedom_below > 0);
  if (x <= 0) return 1;
  if (std::isinf(x)) return 0;
  return boost_math::cdf(boost_math::complement(boost_math::fisher_f(freedom, freedom_below), x));
}

double student_t_two_sided(double t, double freedom) {
  MULBERRY_ASSERT(!std::isnan(t) && freedom > 0);
  if (std::isinf(t)) return 0;
  return 2 * boost_math::cdf(boost_math::complement(boost_math::students_t(freedom), std::abs(t)));
}

double student_t_quantile(double p, double freedom) {
  MULBERRY_ASSERT(p > 0 && p < 1 && freedom > 0);
  return boost_math::quantile(boost_math::students_t(freedom), p);
}

}  // namespace mulberry::math

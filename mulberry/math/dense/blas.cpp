#include "mulberry/math/dense/blas.hpp"
#include "mulberry/core/index.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/math/dense/blas_threads.hpp"

// The Fortran interface of LAPACK: everything by address, column-major, string lengths at the end.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda,
             double* b, const int* ldb, int* info, std::size_t);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info, std::size_t,
             std::size_t);
}
// NOLINTEND(readability-identifier-naming)

namespace mulberry::math::blas {

namespace {

constexpr std::size_t k_short = 4096;

int to_int(Index n) {
  MULBERRY_ASSERT(n >= 0 && n <= std::numeric_limits<int>::max());
  return static_cast<int>(n);
}

// BLAS needs a leading dimension of at least one even if there is nothing to read.
template <class T>
int stride_of(Block<T> a) {
  MULBERRY_ASSERT(a.rows <= 1 || a.stride >= a.cols);
  return to_int(std::max<Index>({1, a.stride, a.cols}));
}

template <class T>
Index rows_of(Block<T> a, Op op) {
  return op == Op::plain ? a.rows : a.cols;
}
template <class T>
Index cols_of(Block<T> a, Op op) {
  return op == Op::plain ? a.cols : a.rows;
}

CBLAS_TRANSPOSE flag(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

template <class T, class Call>
void checked_gemm(Block<const T> a, Op op_a, Block<const T> b, Op op_b, Block<T> c,
                  const Call& call) {
  const OneThread one_thread;
  MULBERRY_ASSERT(rows_of(a, op_a) == c.rows && cols_of(b, op_b) == c.cols &&
                  cols_of(a, op_a) == rows_of(b, op_b));
  if (c.rows == 0 || c.cols == 0) return;
  call(to_int(c.rows), to_int(c.cols), to_int(cols_of(a, op_a)));
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
  MULBERRY_ASSERT(a.size() == b.size());
  std::optional<OneThread> one_thread;
  if (a.size() > k_short) one_thread.emplace();
  return cblas_ddot(to_int(count_of(a)), a.data(), 1, b.data(), 1);
}

void axpy(double alpha, std::span<const double> x, std::span<double> y) {
  MULBERRY_ASSERT(x.size() == y.size());
  std::optional<OneThread> one_thread;
  if (x.size() > k_short) one_thread.emplace();
  cblas_daxpy(to_int(count_of(x)), alpha, x.data(), 1, y.data(), 1);
}

double norm2(std::span<const double> a) {
  std::optional<OneThread> one_thread;
  if (a.size() > k_short) one_thread.emplace();
  return cblas_dnrm2(to_int(count_of(a)), a.data(), 1);
}

void gemv(double alpha, Block<const double> a, Op op, std::span<const double> x, double beta,
          std::span<double> y) {
  const OneThread one_thread;
  MULBERRY_ASSERT(count_of(x) == cols_of(a, op) && count_of(y) == rows_of(a, op));
  if (y.empty()) return;
  if (x.empty()) {  // BLAS would leave y unchanged
    for (double& v : y) v = beta == 0 ? 0 : beta * v;
    return;
  }
  cblas_dgemv(CblasRowMajor, flag(op), to_int(a.rows), to_int(a.cols), alpha, a.data, stride_of(a),
              x.data(), 1, beta, y.data(), 1);
}

void gemm(double alpha, Block<const double> a, Op op_a, Block<const double> b, Op op_b, double beta,
          Block<double> c) {
  checked_gemm<double>(a, op_a, b, op_b, c, [&](int m, int n, int k) {
    cblas_dgemm(CblasRowMajor, flag(op_a), flag(op_b), m, n, k, alpha, a.data, stride_of(a), b.data,
                stride_of(b), beta, c.data, stride_of(c));
  });
}

void gemm(float alpha, Block<const float> a, Op op_a, Block<const float> b, Op op_b, float beta,
          Block<float> c) {
  checked_gemm<float>(a, op_a, b, op_b, c, [&](int m, int n, int k) {
    cblas_sgemm(CblasRowMajor, flag(op_a), flag(op_b), m, n, k, alpha, a.data, stride_of(a), b.data,
                stride_of(b), beta, c.data, stride_of(c));
  });
}

namespace {

void copy_lower_to_upper(Block<double> a) {
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < i; ++j) a.data[j * a.stride + i] = a.data[i * a.stride + j];
  }
}

}  // namespace

void syrk(double alpha, Block<const double> a, Op op, double beta, Block<double> c) {
  const OneThread one_thread;
  const Index n = rows_of(a, op);
  MULBERRY_ASSERT(c.rows == n && c.cols == n);
  if (n == 0) return;
  cblas_dsyrk(CblasRowMajor, CblasLower, flag(op), to_int(n), to_int(cols_of(a, op)), alpha, a.data,
              stride_of(a), beta, c.data, stride_of(c));
  copy_lower_to_upper(c);
}

bool cholesky(Block<double> a) {
  const OneThread one_thread;
  MULBERRY_ASSERT(a.rows == a.cols);
  if (a.rows == 0) return true;
  const int n = to_int(a.rows), stride = stride_of(a);
  int info = 0;
  dpotrf_("U", &n, a.data, &stride, &info, 1);  // upper by columns is lower by rows
  MULBERRY_ASSERT(info >= 0);
  return info == 0;
}

void cholesky_solve(Block<const double> factor, Block<double> b) {
  MULBERRY_ASSERT(factor.rows == factor.cols && b.rows == factor.rows);
  if (b.rows == 0 || b.cols == 0) return;
  const OneThread one_thread;
  for (const Op step : {Op::plain, Op::transposed}) solve_lower(factor, step, b);
}

void cholesky_inverse(Block<double> factor) {
  const OneThread one_thread;
  MULBERRY_ASSERT(factor.rows == factor.cols);
  if (factor.rows == 0) return;
  const int n = to_int(factor.rows), stride = stride_of(factor);
  int info = 0;
  dpotri_("U", &n, factor.data, &stride, &info, 1);
  MULBERRY_ASSERT(info == 0);
  copy_lower_to_upper(factor);
}

void solve_lower(Block<const double> lower, Op op, Block<double> b) {
  const OneThread one_thread;
  MULBERRY_ASSERT(lower.rows == lower.cols && b.rows == lower.rows);
  if (b.rows == 0 || b.cols == 0) return;
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, flag(op), CblasNonUnit, to_int(b.rows),
              to_int(b.cols), 1.0, lower.data, stride_of(lower), b.data, stride_of(b));
}

void solve_lower_rows(Block<const double> lower, Block<double> b) {
  const OneThread one_thread;
  MULBERRY_ASSERT(lower.rows == lower.cols && b.cols == lower.rows);
  if (b.rows == 0 || b.cols == 0) return;
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, to_int(b.rows),
              to_int(b.cols), 1.0, lower.data, stride_of(lower), b.data, stride_of(b));
}

void cholesky_solve(Block<const double> factor, std::span<double> b) {
  const OneThread one_thread;
  MULBERRY_ASSERT(factor.rows == factor.cols && count_of(b) == factor.rows);
  if (b.empty()) return;
  const int n = to_int(factor.rows), stride = stride_of(factor), one = 1;
  int info = 0;
  dpotrs_("U", &n, &one, factor.data, &stride, b.data(), &n, &info, 1);
  MULBERRY_ASSERT(info == 0);
}

Eigen symmetric_eigen(Matrix a) {
  const OneThread one_thread;
  MULBERRY_ASSERT(a.rows() == a.cols());
  const int n = to_int(a.rows());
  if (n == 0) return {};
  Eigen out;
  out.values.resize(at(n));
  double* const vectors = a.data();
  double work_size = 0;
  int int_size = 0, info = 0;
  const int query = -1;
  dsyevd_("V", "U", &n, vectors, &n, out.values.data(), &work_size, &query, &int_size, &query,
          &info, 1, 1);
  MULBERRY_ASSERT(info == 0);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> int_work(at(int_size));
  const int size = to_int(count_of(work));
  dsyevd_("V", "U", &n, vectors, &n, out.values.data(), work.data(), &size, int_work.data(),
          &int_size, &info, 1, 1);
  MULBERRY_ASSERT(info == 0);
  for (Index k = 0; k < n; ++k) {  // LAPACK's column k is our row k
    const auto row = a.row(k);
    const auto largest = std::max_element(
        row.begin(), row.end(), [](double p, double q) { return std::abs(p) < std::abs(q); });
    if (*largest < 0) {
      for (double& v : row) v = -v;
    }
  }
  out.vectors = std::move(a);
  return out;
}

}  // namespace mulberry::math::blas

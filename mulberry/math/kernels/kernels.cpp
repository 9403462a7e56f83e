#include "mulberry/math/kernels/kernels.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_block = 128;
constexpr Index k_all_pairs = 4000;     // rows up to which the mean is over all pairs
constexpr Index k_sampled_rows = 2829;  // they have 4 million pairs
constexpr double k_symmetric = 1e-8;    // of a precomputed kernel, next to its largest value

enum class WidthRule { mean, mean_root };

// The mean over all pairs i < j of the distance, or of its root.
double mean_distance(const Kernel& kernel, const Features& x, WidthRule rule, const Context& ctx) {
  const Index n = x.rows();
  if (n < 2) return 0;
  const KernelBlocks blocks(kernel, x, x);
  const double total = parallel_reduce(
      ctx, n, k_block, 0.0,
      [&](Index begin, Index end) {
        std::vector<double> cells(at(k_block * k_block));
        double sum = 0;
        for (Index col = begin; col < n; col += k_block) {
          const Index width = std::min(k_block, n - col);
          blocks.distances(begin, col, {cells.data(), end - begin, width, width});
          for (Index i = begin; i < end; ++i) {
            const double* const row = cells.data() + (i - begin) * width;
            for (Index j = std::max(i + 1, col); j < col + width; ++j) {
              sum += rule == WidthRule::mean ? row[j - col] : std::sqrt(row[j - col]);
            }
          }
        }
        return sum;
      },
      [](double& sum, double part) { sum += part; });
  return total / (0.5 * static_cast<double>(n) * static_cast<double>(n - 1));
}

std::vector<Id> random_rows(Index rows, Index count, const Context& ctx) {
  std::vector<Id> all(at(rows));
  std::iota(all.begin(), all.end(), Id{0});
  Random rng = ctx.rng("kernel_width");
  rng.shuffle(std::span(all));
  all.resize(at(count));
  std::sort(all.begin(), all.end());
  return all;
}

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(Code::parameter, problem, remedy);
}

// A parameter that the kernel does not use is an error, so that it does not seem to work.
void require_used(const KernelParams& params, std::optional<double> number) {
  const std::string name = "kernel=" + std::string(name_of(params.kernel));
  const bool polynomial = params.kernel == KernelKind::polynomial;
  const bool distance = has_distance(params.kernel);
  const KernelParams defaults;
  if (number && !distance && !polynomial) {
    refuse("expected no width for " + name + ", found " + shortest(*number),
           "Leave out width, or use kernel=rbf");
  }
  if (params.width_factor != 1 && (!distance || number)) {
    refuse("expected no width_factor for " + name +
               (number ? " with a width that is a number" : "") + ", found " +
               shortest(params.width_factor),
           number ? "Multiply the width instead" : "Leave out width_factor, or use kernel=rbf");
  }
  if (!polynomial && (params.coef0 != defaults.coef0 || params.degree != defaults.degree)) {
    refuse("expected coef0 and degree with kernel=polynomial only, found them with " + name,
           "Leave them out");
  }
}

void require_square(const Features& x) {
  const auto refuse_data = [](const std::string& problem, const std::string& remedy) {
    throw Error(Code::unsupported, "kernel=precomputed: " + problem, remedy);
  };
  if (x.rows() != x.cols()) {
    refuse_data(
        "expected one column for each of the " + std::to_string(x.rows()) +
            " training rows, found " + std::to_string(x.cols()),
        "Give the kernel's values of all training rows with each other, or use another kernel");
  }
  const FixedMatrix k = to_dense(x);
  double largest = 0;  // values that should be 0 differ by its rounding
  for (const double v : k.values()) largest = std::max(largest, std::abs(v));
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(k(i, j) - k(j, i)) <= k_symmetric * largest) continue;
      refuse_data("expected a symmetric matrix, found " + shortest(k(i, j)) + " and " +
                      shortest(k(j, i)) + " for rows " + std::to_string(i + 1) + " and " +
                      std::to_string(j + 1),
                  "Check that columns are in the order of the rows");
    }
  }
}

}  // namespace

std::string_view name_of(KernelKind kind) {
  constexpr std::array<std::string_view, 8> names = {"linear",       "polynomial", "rbf",
                                                     "laplacian",    "chi2",       "modified_chi2",
                                                     "intersection", "precomputed"};
  return names[static_cast<std::size_t>(kind)];
}

bool has_distance(KernelKind kind) {
  return kind == KernelKind::rbf || kind == KernelKind::laplacian || kind == KernelKind::chi2 ||
         kind == KernelKind::modified_chi2;
}

Kernel choose_kernel(const KernelParams& params, const Features& train, const Context& ctx) {
  const std::optional<double> number = parse_number(params.width);
  if (number ? !(*number > 0) : params.width != "mean" && params.width != "mean_root") {
    refuse("width: expected mean, mean_root or a number > 0, found " + in_quotes(params.width),
           "Use width=mean");
  }
  require_used(params, number);
  Kernel out{.kind = params.kernel, .coef0 = params.coef0, .degree = params.degree};
  if (out.kind == KernelKind::precomputed) require_square(train);
  if (out.kind == KernelKind::polynomial) {
    out.gamma = number.value_or(1.0 / static_cast<double>(std::max<Index>(train.cols(), 1)));
  }
  if (!has_distance(out.kind)) return out;
  if (number) {
    out.gamma = *number;
    return out;
  }
  const WidthRule rule = params.width == "mean" ? WidthRule::mean : WidthRule::mean_root;
  out.sampled = train.rows() > k_all_pairs;
  const double mean =
      params.width_factor *
      (out.sampled
           ? mean_distance(out, take_rows(train, random_rows(train.rows(), k_sampled_rows, ctx)),
                           rule, ctx)
           : mean_distance(out, train, rule, ctx));
  out.gamma = 1 / (rule == WidthRule::mean ? mean : 2 * mean * mean);
  if (!std::isfinite(out.gamma)) out.gamma = 1;  // all rows are equal
  return out;
}

Matrix kernel_scores(const Kernel& kernel, const Features& x, const Features& train,
                     MatrixView alpha, std::span<const double> b, const Context& ctx) {
  const KernelBlocks blocks(kernel, x, train);
  const Index labels = alpha.rows(), n = blocks.cols();
  MULBERRY_ASSERT(alpha.cols() == n);
  MULBERRY_ASSERT(b.empty() || count_of(b) == labels);
  Matrix out(x.rows(), labels);
  double* const cells = out.data();
  parallel_chunks(ctx, x.rows(), k_block, [&](Index begin, Index end) {
    const blas::Block<double> part = {cells + begin * labels, end - begin, labels, labels};
    for (Index i = 0; i < part.rows && !b.empty(); ++i) {
      std::copy(b.begin(), b.end(), part.data + i * labels);
    }
    std::vector<double> values(at(k_block * k_block));
    for (Index col = 0; col < n; col += k_block) {
      const Index width = std::min(k_block, n - col);
      const blas::Block<double> piece = {values.data(), end - begin, width, width};
      blocks.fill(begin, col, piece);
      blas::gemm(1.0, piece, blas::Op::plain, blas::block(alpha).col_range(col, col + width),
                 blas::Op::transposed, 1.0, part);
    }
  });
  return out;
}

}  // namespace mulberry::math

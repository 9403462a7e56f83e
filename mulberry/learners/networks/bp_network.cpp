#include "mulberry/learners/networks/bp_network.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::learners {
namespace {

constexpr double k_reach = 0.8;         // inputs lie in [-reach, reach]
constexpr double k_least_scale = 1e-6;  // below this, the scale is multiplied into the weights
constexpr Index k_block_rows = 256;

// Rows of a matrix, one for each value of an input row, and a vector that is as wide.
template <class M, class V>
struct RowsAndVector {
  const double* value;
  const Id* index;  // null: 0, 1, ...
  Index count, width;
  M* m;
  V* vector;

  MULBERRY_INLINE M* row(Index e) const { return m + (index != nullptr ? index[e] : e) * width; }
};

// vector += sum_e value_e m[index_e].
MULBERRY_INLINE void gather_body(RowsAndVector<const double, double>& task) {
  for (Index e = 0; e < task.count; ++e) {
    const double value = task.value[e];
    const double* const from = task.row(e);
    double* const to = task.vector;
    for (Index k = 0; k < task.width; ++k) to[k] += value * from[k];
  }
}
MULBERRY_DISPATCH(gather, gather_body)

// m[index_e] += value_e vector.
MULBERRY_INLINE void scatter_body(RowsAndVector<double, const double>& task) {
  for (Index e = 0; e < task.count; ++e) {
    const double value = task.value[e];
    const double* const from = task.vector;
    double* const to = task.row(e);
    for (Index k = 0; k < task.width; ++k) to[k] += value * from[k];
  }
}
MULBERRY_DISPATCH(scatter, scatter_body)

void take_tanh(std::span<double> values) {
  for (double& v : values) v = std::tanh(v);
}

// delta * (1 - value^2): through tanh, from its value.
void through_tanh(std::span<const double> value, std::span<double> delta) {
  for (std::size_t k = 0; k < value.size(); ++k) delta[k] *= 1 - value[k] * value[k];
}

// The values of x that training works with: dense rows scaled, sparse ones times their factor.
Features scaled(const Features& x, const InputScale& scale, const Context& ctx) {
  if (!x.is_sparse()) {
    Matrix out(x.rows(), x.cols());
    double* const cells = out.data();
    parallel_chunks(ctx, x.rows(), k_block_rows, [&](Index begin, Index end) {
      data::RowWindow window(x);
      for (Index i = begin; i < end; ++i) {
        const auto row = window.values(i);
        for (std::size_t j = 0; j < row.size(); ++j) {
          cells[i * x.cols() + static_cast<Index>(j)] = scale(row[j], j);
        }
      }
    });
    return out;
  }
  Csr out = x.sparse();
  std::vector<double> values = out.value.copy();
  for (std::size_t e = 0; e < values.size(); ++e) {
    values[e] *= scale.factor[at(out.index[e])];
  }
  out.value = std::move(values);
  return out;
}

std::vector<double> scaled_zeros(const InputScale& scale) {
  std::vector<double> out;
  for (std::size_t j = 0; j < scale.middle.size(); ++j) out.push_back(scale(0, j));
  return out;
}

}  // namespace

bool has_pairs(const Labels& y, Index row) {
  const auto has = static_cast<Index>(y.row(row).size());
  return has > 0 && has + static_cast<Index>(y.missing_row(row).size()) < y.count();
}

double pair_loss(std::span<const double> outputs, std::span<const Id> relevant,
                 std::span<const Id> missing, std::span<double> gradient) {
  // The sum over pairs is a product of sums: of exp(-o_k) over Y and of exp(o_l) over N.
  std::fill(gradient.begin(), gradient.end(), 1.0);
  for (const Id l : relevant) gradient[at(l)] = -1;
  for (const Id l : missing) gradient[at(l)] = 0;
  double has = 0, has_not = 0;
  for (std::size_t l = 0; l < outputs.size(); ++l) {
    if (gradient[l] == 0) continue;
    const double term = std::exp(gradient[l] * outputs[l]);
    (gradient[l] < 0 ? has : has_not) += term;
    gradient[l] *= term;
  }
  const std::size_t pairs = relevant.size() * (outputs.size() - relevant.size() - missing.size());
  const double share = pairs == 0 ? 0 : 1 / static_cast<double>(pairs);
  for (double& g : gradient) g *= share * (g < 0 ? has_not : has);
  return share * has * has_not;
}

InputScale InputScale::of(const Features& x, const Context& ctx) {
  const ColumnStatistics columns = column_statistics(x, ctx);
  InputScale out;
  for (std::size_t j = 0; j < columns.min.size(); ++j) {
    const double factor = 2 * k_reach / (columns.max[j] - columns.min[j]);
    out.middle.push_back(columns.min[j] / 2 + columns.max[j] / 2);
    out.factor.push_back(std::isfinite(factor) ? factor : 0);
  }
  return out;
}

Matrix BpNetwork::outputs(const Features& x, const Context& ctx) const {
  MULBERRY_ASSERT(x.cols() == input.rows());
  const Index hidden = input.cols(), labels = output.cols();
  // For sparse rows, the constants include the products of scaled zeros, and a stored value adds
  // its difference from them.
  std::vector<double> constant = hidden_bias;
  const Features own = x.is_sparse() ? scaled(x, scale, ctx) : Features();
  if (x.is_sparse()) {
    blas::gemv(1.0, blas::block(input), blas::Op::transposed, scaled_zeros(scale), 1.0, constant);
  }
  Matrix out(x.rows(), labels);
  const blas::Block<double> answers = blas::block(out);
  parallel_chunks(ctx, x.rows(), k_block_rows, [&](Index begin, Index end) {
    const Index rows = end - begin;
    Matrix units(rows, hidden);
    for (Index i = 0; i < rows; ++i) {
      std::copy(constant.begin(), constant.end(), units.row(i).begin());
    }
    if (x.is_sparse()) {
      for (Index i = 0; i < rows; ++i) {
        const SparseRow row = own.sparse().row(begin + i);
        for (std::size_t e = 0; e < row.index.size(); ++e) {
          blas::axpy(row.value[e], input.row(row.index[e]), units.row(i));
        }
      }
    } else {
      Matrix block(rows, x.cols());
      data::RowWindow window(x);
      for (Index i = 0; i < rows; ++i) {
        const auto from = window.values(begin + i);
        const auto to = block.row(i);
        for (std::size_t j = 0; j < to.size(); ++j) to[j] = scale(from[j], j);
      }
      blas::gemm(1.0, blas::block(block), blas::Op::plain, blas::block(input), blas::Op::plain, 1.0,
                 blas::block(units));
    }
    take_tanh({units.data(), at(units.size())});
    const blas::Block<double> part = answers.row_range(begin, end);
    for (Index i = 0; i < rows; ++i) {
      std::copy(output_bias.begin(), output_bias.end(), part.data + i * labels);
    }
    blas::gemm(1.0, blas::block(units), blas::Op::plain, blas::block(output), blas::Op::plain, 1.0,
               part);
    take_tanh({part.data, at(rows * labels)});
  });
  return out;
}

BpTraining::Layer::Layer(Index inputs, Index outputs, std::vector<double> offset, Random random)
    : inputs_(inputs),
      outputs_(outputs),
      offset_(std::move(offset)),
      v_(at(inputs * outputs)),
      q_(at(outputs)),
      t_(q_),
      bias_(q_),
      move_(q_) {
  const double reach = 0.5 / std::sqrt(static_cast<double>(std::max<Index>(inputs, 1)));
  for (double& w : v_) w = random.uniform(-reach, reach);
  for (double& w : bias_) w = random.uniform(-reach, reach);
  offset_norm2_ = blas::dot(offset_, offset_);
  RowsAndVector<const double, double> all{offset_.data(), nullptr,   count_of(offset_),
                                          outputs_,       v_.data(), t_.data()};
  gather(all);
}

double BpTraining::Layer::offset_product(const Row& row) const {
  double sum = 0;
  for (Index e = 0; e < row.count; ++e) {
    sum += row.value[e] * offset_[at(row.index != nullptr ? row.index[e] : e)];
  }
  return sum;
}

void BpTraining::Layer::forward(const Row& row, std::span<double> out) const {
  std::copy(t_.begin(), t_.end(), out.begin());
  RowsAndVector<const double, double> task{row.value, row.index, row.count,
                                           outputs_,  v_.data(), out.data()};
  gather(task);
  if (!offset_.empty()) blas::axpy(offset_product(row) + offset_norm2_, q_, out);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::tanh(bias_[k] + scale_ * out[k]);
}

void BpTraining::Layer::back(std::span<const double> delta, std::span<double> out) const {
  MULBERRY_ASSERT(offset_.empty());
  blas::gemv(scale_, {v_.data(), inputs_, outputs_, outputs_}, blas::Op::plain, delta, 0.0, out);
}

void BpTraining::Layer::descend(const Row& row, std::span<const double> delta, double rate,
                                double shrink) {
  scale_ *= shrink;
  if (scale_ < k_least_scale) write_out_scale();
  for (std::size_t k = 0; k < delta.size(); ++k) {
    bias_[k] = shrink * bias_[k] - rate * delta[k];
    move_[k] = -rate / scale_ * delta[k];
  }
  RowsAndVector<double, const double> task{row.value, row.index, row.count,
                                           outputs_,  v_.data(), move_.data()};
  scatter(task);
  if (offset_.empty()) return;
  blas::axpy(1.0, move_, q_);
  blas::axpy(offset_product(row), move_, t_);
}

void BpTraining::Layer::write_out_scale() {
  for (auto* values : {&v_, &q_, &t_}) {
    for (double& w : *values) w *= scale_;
  }
  scale_ = 1;
}

Matrix BpTraining::Layer::weights() const {
  Matrix out(inputs_, outputs_, v_);
  double* const w = out.data();
  for (Index j = 0; j < inputs_; ++j) {
    const double c = offset_.empty() ? 0 : offset_[at(j)];
    for (Index k = 0; k < outputs_; ++k) {
      double& weight = w[j * outputs_ + k];
      weight = scale_ * (weight + c * q_[at(k)]);
    }
  }
  return out;
}

BpTraining::BpTraining(const Features& x, const Labels& y, const BpSettings& settings,
                       const Context& ctx)
    : y_(y),
      settings_(settings),
      scale_(InputScale::of(x, ctx)),
      x_(scaled(x, scale_, ctx)),
      input_(x.cols(), settings.hidden,
             x.is_sparse() ? scaled_zeros(scale_) : std::vector<double>(), ctx.rng("bp_mll input")),
      output_(settings.hidden, y.count(), {}, ctx.rng("bp_mll output")),
      hidden_(at(settings.hidden)),
      answer_(at(y.count())),
      delta_hidden_(hidden_),
      delta_answer_(answer_) {
  MULBERRY_ASSERT(settings.hidden >= 1 && settings.rate * settings.decay < 1);
}

BpTraining::Row BpTraining::row_of(Index i) const {
  if (!x_.is_sparse()) return {x_.dense().row(i).data(), nullptr, x_.cols()};
  const SparseRow row = x_.sparse().row(i);
  return {row.value.data(), row.index.data(), count_of(row.index)};
}

double BpTraining::forward(Index row) {
  input_.forward(row_of(row), hidden_);
  output_.forward({hidden_.data(), nullptr, settings_.hidden}, answer_);
  return pair_loss(answer_, y_.row(row), y_.missing_row(row), delta_answer_);
}

double BpTraining::loss(Index row) { return forward(row); }

double BpTraining::step(Index row) {
  const double loss = forward(row);
  const Row x = row_of(row), units{hidden_.data(), nullptr, settings_.hidden};
  through_tanh(answer_, delta_answer_);
  output_.back(delta_answer_, delta_hidden_);
  through_tanh(hidden_, delta_hidden_);
  const double shrink = 1 - settings_.rate * settings_.decay;
  output_.descend(units, delta_answer_, settings_.rate, shrink);
  input_.descend(x, delta_hidden_, settings_.rate, shrink);
  return loss;
}

BpNetwork BpTraining::network() const {
  return {.scale = scale_,
          .input = input_.weights(),
          .hidden_bias = input_.bias(),
          .output = output_.weights(),
          .output_bias = output_.bias()};
}

}  // namespace mulberry::learners

#include "mulberry/learners/mahr/rounds.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

#include "mulberry/core/parallel.hpp"

namespace mulberry::learners::mahr {
namespace {

// Some rows of features, with the expected number of lookups per row. Sparse rows are made dense,
// and values of another program copied, if that pays off: one lookup costs about as much as writing
// eight zeros.
class RowValues {
 public:
  RowValues(const Features& x, Index begin, Index end, Index values)
      : x_(x), begin_(begin), stride_(x.cols()) {
    if (!x.is_sparse() && x.in_one_piece()) {
      data_ = x.dense().data() + begin * stride_;
      return;
    }
    if (8 * values < stride_) return;
    own_.assign(core::at((end - begin) * stride_), 0.0);
    data_ = own_.data();
    if (!x.is_sparse()) {
      x.read_block(begin, end, 0, stride_, own_.data());
      return;
    }
    data::SparseLine line;
    for (Index i = begin; i < end; ++i) {
      const SparseRow row = x.sparse_row(i, line);
      for (std::size_t k = 0; k < row.index.size(); ++k)
        own_[core::at((i - begin) * stride_ + row.index[k])] = row.value[k];
    }
  }
  double at(Index i, Id column) const {
    return data_ != nullptr ? data_[i * stride_ + column] : x_.at(begin_ + i, column);
  }

 private:
  const Features& x_;
  Index begin_, stride_;
  std::vector<double> own_;
  const double* data_ = nullptr;
};

}  // namespace

void Rounds::add(double alpha, const Stump& stump, const Mix& mix) {
  alpha_.push_back(alpha);
  own_.push_back(mix.own);
  column_.push_back(stump.column);
  cut_.push_back(stump.cut);
  for (const std::int8_t answer : {stump.left, stump.right, stump.missing})
    answers_.push_back(answer);
  helper_.insert(helper_.end(), mix.helpers.begin(), mix.helpers.end());
  helper_weight_.insert(helper_weight_.end(), mix.weights.begin(), mix.weights.end());
  helper_start_.push_back(count_of(helper_));
}

void Rounds::keep(Index rounds) {
  const std::size_t size = at(rounds, 0);
  if (size >= alpha_.size()) return;
  alpha_.resize(size);
  own_.resize(size);
  column_.resize(size);
  cut_.resize(size);
  answers_.resize(3 * size);
  helper_start_.resize(size + 1);
  helper_.resize(core::at(helper_start_.back()));
  helper_weight_.resize(helper_.size());
}

double Rounds::helper_weight(Index round, Index label, Index helper) const {
  const std::size_t k = at(round, label);
  double out = 0;
  for (Index h = helper_start_[k]; h < helper_start_[k + 1]; ++h) {
    if (helper_[core::at(h)] == helper) out += helper_weight_[core::at(h)];
  }
  return out;
}

Stump Rounds::stump(std::size_t k) const {
  Stump out;
  out.column = column_[k];
  out.cut = cut_[k];
  out.left = answers_[3 * k];
  out.right = answers_[3 * k + 1];
  out.missing = answers_[3 * k + 2];
  return out;
}

Matrix Rounds::start(Index rows) const {
  Matrix out(rows, labels());
  for (Index i = 0; i < rows; ++i) std::copy(start_.begin(), start_.end(), out.row(i).begin());
  return out;
}

void Rounds::advance(const Features& x, Index begin, Index end, Matrix& scores,
                     const Context& ctx) const {
  constexpr Index k_rows = 64;
  double* const all = scores.data();
  parallel_chunks(ctx, x.rows(), k_rows, [&](Index first, Index last) {
    advance_rows(x, first, last, begin, end, all + first * labels(), ctx);
  });
}

void Rounds::advance_row(const Features& x, Index row, Index begin, Index end,
                         std::span<double> scores, const Context& ctx) const {
  advance_rows(x, row, row + 1, begin, end, scores.data(), ctx);
}

void Rounds::advance_rows(const Features& x, Index first, Index last, Index begin, Index end,
                          double* block, const Context& ctx) const {
  const Index width = labels();
  const RowValues rows(x, first, last, (end - begin) * width);
  const auto size = core::at((last - first) * width);
  std::vector<double> before(size);
  for (Index t = begin; t < end; ++t) {
    if ((t & 63) == 0) ctx.check();
    std::copy(block, block + size, before.begin());
    for (Index l = 0; l < width; ++l) {
      const std::size_t k = at(t, l);
      if (alpha_[k] == 0) continue;
      const Stump asks = stump(k);
      for (Index i = 0; i < last - first; ++i) {
        double h =
            own_[k] == 0
                ? 0.0
                : own_[k] * (asks.column < 0 ? asks.left : asks.answer(rows.at(i, asks.column)));
        for (Index c = helper_start_[k]; c < helper_start_[k + 1]; ++c) {
          const auto at_helper = core::at(c);
          h +=
              helper_weight_[at_helper] * sign_of(before[core::at(i * width + helper_[at_helper])]);
        }
        block[i * width + l] += alpha_[k] * std::clamp(h, -1.0, 1.0);
      }
    }
  }
}

}  // namespace mulberry::learners::mahr

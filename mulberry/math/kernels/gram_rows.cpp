#include "mulberry/math/kernels/gram_rows.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"

namespace mulberry::math {

GramRows::GramRows(const KernelMatrix& kernel, std::size_t cache_bytes)
    : kernel_(kernel), diagonal_(at(kernel.rows())) {
  MULBERRY_ASSERT(kernel.storage() != KernelStorage::f64);
  const Index n = kernel.rows();
  for (Index i = 0; i < n; ++i) diagonal_[at(i)] = kernel.diagonal(i);
  if (kernel.storage() == KernelStorage::f32 || n == 0) return;
  capacity_ = std::max<std::size_t>(2, cache_bytes / (at(n) * sizeof(float)));
  slots_.resize(at(n));
  recent_.resize(at(n));
}

GramRows::Row GramRows::row(Index i) const {
  Row out;
  if (kernel_.storage() == KernelStorage::f32) {
    const auto values = kernel_.floats();
    out.data_ = values.data + i * values.stride;
    return out;
  }
  const auto row = at(i);
  {
    const std::lock_guard lock(mutex_);
    out.owner_ = slots_[row];
    recent_[row] = 1;
  }
  if (!out.owner_) {  // two threads may compute the same row, with the same bits
    out.owner_ = compute(i);
    keep(i, out.owner_);
  }
  out.data_ = out.owner_.get();
  return out;
}

std::shared_ptr<const float[]> GramRows::compute(Index i) const {
  const auto n = at(rows());
  std::vector<double> exact(n);
  kernel_.copy_rows(i, {exact.data(), 1, rows(), rows()});
  std::shared_ptr<float[]> out(new float[n]);
  std::transform(exact.begin(), exact.end(), out.get(),
                 [](double value) { return static_cast<float>(value); });
  return out;
}

void GramRows::keep(Index i, const std::shared_ptr<const float[]>& values) const {
  const auto row = at(i);
  const std::lock_guard lock(mutex_);
  if (slots_[row]) return;
  if (held_.size() < capacity_) {
    held_.push_back(static_cast<Id>(i));
  } else {
    for (;; hand_ = (hand_ + 1) % held_.size()) {
      const auto oldest = at(held_[hand_]);
      if (recent_[oldest] != 0) {
        recent_[oldest] = 0;
        continue;
      }
      slots_[oldest].reset();
      held_[hand_] = static_cast<Id>(i);
      hand_ = (hand_ + 1) % held_.size();
      break;
    }
  }
  slots_[row] = values;
}

}  // namespace mulberry::math

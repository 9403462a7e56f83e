// Chunked<T>: a growing list of plain values in blocks of equal size. Growing never moves what is
// there, and take() frees each block as soon as it is copied, so a list of n values never needs
// more memory than n values and a few blocks. Readers collect rows in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace mulberry {

template <class T>
class Chunked {
 public:
  void push_back(const T& value) {
    if (room_ == 0) add_block();
    *next_++ = value;
    --room_;
  }

  void append(std::span<const T> values) {
    while (!values.empty()) {
      if (room_ == 0) add_block();
      const std::size_t count = std::min(room_, values.size());
      next_ = std::copy_n(values.data(), count, next_);
      room_ -= count;
      values = values.subspan(count);
    }
  }

  std::size_t size() const { return blocks_.size() * k_block - room_; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return blocks_[i / k_block][i % k_block]; }

  // All values in one piece; the list is empty afterwards.
  std::vector<T> take() {
    std::vector<T> out;
    out.reserve(size());
    for (std::size_t left = size(); auto& block : blocks_) {
      const std::size_t count = std::min(left, k_block);
      out.insert(out.end(), block.get(), block.get() + count);
      left -= count;
      block.reset();
    }
    blocks_.clear();
    next_ = nullptr;
    room_ = 0;
    return out;
  }

 private:
  // About 1 MB: large enough for the allocator to hand freed blocks back to the system.
  static constexpr std::size_t k_block = (std::size_t{1} << 20) / sizeof(T);

  void add_block() {
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(k_block));
    next_ = blocks_.back().get();
    room_ = k_block;
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  T* next_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace mulberry

// Chunked<T>: a growing list of plain values in blocks of equal size. Growing never moves existing
// values, and take() frees each block as soon as it is copied, so a list of n values never needs
// more memory than n values and a few blocks. Readers collect rows in it.
//
// Blocks are separate pages, not heap memory, which may not return freed memory. The first one is
// on the heap and grows with its values until it is as large as the others, so that small files
// cost little.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

inline constexpr std::size_t k_page_block = std::size_t{1} << 20;
void* new_block(std::size_t bytes);  // pages if it is k_page_block; throws std::bad_alloc
struct FreeBlock {
  std::size_t bytes = k_page_block;
  void operator()(void* block) const;
};

template <class T>
class Chunked {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void push_back(const T& value) {
    if (room_ == 0) add_room();
    *next_++ = value;
    --room_;
  }

  void append(std::span<const T> values) {
    while (!values.empty()) {
      if (room_ == 0) add_room();
      const std::size_t count = std::min(room_, values.size());
      next_ = std::copy_n(values.data(), count, next_);
      room_ -= count;
      values = values.subspan(count);
    }
  }

  std::size_t size() const { return capacity() - room_; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return values(blocks_[i / k_block])[i % k_block]; }
  void set(std::size_t i, const T& value) { values(blocks_[i / k_block])[i % k_block] = value; }

  // Forgets all but the first `size` values.
  void shrink(std::size_t size) {
    blocks_.resize((size + k_block - 1) / k_block);
    room_ = capacity() - size;
    next_ = blocks_.empty() ? nullptr : values(blocks_.back()) + size % k_block;
    if (next_ != nullptr && size % k_block == 0) next_ += k_block;
  }
  // Frees the memory of values before position i, which may no longer be read.
  void release_before(std::size_t i) {
    for (std::size_t b = i / k_block; b > 0 && blocks_[b - 1]; --b) blocks_[b - 1].reset();
  }

  // All values in one piece; the list is empty afterwards.
  std::vector<T> take() {
    std::vector<T> out;
    out.reserve(size());
    for (std::size_t left = size(); Block & block : blocks_) {
      const std::size_t count = std::min(left, k_block);
      out.insert(out.end(), values(block), values(block) + count);
      left -= count;
      block.reset();
    }
    blocks_.clear();
    next_ = nullptr;
    room_ = 0;
    return out;
  }

 private:
  using Block = std::unique_ptr<void, FreeBlock>;
  static constexpr std::size_t k_block = k_page_block / sizeof(T);
  static constexpr std::size_t k_first = std::size_t{1} << 9;  // bytes to begin with
  static Block make_block(std::size_t bytes) { return Block(new_block(bytes), FreeBlock{bytes}); }
  static T* values(const Block& block) { return static_cast<T*>(block.get()); }

  // Only the last block, and only if it is the first, may be smaller than the others.
  std::size_t capacity() const {
    if (blocks_.empty()) return 0;
    const bool small = blocks_.size() == 1 && blocks_.back().get_deleter().bytes < k_page_block;
    return small ? blocks_.back().get_deleter().bytes / sizeof(T) : blocks_.size() * k_block;
  }

  void add_room() {
    const std::size_t held = capacity();
    if (held >= k_block || held == 0) {
      blocks_.push_back(make_block(held == 0 ? k_first : k_page_block));
      next_ = values(blocks_.back());
      room_ = held == 0 ? k_first / sizeof(T) : k_block;
      return;
    }
    Block larger = make_block(std::min(k_page_block, 4 * blocks_.back().get_deleter().bytes));
    next_ = std::copy_n(values(blocks_.back()), held, values(larger));
    blocks_.back() = std::move(larger);
    room_ = capacity() - held;
  }

  std::vector<Block> blocks_;
  T* next_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace mulberry::data

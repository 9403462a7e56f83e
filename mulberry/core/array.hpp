// Array<T>: a vector of plain values that can also borrow memory it does not own (a mapped model
// file, a NumPy array) and keep its owner alive. Reading never copies; the first write to borrowed
// memory makes a private copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace mulberry {

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::size_t size, T value = T{}) : own_(size, value) {}
  Array(std::vector<T> values) : own_(std::move(values)) {}  // NOLINT: a vector is an array

  static Array borrow(std::span<const T> memory, std::shared_ptr<const void> owner) {
    Array out;
    out.borrowed_ = memory;
    out.owner_ = std::move(owner);
    return out;
  }

  std::size_t size() const { return owner_ ? borrowed_.size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const T* data() const { return owner_ ? borrowed_.data() : own_.data(); }
  const T& operator[](std::size_t i) const { return data()[i]; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  operator std::span<const T>() const { return {data(), size()}; }  // NOLINT

  // The values as a vector that may be changed in any way.
  std::vector<T>& edit() {
    if (owner_) {
      own_.assign(borrowed_.begin(), borrowed_.end());
      owner_.reset();
      borrowed_ = {};
    }
    return own_;
  }

  bool operator==(const Array& other) const {
    return std::span<const T>(*this).size() == other.size() &&
           std::equal(begin(), end(), other.begin());
  }

 private:
  std::vector<T> own_;
  std::span<const T> borrowed_;
  std::shared_ptr<const void> owner_;
};

}  // namespace mulberry

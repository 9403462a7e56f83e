// Array<T>: plain values that never change, shared by everyone who holds the array. They may be a
// vector that was handed over, or memory of someone else (a mapped model file, a NumPy array) whose
// owner the array keeps alive. Copying an Array copies no values. Memory that may be damaged is
// checked when its first value is read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

// Memory that must be verified before use: a section of a file with a checksum. Several threads may
// ask at once; each may verify, and all get the same answer.
class FirstUseCheck {
 public:
  virtual ~FirstUseCheck() = default;
  // Throws Error if the memory is damaged.
  void ensure() const {
    if (good_.load(std::memory_order_acquire)) return;
    check();
    good_.store(true, std::memory_order_release);
  }

 private:
  virtual void check() const = 0;
  mutable std::atomic<bool> good_ = false;
};

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::size_t size, T value = T{}) : Array(std::vector<T>(size, value)) {}
  Array(std::vector<T> values) {  // NOLINT: a vector is an array
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    memory_ = *owner;
    owner_ = std::move(owner);
  }

  // `check`, if there is one, lives as long as the owner.
  static Array borrow(std::span<const T> memory, std::shared_ptr<const void> owner,
                      const FirstUseCheck* check = nullptr) {
    Array out;
    out.memory_ = memory;
    out.owner_ = std::move(owner);
    out.check_ = check;
    return out;
  }

  std::size_t size() const { return memory_.size(); }
  bool empty() const { return size() == 0; }
  const T* data() const {
    if (check_ != nullptr) check_->ensure();
    return memory_.data();
  }
  const T& operator[](std::size_t i) const { return data()[i]; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  operator std::span<const T>() const { return {data(), size()}; }  // NOLINT
  std::vector<T> copy() const { return {begin(), end()}; }

  bool operator==(const Array& other) const {
    return size() == other.size() && std::equal(begin(), end(), other.begin());
  }

 private:
  std::span<const T> memory_;
  std::shared_ptr<const void> owner_;
  const FirstUseCheck* check_ = nullptr;
};

}  // namespace mulberry::core

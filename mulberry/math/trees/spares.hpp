// Working memory that tasks lend each other: as many pieces as there are tasks at the same time,
// each of which the next task finds as the last one left it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::math {

template <class T>
class Spares {
 public:
  Spares() = default;
  // How to make a piece that takes arguments.
  explicit Spares(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  class Loan {
   public:
    explicit Loan(Spares& from) : from_(from), piece_(from.take()) {}
    ~Loan() { from_.give_back(std::move(piece_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    T& operator*() const { return *piece_; }
    T* operator->() const { return piece_.get(); }

   private:
    Spares& from_;
    std::unique_ptr<T> piece_;
  };

 private:
  std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.reserve(++pieces_);  // room to take it back: the end of a loan must not allocate
      return made();
    }
    auto out = std::move(free_.back());
    free_.pop_back();
    return out;
  }
  std::unique_ptr<T> made() const {
    if constexpr (std::is_default_constructible_v<T>) {
      if (make_ == nullptr) return std::make_unique<T>();
    }
    return make_();
  }
  void give_back(std::unique_ptr<T> piece) noexcept {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(piece));
  }

  std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
  std::size_t pieces_ = 0;  // that there are or will be, at most
};

}  // namespace mulberry::math

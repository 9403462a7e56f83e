// Working memory that tasks lend each other: as many pieces as there are tasks at the same time,
// each of which the next task finds as the last one left it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::math {

template <class T>
class Spares {
 public:
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
    if (free_.empty()) return std::make_unique<T>();
    auto out = std::move(free_.back());
    free_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<T> piece) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(piece));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace mulberry::math

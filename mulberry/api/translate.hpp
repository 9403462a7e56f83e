// From the exceptions of the rooms below to those of the public headers. Every function that a
// program can call runs its work in here.
#pragma once

#include "mulberry/api/access.hpp"

namespace mulberry::api {

// In a handler: throws what a program should see instead of the current exception.
[[noreturn]] void rethrow_translated();

template <class Work>
auto translated(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    rethrow_translated();
  }
}

}  // namespace mulberry::api

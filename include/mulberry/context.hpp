// Context: how a computation runs: threads, seed, a way to stop it, a place to report progress.
//
//   std::stop_source stop;  // another thread may call stop.request_stop()
//   const auto show = [](const mulberry::Progress& now) { std::cout << now.fraction << "\n"; };
//   const mulberry::Context context = mulberry::Context(4, 1)  // four threads, seed 1
//                                         .with_stop(stop.get_token())
//                                         .with_progress(show);
//   const mulberry::Model model = mulberry::train("rml", data, {}, context);
//
// Guarantees
// * The same data, parameters and seed give the same bits for any number of threads.
// * A stop request is noticed within about a second. Most computations then throw Cancelled; a
//   learner with the ability `anytime` returns its best model so far (ModelSummary::interrupted).
// * The progress callback is never called twice at the same time, is called about twenty times a
//   second at most, and its fraction never falls.
//
// Not guaranteed: which thread calls the callback; that a fraction of 1 is reported; the same bits
// on processors of another kind, for which BLAS has other kernels.
//
// Cost: a context with more than one thread owns a pool of threads that all copies of it share.
// Make one and use it again.
//
// Thread safety: a Context may be used by several threads at once; they share its pool.
#pragma once

#include <mulberry/export.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace mulberry {

namespace api {
struct Access;
}

struct Progress {
  double fraction = 0;   // 0 to 1
  double objective = 0;  // what training minimises or maximises just now; NaN where there is none
};
using ProgressCallback = std::function<void(const Progress&)>;

class MULBERRY_API Context {
 public:
  Context();  // a thread for each core that the process may use, seed 0
  explicit Context(int threads, std::uint64_t seed = 0);

  // Copies that differ in one thing.
  Context with_seed(std::uint64_t seed) const;
  Context with_stop(std::stop_token stop) const;
  Context with_progress(ProgressCallback callback) const;

  int threads() const;
  std::uint64_t seed() const;

 private:
  friend struct api::Access;
  explicit Context(std::shared_ptr<const void> state);
  std::shared_ptr<const void> state_;
};

}  // namespace mulberry

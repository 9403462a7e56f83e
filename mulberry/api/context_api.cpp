#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "mulberry/api/translate.hpp"

namespace mulberry {

namespace api {
namespace {

// Learners report from any thread and as often as they like. This lets through one report at a
// time, at most one in k_pause, and none that falls back.
class Thinned {
 public:
  explicit Thinned(ProgressCallback callback) : callback_(std::move(callback)) {}

  void operator()(double fraction, double objective) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;  // another thread is reporting
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ || fraction < last_) return;
    next_ = now + k_pause;
    last_ = std::min(fraction, 1.0);
    callback_({.fraction = last_, .objective = objective});
  }

 private:
  static constexpr auto k_pause = std::chrono::milliseconds(50);
  ProgressCallback callback_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_ = {};
  double last_ = 0;
};

}  // namespace

core::Context run_context(const Context& given) {
  const ContextState& state = Access::of(given);
  if (!state.callback) return state.context;
  const auto thinned = std::make_shared<Thinned>(state.callback);
  return state.context.with_progress(
      [thinned](double fraction, double objective) { (*thinned)(fraction, objective); });
}

}  // namespace api

Context::Context() : Context(static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))) {}

Context::Context(int threads, std::uint64_t seed)
    : Context(api::translated(
          [&] { return api::Access::make({.context = core::Context(threads, seed)}); })) {}

Context::Context(std::shared_ptr<const void> state) : state_(std::move(state)) {}

Context Context::with_seed(std::uint64_t seed) const {
  api::ContextState out = api::Access::of(*this);
  out.context = out.context.with_seed(seed);
  return api::Access::make(std::move(out));
}

Context Context::with_stop(std::stop_token stop) const {
  api::ContextState out = api::Access::of(*this);
  out.context = out.context.with_stop(std::move(stop));
  return api::Access::make(std::move(out));
}

Context Context::with_progress(ProgressCallback callback) const {
  api::ContextState out = api::Access::of(*this);
  out.callback = std::move(callback);
  return api::Access::make(std::move(out));
}

int Context::threads() const { return api::Access::of(*this).context.threads(); }
std::uint64_t Context::seed() const { return api::Access::of(*this).context.seed(); }

}  // namespace mulberry

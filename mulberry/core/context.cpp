#include "mulberry/core/context.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/thread_pool.hpp"

namespace mulberry::core {

Context::Context(int threads, std::uint64_t seed) : threads_(threads), seed_(seed) {
  if (threads < 1 || threads > 4096) {
    throw Error(Code::parameter,
                "threads must be between 1 and 4096, got " + std::to_string(threads),
                "Leave it out to use all cores");
  }
  if (threads > 1) pool_ = std::make_shared<ThreadPool>(threads - 1);
}

Context Context::with_seed(std::uint64_t seed) const {
  Context out = *this;
  out.seed_ = seed;
  return out;
}

Context Context::with_stop(std::stop_token stop) const {
  Context out = *this;
  out.stop_ = std::move(stop);
  return out;
}

Context Context::with_progress(ProgressSink sink) const {
  Context out = *this;
  out.progress_ = std::move(sink);
  out.begin_ = 0;
  out.end_ = 1;
  return out;
}

Context Context::part(double begin, double end) const {
  Context out = *this;
  out.begin_ = begin_ + (end_ - begin_) * begin;
  out.end_ = begin_ + (end_ - begin_) * end;
  return out;
}

Context Context::serial() const {
  Context out = *this;
  out.threads_ = 1;
  out.pool_.reset();
  return out;
}

void Context::check() const {
  if (cancelled()) throw Cancelled();
}

void Context::step(double fraction, double objective) const {
  report(fraction, objective);
  check();
}

void Context::report(double fraction, double objective) const {
  if (progress_) progress_(begin_ + (end_ - begin_) * fraction, objective);
}

}  // namespace mulberry::core

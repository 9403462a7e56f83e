// Watch a long training run, and stop it from another thread.
#include <mulberry/mulberry.hpp>

#include <atomic>
#include <cstdio>
#include <exception>
#include <stop_token>
#include <thread>

int main() {
  try {
    const mulberry::Dataset data = mulberry::generate("photos");
    std::atomic<bool> begun = false;
    std::stop_source stop;
    const mulberry::Context context = mulberry::Context(2)
                                          .with_stop(stop.get_token())
                                          .with_progress([&](const mulberry::Progress& now) {
                                            if (now.fraction >= 0 && !begun.exchange(true))
                                              std::printf("training has begun\n");
                                          });

    // Somebody who loses patience as soon as anything happens.
    std::jthread user([&](const std::stop_token& end) {
      while (!begun && !end.stop_requested()) std::this_thread::yield();
      stop.request_stop();
    });

    // Ten thousand chains take a while.
    mulberry::train("ecc(chains=10000)", data, {}, context);
  } catch (const mulberry::Cancelled&) {
    std::printf("stopped on request\n");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("this took too long\n");
  return 1;
}

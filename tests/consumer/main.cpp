// A user's program: train, save, load and predict through the public headers. The argument is the
// model file to write.
#include <mulberry/mulberry.hpp>

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2 || mulberry::version() != MULBERRY_VERSION_STRING) return 2;
  try {
    const mulberry::Dataset data = mulberry::generate("photos");
    const mulberry::Model model =
        mulberry::train("br_logistic(C=2)", data, {}, mulberry::Context(2));
    model.save(argv[1]);
    const mulberry::Model loaded = mulberry::Model::load(argv[1]);
    const mulberry::Prediction before = model.predict(data), after = loaded.predict(data);
    if (!std::ranges::equal(before.scores(), after.scores())) return 3;

    // An exception of the library is caught by its type, also across the shared library.
    try {
      mulberry::train("br_logistik", data);
      return 4;
    } catch (const mulberry::Error& error) {
      if (error.code() != mulberry::ErrorCode::usage || error.remedy().empty()) return 5;
    }
    std::printf("predicted %lld labels for %lld rows\n",
                static_cast<long long>(after.decisions().positives()),
                static_cast<long long>(after.rows()));
    return after.decisions().positives() > 0 ? 0 : 6;
  } catch (const mulberry::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

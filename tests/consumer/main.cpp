// A user's program: train, save, load and predict through the public headers.
#include <mulberry/data/generate/generate.hpp>
#include <mulberry/evaluate/trained_model.hpp>

#include <cstdio>

int main() {
  const mulberry::report::Context ctx(2);
  const mulberry::report::Dataset data = mulberry::report::generate("photos", ctx);
  mulberry::report::TrainedModel model =
      mulberry::report::train(mulberry::report::parse_spec("br_logistic(C=2)"), data, {}, ctx);
  model.save("consumer-model.mb");
  const auto loaded = mulberry::report::TrainedModel::load("consumer-model.mb");
  const mulberry::report::Labels predicted = loaded.decide(loaded.predict(data, ctx));
  std::printf("consumer: predicted %lld labels for %lld rows\n",
              static_cast<long long>(predicted.positives()),
              static_cast<long long>(predicted.rows()));
  return predicted.positives() > 0 ? 0 : 1;
}

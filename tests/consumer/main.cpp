// A user's program: train, save, load and predict through the public headers.
#include <mulberry/data/generate/generate.hpp>
#include <mulberry/evaluate/trained_model.hpp>

#include <cstdio>

int main() {
  const mulberry::Context ctx(2);
  const mulberry::Dataset data = mulberry::generate("photos", ctx);
  mulberry::TrainedModel model =
      mulberry::train(mulberry::parse_spec("br_logistic(C=2)"), data, {}, ctx);
  model.save("consumer-model.mb");
  const auto loaded = mulberry::TrainedModel::load("consumer-model.mb");
  const mulberry::Labels predicted = loaded.decide(loaded.predict(data, ctx));
  std::printf("consumer: predicted %lld labels for %lld rows\n",
              static_cast<long long>(predicted.positives()),
              static_cast<long long>(predicted.rows()));
  return predicted.positives() > 0 ? 0 : 1;
}

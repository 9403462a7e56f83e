// Train on a file, save the model, load it and score it on rows that it has not seen.
#include <mulberry/mulberry.hpp>

#include <cstdio>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  try {
    // A file to begin with. Yours may be ARFF, CSV, libsvm, npz, ..., plain or compressed.
    mulberry::generate("photos").write(folder + "/photos.arff");

    const mulberry::Dataset data = mulberry::Dataset::read(folder + "/photos.arff");
    std::printf("%s: %lld rows, %lld features, %lld labels\n", data.name().c_str(),
                static_cast<long long>(data.rows()), static_cast<long long>(data.columns()),
                static_cast<long long>(data.label_count()));

    const auto splits = mulberry::make_splits(data.labels(), {.holdout = 0.25});
    const mulberry::Dataset training = data.take_rows(splits[0].train);
    const mulberry::Dataset test = data.take_rows(splits[0].test);

    const mulberry::Model model =
        mulberry::train("ecc(chains=10, base=logistic)", training, {.scale = "standardise"});
    model.save(folder + "/photos.mb");

    const mulberry::Model loaded = mulberry::Model::load(folder + "/photos.mb");
    for (const auto& measure : mulberry::score(loaded, test, {"macro_f1", "hamming_loss"})) {
      std::printf("%s %.2f\n", measure.name.c_str(), measure.value);
    }

    const mulberry::Labels predicted = loaded.predict(test).decisions();
    std::printf("first row:");
    for (const auto label : predicted.row(0)) {
      std::printf(" %s", loaded.label_names()[static_cast<std::size_t>(label)].c_str());
    }
    std::printf("\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

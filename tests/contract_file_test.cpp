// Every learner's model file: saved, loaded, damaged in every byte.
#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

TEST_P(Contract, SavedAndLoadedPredictsTheSame) {
  const Dataset data = small_data(GetParam());
  TrainedModel model = fit_small(GetParam(), data);
  const Scratch scratch;
  model.save(scratch.file("model"));
  const TrainedModel loaded = TrainedModel::load(scratch.file("model"));
  const Prediction before = model.predict(data, Context(1)),
                   after = loaded.predict(data, Context(1));
  EXPECT_EQ(after.scores, before.scores);
  EXPECT_EQ(after.scale, before.scale);
  EXPECT_EQ(loaded.decide(after), model.decide(before));
  EXPECT_EQ(loaded.spec.text(), model.spec.text());
  EXPECT_EQ(loaded.label_names, model.label_names);
  EXPECT_EQ(loaded.sets, model.sets);
  EXPECT_EQ(loaded.results.size(), model.results.size());
}

TEST_P(Contract, ASavedModelIsTheSameBytesEveryTime) {
  const Dataset data = small_data(GetParam(), 80);
  const Scratch scratch;
  fit_small(GetParam(), data, 1).save(scratch.file("one"));
  for (const int threads : {1, 2, 5}) {
    fit_small(GetParam(), data, threads).save(scratch.file("other"));
    EXPECT_TRUE(slurp(scratch.file("one")) == slurp(scratch.file("other")))
        << "with " << threads << " threads";
  }
}

// Arrays are verified when they are first used: until then a model with a damaged array may load,
// but must not give answers that differ from the intact model. Saving uses all arrays.
void expect_noticed(const std::string& broken, const std::string& again, const Dataset& data,
                    MatrixView expected) {
  try {
    TrainedModel model = TrainedModel::load(broken);
    try {
      EXPECT_EQ(model.predict(data, Context(1)).scores, expected);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::model_file);
      EXPECT_EQ(error.where().file, broken);
    }
    model.save(again);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where().file, broken);
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST_P(Contract, EveryDamagedByteIsNoticed) {
  const Dataset data = small_data(GetParam(), 8);
  const Scratch scratch;
  const std::string path = scratch.file("model"), broken = scratch.file("broken");
  TrainedModel model = fit_small(GetParam(), data, 1);
  model.save(path);
  const std::string good = slurp(path);
  const Matrix expected = model.predict(data, Context(1)).scores;
  // Every byte of the smallest model; for the others, the head and a sample of the rest.
  const bool all = GetParam() == "br(base=prior)";
  const std::size_t stride = all ? 1 : good.size() / 400 + 1;
  for (std::size_t k = 0; k < good.size(); k += k < 64 ? 1 : stride) {
    std::string bytes = good;
    bytes[k] = static_cast<char>(bytes[k] ^ 0x41);
    spill(broken, bytes);
    SCOPED_TRACE("byte " + std::to_string(k) + " of " + std::to_string(good.size()));
    expect_noticed(broken, scratch.file("again"), data, expected);
  }
}

TEST_P(Contract, EveryTruncatedFileIsNoticed) {
  const Dataset data = small_data(GetParam(), 8);
  const Scratch scratch;
  const std::string path = scratch.file("model"), broken = scratch.file("broken");
  TrainedModel model = fit_small(GetParam(), data, 1);
  model.save(path);
  const std::string good = slurp(path);
  const std::size_t stride = good.size() / 300 + 1;
  for (std::size_t length = 0; length < good.size(); length += stride) {
    spill(broken, good.substr(0, length));
    EXPECT_THROW(TrainedModel::load(broken), Error) << length << " of " << good.size() << " bytes";
  }
  spill(broken, good + "x");
  EXPECT_THROW(TrainedModel::load(broken), Error);
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract

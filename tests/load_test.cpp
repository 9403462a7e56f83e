// Many processes at once: predictions from one model file, and writers of one output. Whoever reads
// sees a whole file of one of the writers. `make torture` starts 200 readers at a time.
#include <filesystem>
#include <set>

#include "tests/support/process.hpp"
#include "tests/support/torture.hpp"

namespace mulberry::tests::contract {
namespace {

struct Client {
  Scratch logs = {};
  std::string output = {};
  std::unique_ptr<Process> process = {};
};

TEST(Load, ManyPredictFromOneModelFile) {
  const Scratch scratch;
  const std::string data = scratch.file("d.csv"), model = scratch.file("m.mb");
  ASSERT_EQ(
      run(scratch, {"generate", "photos", "--rows", "300", "-o", scratch.file("d.arff")}).code, 0);
  ASSERT_EQ(run(scratch, {"fit", "ml_knn", scratch.file("d.arff"), "-o", model, "-q"}).code, 0);
  const auto predict = [&](const std::string& output) {
    return std::vector<std::string>{
        "predict", model, scratch.file("d.arff"), "--scores", "-o", output, "--threads", "1"};
  };
  ASSERT_EQ(run(scratch, predict(scratch.file("expected.csv"))).code, 0);
  const std::string expected = slurp(scratch.file("expected.csv"));
  std::vector<Client> clients(static_cast<std::size_t>(shots(20, 200)));
  for (std::size_t k = 0; k < clients.size(); ++k) {
    clients[k].output = scratch.file("out-" + std::to_string(k));
    clients[k].process = std::make_unique<Process>(clients[k].logs, predict(clients[k].output));
  }
  for (Client& client : clients) {
    const Outcome ended = client.process->wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(slurp(client.output), expected);
  }
}

// 20 runs with different seeds write the same file, while it is read again and again.
TEST(Load, WritersOfOneOutputReplaceItAsAWhole) {
  const Scratch scratch;
  const std::string output = scratch.file("o.csv");
  const auto generate = [&](std::size_t seed, const std::string& path) {
    return std::vector<std::string>{"generate",           "linear", "--rows", "400", "--seed",
                                    std::to_string(seed), "-o",     path};
  };
  std::set<std::string> possible;
  std::vector<Client> clients(20);
  for (std::size_t k = 0; k < clients.size(); ++k) {
    ASSERT_EQ(run(scratch, generate(k, scratch.file("alone.csv"))).code, 0);
    possible.insert(slurp(scratch.file("alone.csv")));
  }
  ASSERT_EQ(possible.size(), clients.size());
  for (Index round = 0; round < shots(1, 20); ++round) {
    for (std::size_t k = 0; k < clients.size(); ++k) {
      clients[k].process = std::make_unique<Process>(clients[k].logs, generate(k, output));
    }
    for (int k = 0; k < 200; ++k) {
      if (!std::filesystem::exists(output)) continue;
      EXPECT_TRUE(possible.contains(slurp(output)));
    }
    for (Client& client : clients) EXPECT_EQ(client.process->wait().code, 0);
    EXPECT_TRUE(possible.contains(slurp(output)));
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.file(""))) {
    files += entry.path().filename().string().starts_with(".mulberry") ? 1 : 0;
  }
  EXPECT_EQ(files, 0u);
}

}  // namespace
}  // namespace mulberry::tests::contract

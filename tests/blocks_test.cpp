// Data that is read and predicted in blocks of rows is the same as in one piece: for every format,
// every learner, words and texts, errors with their places, parts of a file; in the memory of a
// block.
#include <sys/resource.h>

#include <filesystem>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/read/row_blocks.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::tests::contract {
namespace {

constexpr BlockLimit k_small = {.cells = 200};

struct Rows {
  std::vector<std::vector<double>> scores;
  std::vector<std::string> ids;
  std::vector<std::string> notes;
  Index blocks = 0;
};

void add(const Dataset& data, const TrainedModel& model, Rows& out) {
  ++out.blocks;
  out.ids.insert(out.ids.end(), data.ids.begin(), data.ids.end());
  for (const std::string& note : data.notes) {
    if (std::ranges::find(out.notes, note) == out.notes.end()) out.notes.push_back(note);
  }
  if (data.rows() == 0) return;
  const Prediction found = model.predict(data, Context(1));
  for (Index i = 0; i < data.rows(); ++i) {
    const auto row = found.scores.row(i);
    out.scores.emplace_back(row.begin(), row.end());
  }
}

ReadOptions reading(const TrainedModel& model) {
  ReadOptions options = model.reading({});
  options.labels_optional = true;
  return options;
}

Rows in_blocks(const std::string& path, const TrainedModel& model) {
  Rows out;
  RowBlocks rows(path, reading(model), k_small);
  for (Dataset block; rows.next(block);) add(block, model, out);
  return out;
}

Rows at_once(const std::string& path, const TrainedModel& model) {
  Rows out;
  add(read_dataset(path, reading(model)), model, out);
  return out;
}

void expect_same(const std::string& path, const TrainedModel& model, Index least_blocks) {
  SCOPED_TRACE(path);
  const Rows whole = at_once(path, model), parts = in_blocks(path, model);
  EXPECT_EQ(parts.scores, whole.scores);
  EXPECT_EQ(parts.ids, whole.ids);
  EXPECT_GE(parts.blocks, least_blocks);
  std::vector<std::string> expected = whole.notes, found = parts.notes;
  std::ranges::sort(expected);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
}

Dataset made(Index rows, double sparsity) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 6;
  options.labels = 3;
  options.sparsity = sparsity;
  return generate("linear", options, Context(1, 3));
}

TEST(Blocks, AreTheWholeInEveryFormat) {
  const TemporaryFolder folder;
  for (const double sparsity : {0.0, 0.5}) {
    const Dataset data = made(500, sparsity);
    for (const char* name : {"d.arff", "d.csv", "d.tsv", "d.jsonl", "d.svm", "d.npz", "d.csv.gz",
                             "d.arff.zst", "d.svm.gz"}) {
      const std::string path = folder.file(name);
      write_dataset(data, path);
      ReadOptions options;
      if (std::string(name).find("csv") != std::string::npos ||
          std::string(name).find("tsv") != std::string::npos ||
          std::string(name).find("jsonl") != std::string::npos) {
        options.label_columns = data.label_names;
      }
      const TrainedModel model = train("br_logistic", read_dataset(path, options), {}, Context(1));
      expect_same(path, model, 3);
    }
    write_dataset(data, folder.file("d.txt"), {.format = Format::xmlrepo});
    const TrainedModel model =
        train("br_logistic", read_dataset(folder.file("d.txt")), {}, Context(1));
    expect_same(folder.file("d.txt"), model, 3);
  }
}

TEST(Blocks, TakeWordsAndTextsAsTheWhole) {
  const TemporaryFolder folder;
  std::string trained = "id,colour,size,note,sea\n", other = "id,extra,size,note,colour\n";
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    trained += "r" + n + "," +
               (i % 3 == 0   ? "red"
                : i % 3 == 1 ? "green"
                             : "blue") +
               "," + std::to_string(i % 7) + ",\"some words, " + std::to_string(i % 5) + "\"," +
               (i % 2 == 0 ? "1" : "0") + "\n";
    // Words that training lacks, a column of its own that may hold anything, cells of two lines.
    other += "r" + n + "," + (i % 2 == 0 ? "word" + n : n) + "," + std::to_string(i % 7) +
             ",\"two\nlines " + std::to_string(i % 5) + "\"," + (i % 50 == 7 ? "violet" : "red") +
             "\n";
  }
  ReadOptions options;
  options.label_columns = {"sea"};
  options.text = {"note"};
  options.id_column = "id";
  const std::string path = folder.put("train.csv", trained);
  const TrainedModel model = train("br_logistic", read_dataset(path, options), {}, Context(1));
  expect_same(path, model, 3);
  expect_same(folder.put("other.csv", other), model, 3);
  const Rows found = in_blocks(folder.file("other.csv"), model);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("6 values"), std::string::npos) << found.notes[0];
}

TEST(Blocks, FeaturesAreCountedFromZeroIfAnyRowSaysSo) {
  const TemporaryFolder folder;
  const TrainedModel model = train("br_logistic", made(100, 0.5), {}, Context(1));
  std::string late;
  for (int i = 0; i < 400; ++i) late += "0 1:0.5 " + std::to_string(2 + i % 4) + ":1\n";
  const std::string from_one = folder.put("one.svm", late);
  const std::string from_zero = folder.put("zero.svm", late + "0 00:1 3:1\n");
  expect_same(from_one, model, 3);
  expect_same(from_zero, model, 3);
  EXPECT_NE(in_blocks(from_one, model).scores[0], in_blocks(from_zero, model).scores[0]);
}

TEST(Blocks, ErrorsHaveTheirPlaces) {
  const TemporaryFolder folder;
  const TrainedModel model = train("br_logistic", made(50, 0), {}, Context(1));
  const Dataset data = made(400, 0);
  for (const char* name : {"d.csv", "d.jsonl", "d.arff", "d.svm"}) {
    SCOPED_TRACE(name);
    const std::string path = folder.file(name);
    write_dataset(data, path);
    std::ofstream(path, std::ios::app) << (name[2] == 'c'   ? "1,2,3,4,5,x,0,0,0\n"
                                           : name[2] == 'j' ? "{\"x1\": }\n"
                                           : name[2] == 'a' ? "1,2,3,4,5,x,0,0,0\n"
                                                            : "0 1:x\n");
    const auto place = [&](const auto& read) {
      try {
        read();
      } catch (const Error& error) {
        return error.where().text() + " " + error.problem();
      }
      return std::string("no error");
    };
    const std::string whole = place([&] { read_dataset(path, reading(model)); });
    EXPECT_EQ(place([&] { in_blocks(path, model); }), whole);
    EXPECT_NE(whole.find(std::string(name) + ":4"), std::string::npos) << whole;
  }
}

TEST(Blocks, ADamagedArchiveIsAnError) {
  const TemporaryFolder folder;
  const TrainedModel model = train("br_logistic", made(50, 0), {}, Context(1));
  const std::string path = folder.file("d.npz");
  write_dataset(made(400, 0), path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8000);
  file.put('!');
  file.close();
  EXPECT_THROW(in_blocks(path, model), Error);
}

class EveryLearner : public testing::TestWithParam<std::string> {};

TEST_P(EveryLearner, PredictsBlocksAsTheWhole) {
  const TrainedModel model = fit_small(GetParam(), small_data(GetParam()));
  const Dataset data = small_data(GetParam(), 200, 5);
  const Prediction whole = model.predict(data, Context(2));
  const Labels decided = model.decide(whole);
  for (Index begin = 0; begin < data.rows(); begin += 64) {
    std::vector<Id> rows(at(std::min<Index>(64, data.rows() - begin)));
    std::iota(rows.begin(), rows.end(), static_cast<Id>(begin));
    const Prediction part = model.predict(take_rows(data, rows), Context(1));
    const Labels chosen = model.decide(part);
    for (Index i = 0; i < count_of(rows); ++i) {
      EXPECT_TRUE(std::ranges::equal(part.scores.row(i), whole.scores.row(begin + i)))
          << "row " << begin + i;
      EXPECT_TRUE(std::ranges::equal(chosen.row(i), decided.row(begin + i)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryLearner, testing::ValuesIn(learner_names()), test_name);

// The commands, with the blocks that they choose.
TEST(Blocks, PartsOfAFileAreTheWhole) {
  const Scratch scratch;
  const std::string data = scratch.file("d.csv"), model = scratch.file("m.mb");
  write_dataset(made(10000, 0), data);
  ASSERT_EQ(run(scratch, {"fit", "br_logistic", data, "--label-count", "-3", "-o", model}).code, 0);
  const std::string whole = scratch.file("whole.csv");
  ASSERT_EQ(run(scratch, {"predict", model, data, "--scores", "-o", whole}).code, 0);
  std::string parts;
  for (const char* part : {"1/3", "2/3", "3/3"}) {
    const std::string output = scratch.file("part.csv");
    ASSERT_EQ(
        run(scratch, {"predict", model, data, "--scores", "--shard", part, "-o", output}).code, 0);
    parts += slurp(output);
  }
  EXPECT_EQ(parts, slurp(whole));
  EXPECT_EQ(run(scratch, {"predict", model, data, "--shard", "4/3", "-o", whole}).code, 1);
  const Outcome printed = run(scratch, {"predict", model, data, "--scores", "-o", "-"});
  EXPECT_EQ(printed.out, slurp(whole));
}

TEST(Blocks, AFileLargerThanABlockTakesTheMemoryOfABlock) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer keeps freed memory for a while";
  const Scratch scratch;
  const std::string model = scratch.file("m.mb"), data = scratch.file("d.svm");
  const std::string train_path = scratch.file("t.svm");
  write_dataset(made(100, 0.5), train_path);
  ASSERT_EQ(run(scratch, {"fit", "br_logistic", train_path, "-o", model}).code, 0);
  {
    std::ofstream file(data);
    std::string row = "0";
    for (int j = 1; j <= 6; ++j)
      row += " " + std::to_string(j) + ":0.12345678901234" + std::to_string(j);
    row += "\n";
    for (int i = 0; i < 1'000'000; ++i) file << row;  // 130 MB; 230 MB as a data set
  }
  ASSERT_GT(std::filesystem::file_size(data), 120'000'000u);
  Process process(scratch, {"predict", model, data, "--threads", "1", "-o", "/dev/null"});
  EXPECT_EQ(process.wait().code, 0);
  rusage used = {};
  getrusage(RUSAGE_CHILDREN, &used);  // the largest of all children
  EXPECT_LT(used.ru_maxrss, 120'000) << "kB";
}

}  // namespace
}  // namespace mulberry::tests::contract

// SIGINT and SIGTERM at random moments of every verb: the command ends soon, with the exit code of
// the signal, and leaves its outputs whole or as they were before, several files of one run
// together. `make torture` fires 200 shots per verb and demands a second; the sample fires few, and
// is patient because the machine may be busy.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "mulberry/core/random.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/torture.hpp"

namespace mulberry::tests::contract {
namespace {

namespace fs = std::filesystem;

struct Shot {
  std::string verb;
  std::vector<std::string> words;         // OUT is replaced by a folder of the run
  std::vector<std::string> outputs = {};  // in that folder
};

// The data that all verbs read, made once.
struct Material {
  Scratch scratch;
  std::string data = scratch.file("photos.arff"), model = scratch.file("model.mb"),
              study = scratch.file("study.toml"), limited = scratch.file("limited.toml");
  Material() {
    const Scratch logs;
    const std::string plan =
        "[[data]]\nname = \"linear\"\ngenerate = {recipe = \"linear\", rows = 300, labels = 8}\n"
        "[learners]\nlr = \"br_logistic\"\nknn = \"ml_knn\"\n[protocol]\nfolds = 5\nseed = 1\n"
        "[measures]\nnames = [\"macro_f1\", \"ranking_loss\"]\n";
    spill(study, plan);
    spill(limited, plan + "[limits]\ncpu_seconds = 60\n");  // each cell in a process
    EXPECT_EQ(run(logs, {"generate", "photos", "--rows", "400", "-o", data}).code, 0);
    EXPECT_EQ(run(logs, {"fit", "br_logistic", data, "-o", model, "-q"}).code, 0);
  }
};

std::vector<Shot> all_shots(const Material& m) {
  const std::string out = "OUT/";
  return {
      {"describe", {"describe", m.data, "--picture", out + "d.svg"}, {"d.svg"}},
      {"fit", {"fit", "br(base=tree)", m.data, "-o", out + "m.mb", "-q"}, {"m.mb"}},
      {"fit anytime", {"fit", "rml", m.data, "-o", out + "m.mb", "-q"}},
      {"predict", {"predict", m.model, m.data, "--scores", "-o", out + "s.csv"}, {"s.csv"}},
      {"score", {"score", m.model, m.data}},
      {"cv",
       {"cv", "br_logistic", "ml_knn", m.data, "--folds", "3", "--picture", out + "c.svg"},
       {"c.svg"}},
      {"tune",
       {"tune", "ml_knn", m.data, "--measure", "macro_f1", "--trials", "3", "-o", out + "t.mb"},
       {"t.mb"}},
      {"tradeoff",
       {"tradeoff", "br_logistic", m.data, "--beta", "0.5..2", "--holdout", "0.3", "--picture",
        out + "t.svg"},
       {"t.svg"}},
      {"run", {"run", m.study, "--work", out + "work", "--csv", out + "r.csv"}, {"r.csv"}},
      {"run, limited",
       {"run", m.limited, "--work", out + "work", "--csv", out + "r.csv"},
       {"r.csv"}},
      {"reproduce",
       {"reproduce", "mahr-tables2-4", "--quick", "--only", "data-union,mahr_id", "--work",
        out + "work", "--csv", out + "r.csv"},
       {"r.csv"}},
      {"report", {"report", m.data, "-o", out + "d.html"}, {"d.html"}},
      {"review", {"review", m.data, "--static", out + "q.html", "--folds", "2"}, {"q.html"}},
      {"list", {"list"}},
      {"inspect", {"inspect", m.model, "--all"}},
      {"relations", {"relations", m.data, "--picture", out + "r.svg"}, {"r.svg"}},
      {"enhance", {"enhance", "mll_le", m.data, "-o", out + "e.csv"}, {"e.csv"}},
      {"convert", {"convert", m.data, out + "c.arff"}, {"c.arff", "c.xml"}},
      {"split",
       {"split", m.data, "--folds", "3", "-o", out + "s"},
       {"s-1-train.arff", "s-1-test.arff", "s-2-train.arff", "s-2-test.arff", "s-3-train.arff",
        "s-3-test.arff", "s-1-train.xml", "s-1-test.xml", "s-2-train.xml", "s-2-test.xml",
        "s-3-train.xml", "s-3-test.xml"}},
      {"hide",
       {"hide", m.data, "--share", "0.4", "-o", out + "h.arff"},
       {"h.arff", "h.xml", "h-truth.arff", "h-truth.xml"}},
      {"missing", {"missing", "ml_knn", m.data}},
      {"suspicious", {"suspicious", "ml_knn", m.data}},
      {"generate", {"generate", "linear", "--rows", "20000", "-o", out + "g.npz"}, {"g.npz"}},
      {"demo", {"demo", "--folder", out + "demo"}},
      {"completion", {"completion", "bash"}},
  };
}

std::vector<std::string> placed(std::vector<std::string> words, const std::string& folder) {
  for (std::string& word : words) {
    if (word.starts_with("OUT/")) word = folder + word.substr(3);
  }
  return words;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Signals : public testing::TestWithParam<std::size_t> {
 protected:
  static const Material& material() {
    static const Material made;
    return made;
  }
};

TEST_P(Signals, LeaveAllOrNothing) {
  const Shot shot = all_shots(material())[GetParam()];
  const Scratch logs;
  constexpr double k_longest = 3;  // a later moment of a long run is like an earlier one
  std::map<std::string, std::string> whole;
  double duration = k_longest;
  if (shot.verb != "demo") {
    const Scratch out;
    const auto begin = std::chrono::steady_clock::now();
    const Outcome done = run(logs, placed(shot.words, out.file("")));
    ASSERT_EQ(done.code, 0) << shot.verb << ": " << done.err;
    duration = std::min(duration, seconds_since(begin));
    for (const std::string& name : shot.outputs) {
      whole[name] = slurp(out.file(name));
      EXPECT_FALSE(whole[name].empty()) << shot.verb << ", " << name;
    }
  }
  Random random(GetParam(), "signals");
  const Index count = shots(2, 200);
  const double patience = torture() ? 1.0 : 20.0;
  double slowest = 0;
  for (Index k = 0; k < count; ++k) {
    const Scratch out;
    const bool replaces = k % 2 == 1;
    if (replaces) {
      for (const std::string& name : shot.outputs) spill(out.file(name), "old");
    }
    const int signal = random.chance(0.5) ? SIGINT : SIGTERM;
    Process process(logs, placed(shot.words, out.file("")));
    std::this_thread::sleep_for(std::chrono::duration<double>(duration * random.uniform()));
    const auto begin = std::chrono::steady_clock::now();
    process.signal(signal);
    const Outcome ended = process.wait();
    slowest = std::max(slowest, seconds_since(begin));
    // 1000: before the command could say what to do with signals.
    EXPECT_TRUE(ended.code == 0 || ended.code == 128 + signal || ended.code == 1000 + signal)
        << shot.verb << " ended with " << ended.code << ": " << ended.err;
    std::size_t there = 0, untouched = 0;
    for (const std::string& name : shot.outputs) {
      const std::string content = slurp(out.file(name));
      there += content == whole[name] ? 1 : 0;
      untouched += content == (replaces ? "old" : "") ? 1 : 0;
    }
    EXPECT_TRUE(there == shot.outputs.size() || untouched == shot.outputs.size())
        << shot.verb << ": " << there << " of " << shot.outputs.size() << " files are new, "
        << untouched << " are as before";
    for (const auto& entry : fs::recursive_directory_iterator(out.file(""))) {
      EXPECT_NE(entry.path().extension(), ".tmp") << shot.verb << " left " << entry.path();
    }
  }
  EXPECT_LT(slowest, patience) << shot.verb;
  RecordProperty("shots", static_cast<int>(count));
  if (torture()) {
    std::printf("%-12s %lld shots, the slowest end after %.3f s\n", shot.verb.c_str(),
                static_cast<long long>(count), slowest);
  }
}

constexpr std::size_t k_shots = 25;
INSTANTIATE_TEST_SUITE_P(EveryVerb, Signals, testing::Range(std::size_t{0}, k_shots));

// The list above has them all: the verbs are the indented words of `mulberry --help`.
TEST(Verbs, AreAllShotAt) {
  const Material material;
  std::vector<std::string> known;
  for (const Shot& shot : all_shots(material)) known.push_back(shot.words[0]);
  EXPECT_EQ(known.size(), k_shots);
  const Scratch logs;
  std::istringstream help(run(logs, {"--help"}).out);
  Index verbs = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  ") || line.starts_with("  mulberry")) continue;
    ++verbs;
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_NE(std::find(known.begin(), known.end(), verb), known.end()) << verb;
  }
  EXPECT_GE(verbs, 21);
}

// A signal that reaches a study and the processes of its cells at once, as Ctrl-C does, is for the
// study: it stops, or goes on where the signal is ignored, as in the background of a script.
TEST(Limits, CellsInProcessesLeaveSignalsToTheirStudy) {
  const Scratch scratch;
  const std::string study = scratch.file("slow.toml");
  spill(study,
        "[[data]]\nname = \"linear\"\ngenerate = {recipe = \"linear\", rows = 1000, labels = 10}\n"
        "[learners]\nrml = \"rml\"\n[protocol]\nfolds = 3\n[limits]\ncpu_seconds = 600\n");
  for (const bool ignored : {false, true}) {
    Process process(scratch,
                    {"-c", std::string(ignored ? "trap '' INT; " : "") + "exec '" +
                               places::command() + "' run '" + study + "' --work '" +
                               scratch.file(ignored ? "on" : "stopped") + "'"},
                    "/bin/bash");
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    process.signal(SIGINT);
    const Outcome ended = process.wait_at_most(300);
    EXPECT_EQ(ended.code, ignored ? 0 : 130) << ended.err;
    EXPECT_EQ(ended.err.find("ended with"), std::string::npos) << ended.err;
  }
}

// A signal that the parent ignores stays ignored; a limit of file sizes is an error with a message.
TEST(Limits, AFileThatBecomesTooLargeIsAnError) {
  const Scratch scratch;
  const Outcome ended =
      Process(scratch,
              {"-c", "ulimit -f 8; exec '" + places::command() +
                         "' generate linear --rows 5000 -o '" + scratch.file("g.csv") + "'"},
              "/bin/bash")
          .wait();
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.err.find("ulimit -f"), std::string::npos) << ended.err;
  EXPECT_FALSE(fs::exists(scratch.file("g.csv")));
}

// What is wrong with an output is said before the work is done.
TEST(Outputs, NamesThatAreTooLongAreRefusedAtTheStart) {
  const Scratch scratch;
  const std::string nothing = scratch.file("no data, which is not read");
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"fit", "br_logistic", nothing, "-o", scratch.file(std::string(256, 'm'))},
           {"split", nothing + ".arff", "--folds", "3", "-o",
            scratch.file(std::string(244, 's'))}}) {
    const Outcome ended = run(scratch, words);
    EXPECT_EQ(ended.code, 1);
    EXPECT_NE(ended.err.find("at most 255 bytes"), std::string::npos) << ended.err;
  }
}

TEST(Outputs, HaveNamesOfAnyBytesAndGoThroughLinks) {
  const Scratch scratch;
  const std::string data = scratch.file("photos-\xff.arff"), longest(255, 'm');
  ASSERT_EQ(run(scratch, {"generate", "photos", "--rows", "60", "-o", data}).code, 0);
  for (const std::string& name : {std::string("model-\xff.mb"), longest}) {
    const Outcome fit =
        run(scratch, {"fit", "br_logistic", data, "-o", scratch.file(name), "--json"});
    EXPECT_EQ(fit.code, 0) << fit.err;
    EXPECT_TRUE(nlohmann::json::accept(fit.out)) << fit.out;
  }
  for (const std::string verb : {"describe", "inspect"}) {
    const Outcome shown =
        run(scratch, {verb, verb == "inspect" ? scratch.file("model-\xff.mb") : data, "--json"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_TRUE(nlohmann::json::accept(shown.out)) << shown.out;
  }
  fs::create_symlink("there.mb", scratch.file("link.mb"));
  ASSERT_EQ(run(scratch, {"fit", "br_logistic", data, "-o", scratch.file("link.mb"), "-q"}).code,
            0);
  EXPECT_TRUE(fs::is_symlink(scratch.file("link.mb")));
  EXPECT_TRUE(fs::is_regular_file(scratch.file("there.mb")));
}

// Runs `fit` with so many kilobytes of addresses; true if it trained, and otherwise with an error about
// memory. Little memory is never a loop that nothing can stop.
bool trained_within(const Scratch& scratch, const std::string& kilobytes,
                    const std::string& learner, const std::string& threads) {
  const std::string data = scratch.file("photos.arff");
  if (!fs::exists(data)) {
    EXPECT_EQ(run(scratch, {"generate", "photos", "--rows", "300", "-o", data}).code, 0);
  }
  Process process(
      scratch,
      {"-c", "ulimit -v " + kilobytes + "; exec '" + places::command() + "' fit '" + learner +
                 "' '" + data + "' -q -o '" + scratch.file("m.mb") + "' --threads " + threads},
      "/bin/bash");
  const Outcome ended = process.wait_at_most(60);
  const std::string at = learner + " in " + kilobytes + ": ";
  EXPECT_TRUE(ended.code == 0 || ended.code == 1) << at << ended.code << ended.err;
  if (ended.code == 1) {
    EXPECT_NE(ended.err.find("memory"), std::string::npos) << at << ended.err;
  }
  return ended.code == 0;
}

TEST(Limits, TooLittleMemoryIsAnError) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer takes terabytes of addresses";
  const Scratch scratch;
  for (const char* kilobytes : {"120000", "200000", "260000", "400000"}) {
    for (const char* threads : {"1", "2"}) trained_within(scratch, kilobytes, "cca", threads);
  }
}

// The threads of a learner take memory while one of them waits for that of OpenBLAS: around the
// limits where there is just enough, or just not.
TEST(Limits, ThreadsShareTheMemoryOfProducts) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer takes terabytes of addresses";
  const Scratch scratch;
  const int step = torture() ? 5'000 : 30'000;
  std::vector<std::string> learners = {"bp_mll", "br(base=msvr)"};
  if (torture()) {
    for (const char* more : {"msvr", "mll_le", "mlr_gl", "rank_svm", "ridge", "cca"}) {
      learners.emplace_back(more);
    }
  }
  for (const std::string& learner : learners) {
    for (int kilobytes = 200'000; kilobytes <= 320'000; kilobytes += step) {
      trained_within(scratch, std::to_string(kilobytes), learner, "2");
    }
    EXPECT_TRUE(trained_within(scratch, "500000", learner, "2"));
  }
}

// With no room for a thread there are fewer, and the same model; with none for the libraries it is
// said.
TEST(Limits, ThreadsThatCannotBeStartedAreDoneWithout) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer takes terabytes of addresses";
  const Scratch scratch;
  EXPECT_TRUE(trained_within(scratch, "150000", "br_logistic", "16"));
  trained_within(scratch, "130000", "br_logistic", "8");
  trained_within(scratch, "110000", "br_logistic", "2");
}

// A learner that is sure to need more than it can get is refused before it is trained, with
// figures;
// --dry-run says them beforehand.
TEST(Memory, IsStatedBeforeItIsTaken) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer takes terabytes of addresses";
  const Scratch scratch;
  const std::string data = scratch.file("d.npz"), model = scratch.file("m.mb");
  ASSERT_EQ(run(scratch, {"generate", "linear", "--rows", "20000", "--features", "5", "--labels",
                          "3", "-o", data})
                .code,
            0);
  const std::string learner = "mlr_gl(memory=100)";  // 3.2 GB of kernel values
  const Outcome stated = run(scratch, {"fit", learner, data, "--dry-run", "--json", "-q"});
  ASSERT_EQ(stated.code, 0) << stated.err;
  const auto memory = nlohmann::json::parse(stated.out).at("memory");
  EXPECT_NEAR(memory.at("fit").get<double>(), 3.2e9, 0.1e9);
  EXPECT_LT(memory.at("predict").get<double>(), 0.1e9);
  const Outcome words = run(scratch, {"fit", learner, data, "--dry-run"});
  EXPECT_NE(words.out.find("training takes about 3.2"), std::string::npos) << words.out;
  const Outcome refused =
      Process(scratch,
              {"-c", "ulimit -v 1500000; exec '" + places::command() + "' fit '" + learner + "' '" +
                         data + "' -q --threads 1 -o '" + model + "'"},
              "/bin/bash")
          .wait_at_most(60);
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_NE(refused.err.find("found that it takes about 3.2"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(model));
}

// So are the features of made-up data, and a table of labels that were lists.
TEST(Memory, OfDataIsStatedBeforeItIsTaken) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer takes terabytes of addresses";
  const Scratch scratch;
  const std::string data = scratch.file("d.csv"), out = scratch.file("d.npz");
  std::string text = "f,tags\n";
  for (int i = 0; i < 5'000; ++i) {
    for (int k = 0; k < 10; ++k) {
      text += (k == 0 ? "1,t" : ";t") + std::to_string((10 * i + k) % 50'000);
    }
    text += "\n";
  }
  spill(data, text);
  const std::vector<std::string> generate = {"generate",   "linear", "--rows", "3000000",
                                             "--features", "50",     "-o",     out},
                                 convert = {"convert", data, out, "--label-list", "tags"};
  for (const auto& [words, found] : {std::pair{generate, "found that it takes 1.20 GB"},
                                     std::pair{convert, "found that it takes 250.0 MB"}}) {
    const std::string limit = words == generate ? "400000" : "300000";
    std::vector<std::string> shell = {"-c", "ulimit -v " + limit + "; exec \"$0\" \"$@\"",
                                      places::command()};
    shell.insert(shell.end(), words.begin(), words.end());
    const Outcome refused = Process(scratch, shell, "/bin/bash").wait_at_most(60);
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_NE(refused.err.find(found), std::string::npos) << refused.err;
    EXPECT_FALSE(fs::exists(out));
  }
  EXPECT_EQ(run(scratch, convert).code, 0);
}

}  // namespace
}  // namespace mulberry::tests::contract

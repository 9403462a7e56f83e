// Shared by the verbs: options for reading data, for threads and for output, and their meaning.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/args.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/spec.hpp"
#include "mulberry/data/preprocess/preprocess.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/evaluate/cell_store.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::cli {

std::vector<Option> operator+(std::vector<Option> left, const std::vector<Option>& right);

std::vector<Option> data_options();        // --format, --label-xml, ...
std::vector<Option> run_options();         // --threads, --seed, --quiet
std::vector<Option> preprocess_options();  // --impute, --scale, --tf-idf, --drop-constant
Option impute_option();
std::vector<Option> json_option();
Option work_option();  // --work

ReadOptions read_options(const Args& args);
// As read_options, for training data: missing features are kept, not refused, if --impute fills
// them or every learner accepts them.
ReadOptions training_options(const Args& args, std::span<const CompleteSpec> specs);
PreprocessOptions preprocess_from(const Args& args);
// Reads DATA and prints the reader's notes to standard error.
Dataset read_data(const std::string& path, const ReadOptions& options, const Args& args);
// The label file of DATA: the one that was named, the one next to an ARFF file, the rules next to
// other files, or none.
std::string label_file_of(const std::string& data, const Args& args);
// The format of data made from DATA: taken from the name of the output, or the format of DATA if
// both names end alike or the output's name tells nothing.
Format output_format(const std::string& data, const std::string& output, const Args& args);
Option format_option();  // --to
// What --to says; empty: by the name. Throws Error (usage) if neither tells: standard output has
// no ending.
std::optional<Format> format_to_write(const Args& args, const std::string& output);
Dataset read_with_missing(const std::string& path, const Args& args);  // keeps missing features

// Returns f(). Errors about the data, or about what a learner can do with it, that know no file get
// `path` as their file.
template <class F>
auto with_file(const std::string& path, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    const bool of_data = error.code() == Code::data || error.code() == Code::unsupported;
    if (of_data) throw error.in_file(path);
    throw;
  }
}

// The number of --threads.
int thread_count(const Args& args);

// The context of a run: threads, seed, stopping on SIGINT and SIGTERM, progress on a terminal.
class Run {
 public:
  // keeps_work: a run that is stopped returns what it has so far.
  Run(const Args& args, std::string what, bool keeps_work = false);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  const Context& context() const { return context_; }
  void done();  // removes the progress line; from here on signals end the process

 private:
  std::optional<StopListener> listener_;
  std::unique_ptr<Progress> progress_;
  Context context_;
};

// --shard 3/8: the third of eight parts; 1/1 without the option.
struct Shard {
  Index number = 1, count = 1;
};
Shard shard_from(const Args& args);

// The store of --work; empty without the option.
std::unique_ptr<CellStore> store_from(const Args& args);

// The learners among the words of a verb that takes several before DATA. Misspelt names are
// reported before a large file is read.
std::vector<CompleteSpec> leading_learners(const Args& args);
// One of them. Throws Error (usage) if it names a file: the order of the words is wrong.
Spec learner_before_data(const std::string& word);

// Prints to standard output and checks it: a full disk or a closed pipe is an error. Text for people
// shows control characters from names in files, which a terminal would obey, as \x1b; data for
// programs (JSON, CSV, scripts) stays as it is.
void print(const std::string& text);
void print_data(const std::string& data);
// What a message of the library mentions, as people type it here: --impute mean, `mulberry list`.
extern const Spelling spelled_as_flag;
void note(const std::string& text);  // standard error
bool colours();
// Notes on memory, on parameters, and on features of very different scales, which harm learners
// that compare rows by distance.
void note_before_training(const CompleteSpec& spec, const Dataset& data,
                          const PreprocessOptions& options);

}  // namespace mulberry::cli

// What the verbs share: options for reading data, threads and output, and their meaning.
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
#include "mulberry/model/learner.hpp"

namespace mulberry::cli {

std::vector<Option> operator+(std::vector<Option> left, const std::vector<Option>& right);

std::vector<Option> data_options();        // --format, --label-xml, ...
std::vector<Option> run_options();         // --threads, --seed, --quiet
std::vector<Option> preprocess_options();  // --impute, --scale, --tf-idf, --drop-constant
Option impute_option();
std::vector<Option> json_option();

ReadOptions read_options(const Args& args);
// The same for data to learn from: missing features are kept, not refused, where --impute fills
// them or every learner takes them.
ReadOptions training_options(const Args& args, std::span<const CompleteSpec> specs);
PreprocessOptions preprocess_from(const Args& args);
// Reads DATA and prints the reader's notes to standard error.
Dataset read_data(const std::string& path, const ReadOptions& options, const Args& args);
// The label file of DATA: the one that is named, or the one beside an ARFF file; or none.
std::string label_file_of(const std::string& data, const Args& args);
// The format for data that is made from DATA: by the name of the output, or that of DATA when both
// names end alike or the output's says nothing.
Format output_format(const std::string& data, const std::string& output, const Args& args);
Dataset read_with_missing(const std::string& path, const Args& args);  // keeps missing features

// What f gives. Errors about the data, or what a learner can do with it, that do not know their
// file name `path`.
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

// The context of a run: threads, seed, stopped by SIGINT and SIGTERM, progress on a terminal.
class Run {
 public:
  Run(const Args& args, std::string what);
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

// The learners among the words of a verb that takes several before DATA. A misspelt one is told
// before a large file is read.
std::vector<CompleteSpec> leading_learners(const Args& args);

// Standard output, checked: a full disk or a closed pipe is an error, not a silent loss.
void print(const std::string& text);
// Options that a message of the library mentions, as people type them here: --impute mean.
std::string spelled_as_flag(std::string_view name, std::string_view value);
void note(const std::string& text);  // standard error
bool colours();
// Notes on memory and parameters, and on features of very different scales, on which learners that
// compare rows by distance do badly.
void note_before_training(const CompleteSpec& spec, const Dataset& data,
                          const PreprocessOptions& options);

}  // namespace mulberry::cli

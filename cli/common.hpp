// What the verbs share: options for reading data, threads and output, and their meaning.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/args.hpp"
#include "cli/progress.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/spec.hpp"
#include "mulberry/data/preprocess.hpp"
#include "mulberry/data/read.hpp"

namespace mulberry::cli {

std::vector<Option> operator+(std::vector<Option> left, const std::vector<Option>& right);

std::vector<Option> data_options();        // --format, --label-xml, ...
std::vector<Option> run_options();         // --threads, --seed, --quiet
std::vector<Option> preprocess_options();  // --scale, --tf-idf, --drop-constant
std::vector<Option> json_option();

ReadOptions read_options(const Args& args);
PreprocessOptions preprocess_from(const Args& args);
// Reads DATA and prints the reader's notes to standard error.
Dataset read_data(const std::string& path, const ReadOptions& options, const Args& args);

// The context of a run: threads, seed, stopped by SIGINT and SIGTERM, progress on a terminal.
class Run {
 public:
  Run(const Args& args, std::string what);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  const Context& context() const { return context_; }
  void done();  // removes the progress line

 private:
  std::unique_ptr<Progress> progress_;
  Context context_;
};

// Standard output, checked: a full disk or a closed pipe is an error, not a silent loss.
void print(const std::string& text);
void note(const std::string& text);  // standard error
bool colours();                      // standard output is a terminal and NO_COLOR is not set
Index terminal_width();

// Learners that compare rows by distance do badly on features of very different scales.
void warn_about_scales(const Spec& spec, const Dataset& data, const PreprocessOptions& options);

}  // namespace mulberry::cli

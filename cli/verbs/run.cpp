// mulberry run: a whole comparison from one file.
#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/study_verb.hpp"

namespace mulberry::cli {
namespace {

// study.toml keeps its cells in study.work.
std::string usual_work(std::string path) {
  if (path.ends_with(".toml")) path.resize(path.size() - 5);
  return path + ".work";
}

int run_run(const Args& args) {
  const std::string& path = args.words()[0];
  const Study study = sized(args, read_study(path, size_from(args)));
  std::string command = "mulberry run " + path;
  if (args.has("repeats")) command += " --repeats " + args.text("repeats");
  return execute_study(args, study, args.text("work", usual_work(path)), command);
}

}  // namespace

Verb run_verb() {
  return {
      .name = "run",
      .summary = "run a study: learners x data sets x splits",
      .usage = "STUDY.toml [--work FOLDER]",
      .example = "mulberry generate photos -o photos.arff && mulberry run study.toml --work cells",
      .options = study_options(),
      .least = 1,
      .most = 1,
      .details =
          "Every finished cell (data set x learner x split) is a small file in the work folder: "
          "a run\nthat was stopped goes on where it was, and parts may run on several "
          "machines.\ndocs/experiments.md describes the form of STUDY.toml.",
      .run = run_run};
}

}  // namespace mulberry::cli

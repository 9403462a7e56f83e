// mulberry hide: hides labels on purpose, for experiments with incomplete or wrong labels.
#include <fmt/format.h>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/data/generate/hide.hpp"
#include "mulberry/data/write/write.hpp"

namespace mulberry::cli {
namespace {

// "out/x.arff.gz" gives "out/x-truth.arff.gz".
std::string beside(const std::string& path) {
  const auto slash = path.find_last_of('/');
  const auto dot = path.find('.', slash == std::string::npos ? 1 : slash + 2);
  return dot == std::string::npos ? path + "-truth"
                                  : path.substr(0, dot) + "-truth" + path.substr(dot);
}

int run_hide(const Args& args) {
  if (!args.has("output")) {
    throw Error(Code::usage, "expected -o OUT, the file to write the damaged data to",
                "For example: mulberry hide data.arff --share 0.4 -o hidden.arff");
  }
  const std::string path = args.text("output"), kept = beside(path);
  require_output(kept, args.words());
  Dataset data = read_with_missing(args.words()[0], args);
  const double share = args.number("share", 0.4, 0, 1);
  const std::string mode = args.choice("mode", "negative");
  Run run(args, "hiding");
  const Labels truth = data.y;
  const Index before = truth.positives();
  if (mode == "flip") {
    data.y = flip_labels(truth, share, run.context());
  } else {
    data.y =
        hide_labels(truth, {.share = share, .mode = hide_mode_of(mode)}, run.context(), data.sets);
  }
  run.done();
  const LabelSets sets = data.sets;
  if (mode != "sets") data.sets = {};  // rows may now lack a label of a set
  const WriteOptions write{.format = output_format(args.words()[0], path, args),
                           .label_file = label_file_of(args.words()[0], args)};
  AtomicGroup files;  // both or none
  write_dataset(data, path, write, files);
  Index changed = 0;
  for (Index i = 0; i < truth.rows(); ++i) {
    for (const Id l : truth.row(i)) changed += data.y.cell(i, l) == Cell::positive ? 0 : 1;
  }
  data.y = truth;
  data.sets = sets;
  write_dataset(data, kept, write, files);
  files.commit();
  if (!args.flag("quiet")) {
    print(fmt::format("{} of {} assigned labels are hidden in {}; the truth is in {}\n", changed,
                      before, path, kept));
  }
  return 0;
}

}  // namespace

Verb hide_verb() {
  return {
      .name = "hide",
      .summary = "hide labels, to study incomplete labels",
      .usage = "DATA --share 0.4 -o OUT",
      .example =
          "mulberry generate photos -o photos.arff && mulberry hide photos.arff --share 0.4 "
          "--seed 1 -o hidden.arff",
      .options =
          std::vector<Option>{
              {.name = "output",
               .letter = 'o',
               .value = "OUT",
               .help = "damaged data; the truth goes to OUT-truth (required)"},
              {.name = "share",
               .value = "F",
               .help = "share of each row's labels to hide",
               .fallback = "0.4"},
              {.name = "mode",
               .value = "negative|missing|cells|sets|flip",
               .help =
                   "hidden labels become 0 or missing; any cells, or whole label sets, missing; or "
                   "labels flipped",
               .fallback = "negative"}} +
          run_options() + data_options(),
      .least = 1,
      .most = 1,
      .run = run_hide};
}

}  // namespace mulberry::cli

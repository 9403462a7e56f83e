// mulberry generate: made-up data with a known recipe.
#include <fmt/format.h>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/write/write.hpp"

namespace mulberry::cli {
namespace {

std::vector<Option> own_options() {
  return {{.name = "output", .letter = 'o', .value = "OUT", .help = "file to write (required)"},
          {.name = "rows", .value = "N", .help = "rows"},
          {.name = "features", .value = "N", .help = "features"},
          {.name = "labels", .value = "N", .help = "labels"},
          {.name = "cardinality", .value = "X", .help = "mean number of labels per row"},
          {.name = "sparsity", .value = "X", .help = "share of feature values that are 0"},
          {.name = "noise", .value = "X", .help = "0: the features decide; 1: they say nothing"},
          {.name = "prevalence", .value = "X", .help = "how often a label occurs"},
          {.name = "set-sizes", .value = "A,B", .help = "number of labels of each exclusive set"},
          {.name = "dependence",
           .value = "X",
           .help = "0: the sets are independent; 1: the first decides"},
          format_option(),
          {.name = "seed", .value = "S", .help = "seed", .fallback = "0"},
          {.name = "quiet", .letter = 'q', .help = "print no notes"}};
}

// The option of the generator that corresponds to an option of the command.
std::string table_name(std::string name) {
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

int run_generate(const Args& args) {
  const Generator& generator = find_generator(args.words()[0]);
  if (!args.has("output")) {
    throw Error(Code::usage, "expected -o OUT, the file to write",
                "For example: mulberry generate photos -o photos.arff");
  }
  for (const auto& [name, value] : args.given()) {
    if (name == "output" || name == "to" || name == "seed" || name == "quiet") continue;
    if (std::find(generator.uses.begin(), generator.uses.end(), table_name(name)) !=
        generator.uses.end())
      continue;
    std::vector<std::string> used;
    for (const auto use : generator.uses) used.push_back("--" + std::string(use));
    for (std::string& use : used) {
      for (char& c : use) c = c == '_' ? '-' : c;
    }
    throw Error(Code::usage, std::string(generator.id) + " does not use --" + name,
                "It uses " + join(used, ", "));
  }
  GenerateOptions options = generator.defaults;
  constexpr Index k_most = 1000000000;
  options.rows = args.integer("rows", options.rows, 1, k_most);
  options.features = args.integer("features", options.features, 1, k_most);
  options.labels = args.integer("labels", options.labels, 1, k_most);
  options.cardinality = args.number("cardinality", options.cardinality, 0, 1e9);
  options.sparsity = args.number("sparsity", options.sparsity, 0, 1);
  options.noise = args.number("noise", options.noise, 0, 1);
  options.prevalence = args.number("prevalence", options.prevalence, 0, 1);
  options.dependence = args.number("dependence", options.dependence, 0, 1);
  if (args.has("set-sizes")) {
    options.set_sizes.clear();
    for (const std::string& text : args.list("set-sizes")) {
      const auto size = parse_integer(text);
      if (!size)
        throw Error(Code::usage,
                    "--set-sizes must be whole numbers such as 5,3, got " + in_quotes(text));
      options.set_sizes.push_back(*size);
    }
  }
  const auto seed =
      static_cast<std::uint64_t>(args.integer("seed", 0, 0, std::numeric_limits<Index>::max()));
  const std::size_t needed = memory_of(generator, options);
  require_memory(fmt::format("{} rows of {}", options.rows, generator.id), needed,
                 available_memory(), "Make fewer rows or features");
  if (needed >= 10 * k_much_memory && !args.flag("quiet")) {
    note(fmt::format("{} rows of {} take {} of memory", options.rows, generator.id,
                     size_text(needed)));
  }
  write_dataset(generate(generator.id, options, Context(1, seed)), args.text("output"),
                {.format = format_to_write(args, args.text("output")), .sets_as_words = true});
  return 0;
}

std::string recipes() {
  std::string out = "Recipes:";
  for (const Generator& generator : generator_table()) {
    out += fmt::format("\n  {}: {}", generator.id, generator.recipe);
  }
  return out;
}

}  // namespace

Verb generate_verb() {
  return {.name = "generate",
          .summary = "make up data with a known recipe",
          .usage = "RECIPE -o OUT [--rows N] [--seed S] ...",
          .example = "mulberry generate data-union --rows 1000 --seed 1 -o union.arff",
          .options = own_options(),
          .least = 1,
          .most = 1,
          .details = recipes(),
          .run = run_generate};
}

}  // namespace mulberry::cli
